"""Parquet, Arrow and Feather files and Arrow tables in memory, by pyarrow: in batches, only the columns asked for."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.files.columns import Column
from comitia.files.sources import Source
from comitia.files.text import check_names

#: Bytes and rows held at a time.
BYTES, ROWS = 2**22, 2**16

Batches = Callable[[list[str], int], Iterator[Any]]


class ArrowTable:
    """A table of Arrow record batches that can be walked more than once.

    `walk(columns, rows)` gives the batches of those columns, of about so many rows.
    """

    def __init__(self, source: str, schema: Any, rows: int, walk: Batches) -> None:
        check_names(source, schema.names)
        self.source, self.names, self.rows = source, tuple(schema.names), rows
        self.first_row = 1
        self.notes: tuple[str, ...] = ()
        self._walk, self._schema = walk, schema
        if rows == 0:
            raise InputError(f"{source}: holds a header and no samples; one row per sample is required")

    def batches(self, columns: Sequence[str]) -> Iterator[dict[str, Column]]:
        """Yield those columns of consecutive rows."""
        width = sum(_width(self._schema.field(name).type) for name in columns)
        size, read = max(1024, min(ROWS, BYTES // max(1, width))), 0
        with readable(self.source):
            for batch in self._walk(list(columns), size):
                batch.validate(full=True)  # offsets that point beyond their data would end the process
                read += batch.num_rows
                if read <= self.rows:
                    yield {name: column_of(self.source, name, batch.column(name)) for name in columns}
        if read != self.rows:
            raise InputError(
                f"{self.source}: is said to have {self.rows:,} rows and has {read:,}; write it again"
            )


def _width(kind: Any) -> int:
    """The bytes of a cell of that kind, where all have the same."""
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:
        return 8


class readable:
    """Turn the errors of pyarrow into one line that names the file."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        arrow = require_pyarrow(self._source)
        damaged = arrow.ArrowException | OSError | UnicodeDecodeError
        if isinstance(error, damaged) and not isinstance(error, InputError):
            text = " ".join(str(error).split())
            raise InputError(f"{self._source}: is not a whole Parquet or Arrow file ({text})") from None


def require_pyarrow(source: str) -> Any:
    """Return pyarrow, or say what to install."""
    try:
        import pyarrow
    except ImportError:
        raise InputError(
            f"{source}: Parquet and Arrow need pyarrow; pip install 'comitia[parquet]'"
        ) from None
    return pyarrow


def open_parquet(source: Source) -> ArrowTable:
    """Return the table of a Parquet file."""
    arrow = require_pyarrow(source.name)
    with readable(source.name):
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(_place(arrow, source))
        schema, rows, groups = file.schema_arrow, file.metadata.num_rows, file.metadata.num_row_groups

    def walk(columns: list[str], size: int) -> Iterator[Any]:
        texts = [name for name in columns if _is_text(arrow, schema.field(name).type)]
        again = pyarrow.parquet.ParquetFile(_place(arrow, source), read_dictionary=texts)
        for group in range(groups):  # asked for all at once, pyarrow keeps what it has read of every group
            yield from again.iter_batches(batch_size=size, columns=columns, row_groups=[group])

    return ArrowTable(source.name, schema, rows, walk)


def open_arrow(source: Source) -> ArrowTable:
    """Return the table of an Arrow file (Feather) or stream: a record batch at a time, never whole."""
    arrow = require_pyarrow(source.name)
    with readable(source.name):
        schema = _reader(arrow, source, [])[0]
        first = schema.names[:1]
        rows = sum(batch.num_rows for batch in _reader(arrow, source, first)[1]) if first else 0

    def walk(columns: list[str], size: int) -> Iterator[Any]:
        for batch in _reader(arrow, source, columns)[1]:
            for start in range(0, batch.num_rows, size):
                yield batch.slice(start, size)

    return ArrowTable(source.name, schema, rows, walk)


def _reader(arrow: Any, source: Source, columns: list[str]) -> tuple[Any, Iterator[Any]]:
    """The schema of an Arrow file or stream, and its batches with those columns (all, where none is named)."""
    whole = source.format_of_arrow() == "file"

    def opened(options: Any) -> Any:
        file = arrow.memory_map(str(source.path)) if source.path is not None else _place(arrow, source)
        return (
            arrow.ipc.open_file(file, options=options)
            if whole
            else arrow.ipc.open_stream(file, options=options)
        )

    schema = opened(None).schema
    places = [schema.get_field_index(name) for name in columns]
    reader = opened(arrow.ipc.IpcReadOptions(included_fields=places))
    return schema, (reader.get_batch(i) for i in range(reader.num_record_batches)) if whole else iter(reader)


