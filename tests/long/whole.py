"""The whole tool on random problems: whatever is asked of it, its promises are broken no more often than delta allows.

A problem draws a finite population (`populations`), a kind of hold-out, a method, a vote, a split and a question. Its
hold-out is drawn from the population, `weigh` answers as for any user, and every promise that holds at the delta that
was asked for is compared with the truth, a sum over the population.

`make validity` writes the counts and the tables of the page down.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from comitia import METHODS, Ensemble, InputError, Predictions, count, weigh
from comitia.bounds import betting_kernel
from comitia.promises import Promise
from long.populations import DELTA, TIED, Population, allowed, random_population

# imported, so that the compiled loop is used where numba is installed
assert betting_kernel

PROBLEMS = 100_000
DOCS = Path(__file__).resolve().parents[2] / "docs"
RECORD, PAGE = DOCS / "validity.json", DOCS / "validity.md"
MARKS = ("<!-- counts: from validity.json -->", "<!-- end of counts -->")
SIZES = (20, 40, 80, 150, 300, 600)
# How often each method is drawn: auto tries all others, so it costs ten times as much.
SHARES = {method: {"auto": 0.15, "blend": 2.0, "tandem": 2.0}.get(method, 1.0) for method in METHODS}
QUESTIONS = ("risk", "rates", "declining", "cost", "threshold")


@dataclass(frozen=True, eq=False)
class Problem:
    """A population, a hold-out of it, and what is asked of `weigh`."""

    whole: Population
    kind: str
    holdout: Any
    options: dict[str, Any]


@dataclass
class Counts:
    """How often promises were given and broken, by what is promised, method and kind of hold-out; and refusals."""

    given: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    broken: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    problems: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.given + other.given,
            self.broken + other.broken,
            self.refused + other.refused,
            self.problems + other.problems,
        )

    def rows(self, place: int) -> list[dict[str, Any]]:
        """Return a row per promise, method or kind of hold-out (place 0, 1, 2): given, broken, and what is allowed."""
        given, broken = Counter[str](), Counter[str]()
        for key, times in self.given.items():
            given[key[place]] += times
            broken[key[place]] += int(self.broken[key])
        return [
            {"name": name, "given": given[name], "broken": broken[name], "allowed": allowed(given[name])}
            for name in sorted(given)
        ]


def plain(rng: np.random.Generator, whole: Population, size: int, options: dict[str, Any]) -> Any:
    """Samples one by one."""
    return whole.draw(rng, size, options["vote"])


def grouped(rng: np.random.Generator, whole: Population, size: int, options: dict[str, Any]) -> Any:
    """Samples in groups that are told of."""
    return whole.draw(rng, size, options["vote"], grouped=True)


def own_holdouts(rng: np.random.Generator, whole: Population, size: int, options: dict[str, Any]) -> Any:
    """Every member has hold-out samples of its own, which overlap."""
    options |= {"vote": "majority", "certify_fraction": None}
    pack = whole.draw(rng, size, "majority")
    mask = rng.random((pack.members, pack.samples)) < rng.uniform(0.5, 0.95)
    return Predictions.from_arrays(
        votes=pack.votes(), labels=pack.labels, mask=mask, classes=pack.classes, run=pack.run, step=pack.step
    )


def with_prior(rng: np.random.Generator, whole: Population, size: int, options: dict[str, Any]) -> Any:
    """A prior over the members that was fixed before."""
    options["prior"] = rng.dirichlet(np.ones(len(whole.probs)))
    return plain(rng, whole, size, options)


def weights_given(rng: np.random.Generator, whole: Population, size: int, options: dict[str, Any]) -> Any:
    """Weights that were fixed before."""
    options |= {
        "method": "given",
        "weights": rng.dirichlet(np.ones(len(whole.probs))),
        "certify_fraction": None,
    }
    return plain(rng, whole, size, options)


def unlabelled(rng: np.random.Generator, whole: Population, size: int, options: dict[str, Any]) -> Any:
    """Further samples without labels."""
    more = whole.draw(rng, size * int(rng.choice([1, 3, 10])), options["vote"])
    options["unlabelled"] = replace(more, labels=None)
    return plain(rng, whole, size, options)


def apart(rng: np.random.Generator, whole: Population, size: int, options: dict[str, Any]) -> Any:
    """Other samples certify than those that choose."""
    options |= {"certify": whole.draw(rng, size, options["vote"]), "certify_fraction": None}
    return plain(rng, whole, int(rng.choice(SIZES)), options)


def counts_of_shards(rng: np.random.Generator, whole: Population, size: int, options: dict[str, Any]) -> Any:
    """Counts of two shards in place of predictions."""
    options |= {"vote": "majority", "certify_fraction": None}
    return count(whole.draw(rng, size, "majority")) + count(whole.draw(rng, size, "majority"))


KINDS: dict[str, Callable[[np.random.Generator, Population, int, dict[str, Any]], Any]] = {
    "single samples": plain,
    "abstentions": plain,
    "groups": grouped,
    "own hold-outs": own_holdouts,
    "prior": with_prior,
    "given weights": weights_given,
    "unlabelled samples": unlabelled,
    "samples apart": apart,
    "counts": counts_of_shards,
}


def problem(number: int) -> Problem:
    """Return the problem of that number."""
    rng = np.random.default_rng([61, number])
    kind = str(rng.choice(list(KINDS)))
    in_groups = kind == "groups"
    whole = random_population(
        rng,
        largest=8 if in_groups else 1,
        groups=250 if in_groups else 1000,
        declining=kind == "abstentions",
    )
    whole = _certain(whole) if rng.random() < 0.2 else whole
    whole = _with_copies(rng, whole) if rng.random() < 0.2 else whole
    vote = str(rng.choice(["majority", "average"]))
    options = {
        "method": _method(rng, kind, vote, whole.probs.shape[2]),
        "vote": vote,
        "certify_fraction": rng.choice([None, None, 0.0, 0.5]),
        "resolution": int(rng.integers(2, 9)) if rng.random() < 0.1 else None,
    }
    holdout = KINDS[kind](rng, whole, int(rng.choice(SIZES)), options)
    options |= {"delta": DELTA, "seed": number} | _question(rng, whole, _answerable(rng, kind, options))
    return Problem(whole, kind, holdout, options)


def _method(rng: np.random.Generator, kind: str, vote: str, classes: int) -> str:
    """Return a method that such a hold-out allows."""
    unfit = {"disagreement"} if classes > 2 else set()
    unfit |= {"likelihood"} if vote == "majority" else set()
    if kind in ("own hold-outs", "counts"):
        unfit |= {"blend", "auto", "greedy", "likelihood"}
    if kind == "prior":
        unfit |= {"uniform", "best", "early-stopping", "greedy"}
    odds = {method: share for method, share in SHARES.items() if method not in unfit}
    return str(rng.choice(list(odds), p=np.array(list(odds.values())) / sum(odds.values())))


def _answerable(rng: np.random.Generator, kind: str, options: dict[str, Any]) -> str:
    """Return a question that such a hold-out can answer: most need samples on which the vote's errors are counted."""
    if kind in ("own hold-outs", "counts") or options["certify_fraction"] == 0:
        return "risk"
    return str(rng.choice([name for name in QUESTIONS if kind != "groups" or name != "declining"]))


