"""Folders as people publish them: where they may be, and which of their files are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from core.catalog.entries import Entry, catalog
from core.errors import CoreError
from core.inputs import read_answering, read_tokenizer, tokenizer_from_gguf
from core.inputs.tokenizer_files import ANSWERS as TARGET
from core.models import Family, family, gguf_family
from core.weights import INDEX, GgufFile, SafetensorsFile, Shards, Stored

SAFETENSORS = "model.safetensors"
STEPS = "steps"
ANSWERS = (
    "decoder_start_token_id",
    "forced_bos_token_id",
    "forced_decoder_ids",
    "eos_token_id",
    "bad_words_ids",
    "suppress_tokens",
    "begin_suppress_tokens",
)
PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack", "model.ckpt.index")


@dataclass(frozen=True, kw_only=True)
class Source:
    """An opened folder: its config and weights, and how to make its tokenizers. `files` are those with weights in
    them, `target` the tokenizer of answers where they have a vocabulary of their own."""

    folder: Path
    config: dict[str, Any]
    stored: Stored
    family: Family
    tokenizer: Callable[[], Tokenizer]
    files: tuple[Path, ...]
    from_gguf: bool = False
    target: Callable[[], Tokenizer] | None = None

    def beside(self, name: str) -> dict[str, Any]:
        """Return another file of settings in the folder, empty where there is none.

        Raises:
            CoreError: `config_unreadable`.
        """
        return settings_in(self.folder / name)


def locate(entry: Entry) -> Path:
    """Return the folder of a catalogue model: inside the package that carries it, or among the assets.

    Raises:
        CoreError: `model_not_installed`, or `no_weights` for one that should have come along.
    """
    place = entry.place
    if place is None and entry.package:
        raise CoreError("model_not_installed", name=entry.name, needed=entry.needed)
    if place is None:
        raise CoreError("no_weights", name=entry.name, allowed=entry.weights)
    return place


def own_folder(name_or_folder: str | Path, root: Path | None) -> Path:
    """Return a folder of the operator's own: a name under the models root, or where no root is set any folder.

    Raises:
        CoreError: `unknown_model`, the same for whatever is not there, not a folder or not under the root.
    """
    try:
        resolved = (Path(name_or_folder) if root is None else root / name_or_folder).resolve()
        if resolved.is_dir() and (root is None or _inside(resolved, root)):
            return resolved
    except (OSError, ValueError):  # a name that no file system takes
        pass
    came = Path(name_or_folder).name[:80] or str(name_or_folder)[:80]
    raise CoreError("unknown_model", came=came, allowed=", ".join(entry.name for entry in catalog()))


def _inside(folder: Path, root: Path) -> bool:
    """Say whether a folder lies below the root, and every file in it too once links are followed."""
    top = root.resolve()
    try:
        return folder != top and all(path.resolve().is_relative_to(top) for path in (folder, *folder.iterdir()))
    except OSError:
        return False


def snapshot(folder: Path, step: int) -> str:
    """Return the weights of a folder as they were after some steps of training, as a path inside it.

    Raises:
        CoreError: `no_snapshots`, or `no_such_step` with those that were kept.
    """
    names = {int(path.stem): path for path in folder.glob(f"{STEPS}/*.safetensors") if path.stem.isdecimal()}
    if not names:
        raise CoreError("no_snapshots", name=folder.name, came=step)
    if step not in names or not names[step].resolve().is_relative_to(folder.resolve()):
        raise CoreError("no_such_step", name=folder.name, came=step, allowed=", ".join(map(str, sorted(names))))
    return f"{STEPS}/{names[step].name}"


def own_folders(root: Path | None) -> tuple[str, ...]:
    """Return the names of the folders under the models root that hold a config or weights, hidden ones left out."""
    if root is None or not root.is_dir():
        return ()
    found = (path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".") and _inside(path, root))
    return tuple(sorted(path.name for path in found if any(looks_like_a_model(file.name) for file in path.iterdir())))


def looks_like_a_model(file: str) -> bool:
    """Tell whether a folder with a file of this name is meant to be a model."""
    return file in ("config.json", *PICKLED) or file.endswith((".safetensors", ".gguf"))


def open_folder(folder: Path, weights: str | None = None) -> Source:
    """Open the config and the weights of a folder: safetensors, in one file or several, or GGUF.

    Raises:
        CoreError: `no_config`, `no_weights`, `weights_pickled`, `config_unreadable`, `unknown_family`, or what the
            weights file raises.
    """
    ggufs = [folder / weights] if weights and weights.endswith(".gguf") else sorted(folder.glob("*.gguf"))
    if ggufs and not any((folder / name).is_file() for name in (SAFETENSORS, INDEX)):
        return _from_gguf(ggufs[0])
    config = read_config(folder) | of_answers(folder)
    row = family(config.get("model_type"))
    stored, files = open_weights(folder, weights)
    return Source(
        folder=folder,
        config=config,
        stored=stored,
        family=row,
        tokenizer=lambda: read_tokenizer(folder, row.model_type),
        files=files,
        target=partial(read_answering, folder) if (folder / TARGET).is_file() else None,
    )


def open_weights(folder: Path, weights: str | None = None) -> tuple[Stored, tuple[Path, ...]]:
    """Open the safetensors of a folder; where there is an index, it decides.

    Raises:
        CoreError: `no_weights`, `weights_pickled`, or what the files raise.
    """
    if (folder / INDEX).is_file() and weights is None:
        shards = Shards(folder)
        return shards, shards.paths
    path = folder / (weights or SAFETENSORS)
    if path.is_file():
        return SafetensorsFile(path), (path,)
    pickled = next((name for name in PICKLED if (folder / name).is_file()), None)
    if pickled:
        raise CoreError("weights_pickled", name=pickled)
    raise CoreError("no_weights", name=folder.name, allowed=f"{SAFETENSORS}, {INDEX}, *.gguf")


def read_config(folder: Path) -> dict[str, Any]:
    """Return config.json.

    Raises:
        CoreError: `no_config` or `config_unreadable`.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise CoreError("no_config", name=folder.name)
    return settings_in(path)


def settings_in(path: Path) -> dict[str, Any]:
    """Return a file of settings, empty where there is none.

    Raises:
        CoreError: `config_unreadable`.
    """
    if not path.is_file():
        return {}
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise CoreError("config_unreadable", name=path.name, why=_reason(error)) from error
    if not isinstance(config, dict):
        raise CoreError("config_unreadable", name=path.name, why=type(config).__name__)
    return config


def _reason(error: Exception) -> str:
    """Return what went wrong, without the path that the system names."""
    return str(error.strerror if isinstance(error, OSError) else error)[:200]


def of_answers(folder: Path) -> dict[str, Any]:
    """Return what generation_config.json says of how answers begin and end; newer folders say it there only."""
    found = settings_in(folder / "generation_config.json")
    return {name: found[name] for name in ANSWERS if found.get(name) is not None}


def _from_gguf(path: Path) -> Source:
    stored = GgufFile(path)
    metadata = stored.metadata
    row = gguf_family(metadata.get("general.architecture"))
    try:
        config = dict(row.gguf_config(metadata))
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise CoreError("config_lacks", why=f"{type(error).__name__}: {error}"[:200]) from error
    return Source(
        folder=path.parent,
        config=config,
        stored=stored,
        family=family(config["model_type"]),
        tokenizer=lambda: tokenizer_from_gguf(metadata),
        files=(path,),
        from_gguf=True,
    )
