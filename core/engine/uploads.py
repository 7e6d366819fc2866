"""Folders that visitors bring along: each under a name that cannot be guessed, on disk only as long as it is kept."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from core.errors import CoreError
from core.settings import MEBIBYTE

SUFFIXES = (".json", ".txt", ".safetensors", ".gguf")
SETTING = "HEADS_UP_UPLOAD_MIB"
PLAIN = re.compile(r"\w[\w .()+=@-]*")
LONGEST = 200  # bytes of a file's name
SHOWN = 80


class Uploads:
    """Files of one model each, in temporary folders that end with the process.

    Whoever knows the name of an upload may open it; nothing lists the names.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._held: dict[str, Path] = {}
        self._bytes: dict[str, int] = {}
        self._gone: set[str] = set()

    def open_with(
        self, files: Sequence[tuple[str, bytes]], look: Callable[[str], object], give_up: Callable[[str], None]
    ) -> str:
        """Keep files, look at what they are, and return their name; what cannot be looked at is given up again.

        Raises:
            CoreError: what `keep` raises, and what looking raises.
        """
        name = self.keep(files)
        try:
            look(name)
        except BaseException:
            give_up(name)
            raise
        return name

    def keep(self, files: Sequence[tuple[str, bytes]], name: str = "") -> str:
        """Write files into a folder of their own and return its name: 32 random bytes, unless it has one elsewhere.

        Raises:
            CoreError: `upload_off`, `upload_name`, `upload_kind`, `upload_twice`, `upload_too_big` before anything is
                written; `upload_disk` where the disk does not take it.
        """
        self._check(files)
        name = name or secrets.token_urlsafe(32)
        try:
            folder = self._place() / "upload"
            folder.mkdir()
        except OSError as error:
            raise CoreError("upload_disk", came=_mebibytes(files)) from error
        try:
            for file, content in files:
                (folder / file).write_bytes(content)
        except OSError as error:
            shutil.rmtree(folder.parent, ignore_errors=True)
            raise CoreError("upload_disk", came=_mebibytes(files)) from error
        with self._lock:
            self._held[name], self._bytes[name] = folder, _bytes(files)
        return name

    def folder(self, name: str) -> Path | None:
        """Return where an upload lies, None for a name that was never given or is given up."""
        return self._held.get(name)

    def weigh(self, names: Iterable[str]) -> dict[str, int]:
        """Return the bytes of the files of each of some uploads, without those that are not held."""
        return {name: self._bytes[name] for name in names if name in self._bytes}

    def files(self, name: str) -> list[tuple[str, bytes]]:
        """Return the files of an upload, none for a name that is not held."""
        folder = self.folder(name)
        return [] if folder is None else [(file.name, file.read_bytes()) for file in sorted(folder.iterdir())]

    def drop(self, name: str) -> None:
        """Delete an upload; a name that is not held is no error."""
        with self._lock:
            folder = self._held.pop(name, None)
            self._bytes.pop(name, None)
            if folder is not None:
                self._gone.add(name)
        if folder is not None:
            shutil.rmtree(folder.parent, ignore_errors=True)

    def gone(self, name: str) -> bool:
        """Tell whether a name was given once and is given up."""
        return name in self._gone

    def _place(self) -> Path:
        """Return a new folder that goes with this object, or at the latest with the process."""
        place = Path(tempfile.mkdtemp(prefix="heads-up-"))
        weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        return place

    def _check(self, files: Sequence[tuple[str, bytes]]) -> None:
        if not self.limit:
            raise CoreError("upload_off", name=SETTING)
        seen: set[str] = set()
        for name, _ in files:
            _check_name(name)
            if name.casefold() in seen:
                raise CoreError("upload_twice", name=name[:SHOWN])
            seen.add(name.casefold())
        if _bytes(files) > self.limit:
            raise CoreError("upload_too_big", came=_mebibytes(files), allowed=self.limit // MEBIBYTE, name=SETTING)


def _check_name(name: str) -> None:
    if not PLAIN.fullmatch(name) or len(name.encode()) > LONGEST:
        raise CoreError("upload_name", came=name[:SHOWN])
    if not name.endswith(SUFFIXES):
        raise CoreError("upload_kind", name=name[:SHOWN], allowed=", ".join(SUFFIXES))


def _mebibytes(files: Sequence[tuple[str, bytes]]) -> int:
    """Return the size of all files together in MiB, rounded up."""
    return -(-_bytes(files) // MEBIBYTE)


def _bytes(files: Sequence[tuple[str, bytes]]) -> int:
    return sum(len(content) for _, content in files)
