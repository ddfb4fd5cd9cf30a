"""`comitia monitor`: does the promise still hold? Labels as they come in, valid whenever one looks."""

import sys
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia.cli.output import (
    common_options,
    console,
    require_absent,
    require_distinct,
    show_place,
    write_json,
)
from comitia.cli.table_options import Told, as_arguments, table_options

if TYPE_CHECKING:
    from comitia._ensemble import Ensemble
    from comitia._watch import Batch, Watch
    from comitia.files.states import MonitorState


@click.command(
    "monitor",
    epilog="""\b
Examples:
  comitia monitor ensemble.json monday.csv      exit 1 while the alarm is on, 0 otherwise
  comitia monitor ensemble.json tuesday.csv     goes on where Monday ended
  comitia monitor ensemble.json                 how things stand
  comitia monitor ensemble.json monday.csv --alpha .01 --page monitor.html
""",
)
@click.argument("ensemble_path", metavar="ENSEMBLE.json")
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--labels", metavar="FILE", help="True classes, in place of those in the file.")
@click.option(
    "--state", metavar="FILE", help="Where labels so far are kept [default: ENSEMBLE.monitor.jsonl]."
)
@click.option("--risk", type=float, help="The risk to watch [default: the certified one].")
@click.option("--alpha", type=float, help="Probability of a false alarm, ever [default: .05].")
@click.option("--page", metavar="FILE", help="Write an HTML page with the path of the evidence.")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@table_options
@common_options
def command(
    ensemble_path: str,
    files: tuple[str, ...],
    labels: str | None,
    state: str | None,
    risk: float | None,
    alpha: float | None,
    page: str | None,
    force: bool,
    json_path: str | None,
    **columns: Any,
) -> None:
    """Add labelled samples to the evidence that the risk is above what was promised; exit 1 while the alarm is on.

    FILE holds the members on new samples with labels, as for weigh; several files are taken one after the other. The
    evidence exceeds 1/alpha with probability at most alpha, ever, as long as the risk is at most the certified one. The
    state is only added to; a file that is given again counts once.
    """
    require_distinct(page, json_path, state)
    for path in (page, json_path):
        require_absent(path, force, (ensemble_path, *files, labels, state))
    from comitia import read_ensemble
    from comitia.cli.after_tables import show_monitored
    from comitia.files.logs import log_place
    from comitia.files.states import add_batches, read_monitor_state

    told = Told()
    ensemble = read_ensemble(ensemble_path)
    kept = read_monitor_state(log_place(state, ensemble_path, ".monitor.jsonl"))
    found = _batches(ensemble, files, labels, as_arguments(columns, told))
    watch = _watch(ensemble, kept, found, risk, alpha)
    new, notes = _new(kept, watch, found)
    add_batches(kept, watch, new)
    stands = read_monitor_state(kept.place).stand()
    if page is not None:
        _write_page(page, kept.place, stands)
    write_json(json_path, {**stands.to_json(), "state": str(kept.place), "notes": [*kept.notes, *notes]})
    told.show(console(json_path))
    show_monitored(console(json_path), stands, (*kept.notes, *notes), kept.place)
    sys.exit(1 if stands.alarm else 0)


def _batches(
    ensemble: "Ensemble", files: tuple[str, ...], labels: str | None, options: dict[str, Any]
) -> "list[Batch]":
    """Read each file; those of one member each (.npy) are one batch."""
    from comitia._watch import batch_of
    from comitia.files import read_predictions

    together = all(PurePath(path).suffix.lower() == ".npy" for path in files)
    parts = [files] if files and together else [(path,) for path in files]
    if labels is not None and len(parts) > 1:
        raise InputError("--labels: one file of labels for several files; give one file at a time")
    return [
        batch_of(
            ensemble,
            read_predictions(list(part), labels=labels, **options),
            PurePath(show_place(part[0])).name,
        )
        for part in parts
    ]


def _watch(
    ensemble: "Ensemble", kept: "MonitorState", found: "list[Batch]", risk: float | None, alpha: float | None
) -> "Watch":
    """What is watched: as the state was begun, or from now on."""
    from comitia._watch import ALPHA, checksum, unit_of, watch_over
    from comitia.files.states import require_same

    unit = unit_of(found, ensemble)
    if kept.watch is None:
        return watch_over(ensemble, unit, risk=risk, alpha=ALPHA if alpha is None else alpha, seed=0)
    require_same(kept.place, kept.watch, ensemble=checksum(ensemble), risk=risk, alpha=alpha)
    if found and unit != kept.watch.unit:
        raise InputError(
            f"groups: {kept.place} counts {kept.watch.unit}, the files hold {unit}; give the same"
        )
    return kept.watch


def _new(kept: "MonitorState", watch: "Watch", found: "list[Batch]") -> "tuple[list[Batch], list[str]]":
    """The batches that bring something new, and what was left out because it was counted before."""
    from comitia._monitor import stand

    steps = stand(watch, [*kept.batches, *found]).steps[len(kept.batches) :]
    notes = [
        f"{step.file}: {step.seen_before:,} {watch.unit} were counted before"
        + (" and are left out" if step.labels else "; the file counts once")
        for step in steps
        if step.seen_before
    ]
    return [batch for batch, step in zip(found, steps) if step.labels], notes


def _write_page(page: str, place: Path, stands: Any) -> None:
    from comitia.files.atomic import write_text
    from comitia.pages.monitor_page import monitor_page

    write_text(page, monitor_page(stands, place.name))