def _certain(whole: Population) -> Population:
    """Return members that give their answer all probability, so that averages tie as votes do."""
    return replace(whole, probs=np.eye(whole.probs.shape[2])[whole.probs.argmax(axis=2)])


def _with_copies(rng: np.random.Generator, whole: Population) -> Population:
    """Return members of which some are copies of others."""
    chosen = rng.integers(0, len(whole.probs), len(whole.probs))
    return replace(whole, probs=whole.probs[chosen], silent=whole.silent[chosen])


def _question(rng: np.random.Generator, whole: Population, name: str) -> dict[str, Any]:
    """Return what is asked beyond the error rate."""
    classes = whole.probs.shape[2]
    if name == "rates":
        return {"per": list(rng.permutation(["class", "predicted"])[: rng.integers(1, 3)])}
    if name == "declining":
        return {"target_risk": float(rng.choice([0.02, 0.05, 0.1, 0.2]))}
    if name == "cost":
        costs = rng.exponential(1.0, (classes, classes + 1)) * rng.choice([0, 1, 20], (classes, classes + 1))
        costs[0, 0] += 1.0
        return {"costs": costs}
    if name == "threshold" and classes == 2:
        return {"threshold": rng.choice([0.2, 0.7, "cost=5:1", "sensitivity=.9"])}
    return {}


