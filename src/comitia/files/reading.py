"""Predictions from whatever files the user has: which kind they are, and how several belong together."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._copies import in_common, marks, repeats, telling_marks
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.files.npy import read_members, read_npy
from comitia.files.npz import read_npz
from comitia.files.tables import LABELS, csv_columns, parquet_columns, read_csv, read_parquet

KINDS = (".npz", ".npy", ".csv", ".parquet")


def read_predictions(
    paths: str | Path | Iterable[str | Path], labels: str | Path | None = None
) -> Predictions:
    """Return the checked predictions of one or more files of one kind.

    Parameters
    ----------
    paths : `.npz` packs, CSV or Parquet tables (several: samples of the same members), or one `.npy` per member
    labels : a file of the labels (`.npy`, or a text or table with one column), for files that hold none

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder) / "holdout.csv"
    ...     _ = table.write_text("one,two,label\\n0,1,0\\n1,1,1\\n")
    ...     read_predictions(table).names
    ('one', 'two')
    """
    given = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    kind = _kind(given)
    truth = None if labels is None else _labels_apart(given, Path(labels))
    if kind == ".npy":
        return read_members(given, truth)
    if truth is not None and len(given) > 1:
        raise InputError("labels: one file of labels for several files of samples; put labels into each file")
    read = {".npz": read_npz, ".csv": read_csv, ".parquet": read_parquet}[kind]
    return _joined(given, [read(path, truth) for path in given])


def _labels_apart(paths: list[Path], labels: Path) -> NDArray[Any]:
    """The labels of that file, which must not be one of the members' as well."""
    truth = read_labels(labels)
    if any(path.resolve() == labels.resolve() for path in paths):
        raise InputError(f"{labels}: is given as labels and among the files; leave it out of the files")
    return truth


def _kind(paths: list[Path]) -> str:
    if not paths:
        raise InputError("files: at least one file of predictions is required")
    for path in paths:
        if not path.is_file():
            raise InputError(
                f"{path}: {'is a folder; name the files in it' if path.is_dir() else 'no such file'}"
            )
        if path.suffix.lower() not in KINDS:
            raise InputError(f"{path}: the name must end in one of {', '.join(KINDS)}")
    kinds = sorted({path.suffix.lower() for path in paths})
    if len(kinds) > 1:
        raise InputError(
            f"files: of one kind are required, got {' and '.join(kinds)}; give them one kind at a time"
        )
    return kinds[0]


def _joined(paths: list[Path], parts: list[Predictions]) -> Predictions:
    if len(parts) == 1:
        return parts[0]
    _refuse_copies(paths, parts)
    try:
        return Predictions.concatenate(parts)
    except InputError as error:
        listed = ", ".join(f"{index} = {path.name}" for index, path in enumerate(paths))
        raise InputError(f"{error} ({listed}); several files must hold the same members") from None


def _refuse_copies(paths: list[Path], parts: list[Predictions]) -> None:
    """Raise where two files hold the same samples: counted twice, they would make certificates too tight."""
    seen: dict[tuple[int, str], Path] = {}
    for path, part in zip(paths, parts):
        start = part.take(np.arange(min(64, part.samples))).fingerprint()
        if (part.samples, start) in seen:
            raise InputError(f"{path}: holds the same samples as {seen[part.samples, start]}; give each once")
        seen[part.samples, start] = path
    alike = {(part.shards[0].kind, part.shards[0].width, part.members) for part in parts}
    if parts[0].has_probs and len(alike) == 1:
        _refuse_overlap(paths, parts)


def _refuse_overlap(paths: list[Path], parts: list[Predictions]) -> None:
    """Raise where files of probabilities have samples in common, in whatever order."""
    glances = [np.unique(marks(part.shards, quick=True)) for part in parts]
    if repeats(np.concatenate(glances)) == 0:
        return
    found = [telling_marks(part.shards) for part in parts]
    for index, path in enumerate(paths):
        for earlier in range(index):
            common = in_common(found[earlier], found[index])
            if common:
                raise InputError(
                    f"{path}: {common:,} of its samples are in {paths[earlier]} too; give each sample once"
                )


def read_labels(path: Path) -> NDArray[Any]:
    """Return the labels of a `.npy` file, a table with a column of labels, or a text with one class per line."""
    if not path.is_file():
        raise InputError(f"{path}: no such file of labels")
    kind = path.suffix.lower()
    if kind == ".npy":
        return np.asarray(read_npy(path))
    if kind == ".npz":
        raise InputError(f"{path}: labels must be a .npy file or a text with one class per line")
    return _column(path, parquet_columns(path) if kind == ".parquet" else _text_columns(path))


def _text_columns(path: Path) -> Mapping[str, NDArray[np.float64]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text; labels are a .npy file or one class per line") from None
    words = [line.strip() for line in text.splitlines() if line.strip()]
    if words and "," in words[0]:
        return csv_columns(path)
    return {"label": _classes(path, words)}


def _classes(path: Path, words: list[str]) -> NDArray[np.float64]:
    if not words:
        raise InputError(f"{path}: is empty; one class per line is required")
    try:
        float(words[0])
    except ValueError:
        words = words[1:]  # a header
    try:
        return np.array(words, dtype=np.float64)
    except ValueError as error:
        raise InputError(f"{path}: classes must be numbered 0, 1, … ({error})") from None


def _column(path: Path, columns: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    named = [name for name in columns if name.lower() in LABELS]
    chosen = named if named else list(columns)
    if len(chosen) != 1:
        raise InputError(f"{path}: one column is required, or one called label, got {', '.join(columns)}")
    return columns[chosen[0]]
