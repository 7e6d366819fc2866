"""What an operator may set, by environment variables that begin with HEADS_UP_, checked once at start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from core.errors import CoreError

MEBIBYTE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits and places; sizes are in MiB, lengths in pieces."""

    device: str = "auto"
    models_root: Path | None = None
    trace_mib: int = 1024
    answer_mib: int = 256
    model_mib: int = 4096
    upload_mib: int = 0
    max_pieces: int = 2048
    max_characters: int = 50_000
    threads: int = 0
    writers: int = 2
    max_written: int = 512
    measure_seconds: int = 300
    measure_mib: int = 12288

    @property
    def trace_bytes(self) -> int:
        """Bytes that all held traces may take together."""
        return self.trace_mib * MEBIBYTE

    @property
    def answer_bytes(self) -> int:
        """Bytes that all kept answers may take together."""
        return self.answer_mib * MEBIBYTE

    @property
    def model_bytes(self) -> int:
        """Bytes that all loaded models may take together."""
        return self.model_mib * MEBIBYTE

    @property
    def upload_bytes(self) -> int:
        """Bytes that the files of one upload may have together; 0 where nobody may upload."""
        return self.upload_mib * MEBIBYTE


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings.

    Raises:
        CoreError: `setting_value` or `setting_folder` for a value that does not fit.
    """
    given: dict[str, Any] = {}
    for field in fields(Settings):
        name = f"HEADS_UP_{field.name.upper()}"
        if environment.get(name):
            given[field.name] = _read(name, environment[name], field.name)
    return Settings(**given)


def _read(name: str, text: str, field: str) -> object:
    if field == "device":
        return _one_of(name, text, ("auto", "cpu", "cuda", "mps"))
    if field == "models_root":
        return _folder(name, text)
    if not text.isdecimal():
        raise CoreError("setting_value", name=name, came=text, allowed="0, 1, 2 …")
    return int(text)


def _one_of(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed and not text.startswith("cuda:"):
        raise CoreError("setting_value", name=name, came=text, allowed=", ".join(allowed))
    return text


def _folder(name: str, text: str) -> Path:
    path = Path(text).expanduser().resolve()
    if not path.is_dir():
        raise CoreError("setting_folder", name=name, came=text)
    return path
