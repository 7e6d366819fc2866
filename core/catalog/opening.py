"""Opening a model by its catalogue name or from a folder as people publish it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from core.catalog.entries import ENTRIES, Entry
from core.catalog.report import LoadReport, kinds
from core.errors import CoreError
from core.inputs import TextReader, tokenizer_from_gguf
from core.models import Family, Model, Network, Plan, family
from core.settings import Settings, from_environment
from core.weights import Filled, GgufFile, SafetensorsFile, Stored, Table, checksum, fill
from core.weights.filling import ours

SAFETENSORS = "model.safetensors"


@dataclass(frozen=True, kw_only=True)
class Source:
    """An opened folder: its config and weights, and how to make its tokenizer."""

    config: dict[str, Any]
    stored: Stored
    family: Family
    tokenizer: Callable[[], Tokenizer]
    weights: Path
    from_gguf: bool = False


def open_model(
    name_or_folder: str | Path,
    device: str | None = None,
    dtype: torch.dtype | None = None,
    step: int | None = None,
    *,
    settings: Settings | None = None,
) -> Model:
    """Open a model by catalogue name or folder; parameters are computed in float32 unless asked otherwise.

    Raises:
        CoreError: `unknown_model`, `model_not_installed`, `checksum_differs`, `no_device`, `no_snapshots`, and whatever
            reading the config, weights and tokenizer raises.
    """
    began = time.perf_counter()
    settings = settings or from_environment()
    if step is not None:
        raise CoreError("no_snapshots", name=str(name_or_folder), came=step)
    entry = next((entry for entry in ENTRIES if entry.name == name_or_folder), None)
    folder = locate(entry) if entry else own_folder(name_or_folder, settings.models_root)
    source = open_folder(folder, entry.weights if entry else None)
    digest = verified(source.weights, entry)
    network, plan, filled = build(source, choose_device(device or settings.device), dtype or torch.float32)
    report = _report(entry.name if entry else folder.name, network, plan, filled, digest, entry is not None, began)
    reader = TextReader(tokenizer=source.tokenizer(), limit=plan.spec.positions, pairs=plan.spec.kind == "encoder")
    return Model(name=report.name, spec=plan.spec, network=network, reader=reader, report=report)


def locate(entry: Entry) -> Path:
    """Return the folder of a catalogue model inside the package that carries it, without importing the package.

    Raises:
        CoreError: `model_not_installed`.
    """
    found = find_spec(entry.package)
    if found is None or not found.submodule_search_locations:
        raise CoreError("model_not_installed", name=entry.name, needed=entry.needed)
    return Path(next(iter(found.submodule_search_locations))) / entry.folder


def own_folder(name_or_folder: str | Path, root: Path | None) -> Path:
    """Return a folder of the operator's own: a name under the models root, or where no root is set any folder.

    Raises:
        CoreError: `unknown_model`, the same for whatever is not there, not a folder or not under the root.
    """
    known = ", ".join(entry.name for entry in ENTRIES)
    path = Path(name_or_folder) if root is None else root / name_or_folder
    resolved = path.resolve()
    inside = root is None or resolved.is_relative_to(root.resolve())
    if not inside or not resolved.is_dir():
        raise CoreError("unknown_model", came=Path(name_or_folder).name, allowed=known)
    return resolved


def open_folder(folder: Path, weights: str | None = None) -> Source:
    """Open the config and the weights of a folder, GGUF or safetensors.

    Raises:
        CoreError: `no_config`, `no_weights`, `config_unreadable`, or what the weights file raises.
    """
    ggufs = sorted(folder.glob("*.gguf"))
    if weights and weights.endswith(".gguf"):
        ggufs = [folder / weights]
    if ggufs and not (folder / "config.json").exists():
        return _from_gguf(ggufs[0])
    config = read_config(folder)
    row = family(config.get("model_type"))
    path = folder / (weights or SAFETENSORS)
    if not path.is_file():
        raise CoreError("no_weights", name=folder.name, allowed=f"{SAFETENSORS}, *.gguf")
    stored = SafetensorsFile(path)
    return Source(config=config, stored=stored, family=row, tokenizer=lambda: read_tokenizer(folder), weights=path)


def read_config(folder: Path) -> dict[str, Any]:
    """Return config.json.

    Raises:
        CoreError: `no_config` or `config_unreadable`.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise CoreError("no_config", name=folder.name)
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CoreError("config_unreadable", name=path.name, why=str(error)) from error
    if not isinstance(config, dict):
        raise CoreError("config_unreadable", name=path.name, why=type(config).__name__)
    return config