def solve(number: int, counts: Counts) -> None:
    """Weigh the hold-out of a problem and add to the counts which promises were given and which are broken."""
    counts.problems += 1
    try:
        one = problem(number)  # shards that happen to be alike are refused when they are added
        found = weigh(one.holdout, **one.options)
    except InputError as error:
        counts.refused[str(error).split(":", 1)[0]] += 1
        return
    for name, broken in promised(one, found):
        key = (name, one.options["method"], one.kind)
        counts.given[key] += 1
        counts.broken[key] += bool(broken)


def promised(one: Problem, found: Ensemble) -> Iterable[tuple[str, bool]]:
    """Yield each promise that holds at the delta asked for, and whether it is broken."""
    lost = _lost(one.whole, found)
    best = found.best
    if best is not None:
        hit = best.name == "groups-any"
        truth = float(_hit_groups(one.whole, lost) if hit else one.whole.chances @ lost)
        yield "error rate", truth > best.risk
    for name in {promise.name for promise in found.promises}:
        family = [promise for promise in found.promises if promise.name == name]
        yield _NAMES[name], any(_broken(one, found, promise, lost) for promise in family)
        if name == "selective":
            kept = _kept(one.whole, found, family[0])
            yield "coverage", kept.mean() < family[0].coverage_at_least
    if found.gain is not None:
        other = np.full(len(found.weights), 1 / len(found.weights))
        errors = [
            _answers(one.whole, weights, found.vote) != one.whole.labels for weights in (found.weights, other)
        ]
        yield "gain", float(one.whole.chances @ (errors[1] * 1.0 - errors[0])) < found.gain.gain_at_least


_NAMES = {
    "class": "rate per class",
    "predicted": "rate per answer",
    "selective": "risk of answers",
    "costs": "cost",
}


def _broken(one: Problem, found: Ensemble, promise: Promise, lost: np.ndarray) -> bool:
    whole = one.whole
    if promise.kind == "costs":
        return float(whole.chances @ _paid(one, found)) > promise.risk
    if promise.kind == "selective":
        return bool(lost[_kept(whole, found, promise)].mean() > promise.risk)
    said = whole.labels if promise.name == "class" else _decided(whole, found)
    assert promise.group is not None
    here = said == int(promise.group)
    if promise.unit == "samples":
        return bool(lost[here].mean() > promise.risk)
    group = np.repeat(np.arange(len(whole.sizes)), whole.sizes)
    size, errors = np.bincount(group[here]), np.bincount(group[here], lost[here])
    return bool(np.mean(errors[size > 0] / size[size > 0]) > promise.risk)


def _totals(whole: Population, weights: np.ndarray, vote: str) -> np.ndarray:
    """(N, C) what each class gets."""
    return np.asarray((weights @ whole.answers[vote]).reshape(whole.probs.shape[1:]))


def _tilted(whole: Population, found: Ensemble) -> np.ndarray:
    """(N, C) the totals as the threshold weighs them."""
    totals, threshold = _totals(whole, found.weights, found.vote), found.decision.threshold
    return totals if threshold is None else totals * [threshold, 1 - threshold] * 2


def _lost(whole: Population, found: Ensemble) -> np.ndarray:
    """(N,) True where the true class does not lead."""
    totals, places = _tilted(whole, found), np.arange(len(whole.labels))
    right = totals[places, whole.labels].copy()
    totals[places, whole.labels] = -1.0
    return np.asarray(right <= totals.max(axis=1) + TIED)


