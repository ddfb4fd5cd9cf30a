"""What a reproduction leaves in its folder: the checks before any work, the texts, the facts of the run."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia.evaluation import Evaluation
from comitia.evaluation.claims import claims_markdown
from comitia.evaluation.comparison import Comparison, comparison_findings, comparison_table
from comitia.evaluation.table_formats import FORMATS, Table, render
from comitia.evaluation.tables import all_rows, beside_paper, by_size
from comitia.files.atomic import require_real, together, write_bytes, write_text
from comitia.pages.chain_temperatures import TEMPERATURES
from comitia.pages.learning import LEARNING, read_learning
from comitia.paper.argument.record import Argument
from comitia.paper.argument.tables import argument_rows, argument_table, cancellation_table
from comitia.paper.comparison_plan import ComparisonPlan
from comitia.paper.results import Status, every_row
from comitia.paper.row_page import PAGE, row_page
from comitia.paper.tables import paper_tables, status_table

# What the numbers may depend on; those not installed are left out.
PACKAGES = ("comitia", "numpy", "scipy", "numba", "torch", "ray")
#: The files of a row, those of its training apart.
ROW_FILES = (
    "evaluation.json",
    "claims.md",
    "run.json",
    PAGE,
    *(f"{t}{e}" for t in ("table", "rows", "sizes") for e in FORMATS),
)
#: The files of a comparison.
COMPARISON_FILES = ("comparison.json", "findings.md", "run.json", *(f"table{ending}" for ending in FORMATS))
#: The files of the argument's experiment.
ARGUMENT_FILES = (
    "argument.json",
    "run.json",
    *(f"{t}{e}" for t in ("table", "rows", "cancellation") for e in FORMATS),
)
#: The files of the paper's tables.
TABLE_FILES = tuple(f"{t}{e}" for t in ("table-1", "table-2", "table-3", "status") for e in FORMATS)
#: All of a row, a comparison or the argument, and what a training adds.
FILES = tuple(dict.fromkeys((*ROW_FILES, *COMPARISON_FILES, *ARGUMENT_FILES, LEARNING, TEMPERATURES)))


@dataclass(frozen=True, kw_only=True)
class Written:
    """The folder that everything was written to, the files, and which runs are missing."""

    folder: Path
    written: tuple[Path, ...]
    missing: tuple[str, ...] = ()


def output_folder(out: str | Path | None, name: str, argument: str = "out") -> Path:
    """Return where the results of that name go; raise unless it is a folder, or can be made one."""
    if out in ("", "-"):
        raise InputError(f"{argument}: the name of a directory is required, got '{out}'")
    if out is None and (Path(name).name != name or not name.strip(".") or "\0" in name):
        raise InputError(f"name: '{name}' cannot name a folder; give {argument}, or another name")
    folder = Path("reproduced", name) if out is None else Path(out)
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise InputError(f"{argument}: {folder} must be a directory, {there} is a file; give another path")
    figures = folder / "figures"
    if figures.exists() and not figures.is_dir():
        raise InputError(f"out: {figures} must be a directory, not a file; move it or give another path")
    for place in (there, figures):
        if place.exists() and not os.access(place, os.W_OK):
            raise InputError(f"out: {place} cannot be written to; give another path")
    if folder.exists():
        require_real(folder)
    return folder


def require_absent_outputs(folder: Path, force: bool, outputs: tuple[str, ...] = ROW_FILES) -> None:
    """Raise if a training, or a result that may not be overwritten, lies in the folder already."""
    for own in (LEARNING, "recipe.toml"):
        if (folder / own).exists():
            raise InputError(f"out: {folder / own} belongs to a training of other members; give another path")
    for output in (*outputs, "figures"):
        if (folder / output).exists() and not force:
            raise InputError(f"out: {folder / output} already exists; use force to overwrite it")


def require_drawing() -> None:
    """Raise, before hours of training, if no figure could be drawn."""
    try:
        import comitia.pages.draw_matplotlib  # noqa: F401
    except ImportError:
        raise InputError(
            "figures: matplotlib is required; pip install 'comitia[report]', or leave the figures out"
        ) from None


def write_row(evaluation: Evaluation, folder: Path, facts: Mapping[str, Any]) -> tuple[Path, ...]:
    """Write the evaluation, its tables, its claims and, apart from them, the facts of this run; return the files."""
    record = {"evaluation.json": _json(evaluation.to_json()), "run.json": _json(facts)}
    return _write(folder, {**record, **row_texts(evaluation)})


def row_texts(evaluation: Evaluation) -> dict[str, str]:
    """Return the tables and claims of a row by the names of their files."""
    tables = {"table": beside_paper(evaluation), "rows": all_rows(evaluation), "sizes": by_size(evaluation)}
    return {**_rendered(tables), "claims.md": claims_markdown(evaluation.claims)}


def write_page(evaluation: Evaluation, folder: Path, facts: Mapping[str, Any]) -> tuple[Path, ...]:
    """Write the page of a row, with the figures that lie in its folder; return the file."""
    return _write(folder, {PAGE: page_text(evaluation, folder, facts)})


def page_text(evaluation: Evaluation, folder: Path, facts: Mapping[str, Any]) -> str:
    """Return the page of a row, with the figures and the learning curves that lie in its folder."""
    figures = sorted(path.stem for path in (folder / "figures").glob("*.svg"))
    learned = folder / LEARNING
    epochs = (
        read_learning(learned.read_text(encoding="utf-8"), source=str(learned)) if learned.exists() else ()
    )
    return row_page(evaluation, facts, figures, epochs)


def write_paper_tables(rows: Sequence[Status], folder: Path) -> tuple[Path, ...]:
    """Write the paper's three tables with our numbers, and the status of its rows; return the files."""
    tables = {**paper_tables(rows), "status": status_table(rows)}
    return _write(folder, _rendered(tables))


