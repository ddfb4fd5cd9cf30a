"""What the lines of a comparison say: differences in accuracy with standard errors, and verdicts by rule.

The rule and the margin are those of `evaluation.claims`. The standard error of a difference has the noise of the test
samples (the two ensembles are compared sample by sample) and of the repeats.
"""

from collections.abc import Sequence

import numpy as np

from quorate.evaluation.claims import better, not_worse, sampling_variance
from quorate.evaluation.records import Finding
from quorate.recipes import BAYESIAN
from quorate.reproduction.comparison import Line

RULE = (
    "Rule, for a difference d in accuracy with standard error s: *not worse* is held if d − 2s ≥ −0.005, not held if "
    "that fails and d + 2s < 0; *better* is held if d − 2s > 0, not held if that fails and d + 2s < 0.005; all else is "
    "not decidable at this scale. s has the noise of the test samples, compared one by one, with one discordant sample "
    "more each way, √((variance + 2/n)/n), and of the repeats."
)


def findings(lines: Sequence[Line]) -> tuple[Finding, ...]:
    """Every comparison that the paper's claims or the samplers' temperatures ask for.

    The first ensemble and those of strategy simple, uniformly weighted, against each Bayes ensemble; tandem and
    likelihood weights against uniform ones; every ensemble with tandem weights against the first with uniform ones;
    colder chains against warmer ones.
    """
    table = {(line.entry.name, line.weights): line for line in lines}
    names = list(dict.fromkeys(line.entry.name for line in lines))
    bayes = [name for name in names if _strategy(table, name) in BAYESIAN]
    deep = [name for name in names if name == names[0] or _strategy(table, name) == "simple"]
    wanted = [((one, "uniform"), (other, "uniform"), "not worse") for one in deep for other in bayes]
    for weights in ("tandem", "likelihood"):
        wanted += [((name, weights), (name, "uniform"), "not worse") for name in names]
    wanted += [((name, "tandem"), (names[0], "uniform"), "better") for name in names[1:]]
    wanted += [((cold, "uniform"), (warm, "uniform"), "better") for cold, warm in _colder(table, names)]
    return tuple(
        _finding(table[one], table[other], kind)
        for one, other, kind in wanted
        if one in table and other in table
    )


def _strategy(table: dict[tuple[str, str], Line], name: str) -> str:
    line = table.get((name, "uniform"))
    return "" if line is None else line.entry.recipe.training.strategy


def _colder(table: dict[tuple[str, str], Line], names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of chains of one strategy, the colder first."""
    chains = [
        (line.entry.recipe.training.strategy, sampler.temperature, name)
        for name in names
        if (line := table.get((name, "uniform"))) is not None
        and (sampler := line.entry.recipe.sampler) is not None
        and sampler.dropout == 0
    ]
    return [(b, a) for s, warm, a in chains for t, cold, b in chains if s == t and cold < warm]


def _finding(one: Line, other: Line, kind: str) -> Finding:
    ours, theirs = one.mean("accuracy"), other.mean("accuracy")
    difference = round(ours - theirs, 10)
    error = difference_error(one, other)
    decide = not_worse if kind == "not worse" else better
    text = f"{_name(one)} against {_name(other)}: {kind}"
    return Finding(text, ours, theirs, difference, error, decide(difference, error))


def _name(line: Line) -> str:
    return f"{line.entry.name}, {line.weights} weights"


def difference_error(one: Line, other: Line) -> float:
    """√(variance over samples of the mean over repeats / n + variance over repeats / repeats), of the difference.

    The first term has the floor of `evaluation.claims.sampling_variance`.
    """
    total = sampling_variance(one.right - other.right)
    if len(one.scores) == len(other.scores) > 1:
        total += float((one.values("accuracy") - other.values("accuracy")).var(ddof=1)) / len(one.scores)
    return round(float(np.sqrt(total)), 10)
