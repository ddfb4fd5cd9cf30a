"""`comitia reproduce`: a row of the paper, from training or stored predictions to tables beside its numbers."""

import os
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia.cli.comparing import Options, run_contest
from comitia.cli.evaluate import show_evaluation, show_table, whole_numbers, words
from comitia.cli.output import common_options, console, require_absent, require_distinct, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from comitia._predictions import Predictions
    from comitia.recipes import Recipe

    Material = tuple[Predictions, Predictions | None, str, dict[str, float]]


@click.command(
    "reproduce",
    epilog="""\b
Examples:
  comitia reproduce --list                                         the paper's rows
  comitia reproduce imdb-cnn_lstm-checkpoints --members 40 --out imdb
  comitia reproduce imdb-cnn_lstm-checkpoints --from test.npz      without training
  comitia reproduce demo --members 3 --epochs 2 --out small        any recipe, any scale
  comitia reproduce --compare bayes-demo --out bayes               uniform, Bayesian, PAC-Bayesian
The same command again goes on where training was stopped.
""",
)
@click.argument("name", required=False, metavar="NAME|FILE.toml")
@click.option("--from", "pack", metavar="PACK.npz", help="Stored test predictions; nothing is trained.")
@click.option("--bayes", metavar="PACK.npz", help="Test predictions of a Bayes ensemble trained here.")
@click.option("--compare", "contest", metavar="NAME|FILE.toml", help="Ensembles trained for as many epochs.")
@click.option("--out", metavar="DIR", help="Where everything goes [default: reproduced/NAME].")
@click.option("--members", type=int, help="Runs to train.")
@click.option("--epochs", type=int, help="Epochs of a run; the schedule is scaled with them.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a key of the recipe.")
@click.option("--engine", default="local", show_default=True, help="local or ray.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes of the local engine.")
@click.option("--sizes", metavar="N,N...", help="Numbers of runs [default: 2 to 10, every fifth, all].")
@click.option(
    "--repeats", type=int, help="Ensembles drawn for each size [default: 5]; trained, with --compare."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the evaluation.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Failure probability of bounds.")
@click.option("--weights", metavar="NAME,...", help="[default: uniform,first-order,tandem]")
@click.option("--no-figures", is_flag=True, help="Write tables and claims only.")
@click.option("--list", "listing", is_flag=True, help="List the rows and the paper's numbers.")
@click.option("--force", is_flag=True, help="Overwrite the results of an earlier --from.")
@common_options
def command(
    name: str | None,
    pack: str | None,
    bayes: str | None,
    contest: str | None,
    out: str | None,
    members: int | None,
    epochs: int | None,
    overrides: tuple[str, ...],
    engine: str,
    workers: int | None,
    sizes: str | None,
    repeats: int | None,
    seed: int,
    delta: float,
    weights: str | None,
    no_figures: bool,
    listing: bool,
    force: bool,
    json_path: str | None,
) -> None:
    """Reproduce a row of the paper: train, evaluate, and write tables and figures beside its numbers.

    DIR then holds evaluation.json, table.* (the paper's numbers beside ours) and rows.* (all of them) as
    Markdown, LaTeX and CSV, claims.md, figures/ and run.json (machine, versions, time).
    """
    require_absent(json_path, force, (name, pack, bayes, contest))
    if listing:
        _list(json_path)
        return
    if contest is not None:
        _require_none(name, pack, bayes, members, epochs, sizes)
        chosen = tuple(words(weights or "uniform,tandem,likelihood"))
        options = Options(out, engine, workers, seed, delta, chosen, not no_figures, json_path)
        _compare(contest, overrides, repeats, options)
        return
    if name is None:
        raise InputError("reproduce: needs a NAME; comitia reproduce --list names them")
    trained = (members, epochs, workers, None if engine == "local" else engine)
    if pack is not None and any(value is not None for value in trained):
        raise InputError(
            "--from: nothing is trained, so --members, --epochs, --workers and --engine have no meaning; leave them out"
        )
    from comitia.paper.reproduce import require_sizes
    from comitia.recipes import read_recipe

    recipe = read_recipe(name, overrides, members=members, epochs=epochs)
    if out == "":
        raise InputError("--out: the name of a directory is required, got ''")
    folder = Path("reproduced", recipe.name) if out is None else Path(out)
    require_folder(folder, json_path)
    if pack is not None:
        require_absent_outputs(folder, force)
    asked: dict[str, Any] = {"repeats": 5 if repeats is None else repeats, "seed": seed, "delta": delta}
    asked["weightings"] = words(weights or "uniform,first-order,tandem")
    asked["sizes"] = None if sizes is None else whole_numbers("--sizes", sizes)
    check_evaluation(asked)
    if pack is None:
        require_sizes(recipe, asked["sizes"])
    if not no_figures:
        require_drawing()
    job = Job(recipe, folder, asked, not no_figures, console(json_path))
    job.finish(*job.read(pack, bayes) if pack is not None else job.train(engine, workers, bayes), json_path)


def _require_none(*given: object) -> None:
    """Raise for what a contest's file decides."""
    if any(value is not None for value in given):
        raise InputError(
            "--compare: its file says what is trained; NAME, --from, --bayes, --members, --epochs and --sizes "
            "do not go with it"
        )


def _compare(name: str, overrides: tuple[str, ...], repeats: int | None, options: Options) -> None:
    """Run a contest, everything that can be wrong being checked before any training."""
    from comitia.paper.contests import read_contest

    count = 1 if repeats is None else repeats
    check_evaluation({"repeats": count, "delta": options.delta, "weightings": options.weights})
    if options.figures:
        require_drawing()
    contest = read_contest(name, overrides, repeats=repeats)
    require_folder(options.folder(contest.name), options.json_path)
    run_contest(contest, options)


@dataclass(frozen=True)
class Job:
    """What to reproduce, where the results go, how it is evaluated, and the terminal that is told."""

    recipe: "Recipe"
    folder: Path
    asked: dict[str, Any]
    figures: bool
    terminal: "Console"

    def read(self, pack: str, bayes: str | None) -> "Material":
        """Stored predictions, those of the Bayes ensemble, where they come from, and no times."""
        from comitia.files import read_predictions

        other = None if bayes is None else read_predictions([bayes])
        return read_predictions([pack]), other, f"stored predictions {Path(pack).name}", {}

    def train(self, engine: str, workers: int | None, bayes: str | None) -> "Material":
        """The same, of members trained (or finished) in the folder."""
        from comitia.engines.progress import watching
        from comitia.files import read_predictions
        from comitia.paper.reproduce import epoch_seconds, train_recipe

        other = None if bayes is None else read_predictions([bayes])
        begin = perf_counter()
        with watching(self.terminal) as listen:
            outcome = train_recipe(self.recipe, self.folder, engine=engine, workers=workers, listen=listen)
        for run, reason in {**outcome.stopped, **outcome.failed}.items():
            self.terminal.print(f"run {run} is missing: {reason}", markup=False, style="yellow")
        source = f"trained here: {outcome.members} members of {outcome.runs} runs"
        times = {
            "training, this call": perf_counter() - begin,
            "epochs, all runs": epoch_seconds(self.folder),
        }
        return read_predictions([outcome.predictions["test"]]), other, source, times

    def finish(
        self,
        predictions: "Predictions",
        bayes: "Predictions | None",
        source: str,
        times: dict[str, float],
        json_path: str | None,
    ) -> None:
        """Evaluate, write everything, and tell."""
        from comitia.evaluation.tables import against_paper
        from comitia.paper import reproduce, write_figures, write_outputs
        from comitia.paper.reproduce import run_facts, write_learning

        begin = perf_counter()
        evaluation = reproduce(self.recipe, predictions, bayes=bayes, **self.asked)
        seconds = {**times, "evaluation": perf_counter() - begin}
        settings = {"recipe": self.recipe.to_dict() if times else self.recipe.name, **self.asked}
        written = write_outputs(
            evaluation, self.folder, run_facts(source=source, seconds=seconds, settings=settings)
        )
        if self.figures:
            written += write_figures(evaluation, self.folder / "figures")
        if times:
            written += write_learning(self.folder, figures=self.figures)
        show_evaluation(self.terminal, evaluation)
        if (beside := against_paper(evaluation)).rows:
            show_table(self.terminal, beside)
        self.terminal.print(f"{len(written)} files written to {self.folder}", markup=False)
        write_json(json_path, evaluation.to_json())


def require_folder(folder: Path, json_path: str | None) -> None:
    """Raise unless the folder is one or can be made, and `--json` is none of the files that go there."""
    from comitia.pages.learning import LEARNING
    from comitia.paper.comparison_outputs import OUTPUTS as COMPARED
    from comitia.paper.reproduce import OUTPUTS

    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise InputError(f"--out {folder}: must be a directory, {there} is a file; give another path")
    if (folder / "figures").exists() and not (folder / "figures").is_dir():
        raise InputError(
            f"{folder / 'figures'}: must be a directory, is a file; move it or give another --out"
        )
    for place in (there, folder / "figures"):
        if place.exists() and not os.access(place, os.W_OK):
            raise InputError(f"--out {folder}: {place} cannot be written to; give another path")
    for output in {*OUTPUTS, *COMPARED, LEARNING}:
        require_distinct(json_path, folder / output)


def require_drawing() -> None:
    """Raise, before hours of training, if no figure could be drawn."""
    try:
        import comitia.pages.draw_matplotlib  # noqa: F401
    except ImportError:
        raise InputError(
            "figures: need matplotlib; pip install 'comitia[report]', or leave them out with --no-figures"
        ) from None


def require_absent_outputs(folder: Path, force: bool) -> None:
    """Raise if a training, or a result that may not be overwritten, lies in the folder already."""
    from comitia.pages.learning import LEARNING
    from comitia.paper.reproduce import OUTPUTS

    for own in (LEARNING, "recipe.toml"):
        if (folder / own).exists():
            raise InputError(
                f"{folder / own}: a training lies there, --from is of other members; give another --out"
            )
    for output in (*OUTPUTS, "figures"):
        if (folder / output).exists() and not force:
            raise InputError(f"{folder / output}: exists already; --force overwrites it")


def check_evaluation(asked: dict[str, Any]) -> None:
    """Raise for settings of the evaluation that are wrong, before hours of training."""
    from comitia._errors import require_choice, require_open_unit
    from comitia.weighting import METHODS

    require_open_unit("--delta", asked["delta"])
    if asked["repeats"] < 1:
        raise InputError(f"--repeats: must be at least 1, got {asked['repeats']}")
    if not asked["weightings"]:
        raise InputError(f"--weights: at least one of {', '.join(METHODS)} is required, got none")
    for word in asked["weightings"]:
        require_choice("--weights", word, METHODS)


def _list(json_path: str | None) -> None:
    """Print every recipe with what it trains and the paper's accuracies."""
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
    if json_path != "-":
        console(json_path).print(table)
    rows = [{"name": n, "about": t, "paper": None if r is None else r.cells} for n, t, r in found]
    write_json(json_path, {"rows": rows})
