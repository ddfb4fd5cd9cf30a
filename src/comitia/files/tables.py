"""Tables with one column per member: CSV and Parquet."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions

LABELS = ("label", "labels", "y", "target")
#: Names of columns that number the rows.
INDEXES = ("", "id", "index", "unnamed: 0", "row")
#: Cells that mean: nothing was predicted, this sample is not hold-out for that member. NaN is not among them: it
#: is a prediction that failed, and leaving failures out would bias every certificate.
EMPTY = ("", "NA", "null", "None")

Columns = Mapping[str, NDArray[np.float64]]


def read_csv(path: Path, labels: NDArray[Any] | None = None) -> Predictions:
    """Return the predictions of a CSV file with a header: one column per member, one of the labels.

    Whole numbers are votes, fractions the probability of class 1 of two. An empty cell means that the sample
    is not hold-out for that member; NaN is an error.
    """
    return _predictions(path, csv_columns(path), labels)


def read_parquet(path: Path, labels: NDArray[Any] | None = None) -> Predictions:
    """Return the predictions of a Parquet file, columns as in `read_csv`."""
    return _predictions(path, parquet_columns(path), labels)


def csv_columns(path: Path) -> Columns:
    """Return the columns of a CSV file by their names; NaN where a cell is empty."""
    import csv

    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            rows = [row for row in csv.reader(stream) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path}: is not CSV text ({error}); save it as UTF-8, separated by commas"
        ) from None
    if not rows:
        raise InputError(f"{path}: is empty; a header and a row per sample are required")
    header = [name.strip() for name in rows[0]]
    _check_header(path, header, len(rows) - 1)
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise InputError(f"{path}: row {line} has {len(row)} cells, the header has {len(header)}")
    return {name: _numbers(path, name, [row[k] for row in rows[1:]]) for k, name in enumerate(header)}


def _check_header(path: Path, header: list[str], rows: int) -> None:
    if all(_is_number(name) for name in header):
        raise InputError(f"{path}: the first row must name the columns (members and label), got numbers")
    if len(header) == 1 and any(sign in header[0] for sign in ";\t|"):
        raise InputError(f"{path}: columns must be separated by commas, the header is '{header[0]}'")
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{path}: duplicate column '{twice}'; every member needs its own name")
    if rows == 0:
        raise InputError(f"{path}: holds a header and no samples; one row per sample is required")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(path: Path, name: str, cells: list[str]) -> NDArray[np.float64]:
    empty = [cell.strip() in EMPTY for cell in cells]
    texts = ["nan" if missing else cell for missing, cell in zip(empty, cells)]
    try:
        numbers = np.array(texts, dtype=np.float64)
    except ValueError:
        line = next(k for k, text in enumerate(texts, start=2) if not _is_number(text))
        raise InputError(
            f"{path}: column '{name}', row {line}: '{texts[line - 2]}' is not a number; classes must be "
            "numbered 0, 1, …"
        ) from None
    _refuse_nan(path, name, np.isnan(numbers) & ~np.array(empty), first=2)
    return numbers


def _refuse_nan(path: Path, name: str, failed: NDArray[np.bool_], first: int) -> None:
    """Raise where a cell holds NaN instead of being empty; rows are counted from `first`."""
    if failed.any():
        remedy = "fix that label" if name.lower() in LABELS else "fix or drop that member"
        raise InputError(
            f"{path}: column '{name}', row {int(failed.argmax()) + first} holds NaN; {remedy} (a sample left "
            "out for it would bias every certificate)"
        )


def parquet_columns(path: Path) -> Columns:
    """Return the columns of a Parquet file by their names; NaN where a value is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"{path}: Parquet needs pyarrow; pip install 'comitia[parquet]'") from None
    try:
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path}: is not a whole Parquet file ({' '.join(str(error).split())})") from None
    _check_header(path, list(table.column_names) or ["0"], table.num_rows)
    kinds = pyarrow.types
    for name, column in zip(table.column_names, table.columns):
        if not (
            kinds.is_integer(column.type) or kinds.is_floating(column.type) or kinds.is_boolean(column.type)
        ):
            raise InputError(f"{path}: column '{name}' holds {column.type}; classes must be numbered 0, 1, …")
    return {
        name: _column_numbers(path, name, column) for name, column in zip(table.column_names, table.columns)
    }


def _column_numbers(path: Path, name: str, column: Any) -> NDArray[np.float64]:
    import pyarrow

    whole = column.cast(pyarrow.int8()) if pyarrow.types.is_boolean(column.type) else column
    numbers = np.array(whole.cast(pyarrow.float64()).to_numpy(), dtype=np.float64)
    _refuse_nan(path, name, np.isnan(numbers) & ~column.is_null().to_numpy(), first=1)
    return numbers


def _refuse_index(path: Path, name: str, column: NDArray[np.float64]) -> None:
    """Raise where a column numbers the rows instead of predicting: data frames write one unless told not to."""
    counts = len(column) >= 10 and bool((np.diff(column) == 1).all())
    if name.lower() in INDEXES or counts:
        shown = f"column '{name}'" if name else "a column without a name"
        raise InputError(f"{path}: {shown} looks like a row number, not a member; leave it out")


def _predictions(path: Path, columns: Columns, labels: NDArray[Any] | None) -> Predictions:
    own = [name for name in columns if name.lower() in LABELS]
    if len(own) > 1:
        raise InputError(f"{path}: columns '{own[0]}' and '{own[1]}' both look like labels; keep one")
    names = [name for name in columns if name not in own]
    if not names:
        raise InputError(f"{path}: no member found; one column per member is required beside the labels")
    for name in names:
        _refuse_index(path, name, columns[name])
    truth = columns[own[0]] if own and labels is None else labels
    values = np.stack([columns[name] for name in names])  # (M, n)
    mask = ~np.isnan(values)
    known = np.where(mask, values, 0.0)
    try:
        if (known == np.floor(known)).all():
            return Predictions.from_arrays(votes=known, labels=truth, mask=mask, names=names)
        return Predictions.from_arrays(probs=known, labels=truth, mask=mask, names=names)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
