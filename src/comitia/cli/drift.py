"""`comitia drift`: do new samples without labels look unlike the hold-out? A warning, never a promise."""

import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from comitia.cli.output import (
    common_options,
    console,
    require_absent,
    require_distinct,
    show_place,
    write_json,
)
from comitia.cli.table_options import Told, as_arguments, read_further, table_options

if TYPE_CHECKING:
    from comitia._ensemble import Ensemble
    from comitia._predictions import Predictions
    from comitia.files.states import DriftState, Look, Looking


@click.command(
    "drift",
    epilog="""\b
Examples:
  comitia drift ensemble.json new.npz               exit 1 on alarm, 0 otherwise
  comitia drift ensemble.json new.npz --alpha .01 --json -
  comitia drift ensemble.json new.npz --reference holdout.npz
""",
)
@click.argument("ensemble_path", metavar="ENSEMBLE.json")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--reference",
    multiple=True,
    metavar="FILE",
    help="Samples to compare with [default: those that certified, as the ensemble remembers them].",
)
@click.option("--state", metavar="FILE", help="Where looks so far are kept [default: ENSEMBLE.drift.jsonl].")
@click.option("--alpha", type=float, help="Probability of a false alarm over all looks [default: .05].")
@click.option("--permutations", type=int, help="How many [default: enough for the level of this look].")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the permutations [default: 0].")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@table_options
@common_options
def command(
    ensemble_path: str,
    files: tuple[str, ...],
    reference: tuple[str, ...],
    state: str | None,
    alpha: float | None,
    permutations: int | None,
    seed: int | None,
    force: bool,
    json_path: str | None,
    **columns: Any,
) -> None:
    """Test whether votes on new samples look as they did on the hold-out; exit 1 on alarm.

    FILE holds the members on new samples; labels are not looked at. Two permutation tests compare how sure the vote is
    and how much members disagree. Each call is a look: look k is held against 6 alpha/(pi^2 k^2), so that many looks
    raise no more false alarms than one. The same samples again are no new look. It can warn, and promises nothing.
    """
    require_distinct(json_path, state)
    require_absent(json_path, force, (ensemble_path, *files, *reference, state))
    from comitia import read_ensemble, read_predictions
    from comitia.cli.after_tables import show_drifted
    from comitia.files.logs import log_place
    from comitia.files.states import read_drift_state

    told = Told()
    ensemble = read_ensemble(ensemble_path)
    kept = read_drift_state(log_place(state, ensemble_path, ".drift.jsonl"))
    looking = _looking(ensemble, kept, alpha, seed)
    predictions = read_predictions(files, **as_arguments(columns, told))
    compared = read_further(reference, columns, predictions)
    record, notes = _look(ensemble, predictions, compared, kept, looking, permutations, _name(files))
    notes = [*kept.notes, *notes]
    write_json(json_path, {**record, "state": str(kept.place), "notes": notes})
    told.show(console(json_path))
    show_drifted(console(json_path), record, notes, kept.place)
    sys.exit(1 if record["alarm"] else 0)


def _name(files: tuple[str, ...]) -> str:
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"{PurePath(show_place(files[0])).name}{more}"


def _looking(ensemble: "Ensemble", kept: "DriftState", alpha: float | None, seed: int | None) -> "Looking":
    from comitia._errors import require_open_unit
    from comitia._watch import ALPHA, checksum
    from comitia.files.states import Looking, require_same

    if kept.looking is None:
        return Looking(
            checksum(ensemble), require_open_unit("alpha", ALPHA if alpha is None else alpha), seed or 0
        )
    require_same(kept.place, kept.looking, ensemble=checksum(ensemble), alpha=alpha, seed=seed)
    return kept.looking


def _look(
    ensemble: "Ensemble",
    predictions: "Predictions",
    reference: "Predictions | None",
    kept: "DriftState",
    looking: "Looking",
    permutations: int | None,
    name: str,
) -> tuple[dict[str, Any], list[str]]:
    """The record of this look, added to the state; of an earlier one where these samples were looked at before."""
    from comitia._drift import drift
    from comitia.files.states import Look, add_look

    sha256 = predictions.fingerprint()
    earlier = kept.before(sha256)
    number = len(kept.looks) + 1 if earlier is None else earlier[0]
    found = drift(
        ensemble,
        predictions,
        reference=reference,
        alpha=looking.alpha,
        look=number,
        seed=looking.seed,
        permutations=permutations,
    )
    if earlier is not None:
        return _again(found.to_json(), earlier[1]), [f"{name}: was look {number} already; it counts once"]
    look = Look(name, sha256, found.p_value, found.level, found.alarm, found.samples)
    add_look(kept, looking, look)
    return found.to_json(), []


def _again(record: dict[str, Any], look: "Look") -> dict[str, Any]:
    """The record with what was found at the time: a second draw of permutations is no second chance."""
    return {**record, "p_value": look.p_value, "level": look.level, "alarm": look.alarm}
