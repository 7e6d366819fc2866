"""Numbers as a bill writes them: bytes, operations and how many times more."""

from __future__ import annotations

from pages.plumbing.sheets import measured

BYTES = (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
OPERATIONS = (("Z", 1e21), ("E", 1e18), ("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3))


def size(count: int | float) -> str:
    """Write bytes with a unit that leaves digits before the point."""
    return next((f"{count / one:.3g} {unit}" for unit, one in BYTES if count >= one), f"{count:.0f} B")


def many(count: int | float) -> str:
    """Write a number of operations with a letter for thousands, millions, and so on."""
    return next((f"{count / one:.3g} {unit}" for unit, one in OPERATIONS if count >= one), f"{count:.0f}")


def times(count: int | float) -> str:
    """Write how many times more."""
    return f"× {measured(round(count, 2))}"


def money(amount: int | float) -> str:
    """Write an amount of money with two digits before it is too small for them."""
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.2g}"
