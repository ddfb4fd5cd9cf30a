"""What the lines of a comparison say: differences in accuracy with 95% intervals, and verdicts by rule.

The rule is that of `evaluation.findings`. Ensembles are compared sample by sample and repeat by repeat, on the repeats
that both have; with fewer than two of those, ensembles that were trained apart are not told apart.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from comitia.evaluation.findings import UNDECIDED, Finding, finding, half_width
from comitia.paper.comparison import DECIMALS, Line
from comitia.recipes import Strategy, strategy_of


def findings(lines: Sequence[Line]) -> tuple[Finding, ...]:
    """Every comparison that the paper's claims or the samplers' temperatures ask for.

    The first ensemble and those of strategy simple, uniformly weighted, against each Bayes ensemble; tandem and
    likelihood weights against uniform ones; every ensemble with tandem weights against the first with uniform ones;
    colder chains against warmer ones.
    """
    table = {(line.entry.name, line.weights): line for line in lines}
    names = list(dict.fromkeys(line.entry.name for line in lines))
    strategies = {name: _strategy(table, name) for name in names}
    bayes = [name for name, strategy in strategies.items() if strategy is not None and strategy.bayesian]
    deep = [name for name, s in strategies.items() if name == names[0] or (s is not None and s.independent)]
    wanted = [((one, "uniform"), (other, "uniform"), "not worse") for one in deep for other in bayes]
    for weights in ("tandem", "likelihood"):
        wanted += [((name, weights), (name, "uniform"), "not worse") for name in names]
    wanted += [((name, "tandem"), (names[0], "uniform"), "better") for name in names[1:]]
    wanted += [((cold, "uniform"), (warm, "uniform"), "better") for cold, warm in _colder(table, names)]
    pairs = [(table[one], table[other], kind) for one, other, kind in wanted if {one, other} <= set(table)]
    return tuple(found for one, other, kind in pairs if (found := _finding(one, other, kind)) is not None)


def _strategy(table: dict[tuple[str, str], Line], name: str) -> Strategy | None:
    line = table.get((name, "uniform"))
    return None if line is None else strategy_of(line.entry.recipe)


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


def _finding(one: Line, other: Line, kind: str) -> Finding | None:
    """The finding of a comparison on the repeats that both have; None without any."""
    theirs = {score.repeat: score for score in other.scores}
    pairs = [(score, theirs[score.repeat]) for score in one.scores if score.repeat in theirs]
    if not pairs:
        return None
    by_sample = np.mean([np.subtract(a.right, b.right, dtype=np.float64) for a, b in pairs], axis=0)
    by_repeat = np.array([a.accuracy - b.accuracy for a, b in pairs])
    found = finding(
        f"{_name(one)} against {_name(other)}",
        round(float(np.mean([a.accuracy for a, _ in pairs])), DECIMALS),
        round(float(np.mean([b.accuracy for _, b in pairs])), DECIMALS),
        half_width(by_sample, by_repeat),
        kind=kind,
    )
    apart = one.entry.folder != other.entry.folder
    return replace(found, verdict=UNDECIDED) if apart and len(pairs) < 2 else found


def _name(line: Line) -> str:
    return f"{line.entry.name}, {line.weights} weights"
