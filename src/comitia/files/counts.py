"""`.counts` files: what was counted of a shard of predictions, read as strictly as predictions are.

An archive of integer matrices, one `.npy` per name, and `counts.json` with everything else. No pickles.
"""

import io
import json
import math
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._records import from_plain, parse_json, require_format, to_plain
from comitia._sizes import require_room
from comitia.files.atomic import whole
from comitia.files.npy import array_header
from comitia.files.npz import opened_archive
from comitia.files.remote import local, named, shown
from comitia.statistics.counted import Counted
from comitia.statistics.counts import Counts

FORMAT, ENDING, HEADER = "comitia-counts-1", ".counts", "counts.json"
NEEDED = ("errors", "samples", "co_errors", "disagreements", "answers", "labels")
ARRAYS = (*(entry.name for entry in fields(Counts)), "answers", "labels")
#: Bytes of names and checksums beyond which a header is none.
MOST_HEADER = 2**28
#: The same counts make the same file, whenever it is written.
WRITTEN = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Header:
    """What a file says beside its matrices; `sha256` is that of all sums."""

    format: str
    names: tuple[str, ...]
    named: bool
    run: tuple[int, ...] | None
    step: tuple[int, ...] | None
    class_names: tuple[str, ...]
    declared: bool
    samples: int
    folds: tuple[str, ...] | None
    parts: tuple[str, ...]
    sha256: str


#: What the header says of the counts themselves.
COUNTED = tuple(entry.name for entry in fields(Header) if entry.name not in ("format", "sha256"))


def is_counts(path: object) -> bool:
    """Return whether a path or URL is that of a `.counts` file, by its ending.

    >>> is_counts("part.counts"), is_counts("part.npz")
    (True, False)
    """
    return isinstance(path, str | Path) and shown(path).lower().endswith(ENDING)


def write_counts(path: str | Path, counted: Counted) -> None:
    """Write the counts to a path or URL that ends in `.counts`, whole or not at all.

    >>> from tempfile import TemporaryDirectory
    >>> from comitia import Predictions, count
    >>> with TemporaryDirectory() as folder:
    ...     part = Path(folder) / "part.counts"
    ...     write_counts(part, count(Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 1])))
    ...     read_counts(part).counts.errors.tolist()
    [0, 1]
    """
    require_ending(path)
    with whole(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        _add(archive, HEADER, json.dumps(_header(counted), indent=1).encode())
        for name, array in counted.arrays().items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array, dtype="<i8"), allow_pickle=False)
            _add(archive, f"{name}.npy", content.getvalue())


def read_counts(paths: str | Path | Iterable[str | Path]) -> Counted:
    """Return the counts in one or more `.counts` files, each a path or URL, added up.

    Parts that were counted twice, and parts of different members, are refused.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    with named():
        places = [local(path) for path in given]
        found = [_read(place) for place in places]
        return found[0] if len(found) == 1 else Counted.total(found, [str(place) for place in places])


def require_ending(path: str | Path) -> None:
    """Raise unless the name ends in `.counts`."""
    if not is_counts(path):
        raise InputError(f"{shown(path)}: counts are written as {ENDING}; end the name in {ENDING}")


def _header(counted: Counted) -> dict[str, Any]:
    own = {name: to_plain(getattr(counted, name)) for name in COUNTED}
    return {"format": FORMAT, **own, "sha256": counted.fingerprint()}


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, date_time=WRITTEN)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def _read(path: Path) -> Counted:
    if not path.is_file():
        raise InputError(
            f"{path}: {'is a folder; name the files in it' if path.is_dir() else 'no such file'}"
        )
    if not is_counts(path):
        raise InputError(f"{path}: is not a {ENDING} file, and others are; count it first (comitia count)")
    with opened_archive(path) as archive:
        entries = _entries(path, archive)
        header = _read_header(path, archive, entries.pop(HEADER))
        sizes = {
            "answers": (len(header.names), len(header.class_names)),
            "labels": (len(header.class_names),),
        }
        sizes |= dict.fromkeys(("errors", "samples"), (len(header.names),))
        pairs = (len(header.names), len(header.names))
        arrays = {
            name: _read_array(path, archive, item, sizes.get(name, pairs)) for name, item in entries.items()
        }
    return _checked(path, header, arrays)


def _entries(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by name: the header, all arrays that every file has, and none that is unknown."""
    names = [item.filename for item in archive.infolist()]
    if HEADER not in names:
        raise InputError(f"{path}: holds no {HEADER}, so it is no file that comitia count wrote")
    found = {name.removesuffix(".npy"): item for name, item in zip(names, archive.infolist())}
    odd = [name for name in found if name != HEADER and name not in ARRAYS]
    missing = [name for name in NEEDED if name not in found]
    if odd or missing or len(found) < len(names):
        what = f"unknown '{odd[0]}'" if odd else f"no {missing[0]}" if missing else "an array twice"
        raise InputError(f"{path}: holds {what}; it is damaged or was edited: count again")
    return found


def _read_header(path: Path, archive: zipfile.ZipFile, item: zipfile.ZipInfo) -> Header:
    if item.file_size > MOST_HEADER:
        raise InputError(f"{path}: {HEADER} is too large ({item.file_size:,} bytes); count again")
    plain = parse_json(archive.read(item).decode("utf-8"), str(path))
    record = require_format(plain, FORMAT, str(path), "counts that comitia count wrote")
    return from_plain(Header, record, f"{path}: ")


def _read_array(
    path: Path, archive: zipfile.ZipFile, item: zipfile.ZipInfo, shape: tuple[int, ...]
) -> NDArray[np.int64]:
    """Return the integers of an entry, read only if they have the shape that the header asks for."""
    size = 8 * math.prod(shape)
    with archive.open(item) as stream:
        found, fortran, dtype = array_header(stream)
        if (found, fortran, dtype.str) != (shape, False, "<i8"):
            raise InputError(
                f"{path}: {item.filename}: must be int64 of shape {shape}, got {dtype} of shape {found}"
            )
        if item.file_size < size:
            raise InputError(f"{path}: {item.filename} is cut short; count again")
        require_room(f"{path}: {item.filename.removesuffix('.npy')}, unpacked,", 2 * item.file_size)
        content = stream.read()  # to the end, so that its checksum is compared
    if len(content) != size:
        raise InputError(
            f"{path}: {item.filename}: must hold {size:,} bytes, got {len(content):,}; count again"
        )
    return np.frombuffer(content, "<i8").astype(np.int64).reshape(shape)


def _checked(path: Path, header: Header, arrays: dict[str, NDArray[np.int64]]) -> Counted:
    """Return the counts of a file, if some samples can have them and they are those that were written."""
    counts: dict[str, Any] = {name: arrays.get(name) for name in (entry.name for entry in fields(Counts))}
    own = {name: getattr(header, name) for name in COUNTED}
    for name in ("run", "step"):
        own[name] = None if own[name] is None else np.array(own[name], dtype=np.int64)
    found = Counted(**own, counts=Counts(**counts), answers=arrays["answers"], label_counts=arrays["labels"])
    problem = found.fault()
    if problem is None and found.fingerprint() != header.sha256:
        problem = "sha256: is not that of the counts"
    if problem is not None:
        raise InputError(f"{path}: {problem}; it is damaged or was edited: count again")
    return found
