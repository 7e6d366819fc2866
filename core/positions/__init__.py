"""How order gets in: position schemes, by the door through which they enter (input, heads or scores)."""

from core.positions.rotary import Rotary

__all__ = ["Rotary"]
