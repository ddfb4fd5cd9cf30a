"""Compute the argument and write everything to a folder."""

from dataclasses import dataclass
from pathlib import Path

from comitia.paper.argument import Argument, run_argument
from comitia.paper.outputs import (
    ARGUMENT_FILES,
    Written,
    output_folder,
    require_absent_outputs,
    require_drawing,
    run_facts,
    write_argument,
)


@dataclass(frozen=True, kw_only=True)
class ReproducedArgument(Written):
    """The experiment of the paper's argument, and where it was written."""

    argument: Argument


def reproduce_argument(
    *,
    out: str | Path | None = None,
    repeats: int = 200,
    seed: int = 0,
    delta: float = 0.05,
    figures: bool = True,
    force: bool = False,
) -> ReproducedArgument:
    """Show the paper's argument on a problem that is computed exactly, and write record, tables and figures.

    As training samples increase, samples of a misspecified posterior agree ever more, and the Bayes ensemble tends to
    the best single hypothesis. Members that are trained independently go on to differ, so that their errors cancel.
    Three further truths, one of them in the class, show where there is nothing to gain.

    Parameters
    ----------
    out : the folder that everything is written to; None is ``reproduced/argument``
    repeats, seed : training sets drawn per number of samples, and the seed of all of them
    delta : failure probability of the tandem bound
    figures : whether to draw figures (extra `report`)
    force : whether to overwrite earlier results
    """
    folder = output_folder(out, "argument")
    require_absent_outputs(folder, force, ARGUMENT_FILES)
    if figures:
        require_drawing()
    argument = run_argument(repeats=repeats, seed=seed, delta=delta)
    settings = {"repeats": repeats, "seed": seed, "delta": delta}
    facts = run_facts(source="computed here", seconds={}, settings=settings)
    written = write_argument(argument, folder, facts)
    if figures:
        from comitia.pages import write_drawn
        from comitia.paper.argument.figures import argument_figures

        written += write_drawn(argument_figures(argument), folder / "figures")
    return ReproducedArgument(argument=argument, folder=folder, written=written)
