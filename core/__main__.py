"""`python -m core check FOLDER`: open a model, report how it was loaded, and verify what must hold for any model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from core.analysis.checking import Law, check
from core.catalog import LoadReport, needed, open_model
from core.catalog.memory import available
from core.errors import CoreError
from core.inputs import Sample, read
from core.models import Model, Spec
from core.settings import MEBIBYTE, from_environment
from core.words import languages, say


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 0 if every law holds, 1 if one does not or the model cannot be opened."""
    given = _parser().parse_args(arguments)
    try:
        for line in memory_lines(given.folder, given.language):
            _write(line)
        model = open_model(given.folder)
        for line in report_lines(model.report, given.language):
            _write(line)
        laws = [law for sample in samples_for(model, given.text) for law in check(model, sample)]
    except CoreError as error:
        _write(say(given.language, f"errors.{error.key}", **error.values))
        return 1
    for law in laws:
        _write(law_line(law, given.language))
    return 0 if all(law.holds for law in laws) else 1


def samples_for(model: Model, text: str | None) -> Iterator[Sample]:
    """Yield what a model is checked on, of every kind that it takes: the text, or where none was given as much of a
    sentence as it takes; a slope of colours; a second of a rising tone.

    Raises:
        CoreError: what reading the text raises.
    """
    if "text" in model.takes:
        yield beginning(model, say("en", "check.sentence").split()) if text is None else read(model, text)
    if "image" in model.takes:
        yield read(model, image=slope(*model.taking("image").spec.signal[1:]))
    if "sound" in model.takes:
        time = np.arange(model.reader.mel.rate) / model.reader.mel.rate
        yield read(model, sound=np.sin(2000 * (time + time**2)))


def beginning(model: Model, words: Sequence[str]) -> Sample:
    """Return as many of some words as a model takes, the first of them.

    Raises:
        CoreError: `too_long` where it does not even take one.
    """
    try:
        return read(model, " ".join(words))
    except CoreError as error:
        if error.key != "too_long" or len(words) < 2:
            raise
    return beginning(model, words[:-1])


def slope(rows: int, columns: int) -> NDArray[np.uint8]:
    """Return a picture [row, column, colour] that gets brighter downwards, to the right, and to both."""
    down, across = np.mgrid[0:rows, 0:columns] / max(rows, columns)
    return (255 * np.stack((down, across, (down + across) / 2), axis=-1)).astype(np.uint8)


def memory_lines(name: str, language: str) -> Iterator[str]:
    """Yield what opening a model will take, before it is opened.

    Raises:
        CoreError: what speaks against opening it.
    """
    settings = from_environment()
    bytes_, free = needed(name, settings), min(settings.model_bytes, available())
    yield say(language, "check.needed", mebibytes=f"{bytes_ / MEBIBYTE:.1f}", free=free // MEBIBYTE)


def report_lines(report: LoadReport, language: str) -> Iterator[str]:
    """Yield the load report, a line each."""
    spec = report.spec
    yield say(language, "check.model", name=report.name, family=spec.family, kind=spec.kind)
    yield from shape_lines(spec, language)
    if report.pictures is not None:
        yield say(language, "check.pictures")
        yield from shape_lines(report.pictures, language)
    stored = ", ".join(f"{count} × {kind}" for kind, count in report.stored)
    yield say(language, "check.parameters", count=report.parameters, stored=stored, computed=report.computed)
    yield say(language, "check.cost", device=report.device, mebibytes=report.memory_bytes >> 20, seconds=report.seconds)
    yield say(language, "check.checksum", checksum=report.checksum)
    yield say(language, "check.tensors", read=report.tensors_read, ignored=len(report.ignored))
    for name, reason in report.ignored:
        yield f"  {name}: {say(language, f'report.ignored_{reason}')}"


def shape_lines(spec: Spec, language: str) -> Iterator[str]:
    """Yield the numbers of one encoder or decoder, or of both together."""
    positions = spec.positions or spec.places
    yield say(language, "check.shape", layers=spec.depth, heads=spec.heads.count, groups=spec.heads.groups)
    yield say(language, "check.widths", width=spec.width, head_width=spec.heads.head_width, positions=positions)


def law_line(law: Law, language: str) -> str:
    """Return a law, its worst difference and whether it holds."""
    verdict = say(language, "check.holds" if law.holds else "check.broken")
    return f"{verdict}  {law.worst:.1e} (≤ {law.tolerance:.0e})  {say(language, f'check.law_{law.key}')}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core", description=say("en", "check.about"))
    command = parser.add_subparsers(required=True).add_parser("check", help=say("en", "check.about"))
    command.add_argument("folder", help=say("en", "check.folder"))
    command.add_argument("--text", help=say("en", "check.text"))
    command.add_argument("--language", default="en", choices=languages(), help=say("en", "check.language"))
    return parser


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
