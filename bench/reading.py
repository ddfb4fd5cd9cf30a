"""`python -m bench.reading WAY PATH OPTIONS`: read one table in this process; prints seconds, peak memory and shape.

A process of its own, for the peak is that of its whole life. Imports are not in the seconds. WAY is `comitia`, or
`pyarrow`, which reads the same file whole.
"""

import json
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any


def by_comitia(path: str, options: dict[str, Any]) -> tuple[int, int]:
    """Return members and samples of the predictions."""
    from comitia import read_predictions

    found = read_predictions(path, **options)
    return found.members, found.samples


def by_pyarrow(path: str, options: dict[str, Any]) -> tuple[int, int]:
    """Return columns and rows of the table."""
    from pyarrow import csv, parquet

    table = csv.read_csv(path) if path.endswith(".csv") else parquet.read_table(path)
    return table.num_columns, table.num_rows


WAYS: dict[str, Callable[[str, dict[str, Any]], tuple[int, int]]] = {
    "comitia": by_comitia,
    "pyarrow": by_pyarrow,
}


def main(way: str, path: str, options: str) -> None:
    """Read the table and print what it took."""
    import pyarrow.csv
    import pyarrow.parquet  # noqa: F401

    import comitia.files  # noqa: F401

    start = perf_counter()
    shape = WAYS[way](path, json.loads(options))
    seconds = perf_counter() - start
    # VmHWM, not ru_maxrss: that one starts from what the parent held when it forked
    with open("/proc/self/status") as status:
        peak = next(line for line in status if line.startswith("VmHWM")).split()[1]
    print(json.dumps({"seconds": seconds, "peak_bytes": int(peak) * 1024, "shape": shape}))


if __name__ == "__main__":
    main(*sys.argv[1:])
