"""Weights: parameters from safetensors and GGUF files, and nothing that could run."""

from core.weights.checksum import checksum
from core.weights.filling import Filled, Table, fill
from core.weights.gguf_file import GgufFile
from core.weights.safetensors_file import SafetensorsFile
from core.weights.shards import INDEX, Shards
from core.weights.stored import Stored

__all__ = ["INDEX", "Filled", "GgufFile", "SafetensorsFile", "Shards", "Stored", "Table", "checksum", "fill"]
