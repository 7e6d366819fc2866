"""Opening a model by its catalogue name or from a folder as people publish it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from core.catalog.entries import Entry, entry_of
from core.catalog.folders import Source, locate, open_folder, own_folder, snapshot
from core.catalog.memory import available, give_back
from core.catalog.readers import reader_of
from core.catalog.report import LoadReport, kinds
from core.catalog.shipped import checksums
from core.errors import CoreError
from core.mixers import NO_HEADS
from core.models import Model, Network, Plan, Spec
from core.models.laying_out import laying_out
from core.models.plan import Config
from core.products import held_as
from core.settings import MEBIBYTE, Settings, from_environment
from core.weights import Filled, Table, checksum, fill
from core.weights.filling import NUMBER, ours, without_prefix

MOST_LAYERS = 1000
COUNTS = (
    "num_hidden_layers",
    "num_layers",
    "num_decoder_layers",
    "n_layer",
    "n_layers",
    "encoder_layers",
    "decoder_layers",
    "num_local_experts",
    "num_experts",
)


def open_model(
    name_or_folder: str | Path,
    device: str | None = None,
    dtype: torch.dtype | None = None,
    step: int | None = None,
    *,
    settings: Settings | None = None,
) -> Model:
    """Open a model by catalogue name or folder; parameters are computed in float32 unless asked otherwise.

    `step` picks what it was after so many steps of its training, where such snapshots were kept.

    Raises:
        CoreError: `unknown_model`, `model_not_installed`, `checksum_differs`, `no_device`, `no_snapshots`,
            `no_such_step`, `too_big`, and whatever reading the config, weights and tokenizer raises.
    """
    began = time.perf_counter()
    settings = settings or from_environment()
    entry = entry_of(name_or_folder)
    folder = locate(entry) if entry else own_folder(name_or_folder, settings.models_root)
    whole = entry.weights if entry else None
    source = open_folder(folder, whole if step is None else snapshot(folder, step))
    with ThreadPoolExecutor(1) as aside:
        verifying = aside.submit(verify, source.files, entry)
        network, plan, filled = build(
            source, choose_device(device or settings.device), dtype or torch.float32, settings
        )
        verifying.result()
    give_back()
    report = _report(entry, source, network, plan, filled, began)
    return _model(source, plan, network, report)


def _model(source: Source, plan: Plan, network: Network, report: LoadReport) -> Model:
    """Put together what was loaded; a second model in the same file is opened with the first."""
    pictures = None if plan.pictures is None else _model(source, plan.pictures, network.pictures, report)
    reader, spec = reader_of(source, plan), ended(plan.spec, source.config)
    return Model(name=report.name, spec=spec, network=network, reader=reader, report=report, pictures=pictures)


def ended(spec: Spec, config: Config) -> Spec:
    """Return the spec with the pieces that end a text, as the config or generation_config.json name them: one or
    several, and 0 is one like any other."""
    found = config.get("eos_token_id")
    several = found if isinstance(found, list) else [found]
    known = frozenset(ident for ident in several if isinstance(ident, int) and 0 <= ident < spec.written_pieces)
    return spec if spec.ends or spec.kind != "decoder" else replace(spec, ends=known)


def build(source: Source, device: torch.device, dtype: torch.dtype, settings: Settings) -> tuple[Network, Plan, Filled]:
    """Assemble the plan on the meta device and fill it from the file, once it is known to fit into memory.

    Raises:
        CoreError: `config_lacks`, `config_value`, `too_big`, and what `fill` raises.
    """

    def change(name: str, tensor: Tensor) -> Tensor:
        if not source.from_gguf:
            return tensor
        found = source.family.gguf_changes.get(NUMBER.sub(".{n}.", name))
        return found(tensor, source.config) if found else tensor

    plan, network = assemble(source)
    held = dtype if plan.spec.kind == "encoder" else held_as(dtype, device)
    fits(counted(source, plan, network), held, settings)
    table = Table(
        names=plan.names,
        splits=plan.splits,
        prefixes=plan.prefixes,
        tied=plan.tied,
        ignored=plan.ignored,
        published=partial(published, source),
        change=change,
    )
    return network, plan, fill(network, source.stored, table, device=device, dtype=dtype)


def published(source: Source, name: str) -> str:
    """Return the name under which a tensor of a file was published: GGUF has its own."""
    return ours(name, source.family.gguf_names) or name if source.from_gguf else name


def assemble(source: Source) -> tuple[Plan, Network]:
    """Return the family's plan and the network it describes, on the meta device: nothing is allocated.

    Raises:
        CoreError: `config_lacks` or `config_value`, and what the family raises.
    """
    stored = frozenset(published(source, name) for name in source.stored.names)
    for config in (source.config, *(part for part in source.config.values() if isinstance(part, dict))):
        _count_layers(config)
    try:
        with laying_out():
            plan = source.family.plan(source.config, stored)
            _sensible(plan.spec)
            return plan, Network(plan)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, RuntimeError) as error:
        raise CoreError("config_lacks", why=f"{type(error).__name__}: {error}"[:200]) from error


def _sensible(spec: Spec) -> None:
    heads, sizes = spec.heads, {"layers": spec.layers}
    if heads != NO_HEADS:
        sizes |= {"heads": heads.count, "groups": heads.groups, "head width": heads.head_width}
    sizes |= {
        "width": spec.width,
        "inner": spec.inner,
        "pieces": spec.pieces or len(spec.signal),
        "positions": spec.positions + 1,
    }
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} = {size}")


def _count_layers(config: Config) -> None:
    for name in COUNTS:
        count = config.get(name, 0)
        if isinstance(count, int) and count > MOST_LAYERS:
            raise CoreError("config_value", name=name, came=count, allowed=f"1 … {MOST_LAYERS}")


def counted(source: Source, plan: Plan, network: Network) -> int:
    """Return how many numbers the parameters will be, before anything is read; what is tied to another and not in the
    file by itself is no other."""
    names = (published(source, name) for name in source.stored.names)
    there = {ours(without_prefix(name, plan.prefixes), plan.names) for name in names}
    tied = {*plan.tied.keys(), *plan.tied.values()} - there
    return sum(part.numel() for name, part in network.named_parameters() if name not in tied)


def fits(count: int, dtype: torch.dtype, settings: Settings) -> None:
    """Make sure that there is memory for so many numbers.

    Raises:
        CoreError: `too_big`, with both sizes in MiB.
    """
    needed = count * dtype.itemsize
    allowed = min(settings.model_bytes, available())
    if needed > allowed:
        raise CoreError("too_big", came=needed // MEBIBYTE, allowed=allowed // MEBIBYTE)


def verify(files: tuple[Path, ...], entry: Entry | None) -> None:
    """Compare the weights of a catalogue model with the table; of other folders nothing is published to compare with.

    Raises:
        CoreError: `checksum_differs`.
    """
    if entry is None:
        return
    digest, published = checksum(*files), entry.sha256 or checksums().get(files[0], "")
    if digest != published:
        raise CoreError("checksum_differs", name=entry.name, came=digest[:12], allowed=published[:12])


def choose_device(name: str) -> torch.device:
    """Return the device that a setting names; "auto" takes a GPU where there is one.

    Raises:
        CoreError: `no_device`.
    """
    have = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        name = next(kind for kind in ("cuda", "mps", "cpu") if have[kind])
    kind, colon, number = name.partition(":")
    count = torch.cuda.device_count() if kind == "cuda" else 1
    if not have.get(kind) or (colon and not (number.isdecimal() and int(number) < count)):
        raise CoreError("no_device", came=name, allowed=", ".join(kind for kind, there in have.items() if there))
    return torch.device(name)


def _report(
    entry: Entry | None, source: Source, network: Network, plan: Plan, filled: Filled, began: float
) -> LoadReport:
    parts = list(network.parameters())
    return LoadReport(
        name=entry.name if entry else source.folder.name,
        spec=plan.spec,
        parameters=sum(part.numel() for part in parts),
        memory_bytes=sum(part.numel() * part.element_size() for part in parts),
        stored=kinds(filled),
        computed=str(parts[0].dtype).removeprefix("torch."),
        device=str(parts[0].device),
        tensors_read=len(filled.read),
        ignored=filled.ignored,
        files=source.files,
        verified=entry is not None,
        seconds=time.perf_counter() - began,
        pictures=None if plan.pictures is None else plan.pictures.spec,
    )
