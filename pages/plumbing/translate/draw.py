"""A figure of the Translate page, and exactly its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pages.plumbing import drawn, fields, words
from pages.plumbing.sheets import grid as sheet
from pages.plumbing.sheets import numbered

RUN, TRAINING = "run", "training"


def figure(chart: Any, name: str, numbers: Mapping[str, Any], source: str = RUN) -> None:
    """Show a chart, where it comes from (a run just now, or what was written down in training), and its numbers."""
    drawn.figure(chart, f"translate.{name}", source, numbers)


def say(title: str, axes: Mapping[str, str], **values: Any) -> dict[str, str]:
    """Return the words of a figure: its title, and the name of whatever else it names by a message of this page."""
    return fields.say("translate", title, axes, **values)


def tokens(labels: Sequence[str], series: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers that belong to tokens, beside these."""
    return {words.t("translate.token"): numbered(labels), **series}


def grid(rows: Sequence[str], columns: Sequence[str], cells: Any) -> dict[str, Any]:
    """Return a map as columns of numbers."""
    return sheet(words.t("translate.token"), numbered(rows), columns, cells)
