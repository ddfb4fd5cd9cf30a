"""How files are harmed: bytes, archives, arrays, cells, JSON values, columns. Every one takes a generator and bytes."""

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

Random = np.random.Generator
#: Cells and values that break careless readers.
NASTY = (
    *(
        "",
        " ",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "1e999",
        "-1e-999",
        "9" * 400,
        "-1",
        "0x10",
        "1_000",
        "٣",
        "½",
        "1,5",
    ),
    *(
        "\x1b[2J\x1b]0;x\x07",
        "a\u202eb",
        "\ud7ff",
        "\ufeff",
        "'; --",
        "{0}",
        "%s",
        "../../x",
        "null",
        "true",
        "[1",
        "x" * 5000,
    ),
    *(
        "9223372036854775808",
        "18446744073709551616",
        "1e308",
        "cat",
        "label",
        "id",
        "a:b",
        "\t",
        '"',
        "[red]x[/red]",
    ),
)
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**53 + 1,
        2**63,
        2**64,
        -(2**70),
        0.5,
        -0.5,
        1e308,
        5e-324,
        "",
        "x",
        [],
        {},
    ),
    *([[]], [1], {"a": 1}, "\x1b[31m", "a\u202e", "x:y", "../up", "9" * 50, [None] * 3, list(range(50))),
)
SHAPES = (
    (),
    (0,),
    (1,),
    (-1,),
    (2**62,),
    (2**40, 2**40),
    (2**70, 2),
    (3, 0),
    (1, 1, 1, 1),
    (10**6, 10**6),
    (60,),
    (4, 60),
)
TYPES = (
    "<f2",
    "<f4",
    ">f8",
    "<f8",
    "<f16",
    "<c16",
    "|b1",
    "|i1",
    "<u8",
    ">i4",
    "<U3",
    "|S4",
    "|O",
    "<M8[ns]",
    "|V8",
)


def flip(random: Random, content: bytes) -> bytes:
    """A few bytes are others."""
    harmed = bytearray(content)
    for place in random.integers(0, len(content), random.integers(1, 8)) if content else ():
        harmed[place] = random.integers(256)
    return bytes(harmed)


def cut(random: Random, content: bytes) -> bytes:
    """The end is missing."""
    return content[: random.integers(0, len(content) + 1)]


def moved(random: Random, content: bytes) -> bytes:
    """A stretch is missing, doubled, zeroed, or found elsewhere."""
    low, high = sorted(random.integers(0, len(content) + 1, 2).tolist())
    high = min(high, low + 2000)
    stretch, place = content[low:high], int(random.integers(0, len(content) + 1))
    rest = content[:low] + content[high:]
    return (
        rest,
        content[:low] + bytes(high - low) + content[high:],
        content[:place] + stretch + content[place:],
    )[random.integers(3)]


def number(random: Random, content: bytes) -> bytes:
    """Four or eight bytes are an extreme number: sizes and offsets of binary formats."""
    if len(content) < 8:
        return content
    place = int(random.integers(0, len(content) - 7))
    value = int(random.choice([0, 1, 2**31 - 1, 2**31, 2**32 - 1]))
    wide = int(random.choice(np.array([0, 2**62, 2**63, 2**64 - 1], np.uint64)))
    piece = struct.pack("<I", value) if random.random() < 0.5 else struct.pack("<Q", wide)
    return content[:place] + piece + content[place + len(piece) :]


def cell(random: Random, content: bytes) -> bytes:
    """A word of a text is nasty."""
    words = [*re.finditer(rb'[^,;\t\n"|{}:=\[\] ]+', content)]
    if not words:
        return content
    found = words[random.integers(len(words))]
    nasty = NASTY[random.integers(len(NASTY))].encode("utf-8", "surrogatepass")
    return content[: found.start()] + nasty + content[found.end() :]


def line(random: Random, content: bytes) -> bytes:
    """A line of a text is missing, doubled, empty or glued to the next."""
    lines = content.split(b"\n")
    place = int(random.integers(len(lines)))
    kind = random.integers(4)
    harmed = [[], [lines[place]] * 2, [b""], [lines[place] + b"," + lines[(place + 1) % len(lines)]]][kind]
    return b"\n".join([*lines[:place], *harmed, *lines[place + 1 :]])


def encoded(random: Random, content: bytes) -> bytes:
    """A text in another encoding, with other line ends, or packed."""
    import gzip

    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: text.encode("utf-16"),
        lambda: b"\xef\xbb\xbf" + content,
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\r"),
        lambda: gzip.compress(content),
        lambda: content + b"\xff\xfe",
        lambda: b"[" * 100_000,
        lambda: b'{"a":' * 60 + b"1" + b"}" * 60,
    )
    return ways[random.integers(len(ways))]()


