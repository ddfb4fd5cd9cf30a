"""`python -m bench [NAME...] [--json FILE] [--scale SHARE]`: speed and memory, as ratios from one run.

Every module of this folder has `run() -> list[dict]`: rows with a name, seconds, and a ratio against
something measured in the same run, because machines differ and are noisy. Where `run` takes a `scale`, a share of the
size can be tried; its figures mean nothing.
"""

import argparse
import inspect
import json
import platform
import sys
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

NAMES = [
    "co_errors",
    "minimise",
    "digital",
    "weigh",
    "counts",
    "tables",
    "tightness",
    "tightness_tables",
    "selective",
    "limits",
    "after",
    "protocol",
    "noise",
    "estimators",
    "forests",
    "fitting",
    "regression",
    "engine",
    "bundle",
    "collect",
]


def main() -> None:
    """Run the benchmarks asked for (all of them by default), print a table, write JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--json", type=Path, help="also write the rows here")
    parser.add_argument("--scale", type=float, help="of the size of tables, to try them small")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(NAMES)
    if unknown:
        sys.exit(f"bench: no benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    rows = []
    for name in chosen.names or NAMES:
        found = [{"bench": name, **row} for row in _run(name, chosen.scale)]
        show(name, found)
        rows += found
    record = {"machine": platform.processor() or platform.machine(), "python": platform.python_version()}
    if chosen.json:
        chosen.json.write_text(json.dumps({**record, "rows": rows}, indent=1))


def _run(name: str, scale: float | None) -> list[dict[str, object]]:
    """Run one benchmark, smaller where it can be."""
    run = import_module(f"bench.{name}").run
    smaller = scale is not None and "scale" in inspect.signature(run).parameters
    found: list[dict[str, object]] = run(scale=scale) if smaller else run()
    return found


def show(name: str, rows: list[dict[str, object]]) -> None:
    """Print the rows of one benchmark."""
    table = Table(title=name, title_justify="left")
    columns = [key for key in rows[0] if key != "bench"] if rows else []
    for row in rows:
        columns += [key for key in row if key not in columns and key != "bench"]
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(_text(row.get(column, "")) for column in columns))
    Console().print(table)


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
