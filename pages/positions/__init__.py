"""Positions: how a model that sees everything at once knows what comes first."""
