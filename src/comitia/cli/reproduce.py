"""`comitia reproduce`: a row of the paper, a comparison of ensembles, or the paper's argument."""

from collections.abc import Iterator, Set
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from comitia._errors import InputError
from comitia._extensions import allowing
from comitia.cli.evaluate import show_evaluation, show_table, whole_numbers, words
from comitia.cli.output import common_options, console, require_absent, require_distinct, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from comitia.deep.events import Listener
    from comitia.paper import ReproducedArgument, ReproducedComparison, Reproduction

ARGUMENT_TAKES = {"out", "repeats", "seed", "delta", "figures", "force"}


@click.command(
    "reproduce",
    epilog="""\b
Examples:
  comitia reproduce --list                                         the paper's rows
  comitia reproduce imdb-cnn_lstm-checkpoints --members 40 --out imdb
  comitia reproduce imdb-cnn_lstm-checkpoints --from test.npz      without training
  comitia reproduce demo --members 3 --epochs 2 --out small        any recipe, any scale
  comitia reproduce --status                                       what there is of each row
  comitia reproduce --tables tables                                the paper's tables, our numbers
  comitia reproduce --compare bayes-demo --out bayes               uniform, Bayesian, PAC-Bayesian
  comitia reproduce --argument --out argument                      its argument, computed exactly
The same command again resumes a training that was stopped.
""",
)
@click.argument("recipe", required=False, metavar="NAME|FILE.toml")
@click.option(
    "--from", "predictions", metavar="PACK.npz", help="Stored test predictions; nothing is trained."
)
@click.option(
    "--trained",
    metavar="paper|TEXT",
    help="How the members of --from were trained: as the paper did, or otherwise.",
)
@click.option("--bayes", metavar="PACK.npz", help="Test predictions of a Bayes ensemble trained here.")
@click.option(
    "--compare", "comparison", metavar="NAME|FILE.toml", help="Compare ensembles at equal training epochs."
)
@click.option("--argument", is_flag=True, help="Show the paper's argument on a problem computed exactly.")
@click.option("--out", metavar="DIR", help="Where everything goes [default: reproduced/NAME].")
@click.option("--members", type=int, help="Runs to train.")
@click.option("--epochs", type=int, help="Epochs per run; the schedule is scaled with them.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a key of the recipe.")
@click.option("--engine", default="local", show_default=True, help="local or ray.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes of the local engine.")
@click.option(
    "--sizes", metavar="N,N...", help="Numbers of runs [default: 2 to 10, then every fifth, and all]."
)
@click.option("--repeats", type=int, help="Ensembles drawn per size [default: 5], or trained (--compare).")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the evaluation."
)
@click.option("--delta", type=float, default=0.05, show_default=True, help="Failure probability of bounds.")
@click.option(
    "--weights", "weightings", metavar="NAME,...", help="Weightings to compare [default: as evaluate]."
)
@click.option("--figures/--no-figures", default=True, help="Draw figures, or write tables and claims only.")
@click.option("--allow-code", is_flag=True, help="Run code that files of recipes name as module:function.")
@click.option("--list", "listing", is_flag=True, help="List the rows and the paper's numbers.")
@click.option(
    "--status", "asked_status", is_flag=True, help="List the rows: paper, ours, and what training takes."
)
@click.option("--tables", metavar="DIR", help="Write the paper's tables with our numbers beside its own.")
@click.option(
    "--results", metavar="DIR", help="With --status, --tables: reproduced rows of your own, in DIR."
)
@click.option("--force", is_flag=True, help="Overwrite what an earlier --from, --argument or --tables wrote.")
@common_options
def command(
    recipe: str | None,
    predictions: str | None,
    trained: str | None,
    bayes: str | None,
    comparison: str | None,
    argument: bool,
    members: int | None,
    epochs: int | None,
    sizes: str | None,
    repeats: int | None,
    weightings: str | None,
    listing: bool,
    asked_status: bool,
    tables: str | None,
    results: str | None,
    force: bool,
    allow_code: bool,
    json_path: str | None,
    **options: Any,
) -> None:
    """Reproduce a row of the paper: train, evaluate, and write tables and figures beside its numbers.

    DIR then holds evaluation.json, table.* (the paper's numbers beside ours) and rows.* (all of them) as
    Markdown, LaTeX and CSV, claims.md, figures/ and run.json (machine, versions, time).
    """
    require_absent(json_path, force, (recipe, predictions, bayes, comparison))
    if repeats is not None:
        options["repeats"] = repeats
    if weightings is not None:
        options["weightings"] = words(weightings)
    if results is not None and tables is None and not asked_status:
        raise InputError("results: requires --status or --tables")
    if argument:
        _argument(
            {name: options[name] for name in ARGUMENT_TAKES & options.keys()} | {"force": force}, json_path
        )
    elif asked_status or tables is not None:
        _rows(tables, results, json_path, force=force)
    elif listing:
        _list(json_path)
    elif comparison is not None:
        _require_none(recipe, predictions, trained, bayes, members, epochs, sizes)
        with allowing(None if allow_code else ()):
            _comparison(comparison, options, json_path)
    elif recipe is None:
        raise InputError("reproduce: a NAME is required; comitia reproduce --list shows them")
    else:
        options |= {
            "predictions": predictions,
            "trained": trained,
            "bayes": bayes,
            "members": members,
            "epochs": epochs,
        }
        options |= {"sizes": None if sizes is None else whole_numbers("sizes", sizes), "force": force}
        with allowing(None if allow_code else ()):
            _row(recipe, options, json_path)


def _require_none(*given: object) -> None:
    """Raise for what the file of a comparison decides."""
    if any(value is not None for value in given):
        raise InputError(
            "comparison: its file decides what is trained; leave out NAME, --from, --trained, --bayes, --members, "
            "--epochs and --sizes"
        )


