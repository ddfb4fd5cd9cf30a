"""EyePACS retina photographs (Kaggle 2015): sight-threatening (grades 2-4) against not (0-1).

Kaggle gives the photographs to people who accept its terms, so nothing is downloaded: `prepare` in
`eyepacs_preparation` turns the unpacked folder into one array per split, and `read_eyepacs` maps those into memory.
"""

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, require_choice
from comitia.data.dataset import Dataset, Index, data_folder
from comitia.data.joined import Joined

# Our part of the data set, the folder of its photographs, its labels, and the Usage that picks them.
SPLITS = (
    ("train", "train", "trainLabels.csv", None),
    ("holdout", "test", "retinopathy_solution.csv", "Public"),
    ("test", "test", "retinopathy_solution.csv", "Private"),
)
# What Kaggle's public test photographs are used for.
PUBLIC = ("holdout", "train")
TO_DO, DONE, UNUSABLE = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Split:
    """The photographs of one part, in the order of Kaggle's table, and their grades 0-4."""

    part: str
    folder: Path
    images: tuple[str, ...]
    grades: tuple[int, ...]


def prepared_folder(folder: str | Path | None = None, *, blur: float = 10.0, size: int = 512) -> Path:
    """Return where the prepared arrays lie; other settings of the preprocessing go elsewhere."""
    return data_folder(folder) / f"eyepacs-{size}-blur{blur:g}"


def read_splits(kaggle: str | Path) -> list[Split]:
    """Return the three splits of the unpacked Kaggle folder, by its two label tables."""
    return [_split(Path(kaggle).expanduser(), *entry) for entry in SPLITS]


def _split(kaggle: Path, part: str, photos: str, table: str, usage: str | None) -> Split:
    path = kaggle / table
    if not path.is_file() or not (kaggle / photos).is_dir():
        raise InputError(
            f"data set eyepacs: {kaggle} must hold train/, test/, trainLabels.csv and "
            f"retinopathy_solution.csv; {table if not path.is_file() else photos + '/'} is missing"
        )
    with path.open(newline="", encoding="utf-8-sig") as stream:
        rows = [row for row in csv.DictReader(stream) if usage is None or row.get("Usage") == usage]
    try:
        grades = tuple(int(row["level"]) for row in rows)
        images = tuple(row["image"] for row in rows)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: needs columns image and level (0-4), got {error}") from error
    if not rows or set(grades) - set(range(5)):
        raise InputError(
            f"{path}: needs rows with levels 0 to 4, got {len(rows)} rows, {sorted(set(grades))}"
        )
    return Split(part=part, folder=kaggle / photos, images=images, grades=grades)


def read_eyepacs(
    folder: str | Path | None = None, *, blur: float = 10.0, size: int = 512, public: str = "holdout"
) -> Dataset:
    """Return the prepared photographs, uint8 (n, size, size, 3), memory-mapped; Kaggle's private ones are the test set.

    The folder (or the cache) is the one that `comitia data prepare eyepacs` wrote to. Kaggle's public test photographs
    are the hold-out, or with `public="train"` follow the training ones, and nothing is held out. The eyes of a patient
    are a group. A photograph that
    could not be used is plain grey: leaving it out would flatter every classifier.
    """
    require_choice("data set eyepacs: public", public, PUBLIC)
    where = prepared_folder(folder, blur=blur, size=size)
    parts = {part: _part(where, part) for part, *_ in SPLITS}
    train, test, holdout = parts["train"], parts["test"], parts["holdout"]
    own, tested, held = (_patients(where, part, len(parts[part][1])) for part in ("train", "test", "holdout"))
    if public == "holdout":
        found = Dataset.of("eyepacs", train, test, holdout=holdout, classes=2, kind="image")
        return replace(found, train_groups=own, test_groups=tested, holdout_groups=held)
    both = Joined([train[0], holdout[0]]), np.concatenate([train[1], holdout[1]])
    found = Dataset.of("eyepacs", both, test, classes=2, kind="image")
    return replace(found, train_groups=np.concatenate([own, held]), test_groups=tested)


def _patients(where: Path, part: str, samples: int) -> Index:
    """Return the patient of each photograph, the number in its name: 10_left and 10_right are eyes of one."""
    path = where / f"{part}-images.txt"
    try:
        names = path.read_text(encoding="utf-8").split()
        patients = np.array([int(name.partition("_")[0]) for name in names], dtype=np.int64)
    except (OSError, ValueError, OverflowError) as error:
        raise InputError(
            f"data set eyepacs: {path} must name the photographs, such as 10_left ({error})"
        ) from None
    if len(patients) != samples:
        raise InputError(f"data set eyepacs: {path} must name {samples} photographs, got {len(patients)}")
    return patients


def _part(where: Path, part: str) -> tuple[NDArray[Any], Index]:
    paths = [where / f"{part}{ending}.npy" for ending in ("", "-done", "-grades")]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise InputError(
            f"data set eyepacs: {where} has no {missing[0]}; prepare it from the unpacked Kaggle folder: "
            "comitia data prepare eyepacs"
        )
    images = np.load(paths[0], mmap_mode="r", allow_pickle=False)
    done = np.load(paths[1], allow_pickle=False)
    grades = np.load(paths[2], allow_pickle=False)
    if left := int((done == TO_DO).sum()):
        raise InputError(
            f"data set eyepacs: {left} photographs of {part} are not prepared yet; run the same "
            "comitia data prepare eyepacs again to continue"
        )
    return images, (grades >= 2).astype(np.int64)