def read_tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer that tokenizer.json describes.

    Raises:
        CoreError: `no_tokenizer` or `tokenizer_unreadable`.
    """
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise CoreError("no_tokenizer", name=folder.name)
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise CoreError("tokenizer_unreadable", name=path.name, why=str(error)) from error


def _from_gguf(path: Path) -> Source:
    stored = GgufFile(path)
    metadata = stored.metadata
    row = family(metadata.get("general.architecture"))
    if row.gguf_config is None:
        raise CoreError("unknown_family", came=f"{row.model_type} (GGUF)", allowed="llama (GGUF)")
    config = dict(row.gguf_config(metadata))
    return Source(
        config=config,
        stored=stored,
        family=row,
        tokenizer=lambda: tokenizer_from_gguf(metadata),
        weights=path,
        from_gguf=True,
    )


def build(source: Source, device: torch.device, dtype: torch.dtype) -> tuple[Network, Plan, Filled]:
    """Assemble the plan on the meta device and fill it from the file."""

    def published(name: str) -> str:
        return ours(name, source.family.gguf_names) or name if source.from_gguf else name

    def change(name: str, tensor: Tensor) -> Tensor:
        if not source.from_gguf:
            return tensor
        found = next((do for key, do in source.family.gguf_changes.items() if _matches(name, key)), None)
        return found(tensor, source.config) if found else tensor

    with torch.device("meta"):
        plan = source.family.plan(source.config, frozenset(map(published, source.stored.names)))
        network = Network(plan)
    table = Table(
        names=plan.names,
        prefixes=plan.prefixes,
        tied=plan.tied,
        ignored=plan.ignored,
        published=published,
        change=change,
    )
    return network, plan, fill(network, source.stored, table, device=device, dtype=dtype)


def _matches(name: str, pattern: str) -> bool:
    before, _, after = pattern.partition("{n}")
    return name.startswith(before) and name.endswith(after) and name[len(before) : len(name) - len(after)].isdecimal()


def verified(weights: Path, entry: Entry | None) -> str:
    """Return the checksum of the weights; a catalogue model's must be the one in the table.

    Raises:
        CoreError: `checksum_differs`.
    """
    digest = checksum(weights)
    if entry and digest != entry.sha256:
        raise CoreError("checksum_differs", name=entry.name, came=digest[:12], allowed=entry.sha256[:12])
    return digest


def choose_device(name: str) -> torch.device:
    """Return the device that a setting names; "auto" takes a GPU where there is one.

    Raises:
        CoreError: `no_device`.
    """
    have = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        name = next(kind for kind in ("cuda", "mps", "cpu") if have[kind])
    if not have.get(name.partition(":")[0]):
        raise CoreError("no_device", came=name, allowed=", ".join(kind for kind, there in have.items() if there))
    return torch.device(name)


def _report(
    name: str, network: Network, plan: Plan, filled: Filled, digest: str, known: bool, began: float
) -> LoadReport:
    parts = list(network.parameters())
    return LoadReport(
        name=name,
        spec=plan.spec,
        parameters=sum(part.numel() for part in parts),
        memory_bytes=sum(part.numel() * part.element_size() for part in parts),
        stored=kinds(filled),
        computed=str(parts[0].dtype).removeprefix("torch."),
        device=str(parts[0].device),
        tensors_read=len(filled.read),
        ignored=filled.ignored,
        checksum=digest,
        verified=known,
        seconds=time.perf_counter() - began,
    )
