"""Tables read by `read_predictions`: seconds as a ratio to pyarrow's reading of the same file whole, and peak memory.

Wide: 100 members × 2 million samples in Parquet, once probabilities (float32), once votes (uint8). Long: 20 million
answers in Parquet, and a tenth of them in CSV. Every reading is a process of its own; both ways take turns, and the
medians are compared. Imports are not in the seconds; checks, votes and checksums are.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as arrow
from pyarrow import csv, parquet

MEMBERS, SAMPLES, ANSWERS = 100, 2_000_000, 20_000_000
ROUNDS, ROW_GROUP = 3, 2**17
CLASSES = np.array(["cat", "dog", "horse"])

Pieces = Callable[[int], Iterator[arrow.RecordBatch]]


@dataclass(frozen=True)
class Case:
    """A table to write and read: its rows in pieces, options of the reader, and what may be asked."""

    name: str
    ending: str
    rows: int
    samples: int
    pieces: Pieces
    options: dict[str, str]
    most_bytes: float
    most_times: float | None = None


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Rows per table: seconds, times pyarrow's, peak memory, and the limits of both; `scale` makes all smaller."""
    found = []
    for case in _cases(scale):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"table.{case.ending}"
            _write(path, case)
            found.append(_measure(path, case))
    return found


def _cases(scale: float) -> list[Case]:
    samples, answers = int(SAMPLES * scale), int(ANSWERS * scale) // MEMBERS * MEMBERS
    some = answers // 10 // MEMBERS * MEMBERS
    wide, long = {"label": "label"}, {"layout": "long"}
    size = f"{MEMBERS} × {samples:,}"
    return [
        Case(f"probabilities, {size}", "parquet", samples, samples, _probabilities, wide, 1.5e9, 3.0),
        Case(f"votes, {size}", "parquet", samples, samples, _votes, wide, 1.5e9, 3.0),
        Case(f"long, {answers:,} answers", "parquet", answers, answers // MEMBERS, _answers, long, 4e9),
        Case(f"long, {some:,} answers", "csv", some, some // MEMBERS, _answers, long, 4e9),
    ]


def _measure(path: Path, case: Case) -> dict[str, object]:
    seconds: dict[str, list[float]] = {"comitia": [], "pyarrow": []}
    peaks: dict[str, int] = {}
    _read("comitia", path, case)  # compiles what is compiled
    for _ in range(ROUNDS):
        for way, taken in seconds.items():
            told = _read(way, path, case)
            taken.append(told["seconds"])
            peaks[way] = max(peaks.get(way, 0), told["peak_bytes"])
    times = median(seconds["comitia"]) / median(seconds["pyarrow"])
    return {
        "name": f"{case.name}, {case.ending}",
        "seconds": median(seconds["comitia"]),
        "ratio": times,
        "limit": case.most_times or "–",
        "peak_bytes": peaks["comitia"],
        "most_bytes": case.most_bytes,
        "pyarrow_peak_bytes": peaks["pyarrow"],
        "holds": times <= (case.most_times or np.inf) and peaks["comitia"] <= case.most_bytes,
    }


def _read(way: str, path: Path, case: Case) -> dict[str, Any]:
    """Read the table in a process of its own and return what that tells, once its shape is the right one."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-m", "bench.reading", way, str(path), json.dumps(case.options)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{case.name}: {way} failed: {done.stderr.strip()[-500:]}")
    told: dict[str, Any] = json.loads(done.stdout)
    wanted = [MEMBERS, case.samples] if way == "comitia" else [told["shape"][0], case.rows]
    assert told["shape"] == wanted, f"{case.name}: {way} read {told['shape']}, not {wanted}"
    return told


def _write(path: Path, case: Case) -> None:
    """Write the table a piece at a time, in row groups of the size that pyarrow's users have."""
    pieces = case.pieces(case.rows)
    first = next(pieces)
    parquet_file = path.suffix == ".parquet"
    with (parquet.ParquetWriter if parquet_file else csv.CSVWriter)(path, first.schema) as writer:
        writer.write_batch(first)
        for piece in pieces:
            writer.write_batch(piece)


def _spans(rows: int, step: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + step, rows)) for start in range(0, rows, step))


def _probabilities(rows: int) -> Iterator[arrow.RecordBatch]:
    """A column per member of the probability of class 1, a float32, and the labels."""
    rng = np.random.default_rng(0)
    for start, stop in _spans(rows, ROW_GROUP):
        labels = rng.integers(0, 2, stop - start).astype(np.uint8)
        drawn = rng.random((MEMBERS, stop - start), dtype=np.float32)
        probs = np.where(labels == 1, np.sqrt(drawn), 1 - np.sqrt(drawn))
        yield _wide(probs.astype(np.float32), labels)


def _votes(rows: int) -> Iterator[arrow.RecordBatch]:
    """A column per member of classes 0 to 9, and the labels."""
    rng = np.random.default_rng(0)
    for start, stop in _spans(rows, ROW_GROUP):
        labels = rng.integers(0, 10, stop - start, dtype=np.uint8)
        guesses = rng.integers(0, 10, (MEMBERS, stop - start), dtype=np.uint8)
        yield _wide(np.where(guesses < 7, labels, guesses), labels)


def _wide(values: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> arrow.RecordBatch:
    columns = {f"member {index:03}": row for index, row in enumerate(values)}
    return arrow.RecordBatch.from_pydict({**columns, "label": labels})


def _answers(rows: int) -> Iterator[arrow.RecordBatch]:
    """A row per item and member, item by item: both as texts, the answer, and the item's label."""
    rng = np.random.default_rng(0)
    members = np.array([f"judge {index:03}" for index in range(MEMBERS)])
    for start, stop in _spans(rows // MEMBERS, ROW_GROUP // MEMBERS):
        items = np.repeat(np.arange(start, stop), MEMBERS)
        labels = np.repeat(rng.integers(0, 3, stop - start), MEMBERS)
        guesses = rng.integers(0, 10, len(items))
        yield arrow.RecordBatch.from_pydict(
            {
                "item": np.char.add("item-", items.astype(str)),
                "member": np.tile(members, stop - start),
                "answer": CLASSES[np.where(guesses < 3, guesses, labels)],
                "label": CLASSES[labels],
            }
        )