def arrow_table(source: str, table: Any) -> ArrowTable:
    """Return a table that pyarrow holds (memory-mapped, where it is a file)."""

    def walk(columns: list[str], size: int) -> Iterator[Any]:
        yield from table.select(columns).to_batches(max_chunksize=size)

    return ArrowTable(source, table.schema, table.num_rows, walk)


def _place(arrow: Any, source: Source) -> Any:
    return str(source.path) if source.path is not None else arrow.py_buffer(source.view)


def _is_text(arrow: Any, kind: Any) -> bool:
    return bool(arrow.types.is_string(kind) or arrow.types.is_large_string(kind))


def column_of(source: str, name: str, array: Any) -> Column:
    """Return an Arrow array as a column: numbers as they are, lists of numbers as rows, all else as text."""
    import pyarrow as arrow

    kinds, kind = arrow.types, array.type
    if kinds.is_dictionary(kind) and not _is_text(arrow, kind.value_type):
        return column_of(source, name, array.cast(kind.value_type))
    if kinds.is_decimal(kind):
        return column_of(source, name, array.cast(arrow.float64()))
    if kinds.is_null(kind):
        return Column(np.zeros(len(array)), missing=np.ones(len(array), bool))
    if kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind):
        return Column(_numbers(array), missing=_nulls(array))
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        return _lists(f"{source}: column '{name}'", array)
    if kinds.is_nested(kind) or kinds.is_binary(kind) or kinds.is_large_binary(kind):
        raise InputError(
            f"{source}: column '{name}' holds {str(kind)[:60]}, which cannot be read; ignore='{name}' leaves it out"
        )
    return _texts(array if kinds.is_dictionary(kind) else array.cast(arrow.string()).dictionary_encode())


def _numbers(array: Any) -> NDArray[Any]:
    known = array.fill_null(False if str(array.type) == "bool" else 0) if array.null_count else array
    return np.asarray(known.to_numpy(zero_copy_only=False))


def _nulls(array: Any) -> NDArray[np.bool_] | None:
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False)) if array.null_count else None


def _texts(array: Any) -> Column:
    """The codes of a dictionary array; empty texts are empty cells as nulls are."""
    words = [None if word is None or not word.strip() else word for word in array.dictionary.to_pylist()]
    codes = _numbers(array.indices).astype(np.int64)
    missing = _nulls(array.indices)
    if None in words:
        empty = np.array([word is None for word in words])[codes]
        missing = empty if missing is None else missing | empty
    places = {word: place for place, word in enumerate(dict.fromkeys(_stripped(words)))}
    if not places:
        return Column(np.zeros(len(codes), np.int32), ("",), np.ones(len(codes), bool))
    table = np.array([places[word] for word in _stripped(words)], np.int32)
    return Column(table[codes], tuple(places), missing)


def _stripped(words: list[str | None]) -> list[str]:
    return ["" if word is None else word.strip() for word in words]


def _lists(where: str, array: Any) -> Column:
    missing = _nulls(array)
    known = array.drop_null() if missing is not None else array
    flat = known.flatten()
    if len(known) == 0 or flat.null_count or flat.type.id not in _reals():
        if len(known) == 0:
            return Column(np.zeros((len(array), 1)), missing=missing)
        raise InputError(f"{where} must hold lists of numbers without gaps, got {array.type}")
    if len(flat) % len(known) or not _one_length(known, len(flat) // len(known)):
        raise InputError(f"{where} holds lists of several lengths; one length is required")
    rows = _numbers(flat).reshape(len(known), -1)
    if missing is None:
        return Column(rows)
    values = np.zeros((len(array), rows.shape[1]), rows.dtype)
    values[~missing] = rows
    return Column(values, missing=missing)


def _reals() -> set[int]:
    import pyarrow as arrow

    kinds = (arrow.float16(), arrow.float32(), arrow.float64(), arrow.int8(), arrow.int16(), arrow.int32())
    return {kind.id for kind in (*kinds, arrow.int64(), arrow.uint8(), arrow.uint16(), arrow.uint32())}


def _one_length(array: Any, width: int) -> bool:
    import pyarrow.compute as compute

    return bool(compute.all(compute.equal(compute.list_value_length(array), width)).as_py())
