"""Pictures in: resized, cropped and normalised as published, then patches that are called by row and column."""

from __future__ import annotations

import io
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from core.errors import CoreError
from core.inputs.sample import Note, Sample

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
MOST_PIXELS = 64_000_000
MODES = {1: "L", 3: "RGB"}
OWN = ("CLS", "DIST")

Pixels = NDArray[np.float32]
Size = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """How a picture becomes numbers: resized to (rows, columns), or so that its shorter edge is `size` (None: not at
    all), its middle cut out (`crop`), times `factor`, minus `mean`, divided by `spread` (one number a colour).

    `filter` is the number that PIL gives a way of resizing.
    """

    size: Size | int | None
    filter: int
    crop: Size | None
    factor: float
    mean: tuple[float, ...]
    spread: tuple[float, ...]

    def of(self, picture: Image.Image) -> Pixels:
        """Return the numbers of a picture [channel, row, column]."""
        pixels = np.asarray(self.resized(picture))
        pixels = pixels[..., None] if pixels.ndim == 2 else pixels
        if self.crop is not None:
            pixels = middle(pixels, self.crop)
        scaled = (pixels.astype(np.float64) * self.factor).astype(np.float32)
        mean, spread = (np.asarray(numbers, dtype=np.float32) for numbers in (self.mean, self.spread))
        found: Pixels = (scaled - mean) / spread
        return np.ascontiguousarray(found.transpose(2, 0, 1))

    def resized(self, picture: Image.Image) -> Image.Image:
        """Return the picture at the size that it is to have before cropping.

        Raises:
            CoreError: `picture_unreadable` where that would be an enormous one.
        """
        if self.size is None:
            return picture
        rows, columns = self.size if isinstance(self.size, tuple) else shorter_edge(picture, self.size)
        if rows * columns > MOST_PIXELS:
            raise CoreError("picture_unreadable", why=f"{picture.width} × {picture.height}")
        return picture.resize((columns, rows), resample=Image.Resampling(self.filter))


@dataclass(frozen=True, kw_only=True)
class PictureReader:
    """Reads pictures for one model; `shape` is [channel, row, column] of what it takes, `grid` rows and columns of
    patches, and `own` how many positions come before them."""

    preparation: Preparation
    shape: tuple[int, ...]
    grid: Size
    own: int
    takes: tuple[str, ...] = ("image",)

    def read(self, image: Any, pair: object = None) -> Sample:
        """Return the sample of a picture of PIL, an array of bytes [row, column, colour], or a file (path or bytes).

        Raises:
            CoreError: `pair_not_taken` or `picture_unreadable`.
        """
        if pair is not None:
            raise CoreError("pair_not_taken")
        picture = picture_of(image).convert(MODES[self.shape[0]])
        pixels = self.preparation.of(picture)
        if pixels.shape != self.shape:
            rows, columns = pixels.shape[1:]
            raise CoreError("picture_size", came=f"{columns} × {rows}", allowed=f"{self.shape[2]} × {self.shape[1]}")
        return self._sample(pixels, f"{picture.width} × {picture.height}")

    def _sample(self, pixels: Pixels, came: str) -> Sample:
        rows, columns = self.grid
        patches = tuple(f"({row},{column})" for row in range(rows) for column in range(columns))
        labels = (*OWN[: self.own], *patches)
        nowhere = (None,) * len(labels)
        size = f"{self.shape[2]} × {self.shape[1]}"
        key = "picture" if self.preparation.crop is None else "picture_cropped"
        return Sample(
            ids=np.zeros(len(labels), dtype=np.int64),
            pieces=labels,
            labels=labels,
            spans=nowhere,
            words=nowhere,
            characters=nowhere,
            kinds=("special",) * self.own + ("word",) * len(patches),
            parts=(0,) * len(labels),
            notes=(Note(key=key, values={"came": came, "size": size, "rows": rows, "columns": columns}),),
            signal=pixels,
            grid=self.grid,
        )


def picture_of(image: Any) -> Image.Image:
    """Return the picture that was given; one from a file is turned upright as its camera noted.

    Raises:
        CoreError: `picture_unreadable`.
    """
    if isinstance(image, bytes | str | Path):
        return from_file(image)
    if not isinstance(image, Image.Image):
        return from_array(np.asarray(image))
    if not all(image.size):
        raise CoreError("picture_unreadable", why=f"{image.width} × {image.height}")
    return image


def from_array(array: NDArray[Any]) -> Image.Image:
    """Return the picture of bytes [row, column], or [row, column, colour] with 1, 3 or 4 colours.

    Raises:
        CoreError: `picture_unreadable`.
    """
    colours = array.shape[2] if array.ndim == 3 else 1 if array.ndim == 2 else 0
    if array.dtype != np.uint8 or colours not in (1, 3, 4) or not array.size:
        raise CoreError("picture_unreadable", why=f"{array.dtype} {array.shape}")
    return Image.fromarray(np.ascontiguousarray(array[..., 0] if array.ndim == 3 and colours == 1 else array))


def from_file(file: bytes | str | Path) -> Image.Image:
    """Return the picture in a file, once its size is known to be sensible.

    Raises:
        CoreError: `picture_unreadable`.
    """
    try:
        with Image.open(io.BytesIO(file) if isinstance(file, bytes) else file, formats=FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise ValueError(f"{opened.width} × {opened.height}")
            return ImageOps.exif_transpose(opened.copy())
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise CoreError("picture_unreadable", why=str(why)[:200]) from error


def shorter_edge(picture: Image.Image, size: int) -> Size:
    """Return rows and columns of a picture whose shorter edge becomes `size`."""
    short, long = sorted(picture.size)
    other = int(size * long / short)
    return (other, size) if picture.width <= picture.height else (size, other)


def middle(pixels: NDArray[np.uint8], size: Size) -> NDArray[np.uint8]:
    """Return the middle of a picture [row, column, channel]; one that is too small gets black around it."""
    lacks = [max(0, wanted - came) for wanted, came in zip(size, pixels.shape, strict=False)]
    around = [(ceil(lack / 2), lack // 2) for lack in lacks]
    padded = np.pad(pixels, (*around, (0, 0)))
    top, left = ((came - wanted) // 2 for wanted, came in zip(size, padded.shape, strict=False))
    return padded[top : top + size[0], left : left + size[1]]