def member(random: Random, content: bytes) -> bytes:
    """An array of a pack is of another type or shape, has a lying header, is missing, doubled, or not an array."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {item.filename: archive.read(item) for item in archive.infolist()}
    name = list(entries)[random.integers(len(entries))]
    kind, packed = random.integers(5), zipfile.ZIP_DEFLATED if random.random() < 0.5 else zipfile.ZIP_STORED
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packed) as archive:
        for own, body in entries.items():
            if own == name and kind == 0:
                continue
            archive.writestr(own, body if own != name else array(random, body) if kind < 4 else NASTY[0])
        if kind == 1:
            absent = [f"{key}.npy" for key in ("mask", "names", "classes", "folds", "groups", "../up")]
            absent = [own for own in absent if own not in entries]
            archive.writestr(absent[random.integers(len(absent))], entries[name])
    return out.getvalue()


def array(random: Random, content: bytes) -> bytes:
    """An array of another type, shape or values, or with a header that lies."""
    known = np.load(io.BytesIO(content), allow_pickle=False)
    kind = random.integers(4)
    out = io.BytesIO()
    if kind == 0 and known.size and known.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            known = known.astype(object).reshape(-1)
            known[random.integers(known.size)] = [np.nan, np.inf, -1, 2.5, 10**30, 255][random.integers(6)]
        np.save(out, known.reshape(np.load(io.BytesIO(content)).shape).astype(float))
        return out.getvalue()
    if kind == 1:
        np.save(out, known.reshape(-1)[: random.integers(known.size + 1)])
        return out.getvalue()
    header = {
        "descr": TYPES[random.integers(len(TYPES))] if kind == 2 else known.dtype.str,
        "fortran_order": bool(random.integers(2)),
        "shape": SHAPES[random.integers(len(SHAPES))] if random.random() < 0.7 else known.shape,
    }
    np.lib.format.write_array_header_1_0(out, header)
    return out.getvalue() + known.tobytes()


def value(random: Random, content: bytes) -> bytes:
    """A value of a JSON text is another, missing, or deeper."""
    plain = json.loads(content)
    holder: Any = plain
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return json.dumps([[plain]]).encode()
        key = keys[random.integers(len(keys))]
        if not isinstance(holder[key], dict | list) or random.random() < 0.2:
            break
        holder = holder[key]
    old, kind = holder[key], random.integers(4)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(old, int | float) and not isinstance(old, bool):
        holder[key] = old * [0.5, 0.99, 1 + 1e-6, -1, 1e6][random.integers(5)]
    else:
        holder[key] = VALUES[random.integers(len(VALUES))]
    return json.dumps(plain).encode()


def odd_line(random: Random, content: bytes) -> bytes:
    """A line of JSON lines has another value or key."""
    lines = content.splitlines()
    place = int(random.integers(len(lines)))
    lines[place] = value(random, lines[place])
    return b"\n".join(lines)


def column(random: Random, content: bytes) -> bytes:
    """A column of a Parquet or Arrow file is of another type."""
    import pyarrow as arrow
    import pyarrow.feather
    import pyarrow.parquet

    stored = content.startswith(b"PAR1")
    if not stored and not content.startswith(b"ARROW1"):
        return content
    source = arrow.BufferReader(content)
    table = pyarrow.parquet.read_table(source) if stored else pyarrow.feather.read_table(source)
    n = table.num_rows
    columns = (
        arrow.array([2**63 + 5] * n, arrow.uint64()),
        arrow.array([None] * n),
        arrow.array([None] * n, arrow.float16()),
        arrow.array([1e300, float("nan")] * (n // 2)),
        arrow.array([[1.0], [0.5, 0.5]] * (n // 2)),
        arrow.array([b"\xff\x00"] * n),
        arrow.array([{"a": 1}] * n),
        arrow.array([10**30] * n, arrow.decimal128(38)),
        arrow.array(range(n), arrow.timestamp("ns")),
        arrow.array(["\x1b[2J"] * n).dictionary_encode(),
    )
    place = int(random.integers(table.num_columns))
    harmed = table.set_column(place, table.column_names[place], columns[random.integers(len(columns))])
    out = io.BytesIO()
    pyarrow.parquet.write_table(harmed, out) if stored else pyarrow.feather.write_feather(harmed, out)
    return out.getvalue()


ANY = (flip, cut, moved, number)
TEXT = (cell, cell, line, encoded)
NPZ = (member, member, member)
NPY = (array, array)
JSON = (value, value, value)
JSON_LINES = (odd_line,)
PARQUET = (column, column)
