"""Mixers: what attention replaced, and what wants to replace it."""
