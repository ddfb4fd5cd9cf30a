"""The paper's argument as an experiment: posterior samples agree ever more, independent local optima do not."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from comitia._errors import require_open_unit, require_whole_number
from comitia.bounds import independent_errors, independent_errors_exact
from comitia.evaluation.findings import rounded
from comitia.paper.argument.members import basins, search, shares, weigh_tandem
from comitia.paper.argument.posterior import effective, posterior
from comitia.paper.argument.problem import Indices, Problem, make_problem
from comitia.paper.argument.record import (
    Argument,
    ArgumentSettings,
    CancellationRow,
    Case,
    SizeRow,
    spread_of,
)

#: The truths: evidence of each source. The first is where errors cancel, the last is in the class.
CASES: Mapping[str, tuple[float, ...]] = {
    "three-sources": (2.0, 1.9, 1.8),
    "uneven-sources": (1.5, 1.2, 0.9),
    "strong-source": (2.5, 0.5, 0.4),
    "well-specified": (1.5, 0.0, 0.0),
}
SIZES = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
#: Odd numbers, so that a majority of equal votes never ties.
MEMBERS = 25
COMMITTEES = (1, 3, 5, 9, 15, 25, 51, 101)
HOLDOUT = 2000
# Errors among so many samples are in the order of the risks, and equal where the risks are.
_MANY = 10**9
# The stream of the committees, apart from those of the cases.
_CANCELLATION = len(CASES)
Found = TypeVar("Found")


def run_argument(
    *, repeats: int = 200, seed: int = 0, delta: float = 0.05, sizes: Sequence[int] = SIZES
) -> Argument:
    """Return the record of the experiment, a pure function of its settings.

    Parameters
    ----------
    repeats : training sets drawn per size, each with hold-out samples of its own
    seed : seed of all of them
    delta : failure probability of the tandem bound
    sizes : numbers of training samples, increasing

    Examples
    --------
    >>> found = run_argument(repeats=2, sizes=(100,))
    >>> found.case("well-specified").rows[0].samples
    100
    """
    settings = ArgumentSettings(
        require_whole_number("repeats", repeats, 1),
        require_whole_number("seed", seed, 0),
        MEMBERS,
        HOLDOUT,
        require_open_unit("delta", delta),
    )
    problems = {name: make_problem(evidence) for name, evidence in CASES.items()}
    cases = tuple(
        _case(name, problem, place, sizes, settings) for place, (name, problem) in enumerate(problems.items())
    )
    first = next(iter(problems.values()))
    return Argument(settings, cases, _cancellation(first, sizes[-1], settings))


def _case(name: str, problem: Problem, place: int, sizes: Sequence[int], settings: ArgumentSettings) -> Case:
    ends = basins(problem, np.rint(_MANY * problem.risks).astype(np.int64))
    return Case(
        name=name,
        evidence=problem.evidence,
        best_single=rounded(problem.best_single),
        best_possible=rounded(problem.best_possible),
        optima=int((ends > 0).sum()),
        attracted=rounded(ends.max()),
        rows=tuple(_row(problem, place, samples, settings) for samples in sizes),
    )


def _row(problem: Problem, place: int, samples: int, settings: ArgumentSettings) -> SizeRow:
    found = _repeated(settings, place, samples, lambda rng: measure(problem, samples, settings, rng))
    return summed_up(samples, found)


def summed_up(samples: int, found: Sequence[Mapping[str, float]]) -> SizeRow:
    """Return means and deviations of what `measure` found per repeat, and how often the bound did not hold."""
    spreads = {name: spread_of([one[name] for one in found]) for name in found[0]}
    violations = sum(one["bound"] < one["tandem"] for one in found)
    return SizeRow(samples=samples, violations=violations, **spreads)


def _repeated(
    settings: ArgumentSettings, place: int, samples: int, once: Callable[[np.random.Generator], Found]
) -> list[Found]:
    """Return what the function finds with a random stream of its own per repeat."""
    streams = ((settings.seed, place, samples, repeat) for repeat in range(settings.repeats))
    return [once(np.random.default_rng(stream)) for stream in streams]


def measure(
    problem: Problem, samples: int, settings: ArgumentSettings, rng: np.random.Generator
) -> dict[str, float]:
    """Return every quantity of a `SizeRow` for one training set, drawn here."""
    errors = problem.errors(*problem.draw(samples, rng))
    bayes = posterior(errors, samples)
    found = {
        "bayes": problem.risk(bayes.predictive(problem)),
        "sampled": problem.risk(bayes.sampled(problem, settings.members, rng)),
        "single": float(problem.risks[errors == errors.min()].mean()),
        "posterior_disagreement": problem.disagreement(bayes.hypotheses),
        "posterior_effective": effective(bayes.hypotheses),
    }
    return found | _trained(problem, errors, settings, rng)


def _trained(
    problem: Problem, errors: Indices, settings: ArgumentSettings, rng: np.random.Generator
) -> dict[str, float]:
    """Return the quantities of the members that were trained independently."""
    members = search(problem, errors, settings.members, rng)
    weighed = weigh_tandem(problem, members, *problem.draw(settings.holdout, rng), settings.delta)
    equal, chosen = shares(problem, members), shares(problem, members, weighed.weights)
    return {
        "member": float(problem.risks[members].mean()),
        "member_disagreement": problem.disagreement(equal),
        "member_effective": effective(equal),
        "uniform": _vote(problem, members),
        "tandem": problem.risk(chosen @ problem.votes),
        "bound": weighed.bound,
    }


def _vote(problem: Problem, members: Indices) -> float:
    """Return the risk of the uniform majority vote, from whole numbers of votes."""
    return problem.risk(problem.votes[members].sum(axis=0))


def _cancellation(problem: Problem, samples: int, settings: ArgumentSettings) -> tuple[CancellationRow, ...]:
    """Return the vote of ever more members, beside what independent errors would give."""

    def trained(rng: np.random.Generator) -> Indices:
        return search(problem, problem.errors(*problem.draw(samples, rng)), COMMITTEES[-1], rng)

    found = _repeated(settings, _CANCELLATION, samples, trained)
    return tuple(_committee(problem, [members[:size] for members in found]) for size in COMMITTEES)


def _committee(problem: Problem, repeats: Sequence[Indices]) -> CancellationRow:
    size, largest = len(repeats[0]), [float(problem.risks[members].max()) for members in repeats]
    return CancellationRow(
        size,
        spread_of(largest),
        spread_of([_vote(problem, members) for members in repeats]),
        spread_of([independent_errors_exact(size, risk) for risk in largest]),
        spread_of([independent_errors(size, risk) for risk in largest]),
    )