def _rows(tables: str | None, results: str | None, json_path: str | None, *, force: bool) -> None:
    """Show the status of the paper's rows, and write its tables if asked to."""
    from comitia.paper import every_row, reproduce_tables
    from comitia.paper.outputs import TABLE_FILES
    from comitia.paper.tables import status_summary

    _require_only(
        "status, tables: nothing is trained or evaluated", {"asked_status", "tables", "results", "force"}
    )
    rows = every_row(results)
    if tables is not None and json_path is not None:
        for file in TABLE_FILES:
            require_distinct(json_path, Path(tables) / file)
    written = () if tables is None else reproduce_tables(tables, results=results, force=force)
    write_json(json_path, {"rows": [row.plain() for row in rows]})
    terminal = console(json_path)
    show_table(terminal, status_summary(rows))
    if tables is not None:
        terminal.print(f"{len(written)} files written to {tables}", markup=False)


def _argument(options: dict[str, Any], json_path: str | None) -> None:
    """Reproduce the argument and show its table."""
    from comitia.paper import reproduce_argument
    from comitia.paper.argument.tables import argument_summary

    _require_only("argument: nothing is trained or compared", ARGUMENT_TAKES | {"argument"})
    if json_path is not None:
        _require_apart(json_path, options["out"], "argument")
    terminal = console(json_path)
    found = reproduce_argument(**options)
    write_json(json_path, found.argument.to_json())
    show_table(terminal, argument_summary(found.argument))
    _tell(terminal, found)


def _require_only(why: str, taken: Set[str]) -> None:
    """Raise for what was given on the command line but has no meaning for what is asked."""
    context = click.get_current_context()
    given = [
        parameter
        for parameter in context.command.params
        if context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        and parameter.name not in taken | {"json_path", "debug"}
    ]
    if given:
        spelled = [p.opts[-1] if isinstance(p, click.Option) else "NAME" for p in given]
        raise InputError(f"{why}; leave out {', '.join(spelled)}")


def _row(recipe: str, options: dict[str, Any], json_path: str | None) -> None:
    """Reproduce a row of the paper and show it."""
    from comitia.evaluation.tables import against_paper
    from comitia.paper import reproduce
    from comitia.recipes import read_recipe

    if json_path is not None:
        _require_apart(json_path, options["out"], read_recipe(recipe, options["overrides"]).name)
    terminal = console(json_path)
    with _watching(terminal) as listen:
        found = reproduce(recipe, **options, listen=listen)
    write_json(json_path, found.evaluation.to_json())
    show_evaluation(terminal, found.evaluation)
    if (beside := against_paper(found.evaluation)).rows:
        show_table(terminal, beside)
    _tell(terminal, found)


def _comparison(comparison: str, options: dict[str, Any], json_path: str | None) -> None:
    """Reproduce a comparison of ensembles and show it."""
    from comitia.evaluation.comparison import comparison_table, with_spreads
    from comitia.paper import read_plan, reproduce_comparison

    if json_path is not None:
        _require_apart(json_path, options["out"], read_plan(comparison, options["overrides"]).name)
    terminal = console(json_path)
    with _watching(terminal) as listen:
        found = reproduce_comparison(comparison, **options, listen=listen)
    write_json(json_path, found.comparison.to_json())
    show_table(terminal, with_spreads(comparison_table(found.comparison)))
    for finding in found.comparison.findings:
        terminal.print(f"{finding.text}: {finding.difference:+.4f}, {finding.verdict}", markup=False)
    _tell(terminal, found)


def _require_apart(json_path: str, out: str | None, name: str) -> None:
    """Raise if the JSON would be written over a file of the results."""
    from comitia.paper.outputs import FILES, output_folder

    folder = output_folder(out, name)
    for file in FILES:
        require_distinct(json_path, folder / file)


def _tell(terminal: "Console", found: "Reproduction | ReproducedComparison | ReproducedArgument") -> None:
    """Say which runs are missing and where everything was written."""
    for text in found.missing:
        terminal.print(text, markup=False, style="yellow")
    terminal.print(f"{len(found.written)} files written to {found.folder}", markup=False)


@contextmanager
def _watching(terminal: "Console") -> "Iterator[Listener]":
    """Give a listener that shows the events of trainings, from the first one on."""
    from comitia.engines.progress import watching

    with ExitStack() as stack:
        views: list[Listener] = []

        def listen(event: Any) -> None:
            if not views:
                views.append(stack.enter_context(watching(terminal)))
            try:
                views[0](event)
            except (BrokenPipeError, SystemExit):  # rich makes the second of the first
                views[0] = lambda event: (
                    None
                )  # nobody reads the progress; the results are wanted all the same

        yield listen


def _list(json_path: str | None) -> None:
    """Show every recipe with what it trains and the paper's accuracies."""
    from rich.table import Table

    from comitia.paper import paper_row
    from comitia.recipes import about, names

    found = [(name, about(name), paper_row(name)) for name in names()]
    table = Table(box=None, pad_edge=False)
    columns = [f"avg_{weights}_{members}" for members in ("last", "all") for weights in ("uniform", "tandem")]
    for title in ("name", *(column[4:].replace("_", " ") for column in columns)):
        table.add_column(title, no_wrap=True)
    for name, _, row in found:
        cells = {} if row is None else row.cells
        table.add_row(name, *(f"{cells[c]:.3f}" if c in cells else "–" for c in columns))
    rows = [{"name": n, "about": t, "paper": None if r is None else r.cells} for n, t, r in found]
    write_json(json_path, {"rows": rows})
    if json_path != "-":
        console(json_path).print(table)