def _first_of_largest(totals: np.ndarray) -> np.ndarray:
    """(N,) the lowest class among the largest totals; -1 where nobody answers."""
    largest = totals.max(axis=1)
    return np.where(largest > TIED, (totals >= largest[:, None] - TIED).argmax(axis=1), -1)


def _decided(whole: Population, found: Ensemble) -> np.ndarray:
    return _first_of_largest(_tilted(whole, found))


def _answers(whole: Population, weights: np.ndarray, vote: str) -> np.ndarray:
    return _first_of_largest(_totals(whole, weights, vote))


def _kept(whole: Population, found: Ensemble, promise: Promise) -> np.ndarray:
    """(N,) True where the vote that declines answers."""
    assert promise.threshold is not None
    return _totals(whole, found.weights, found.vote).max(axis=1) >= promise.threshold - TIED


def _hit_groups(whole: Population, lost: np.ndarray) -> float:
    """The share of groups in which the vote errs at all."""
    return float(np.logical_or.reduceat(lost, whole.starts).mean())


def _paid(one: Problem, found: Ensemble) -> np.ndarray:
    """(N,) the cost of each sample: of the dearest class among the largest totals; of no answer where none is given."""
    totals = _tilted(one.whole, found)
    largest = totals.max(axis=1, keepdims=True)
    rows = one.options["costs"][one.whole.labels]
    paid = np.where(totals >= largest - TIED, rows[:, :-1], 0).max(axis=1)
    return np.where(largest[:, 0] > TIED, paid, rows[:, -1])


def block(numbers: range) -> Counts:
    """Return the counts of the problems of those numbers."""
    counts = Counts()
    for number in numbers:
        solve(number, counts)
    return counts


def record(counts: Counts, seconds: float) -> dict[str, Any]:
    """Return what the documents show."""
    return {
        "problems": counts.problems,
        "delta": DELTA,
        "minutes": round(seconds / 60, 1),
        "refused": dict(sorted(counts.refused.items())),
        "promises": counts.rows(0),
        "methods": counts.rows(1),
        "holdouts": counts.rows(2),
    }


def tables(found: dict[str, Any]) -> str:
    """Return the counts as the tables of the documents."""
    kept = f"{found['problems']:,} problems, delta {found['delta']:g}."
    parts = [("promise", "promises"), ("method", "methods"), ("hold-out", "holdouts")]
    return "\n\n".join([kept, *(_table(title, found[key]) for title, key in parts)])


def _table(title: str, rows: list[dict[str, Any]]) -> str:
    lines = [f"| {title} | given | broken | share | most allowed |", "|---|--:|--:|--:|--:|"]
    for row in rows:
        share = row["broken"] / row["given"]
        lines.append(
            f"| {row['name']} | {row['given']:,} | {row['broken']:,} | {share:.4f} | {row['allowed']:,} |"
        )
    return "\n".join(lines)


def put_between_marks(text: str, between: str) -> str:
    """Return the text with that between its two marks."""
    before, rest = text.split(MARKS[0])
    return f"{before}{MARKS[0]}\n\n{between}\n\n{MARKS[1]}{rest.split(MARKS[1])[1]}"


def main() -> None:
    """Solve all problems in several processes, and write their counts and the page's tables."""
    parser = argparse.ArgumentParser(prog="python -m long.whole", description=__doc__)
    parser.add_argument("--problems", type=int, default=PROBLEMS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RECORD, help="where the counts go")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page whose tables are written")
    chosen = parser.parse_args()
    began, size = time.perf_counter(), 250
    blocks = [range(k, min(k + size, chosen.problems)) for k in range(0, chosen.problems, size)]
    with get_context("spawn").Pool(chosen.workers) as pool:
        counts = sum(chain(pool.imap_unordered(block, blocks)), Counts())
    found = record(counts, time.perf_counter() - began)
    chosen.out.write_text(json.dumps(found, indent=1) + "\n")
    chosen.page.write_text(put_between_marks(chosen.page.read_text(), tables(found)))
    print(tables(found))


if __name__ == "__main__":
    main()
