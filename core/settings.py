"""What an operator may set, by environment variables that begin with HEADS_UP_ or in one file, checked at start."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from core.errors import CoreError

MEBIBYTE = 1 << 20
OURS = "HEADS_UP_"
FILE = f"{OURS}SETTINGS"
SHORTEST_CODE = 6
ENGINES = ("local", "ray")
SOME = ("ray_least", "ray_most", "model_mib", "max_pieces", "max_characters", "writers", "max_written")
LEAST = dict.fromkeys(SOME, 1)
MOST = {"metrics_port": 65535, "log_texts": 1}
DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits and places; sizes are in MiB, lengths in pieces.

    `engine` says who keeps models and traces: this process, or Ray Serve on the cluster at `ray_address` ("": one of
    this machine's own) with `ray_least` to `ray_most` replicas. With the file `sign_in`, visitors sign in at the OpenID
    provider that it names; with a `code`, they have to know it; who knows the `operator_code` sees how the server does.
    """

    engine: str = "local"
    ray_address: str = ""
    ray_least: int = 2
    ray_most: int = 4
    device: str = "auto"
    models_root: Path | None = None
    trace_mib: int = 1024
    answer_mib: int = 256
    model_mib: int = 4096
    upload_mib: int = 0
    max_pieces: int = 2048
    max_characters: int = 50_000
    threads: int = 0
    max_wait: int = 60
    idle_seconds: int = 3600
    writers: int = 2
    max_written: int = 512
    measure_seconds: int = 300
    measure_mib: int = 12288
    metrics_port: int = 0
    metrics_address: str = "127.0.0.1"
    log_texts: int = 0
    sign_in: Path | None = None
    code: str = field(default="", repr=False)
    operator_code: str = field(default="", repr=False)

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
    """Read the settings: from the file that HEADS_UP_SETTINGS names, if any, and over it from the environment.

    Raises:
        CoreError: `setting_value`, `setting_folder` or `setting_code` for a value that does not fit; `setting_name` for
            a variable that is no setting; `setting_file` or `setting_unknown` for the file.
    """
    names = {f"{OURS}{each.name.upper()}": each.name for each in fields(Settings)}
    for name in environment:
        if name.startswith(OURS) and name not in (FILE, *names):
            raise CoreError("setting_name", came=name, allowed=", ".join((FILE, *names)))
    written = {} if not environment.get(FILE) else _written(environment[FILE], names)
    given = written | {name: environment[name] for name in names if environment.get(name)}
    read: dict[str, Any] = {names[name]: _read(name, text, names[name]) for name, text in given.items()}
    return Settings(**read)


def _written(place: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return what stands in a file of lines such as `max_pieces = 512`."""
    try:
        lines = tomllib.loads(Path(place).expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError) as why:
        raise CoreError("setting_file", name=FILE, came=place, why=str(why)) from why
    for name in lines:
        if name not in names.values():
            raise CoreError("setting_unknown", came=name, file=place, allowed=", ".join(names.values()))
    return {f"{OURS}{name.upper()}": str(value) for name, value in lines.items()}


def _read(name: str, text: str, field: str) -> object:
    if field == "device":
        return _one_of(name, text, ("auto", "cpu", "cuda", "mps"))
    if field == "engine":
        return _one_of(name, text, ENGINES)
    if field == "models_root":
        return _folder(name, text)
    if field == "sign_in":
        return Path(text).expanduser()
    if field in ("metrics_address", "ray_address"):
        return text
    if field in ("code", "operator_code"):
        return _code(name, text)
    return _number(name, text, LEAST.get(field, 0), MOST.get(field))


def _number(name: str, text: str, least: int, most: int | None) -> int:
    plain = text.isascii() and text.isdecimal() and len(text) <= DIGITS
    if not plain or int(text) < least or (most is not None and int(text) > most):
        allowed = f"{least}, {least + 1}, {least + 2} …" if most is None else f"{least} … {most}"
        raise CoreError("setting_value", name=name, came=text, allowed=allowed)
    return int(text)


def _code(name: str, text: str) -> str:
    """Return a code; what came is never told, since errors are logged."""
    if len(text.strip()) < SHORTEST_CODE:
        raise CoreError("setting_code", name=name, allowed=SHORTEST_CODE)
    return text.strip()


def _one_of(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed and not ("cuda" in allowed and text.startswith("cuda:")):
        raise CoreError("setting_value", name=name, came=text, allowed=", ".join(allowed))
    return text


def _folder(name: str, text: str) -> Path:
    path = Path(text).expanduser().resolve()
    if not path.is_dir():
        raise CoreError("setting_folder", name=name, came=text)
    return path
