"""`comitia train`: the networks of a recipe → members and their predictions."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia._words import counted, harmless
from comitia.cli.output import common_options, console, require_absent, write_json

if TYPE_CHECKING:
    from comitia.engines.training import Outcome


@click.command(
    "train",
    epilog="""\b
Examples:
  comitia train --list                                    the built-in recipes
  comitia train demo --out demo                           a minute on two cores
  comitia train imdb-cnn_lstm-checkpoints --members 10 --out imdb
  comitia train mine.toml --set training.lr=0.05 --out mine
The same command again goes on where it was stopped; a larger --members adds runs
(not to an epoch budget, whose sizes are part of the recipe).
""",
)
@click.argument("recipe", required=False, metavar="NAME|FILE.toml")
@click.option("--out", metavar="DIR", help="Where states and predictions go.")
@click.option("--engine", default="local", show_default=True, help="local or ray.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a key of the recipe.")
@click.option("--members", type=int, help="Runs to train (of an epoch budget the largest size).")
@click.option("--epochs", type=int, help="Epochs of a run; the schedule is scaled with them.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes of the local engine.")
@click.option("--allow-code", is_flag=True, help="Run code that a recipe file names as module:function.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or mps.")
@click.option("--keep", type=click.Choice(["states", "predictions"]), help="predictions: drop the states.")
@click.option(
    "--track",
    "trackers",
    multiple=True,
    metavar="NAME",
    help="Also send its numbers to tensorboard, mlflow, wandb, or module:function; may be repeated.",
)
@click.option("--tensorboard", is_flag=True, help="The same as --track tensorboard.")
@click.option("--list", "listing", is_flag=True, help="List the built-in recipes.")
@common_options
def command(
    recipe: str | None,
    out: str | None,
    engine: str,
    overrides: tuple[str, ...],
    members: int | None,
    epochs: int | None,
    workers: int | None,
    device: str,
    allow_code: bool,
    keep: str | None,
    trackers: tuple[str, ...],
    tensorboard: bool,
    listing: bool,
    json_path: str | None,
) -> int:
    """Train the networks of a recipe and collect their predictions.

    DIR then holds the states, holdout.npz for `weigh` and test.npz for `evaluate`.
    """
    _check_json(json_path, out, recipe)
    if listing:
        _list(json_path)
        return 0
    from comitia.engines.progress import watching
    from comitia.engines.training import train

    if recipe is None or out is None:
        raise InputError("train: needs a recipe and --out DIR; comitia train --list names the recipes")
    with watching(console(json_path)) as show:
        try:
            outcome = train(
                recipe,
                out,
                overrides=(*overrides, f"keep={keep}") if keep else overrides,
                members=members,
                epochs=epochs,
                engine=engine,
                workers=workers,
                device=device,
                allow_code=allow_code,
                listen=show,
                track=dict.fromkeys((*trackers, *(["tensorboard"] if tensorboard else []))),
            )
        except KeyboardInterrupt:
            click.echo(f"stopped; the same command again resumes from what is in {out}", err=True)
            raise
    write_json(json_path, _record(outcome))
    _tell(outcome, json_path)
    return 0 if outcome.complete else 1


def _check_json(json_path: str | None, out: str | None, recipe: str | None) -> None:
    """Raise if the JSON could not be written after the training; it may replace that of an earlier training."""
    made = Path(out) if out else None  # the training makes this folder
    if json_path is None or (made and not made.exists() and Path(json_path).parent == made):
        return
    require_absent(json_path, True, (recipe, made and made / "recipe.toml"))


def _list(json_path: str | None) -> None:
    """Write the names of the built-in recipes and what each trains."""
    from rich.table import Table

    from comitia.recipes import about, names

    rows = [{"name": name, "about": about(name)} for name in names()]
    write_json(json_path, {"recipes": rows})
    screen = console(json_path)
    if (
        json_path != "-" and not screen.is_terminal
    ):  # one recipe per line, however long, for grep and the like
        longest = max(len(row["name"]) for row in rows)
        for row in rows:
            screen.print(
                f"{row['name']:<{longest}}  {row['about']}", markup=False, highlight=False, soft_wrap=True
            )
    elif json_path != "-":
        table = Table(box=None, pad_edge=False, show_header=False)
        for row in rows:
            table.add_row(row["name"], row["about"])
        screen.print(table)


def _tell(outcome: "Outcome", json_path: str | None) -> None:
    screen = console(json_path)
    made = f"{counted(outcome.members, 'member')} of {counted(outcome.runs, 'run')}"
    screen.print(f"{made} in {outcome.directory}", markup=False)
    for part, path in outcome.predictions.items():
        use = "comitia weigh" if part == "holdout" else "comitia evaluate"
        screen.print(f"  {part}: {use} {path}", markup=False, soft_wrap=True)
    for run, reason in outcome.stopped.items():
        click.echo(harmless(f"comitia: run {run} was stopped: {reason}; the others are kept"), err=True)
    for run, reason in outcome.failed.items():
        click.echo(
            harmless(f"comitia: run {run} failed: {reason}; the same command tries it again"), err=True
        )


def _record(outcome: "Outcome") -> dict[str, Any]:
    return {
        "directory": str(outcome.directory),
        "runs": outcome.runs,
        "members": outcome.members,
        "predictions": {part: str(path) for part, path in outcome.predictions.items()},
        "stopped": {str(run): reason for run, reason in outcome.stopped.items()},
        "failed": {str(run): reason for run, reason in outcome.failed.items()},
    }
