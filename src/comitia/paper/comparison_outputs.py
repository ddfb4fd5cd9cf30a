"""A comparison written down: one table (Markdown, LaTeX, CSV), the findings, and a record with every number."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from comitia._predictions import Predictions
from comitia.evaluation.findings import MANY, RULE, Finding, findings_markdown
from comitia.evaluation.tables import FORMATS, Cell, Column, Table, render
from comitia.files.atomic import write_bytes, write_text
from comitia.pages.comparison_record import FORMAT, SCORES
from comitia.paper.comparison import Line
from comitia.paper.contests import Contest, Entry

OUTPUTS = ("comparison.json", "findings.md", "run.json", *(f"table{ending}" for ending in FORMATS))
_COLUMNS = (
    Column("ensemble"),
    Column("T"),
    Column("epochs", 0),
    Column("members", 0),
    Column("weights"),
    Column("accuracy", 4),
    Column("sd", 4),
    Column("NLL", 4),
    Column("NLL sd", 4),
    Column("ECE", 4),
    Column("ECE sd", 4),
    Column("mean certificate", 4),
    Column("its sd", 4),
    Column("bound", 3),
    Column("in use", 1),
)


def comparison_table(
    contest: Contest, lines: Sequence[Line], *, delta: float, notes: Sequence[str] = ()
) -> Table:
    """One row a line: scores of the average vote, mean and spread over the repeats."""
    about = (
        f"Mean and standard deviation over {contest.repeats} repeats with other seeds, at {contest.budget} training "
        "epochs each. Half of the test samples chooses the weights, the other half is scored; they swap. Accuracy, "
        "NLL, ECE and certificate are those of the average vote; mean certificate: the mean of bounds on its risk, "
        f"each at delta = {delta:g}, for the weights that one half chose, by Clopper-Pearson on the other; bound: "
        "tandem-kl on the risk of the majority vote. T: temperature of the sampler. In use: effective number "
        "of members."
    )
    rows = tuple(_cells(line) for line in lines)
    return Table(f"{contest.name}: ensembles side by side", _COLUMNS, rows, (about, *notes))


def _cells(line: Line) -> tuple[Cell, ...]:
    scores: list[Cell] = []
    for name in ("accuracy", "nll", "ece", "certificate"):
        scores += [line.mean(name), line.spread(name)]
    named = (line.entry.name, _temperature(line.entry), line.entry.epochs, line.mean("members"), line.weights)
    return (*named, *scores, line.mean("bound"), line.mean("effective"))


def _temperature(entry: Entry) -> str | None:
    sampler = entry.recipe.sampler
    return None if sampler is None or sampler.dropout > 0 else f"{sampler.temperature:g}"


def record(
    contest: Contest,
    lines: Sequence[Line],
    findings: Sequence[Finding],
    packs: Mapping[str, Predictions],
    *,
    seed: int,
    delta: float,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Everything as plain data, without dates and machines: the same predictions and seed give the same record."""
    return {
        "format": FORMAT,
        "name": contest.name,
        "settings": {"budget": contest.budget, "repeats": contest.repeats, "seed": seed, "delta": delta},
        "predictions": {name: pack.fingerprint() for name, pack in packs.items()},
        "ensembles": {entry.name: _described(entry) for entry in contest.entries},
        "lines": [
            {
                "ensemble": line.entry.name,
                "weights": line.weights,
                "repeats": [score.repeat for score in line.scores],
                "members": [score.members for score in line.scores],
                **{name: line.values(name).tolist() for name in SCORES},
            }
            for line in lines
        ],
        "findings": [asdict(finding) for finding in findings],
        "notes": list(notes),
    }


def _described(entry: Entry) -> dict[str, Any]:
    recipe = entry.recipe.to_dict()
    recipe["data"].pop("folder", None)  # where the data lay is no part of the result
    return {"last_of": entry.last_of, "epochs": entry.epochs, "recipe": recipe}


def write_comparison(
    folder: Path,
    content: Mapping[str, Any],
    table: Table,
    findings: Sequence[Finding],
    facts: Mapping[str, Any],
) -> tuple[Path, ...]:
    """The files written: record, table, findings and, apart from them, the facts of this run."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"comparison.json": json.dumps(content, indent=1, allow_nan=False) + "\n"}
    texts |= {f"table{ending}": render(table, f"table{ending}") for ending in FORMATS}
    texts["findings.md"] = f"{RULE} {MANY}\n\n{findings_markdown(findings)}\n"
    texts["run.json"] = json.dumps(facts, indent=1) + "\n"
    for name, text in texts.items():
        write_text(folder / name, text)
    return tuple(folder / name for name in texts)


def write_temperatures(contest: Contest, folder: Path) -> tuple[Path, ...]:
    """The figures written: the temperatures of the first run of every chain, as SVG."""
    from comitia.pages.chain_temperatures import read_chain, temperature_figure
    from comitia.pages.draw_matplotlib import drawn

    written = []
    for entry in contest.entries:
        chain = read_chain(folder, entry.name) if entry.last_of is None else None
        figure = None if chain is None else temperature_figure(chain)
        if figure is not None:
            (folder / "figures").mkdir(exist_ok=True)
            written.append(folder / "figures" / f"{figure.key}.svg")
            write_bytes(written[-1], drawn(figure, ("svg",))["svg"])
    return tuple(written)
