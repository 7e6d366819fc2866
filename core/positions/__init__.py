"""How order gets in: position schemes, by the door through which they enter.

at the input: rows added to the embeddings (core.blocks.embeddings); at the heads: queries and keys are turned
(`AtHeads`); at the scores: something is added that depends on the distance (`AtScores`).
"""

from core.positions.alibi import Alibi
from core.positions.doors import AtHeads, AtScores
from core.positions.neighbours import Neighbours
from core.positions.rotary import Rotary
from core.positions.scalings import ByWavelength, Divided, Dynamic, Linear, LongRope, Scaling, Yarn
from core.positions.sinusoidal import Sinusoidal
from core.positions.table import POSITIONS, Scheme

__all__ = [
    "POSITIONS",
    "Alibi",
    "AtHeads",
    "AtScores",
    "ByWavelength",
    "Divided",
    "Dynamic",
    "Linear",
    "LongRope",
    "Neighbours",
    "Rotary",
    "Scaling",
    "Scheme",
    "Sinusoidal",
    "Yarn",
]