def reproduce_tables(
    out: str | Path, *, results: str | Path | None = None, force: bool = False
) -> tuple[Path, ...]:
    """Write the paper's tables with our numbers in place of its own, and the status of all its rows; return the files.

    `results` is a folder below which reproduced rows lie; they are added to those that come with the package.
    `force`: whether to overwrite earlier tables.
    """
    folder = output_folder(out, "tables", "tables")
    for file in TABLE_FILES:
        if (folder / file).exists() and not force:
            raise InputError(f"tables: {folder / file} already exists; use force to overwrite it")
    return write_paper_tables(every_row(results), folder)


def write_comparison(comparison: Comparison, folder: Path, facts: Mapping[str, Any]) -> tuple[Path, ...]:
    """Write the comparison, its table, its findings and, apart from them, the facts of this run; return the files."""
    texts = {
        "comparison.json": _json(comparison.to_json()),
        **_rendered({"table": comparison_table(comparison)}),
    }
    return _write(folder, {**texts, "findings.md": comparison_findings(comparison), "run.json": _json(facts)})


def write_argument(argument: Argument, folder: Path, facts: Mapping[str, Any]) -> tuple[Path, ...]:
    """Write the record, its tables and, apart from them, the facts of this run; return the files."""
    tables = {
        "table": argument_table(argument),
        "rows": argument_rows(argument),
        "cancellation": cancellation_table(argument),
    }
    texts = {"argument.json": _json(argument.to_json()), **_rendered(tables), "run.json": _json(facts)}
    return _write(folder, texts)


def _json(plain: Mapping[str, Any]) -> str:
    return json.dumps(plain, indent=1, allow_nan=False) + "\n"


def _rendered(tables: Mapping[str, Table]) -> dict[str, str]:
    return {
        f"{name}{end}": render(table, f"{name}{end}") for name, table in tables.items() for end in FORMATS
    }


def _write(folder: Path, texts: Mapping[str, str]) -> tuple[Path, ...]:
    folder.mkdir(parents=True, exist_ok=True)
    with together():
        for name, text in texts.items():
            write_text(folder / name, text)
    return tuple(folder / name for name in texts)


def write_learning(folder: Path, *, figures: bool) -> tuple[Path, ...]:
    """Write how the runs trained in that folder learned, as `learning.csv` and as a figure; return the files."""
    from comitia.pages import write_drawn
    from comitia.pages.learning import learning_csv, learning_figure, logged_epochs

    epochs = logged_epochs(folder)
    write_text(folder / LEARNING, learning_csv(epochs))
    figure = learning_figure(epochs) if figures else None
    drawn = () if figure is None else write_drawn([figure], folder / "figures")
    return (folder / LEARNING, *drawn)


def write_chain(folder: Path, name: str, *, figures: bool) -> tuple[Path, ...]:
    """Write the temperatures of the chain trained in that folder, as CSV and as a figure; return the files, if any."""
    from comitia.pages import write_drawn
    from comitia.pages.chain_temperatures import read_chain, temperature_figure, temperatures_csv

    chain = read_chain(folder, name)
    if chain is None:
        return ()
    write_text(folder / TEMPERATURES, temperatures_csv(chain))
    figure = temperature_figure(chain) if figures else None
    drawn = () if figure is None else write_drawn([figure], folder / "figures")
    return (folder / TEMPERATURES, *drawn)


def write_temperatures(plan: ComparisonPlan, folder: Path) -> tuple[Path, ...]:
    """Draw the temperatures of the first run of every chain as SVG; return the files."""
    from comitia.pages.chain_temperatures import read_chain, temperature_figure
    from comitia.pages.draw_matplotlib import drawn

    written = []
    for entry in plan.entries:
        chain = read_chain(folder / entry.name, entry.name) if entry.last_of is None else None
        figure = None if chain is None else temperature_figure(chain)
        if figure is not None:
            (folder / "figures").mkdir(exist_ok=True)
            written.append(folder / "figures" / f"{figure.key}.svg")
            write_bytes(written[-1], drawn(figure, ("svg",))["svg"])
    return tuple(written)


def run_facts(*, source: str, seconds: Mapping[str, float], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return machine, versions, time and settings of this run: what the evaluation's record leaves out."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    machine = {"system": platform.system(), "machine": platform.machine(), "processor": _processor()}
    machine["cores"] = str(os.cpu_count())
    return {
        "source": source,
        "seconds": {what: round(value, 1) for what, value in seconds.items()},
        "settings": settings,
        "machine": machine,
        "versions": versions,
    }


def _processor() -> str:
    """Return the processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
