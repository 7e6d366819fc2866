"""Fixture folders of published families, and copies of them in which something is changed."""

import json
import shutil
from pathlib import Path

from safetensors.torch import load_file, save_file

from core import Sample, open_model

FAMILIES = Path(__file__).parents[1] / "golden" / "families"
EIGHT = Sample.from_ids(range(10, 18))


def opened(name, **how):
    return open_model(FAMILIES / name, **how)


def changed(folder, name, *, lost=(), tensors=None, rename=str, config=dict):
    """Open a copy of a fixture whose config and tensors are changed."""
    shutil.copytree(FAMILIES / name, folder, dirs_exist_ok=True)
    settings = config(json.loads((folder / "config.json").read_text()))
    (folder / "config.json").write_text(json.dumps(settings))
    weights = {rename(key): value for key, value in load_file(folder / "model.safetensors").items() if key not in lost}
    save_file({**weights, **(tensors or {})}, folder / "model.safetensors")
    return open_model(folder)


def with_settings(**settings):
    return lambda config: {**config, **settings}
