"""`comitia evaluate`: compare weightings on test predictions by the paper's protocol."""

from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia._words import counted
from comitia.cli.output import (
    common_options,
    console,
    require_absent,
    require_distinct,
    show_place,
    write_json,
)
from comitia.cli.real import asks_real, evaluate_real, real_options, refuse_real
from comitia.cli.table_options import ReadingCommand, Told, as_arguments, table_options

if TYPE_CHECKING:
    from rich.console import Console

    from comitia.evaluation.records import Evaluation


@click.command(
    "evaluate",
    cls=ReadingCommand,
    epilog="""\b
Examples:
  comitia evaluate test.npz                                 all sizes, uniform, first-order and tandem
  comitia evaluate checkpoints.npz --weights uniform,tandem,early-stopping
  comitia evaluate test.npz --sizes 2,4,8 --weights uniform,tandem,greedy
  comitia evaluate test.npz --member-costs costs.csv        error against seconds, parameters, ... too
  comitia evaluate test.npz --table rows.tex --out evaluation.json
  comitia evaluate test.csv --label truth --group patient   groups stay whole
  comitia evaluate prices.csv --target price                members predict real numbers
  comitia evaluate oof.csv --fold fold                      estimates, without bounds
""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--labels", metavar="FILE", help="True classes, where the files hold none.")
@click.option(
    "--sizes", metavar="N,N...", help="Numbers of runs [default: 2 to 10, then every fifth, and all]."
)
@click.option("--repeats", type=int, default=5, show_default=True, help="Ensembles drawn per size.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the split and the draws.",
)
@click.option("--delta", type=float, default=0.05, show_default=True, help="Failure probability of bounds.")
@click.option(
    "--weights",
    "weightings",
    metavar="NAME,...",
    help="Weightings to compare: methods of comitia weigh, or module:function [default: uniform,first-order,tandem, "
    "and early-stopping where runs have several states].",
)
@click.option(
    "--votes", default="average,majority", show_default=True, metavar="NAME,...", help="Votes to score."
)
@click.option(
    "--target-risk",
    type=float,
    help="Also decline: how many samples are answered if at most this share of the answers may be wrong.",
)
@click.option(
    "--member-costs",
    metavar="FILE",
    help="JSON or CSV: what each member costs, by name; error against cost is shown for every column.",
)
@click.option("--bound", "bounds", multiple=True, metavar="MODULE:NAME", help="A further bound of your own.")
@click.option("--table", "tables", multiple=True, metavar="FILE", help="Write all rows as .md, .tex or .csv.")
@click.option("--out", metavar="FILE", help="Write the evaluation (JSON) for comitia report.")
@click.option("--force", is_flag=True, help="Overwrite existing outputs.")
@table_options
@real_options("target", "largest_error", "clip")
@common_options
def command(
    files: tuple[str, ...],
    labels: str | None,
    sizes: str | None,
    repeats: int,
    seed: int,
    delta: float,
    weightings: str | None,
    votes: str,
    target_risk: float | None,
    member_costs: str | None,
    bounds: tuple[str, ...],
    tables: tuple[str, ...],
    out: str | None,
    force: bool,
    json_path: str | None,
    target: str | None,
    largest_error: float | None,
    clip: float | None,
    **columns: Any,
) -> None:
    """Compare weightings on test predictions by the paper's protocol.

    The samples are halved once: one half chooses the weights and yields the bound, the other is scored; they
    swap, and the two are averaged. Ensembles of each size are drawn from the training runs, with the last or with
    all states of each. Fewer and fewer members of all runs are weighed too, to say how few lose nothing.

    FILE is as in comitia weigh. Groups stay whole. No answer is not right. Out-of-fold predictions (--fold) get
    estimates: no bound and no certificate.
    """
    from comitia.evaluation.table_formats import render
    from comitia.evaluation.tables import all_rows

    if out == "-":
        raise InputError("out: the name of a file is required; --json - writes to standard output")
    require_distinct(out, json_path, *tables)
    for path in (out, json_path, *tables):
        require_absent(path, force, (*files, labels, member_costs))
    wanted = None if sizes is None else whole_numbers("sizes", sizes)
    for path in tables:
        _require_table(path)
    chosen, limits = (
        None if weightings is None else words(weightings),
        {"largest_error": largest_error, "clip": clip},
    )
    if asks_real(files, target):
        settings = {"weightings": chosen, "repeats": repeats, "seed": seed, "delta": delta, **limits}
        evaluate_real(files, target, columns, out, json_path, **settings)
        return
    refuse_real(limits)
    from comitia.evaluation import evaluate
    from comitia.files import read_predictions
    from comitia.files.atomic import together, write_text
    from comitia.files.cost_files import read_member_costs

    told = Told()
    evaluation = evaluate(
        read_predictions(files, labels=labels, **as_arguments(columns, told)),
        sizes=wanted,
        repeats=repeats,
        seed=seed,
        delta=delta,
        weightings=chosen,
        votes=words(votes),
        bounds=bounds,
        target_risk=target_risk,
        member_costs=None if member_costs is None else read_member_costs(member_costs),
    )
    written = [*tables] if out is None else [*tables, out]
    with together():
        for path in tables:
            write_text(path, render(all_rows(evaluation), path))
        write_json(out, evaluation.to_json())
        write_json(json_path, evaluation.to_json())
    terminal = console(json_path)
    told.show(terminal)
    show_evaluation(terminal, evaluation)
    for path in written:
        terminal.print(f"written to {show_place(path)}", markup=False)


def words(text: str) -> list[str]:
    """Return the words of a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def whole_numbers(argument: str, text: str) -> list[int]:
    """Return the whole numbers of a list with commas."""
    try:
        return [int(word) for word in words(text)]
    except ValueError:
        raise InputError(
            f"{argument}: must be whole numbers with commas, such as 2,4,8, got '{text}'"
        ) from None


def _require_table(path: str) -> None:
    """Raise before any work if the ending names no format of a table."""
    from comitia.evaluation.table_formats import Table, render

    render(Table("", (), ()), path)


def show_evaluation(terminal: "Console", evaluation: "Evaluation") -> None:
    """Print the rows of the largest size (every size of an epoch budget first), the claims and the notes."""
    from rich.markup import escape

    from comitia.evaluation.cost_curve import fewest_in_words
    from comitia.evaluation.declining import declined_in_words
    from comitia.evaluation.tables import by_size, summary

    source, size = evaluation.source, evaluation.settings.sizes[-1]
    if evaluation.settings.grouped:
        terminal.print(
            f"[bold]accuracy of the {evaluation.settings.votes[0]} vote, each size trained by itself[/bold]"
        )
        show_table(terminal, by_size(evaluation))
    if evaluation.estimated:
        terminal.print("[bold yellow]estimate: out-of-fold predictions promise nothing[/bold yellow]")
    groups = "" if source.groups is None else f" in {counted(source.groups, 'group')}"
    terminal.print(
        f"[bold]{counted(source.members, 'member')} of {counted(source.runs, 'run')} · "
        f"{source.samples:,} test samples{groups} · {source.classes} classes · "
        f"ensembles of {counted(size, 'run')}[/bold]"
    )
    show_table(terminal, summary(evaluation))
    for row in evaluation.declining:
        terminal.print(f"[dim]{escape(declined_in_words(row))}[/dim]")
    for curve in evaluation.costs:
        terminal.print(f"[dim]{escape(fewest_in_words(curve))}[/dim]")
    for claim in evaluation.claims:
        style = {"held": "green", "not held": "red"}.get(claim.verdict, "yellow")
        why = f" [dim]({escape(claim.reason)})[/dim]" if claim.reason else ""
        terminal.print(f"Claim {claim.number}: [{style}]{claim.verdict}[/{style}]. {claim.statement}{why}")
    for note in evaluation.notes:
        terminal.print(f"[dim]note: {escape(note)}[/dim]")


def show_table(terminal: "Console", table: object) -> None:
    """Print a table of the evaluation."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table as Shown

    from comitia.evaluation.table_formats import Table

    assert isinstance(table, Table)
    shown = Shown(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in table.columns:
        text = column.decimals is None
        shown.add_column(escape(column.title), justify="left" if text else "right", no_wrap=True)
    for row in table.shown():
        shown.add_row(*(escape(cell) for cell in row))
    terminal.print(shown)
    for note in table.notes:
        terminal.print(f"[dim]{escape(note)}[/dim]")
