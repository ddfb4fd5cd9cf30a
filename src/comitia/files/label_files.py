"""Labels in a file of their own: an array, a table with a column of labels, or a text with one class per line."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.files.columns import Column
from comitia.files.npy import read_npy
from comitia.files.roles import LABELS, TableOptions, find_label
from comitia.files.scan import Opened, open_table
from comitia.files.sheets import Labels, labels_of
from comitia.files.store import Store


def read_labels(path: Path) -> NDArray[Any]:
    """Return the labels of a file as numbers, for predictions whose classes are numbered."""
    _require(path)
    if path.suffix.lower() == ".npy":
        return np.asarray(read_npy(path))
    found = read_label_file(path, TableOptions())
    try:
        numbers = np.array([float(word) for word in found.words])
    except ValueError:
        raise InputError(f"{path}: classes must be numbered 0, 1, …, got '{found.words[0]}'") from None
    return numbers[found.codes]  # type: ignore[no-any-return]


def read_label_file(path: Path, options: TableOptions) -> Labels:
    """Return the labels of a file, text or numbers, with the ids beside them where `id` names that column."""
    _require(path)
    if path.suffix.lower() == ".npy":
        values = np.asarray(read_npy(path))
        if values.ndim != 1 or values.dtype.kind not in "biuf":
            raise InputError(f"{path}: must hold one number per sample, got {values.dtype} {values.shape}")
        return _of_column(str(path), Column(values), 0)
    lines = _lines(path)
    if lines is not None:
        return _of_lines(path, lines)
    table = open_table(path)
    name = _column(table, options)
    wanted = [name, options.id] if options.id in table.names and options.id is not None else [name]
    store, ids, start = Store(table.source, [name], table.rows), [], 0
    for batch in table.batches(wanted):
        store.add(batch, start)
        ids += batch[wanted[-1]].texts() if len(wanted) > 1 else []
        start += len(batch[name].values)
    found = labels_of(store, table.first_row)
    known = tuple(ids) if len(wanted) > 1 else None
    others = tuple(other for other in table.names if other not in wanted)
    return Labels(str(path), found.codes, found.words, found.numeric, known, others)


def open_label_table(path: Path) -> Opened:
    """Return the table of items and their labels, for predictions in a long table."""
    _require(path)
    if path.suffix.lower() == ".npy" or _lines(path) is not None:
        raise InputError(
            f"{path}: has no items; the labels of a long table are a table with a column of items and one of labels"
        )
    return open_table(path)


def _require(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"{path}: no such file of labels")
    if path.suffix.lower() == ".npz":
        raise InputError(f"{path}: labels must be a .npy file or a text with one class per line")


def _column(table: Opened, options: TableOptions) -> str:
    named = find_label(table.source, table.names, options.label if options.label in table.names else None)
    rest = [name for name in table.names if name != options.id]
    if named is None and len(rest) != 1:
        shown = ", ".join(table.names)
        raise InputError(
            f"{table.source}: one column is required, or one called label (label= names it), got {shown}"
        )
    return rest[0] if named is None else named


def _lines(path: Path) -> list[str] | None:
    """The lines of a text with one class each; None for a table."""
    if path.suffix.lower() in (".parquet", ".arrow", ".feather", ".ipc", ".jsonl", ".ndjson", ".gz"):
        return None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        if path.suffix.lower() in (".csv", ".tsv"):
            return None
        raise InputError(f"{path}: is not text; labels are a .npy file or one class per line") from None
    words = [line.strip().strip('"') for line in text.splitlines() if line.strip()]
    if not words:
        raise InputError(f"{path}: is empty; one class per line is required")
    return None if any(sign in words[0] for sign in ",;\t|{") else words


def _of_lines(path: Path, words: list[str]) -> Labels:
    """The labels of lines; the first is a header if it has a usual name, or occurs once among other kinds of words."""
    rest = words[1:]
    header = words[0].lower() in LABELS or (
        words[0] not in rest and _all_numbers(rest) and not _all_numbers(words)
    )
    from comitia.files.cells import Kinds, column_of

    cells = rest if header and rest else words
    kinds = Kinds(1, commas=False)
    kinds.see([(cell,) for cell in cells])
    return _of_column(str(path), column_of(cells, kinds.settled()[0], str(path)), 2 if header else 1)


def _all_numbers(words: list[str]) -> bool:
    try:
        return bool([float(word) for word in words])
    except ValueError:
        return False


def _of_column(name: str, column: Column, first_row: int) -> Labels:
    store = Store(name, ["label"], len(column.values))
    store.add({"label": column}, 0)
    found = labels_of(store, first_row)
    return Labels(name, found.codes, found.words, found.numeric)
