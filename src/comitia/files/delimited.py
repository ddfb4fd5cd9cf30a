"""CSV and its relatives: which sign separates the cells, and the rows."""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice

from comitia._errors import InputError
from comitia.files.encodings import encoding_of
from comitia.files.sources import Source, reading
from comitia.files.text import TextTable

#: Signs that separate cells, the usual one first.
DELIMITERS = ",;\t|"
#: Rows that tell which of them does.
LOOKED_AT = 20


def open_delimited(source: Source) -> TextTable:
    """Return the table of a text with a header, its cells separated by comma, semicolon, tab or pipe."""
    encoding, note = encoding_of(source)
    sign = delimiter(_start(source, encoding))
    header = next(_records(source, encoding, sign), None)
    if header is None:
        raise InputError(f"{source.name}: is empty; a header and a row per sample are required")
    names = [name.strip() for name in header[1]]

    def rows() -> Iterator[Sequence[str]]:
        for number, row in islice(_records(source, encoding, sign), 1, None):
            if len(row) != len(names):
                raise InputError(
                    f"{source.name}: row {number} has {len(row)} cells, the header has {len(names)}"
                )
            yield row

    notes = () if note is None else (note,)
    return TextTable(source.name, names, rows, first_row=2, commas=sign != ",", notes=notes)


def delimiter(lines: Sequence[str]) -> str:
    r"""Return the sign that cuts all those lines into equally many cells, the most of them.

    >>> delimiter(["a;b;label", "0,5;0,25;1"]), delimiter(["a\tb", "x, y\tz"])
    (';', '\t')
    """
    best, most = DELIMITERS[0], 1
    for sign in DELIMITERS:
        sizes = _sizes(lines, sign)
        if sizes and sizes[0] > most and len(set(sizes)) == 1:
            best, most = sign, sizes[0]
    if most > 1 or not lines:
        return best
    return max(DELIMITERS, key=lambda sign: (_sizes(lines[:1], sign) or [0])[0])


def _sizes(lines: Sequence[str], sign: str) -> list[int]:
    """How many cells that sign cuts each line into; none where it leaves a cell beyond the limit of the reader."""
    try:
        return [len(row) for row in csv.reader(lines, delimiter=sign) if row]
    except csv.Error:
        return []


def _start(source: Source, encoding: str) -> list[str]:
    with reading(source.name), _text(source, encoding) as stream:
        return [line for line in islice(stream, LOOKED_AT) if line.strip()]


def _records(source: Source, encoding: str, sign: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with its number, the header being 1."""
    with _text(source, encoding) as stream:
        try:
            for number, row in enumerate(csv.reader(stream, delimiter=sign), start=1):
                if row and (len(row) > 1 or row[0].strip()):
                    yield number, row
        except csv.Error as error:
            raise InputError(f"{source.name}: is not CSV text ({error}); write it again") from None


def _text(source: Source, encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(source.open(), encoding=encoding, newline="")
