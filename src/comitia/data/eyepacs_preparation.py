"""Preparing EyePACS: all photographs preprocessed in parallel, each once, however often it is interrupted.

A photograph is preprocessed after the winning entry of the 2015 Kaggle competition. The paper's text speaks of a blur
of 100 pixels; the public implementation that it cites uses radius/30 = 10 pixels. The blur is an option here, 10 the
default.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.data.eyepacs import DONE, TO_DO, UNUSABLE, Split, prepared_folder, read_splits

if TYPE_CHECKING:
    from PIL.Image import Image

Progress = Callable[[str, int, int], None]
# A photograph to prepare: where it lies, the array's file, the byte its row starts at, blur, size.
Task = tuple[str, str, int, float, int]
SYNC_EVERY = 64
RADIUS = 300  # pixels of the retina's radius after rescaling
KEPT = 0.9  # of that radius: what lies outside is boundary effect
GREY = 128


def prepare(
    kaggle: str | Path,
    folder: str | Path | None = None,
    *,
    blur: float = 10.0,
    size: int = 512,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, tuple[str, ...]]:
    """Write the arrays to the folder or cache and return, by split, the photographs that could not be used.

    `progress(split, done, all)` is called after every photograph. Interrupted and called again, it goes on
    where it stopped. `workers` processes work at once (default: one per processor); 1 stays in this process.
    """
    if blur <= 0 or size < 8:
        raise InputError(f"data set eyepacs: needs blur > 0 and size >= 8, got {blur:g} and {size}")
    splits = read_splits(kaggle)
    where = prepared_folder(folder, blur=blur, size=size)
    where.mkdir(parents=True, exist_ok=True)
    many = workers or os.cpu_count() or 1
    return {split.part: _prepare_split(split, where, blur, size, many, progress) for split in splits}


def _prepare_split(
    split: Split, where: Path, blur: float, size: int, workers: int, progress: Progress | None
) -> tuple[str, ...]:
    images, flags = where / f"{split.part}.npy", where / f"{split.part}-done.npy"
    _start(split, where, size)
    done = np.load(flags, mmap_mode="r+", allow_pickle=False)
    left = np.flatnonzero(done == TO_DO)
    tasks = [_task(split, images, int(row), blur, size) for row in left]
    pending: dict[int, int] = {}
    try:
        for count, (row, usable) in enumerate(zip(left, _results(tasks, workers)), len(done) - len(left) + 1):
            pending[int(row)] = DONE if usable else UNUSABLE
            if len(pending) == SYNC_EVERY:
                _vouch(images, done, pending)
            if progress is not None:
                progress(split.part, count, len(done))
    finally:
        _vouch(images, done, pending)
    return tuple(split.images[row] for row in np.flatnonzero(done == UNUSABLE))


def _start(split: Split, where: Path, size: int) -> None:
    """Make the three files of a split, the flags last: where they exist, the others do."""
    flags = where / f"{split.part}-done.npy"
    order = where / f"{split.part}-images.txt"
    listed = "\n".join(split.images) + "\n"
    if flags.exists():
        if order.read_text(encoding="utf-8") != listed:
            raise InputError(f"data set eyepacs: {where} was prepared from other tables; remove it first")
        return
    count = len(split.images)
    _empty(where / f"{split.part}.npy", (count, size, size, 3))
    order.write_text(listed, encoding="utf-8")
    np.save(where / f"{split.part}-grades.npy", np.array(split.grades, dtype=np.uint8))
    fresh = flags.with_suffix(".new")
    with fresh.open("wb") as stream:
        np.save(stream, np.full(count, TO_DO, dtype=np.uint8))
        os.fsync(stream.fileno())
    os.replace(fresh, flags)


def _empty(path: Path, shape: tuple[int, ...]) -> None:
    """Make a `.npy` of that shape whose content takes no space until it is written."""
    with path.open("wb") as stream:
        header = {"descr": "|u1", "fortran_order": False, "shape": shape}
        npy.write_array_header_1_0(stream, header)
        stream.truncate(stream.tell() + int(np.prod(shape, dtype=np.int64)))


def _task(split: Split, images: Path, row: int, blur: float, size: int) -> Task:
    start = images.stat().st_size - (len(split.images) - row) * size * size * 3
    return str(split.folder / f"{split.images[row]}.jpeg"), str(images), start, blur, size


def _results(tasks: list[Task], workers: int) -> Iterator[bool]:
    if workers == 1 or len(tasks) < 2:
        yield from map(prepare_one, tasks)
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(tasks)), mp_context=context) as pool:
        try:
            yield from pool.map(prepare_one, tasks, chunksize=4)
        finally:
            pool.shutdown(cancel_futures=True)


def prepare_one(task: Task) -> bool:
    """Write the row of a photograph, plain grey if it cannot be used, and return whether it could.

    A row is written as plain bytes, not through a memory map: a full disk is an error then, not a crash.
    """
    from PIL import Image, UnidentifiedImageError

    path, images, start, blur, size = task
    row: NDArray[np.uint8] | None
    try:
        with Image.open(path) as photo:
            row = preprocess(photo, blur=blur, size=size)
    except FileNotFoundError:
        raise InputError(f"data set eyepacs: no photograph {path}; unpack it and go on") from None
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError) as error:
        if isinstance(error, OSError) and error.errno:  # the disk's fault, not the photograph's
            raise
        row = None
    content = np.full((size, size, 3), GREY, dtype=np.uint8) if row is None else row
    with open(images, "r+b") as stream:
        stream.seek(start)
        stream.write(content.tobytes())
    return row is not None


def _vouch(images: Path, done: NDArray[np.uint8], pending: dict[int, int]) -> None:
    """Flag the pending rows as done, once they have reached the disk."""
    with images.open("r+b") as stream:
        os.fsync(stream.fileno())
    for row, flag in pending.items():
        done[row] = flag
    pending.clear()
    if isinstance(done, np.memmap):
        done.flush()


class NoRetina(ValueError):
    """The photograph shows no bright disc on its middle row."""


def preprocess(photo: "Image", *, blur: float = 10.0, size: int = 512) -> NDArray[np.uint8]:
    """Return the photograph as uint8 (size, size, 3): radius 300 px, local average subtracted, 90% kept.

    image·4 - blurred·4 + 128, where `blur` is the standard deviation of the Gaussian in pixels; outside of
    90% of the radius all is grey; the square around what is kept is resized.
    """
    scaled = _rescale(photo)
    sharp = _subtract_average(scaled, blur)
    kept = _keep_disc(sharp, round(KEPT * RADIUS))
    return _resize(kept, size)


def radius(pixels: NDArray[np.uint8]) -> float:
    """Return half the number of pixels on the middle row that are brighter than a tenth of that row's mean."""
    row = pixels[len(pixels) // 2].sum(axis=1, dtype=np.float64)
    found = float((row > row.mean() / 10).sum()) / 2
    if found < 1:
        raise NoRetina("no retina on the middle row")
    return found


def _rescale(photo: "Image") -> NDArray[np.float32]:
    from PIL.Image import Resampling

    colour = photo.convert("RGB")
    factor = RADIUS / radius(np.asarray(colour))
    width, height = (max(1, round(side * factor)) for side in colour.size)
    if width * height > 40 * RADIUS * RADIUS:
        raise NoRetina(f"a radius of {RADIUS / factor:g} pixels in a photograph of {colour.size}")
    return np.asarray(colour.resize((width, height), Resampling.BILINEAR), dtype=np.float32)


def _subtract_average(image: NDArray[np.float32], blur: float) -> NDArray[np.uint8]:
    from scipy.ndimage import gaussian_filter

    average: NDArray[np.float32] = gaussian_filter(image, sigma=(blur, blur, 0), mode="mirror")
    sharp: NDArray[np.float32] = np.rint(4 * (image - average) + GREY)
    return np.clip(sharp, 0, 255).astype(np.uint8)


def _keep_disc(image: NDArray[np.uint8], kept: int) -> NDArray[np.uint8]:
    """The square of 2·kept pixels around the centre, grey outside of the disc and of the photograph."""
    square = np.full((2 * kept, 2 * kept, 3), GREY, dtype=np.uint8)
    source, target = [], []
    for side in image.shape[:2]:
        low = max(0, side // 2 - kept)
        high = min(side, side // 2 + kept)
        source.append(slice(low, high))
        target.append(slice(low - side // 2 + kept, high - side // 2 + kept))
    square[target[0], target[1]] = image[source[0], source[1]]
    across = np.arange(2 * kept) - kept + 0.5
    square[across[:, None] ** 2 + across[None, :] ** 2 > kept**2] = GREY
    return square


def _resize(square: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    from PIL.Image import Resampling, fromarray

    return np.asarray(fromarray(square).resize((size, size), Resampling.BILINEAR), dtype=np.uint8).copy()
