"""Any table as columns: which format it has is told by its content."""

from pathlib import Path
from typing import Any, Protocol

from comitia._errors import InputError
from comitia.files.columns import Table
from comitia.files.sources import Source

#: Endings of tables; those of text may be followed by .gz.
TEXT_ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson")
ARROW_ENDINGS = (".parquet", ".arrow", ".feather", ".ipc")


class Opened(Table, Protocol):
    """A table with its number of rows, the number of its first sample in messages, and notes on how it was read."""

    rows: int
    first_row: int
    notes: tuple[str, ...]


def open_table(given: Any) -> Opened:
    """Return the table of a file (by its content), of standard input (`-`), of a binary stream or of a data frame.

    >>> import io
    >>> table = open_table(io.BytesIO(b"rf;svm;label\\ncat;dog;cat\\n"))
    >>> table.names, [column["svm"].texts() for column in table.batches(["svm"])]
    (('rf', 'svm', 'label'), [['dog']])
    """
    from comitia.files.frames import is_frame, open_frame

    if not isinstance(given, str | Path) and is_frame(given):
        return open_frame(given)
    if not isinstance(given, str | Path) and not hasattr(given, "read"):
        raise InputError(f"table: must be a path, a data frame or a stream, got {type(given).__name__}")
    source = Source(given)
    return _open(source, source.format())


def is_table(path: str | Path) -> bool:
    """Return whether the name says that the file is a table."""
    name = str(path).lower()
    return name == "-" or name.removesuffix(".gz").endswith(TEXT_ENDINGS) or name.endswith(ARROW_ENDINGS)


def _open(source: Source, form: str) -> Opened:
    if form in ("zip", "npy"):
        what = "a zip archive (an Excel workbook, or an .npz pack)" if form == "zip" else "a NumPy array"
        raise InputError(
            f"{source.name}: is {what}, not a table; save it as CSV, or name an .npz or .npy file"
        )
    ending = "" if source.path is None else str(source.path).lower().removesuffix(".gz")
    if form == "csv" and ending.endswith((".parquet", *ARROW_ENDINGS)):
        from comitia.files.arrow import require_pyarrow

        require_pyarrow(source.name)
        raise InputError(f"{source.name}: is not a whole Parquet or Arrow file; write it again")
    if form == "parquet":
        from comitia.files.arrow import open_parquet

        return open_parquet(source)
    if form == "arrow":
        from comitia.files.arrow import open_arrow

        return open_arrow(source)
    if form == "json" or ending.endswith((".jsonl", ".ndjson")):
        from comitia.files.json_lines import open_json_lines

        return open_json_lines(source)
    from comitia.files.delimited import open_delimited

    return open_delimited(source)
