"""`comitia reproduce --compare`: ensembles of several strategies, trained for as many epochs, in one table."""

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from comitia.cli.evaluate import show_table
from comitia.cli.output import console, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from comitia._predictions import Predictions
    from comitia.paper.contests import Contest


@dataclass(frozen=True)
class Options:
    """How a contest is run: where it goes, by which engine, and how it is evaluated."""

    out: str | None
    engine: str
    workers: int | None
    seed: int
    delta: float
    weights: tuple[str, ...]
    figures: bool
    json_path: str | None

    def folder(self, name: str) -> Path:
        """Where the contest of that name goes."""
        return Path("reproduced", name) if self.out is None else Path(self.out)


def run_contest(contest: "Contest", options: Options) -> None:
    """Train what is missing, compare, write the files and tell."""
    from comitia.paper.comparison import compare
    from comitia.paper.comparison_findings import findings
    from comitia.paper.comparison_outputs import (
        comparison_table,
        record,
        write_comparison,
        write_temperatures,
    )
    from comitia.paper.reproduce import run_facts

    folder = options.folder(contest.name)
    terminal, begin = console(options.json_path), perf_counter()
    packs = _train(contest, folder, options, terminal)
    seconds = {"training, this call": perf_counter() - begin, **_epoch_seconds(folder, packs)}
    settings: dict[str, Any] = {"seed": options.seed, "delta": options.delta}
    lines, notes = compare(contest, packs, weightings=options.weights, **settings)
    found = findings(lines)
    table = comparison_table(contest, lines, delta=options.delta, notes=notes)
    content = record(contest, lines, found, packs, notes=notes, **settings)
    facts = run_facts(source="trained here", seconds=seconds, settings={"contest": contest.name, **settings})
    written = write_comparison(folder, content, table, found, facts)
    if options.figures:
        written += write_temperatures(contest, folder)
    show_table(terminal, table)
    for finding in found:
        terminal.print(f"{finding.text}: {finding.difference:+.4f}, {finding.verdict}", markup=False)
    terminal.print(f"{len(written)} files written to {folder}", markup=False)
    write_json(options.json_path, content)


def _train(
    contest: "Contest", folder: Path, options: Options, terminal: "Console"
) -> "dict[str, Predictions]":
    """The test predictions of each training of the contest, by its folder."""
    from comitia.engines.progress import watching
    from comitia.files import read_predictions
    from comitia.paper.reproduce import train_recipe

    packs = {}
    for entry in contest.entries:
        if entry.last_of is None:
            with watching(terminal) as listen:
                outcome = train_recipe(
                    entry.repeated(contest.repeats),
                    folder / entry.folder,
                    engine=options.engine,
                    workers=options.workers,
                    listen=listen,
                )
            for run, reason in {**outcome.stopped, **outcome.failed}.items():
                terminal.print(f"{entry.name}, run {run} is missing: {reason}", markup=False, style="yellow")
            packs[entry.folder] = read_predictions([outcome.predictions["test"]])
    return packs


def _epoch_seconds(folder: Path, packs: "dict[str, Predictions]") -> dict[str, float]:
    from comitia.paper.reproduce import epoch_seconds

    return {f"epochs, {name}": epoch_seconds(folder / name) for name in packs}
