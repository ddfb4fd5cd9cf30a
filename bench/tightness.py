"""How close certificates come to the limit, and how accurate weightings are, on real ensembles.

Packs: all with test probabilities. Each random split makes two halves: the first n samples of one half are the hold-out
(n = 500, 1,000, 2,000, 5,000 and all), the other half is the truth, and then the other way round. Both votes.

- *Excess* of a weighting: the risk that `split` certifies at delta = .05, less the error of the same vote on the truth.
- *Limit*: Clopper-Pearson on all n samples of a hold-out, for a classifier that was fixed beforehand: uniform weights
  on the last state of each run. Its excess is measured on the same hold-outs and truths.
- *Ratio*: the mean excess over splits, halves, packs and votes, divided by the mean excess of the limit.
- *Expected*: the same ratio with excesses of the same expectation and far less noise: the mean of Clopper-Pearson's
  limit over k ~ Bin(samples kept, error on the truth), less that error.
- *Standard errors*: of a ratio of means, over packs and votes. Each has random splits of its own, but packs of one data
  set share its test samples, so that the true ones may be larger.
- *Above best*: the mean error on the truth, less that of the weighting, of all that choose on as many samples, whose
  mean error is lowest in that pack, vote and size; *above any*: of all. Which one is lowest is judged on the same
  truth, so both are a little too large.

With unlabelled samples (ten times as many as n) halves are too small ("drawn"). There the pack is the population:
labelled and unlabelled samples are drawn from it with replacement, and the truth is the error on all of it. The
expected excess of the digital bound is its mean distance from the mean of the values that it bounds. "Designated" is
what the rule of `comitia.bounds.designation` names.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from bench.tightness_draws import ACCURACY, Outcome, outcomes, paired_outcomes
from numpy.typing import NDArray

DATA = Path(os.environ.get("COMITIA_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
FOLDER = DATA / "predictions"
PACKS = tuple(
    f"{of}-{how}"
    for of, how in product(
        ("imdb-cnn_lstm", "cifar10-resnet20"), ("checkpoints", "simple", "bagging", "epoch-budget")
    )
)
SPLITS = int(os.environ.get("COMITIA_SPLITS", "5"))
PROCESSES = int(os.environ.get("COMITIA_PROCESSES", str(os.cpu_count() or 1)))


@dataclass(frozen=True)
class Job:
    """A pack, a vote, and how many splits to draw."""

    path: Path
    vote: str
    splits: int


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Rows of ratio and error by size, weighting and rule of the split; then mean ranks; then the sums by pack."""
    found = [FOLDER / f"{name}.npz" for name in PACKS if (FOLDER / f"{name}.npz").exists()]
    if not found:
        return [{"name": f"skipped: needs packs in {FOLDER.name} (COMITIA_SHARED_DATA says where)"}]
    jobs = [
        Job(path, vote, max(1, round(SPLITS * scale))) for path in found for vote in ("majority", "average")
    ]
    with ProcessPoolExecutor(PROCESSES) as pool:
        table = [outcome for part in pool.map(measured, jobs) for outcome in part]
    return rows(table)


def rows(table: list[Outcome]) -> list[dict[str, object]]:
    """Return all rows of what was measured."""
    return [*_tightness(table), *_accuracy(table), *_packs(table)]


def measured(job: Job) -> list[Outcome]:
    """Return the outcome of every way on a pack."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return [*outcomes(job.path, job.vote, job.splits), *paired_outcomes(job.path, job.vote, job.splits)]


def _tightness(table: list[Outcome]) -> list[dict[str, object]]:
    """A row for each way to certify and each size, over packs and votes."""
    rows = []
    ways = dict.fromkeys((o.way, o.size) for o in table if o.certified is not None and o.way != "limit")
    for way, size in ways:
        cells = [_cell(table, key, way, size) for key in _keys(table)]
        rows.append({"name": f"{way}, n = {size}", **_pooled([cell for cell in cells if cell is not None])})
    return rows


def _keys(table: list[Outcome]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((o.pack, o.vote) for o in table))


def _cell(table: list[Outcome], key: tuple[str, str], way: str, size: str) -> dict[str, float] | None:
    """Mean excesses of one pack and vote, and of the limit on the same draws."""
    here = [o for o in table if (o.pack, o.vote, o.size) == (*key, size)]
    ours = [o for o in here if o.way == way]
    if not ours:
        return None
    drawn = {o.draw for o in ours}
    limit = [o for o in here if o.way == "limit" and o.draw in drawn]
    compared = [
        way for way in dict.fromkeys(o.way for o in here) if {o.draw for o in here if o.way == way} >= drawn
    ]
    errors = {
        other: float(np.mean([o.error for o in here if o.way == other and o.draw in drawn]))
        for other in compared
    }
    alike = [
        value
        for other, value in errors.items()
        if "," not in other or other.split(", ")[1] in way.split(", ")
    ]
    return {
        "excess": _mean(ours, "excess"),
        "limit": _mean(limit, "excess"),
        "expected": _mean(ours, "expected"),
        "expected_limit": _mean(limit, "expected"),
        "error": _mean(ours, "error"),
        "above_best": _mean(ours, "error") - min(alike or errors.values()),
        "above_any": _mean(ours, "error") - min(errors.values()),
    }


def _mean(outcomes: list[Outcome], what: str) -> float:
    return float(np.mean([getattr(outcome, what) for outcome in outcomes]))


def _pooled(cells: list[dict[str, float]]) -> dict[str, object]:
    """Ratios of sums over packs and votes, with the standard error of a ratio of means."""

    def column(key: str) -> NDArray[np.float64]:
        return np.array([cell[key] for cell in cells])

    ratio, noise = _ratio(column("excess"), column("limit"))
    expected, spread = _ratio(column("expected"), column("expected_limit"))
    return {
        "ratio": round(ratio, 3),
        "standard_error": round(noise, 3),
        "expected": round(expected, 3),
        "expected_error": round(spread, 3),
        "error": round(float(column("error").mean()), 5),
        "above_best": round(float(column("above_best").mean()), 5),
        "above_any": round(float(column("above_any").mean()), 5),
        "against": "excess of the limit",
    }


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> tuple[float, float]:
    ratio = above.sum() / below.sum()
    apart = (above - ratio * below) / below.mean()
    return float(ratio), float(apart.std(ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else float("nan")


def _accuracy(table: list[Outcome]) -> list[dict[str, object]]:
    """Mean rank (1 is best) and mean error of each weighting, over packs, votes and sizes."""
    from scipy.stats import rankdata

    drawn = {(o.pack, o.vote, o.size, o.draw) for o in table if o.way == "auto, n^3/4"}
    cells = dict.fromkeys(key[:3] for key in drawn)
    errors = np.array([[_error(table, cell, way, drawn) for way in ACCURACY] for cell in cells])
    ranks = rankdata(errors, axis=1)
    spread = ranks.std(axis=0, ddof=1) / np.sqrt(len(ranks))
    return [
        {
            "name": f"accuracy: {way}",
            "mean_rank": round(float(ranks[:, k].mean()), 2),
            "rank_error": round(float(spread[k]), 2),
            "error": round(float(errors[:, k].mean()), 5),
            "above_best": round(float((errors[:, k] - errors.min(axis=1)).mean()), 5),
        }
        for k, way in enumerate(ACCURACY)
    ]


def _error(table: list[Outcome], cell: tuple[str, str, str], way: str, drawn: set[Any]) -> float:
    return float(
        np.mean(
            [
                o.error
                for o in table
                if o.way == way and (o.pack, o.vote, o.size) == cell and (*cell, o.draw) in drawn
            ]
        )
    )


def _packs(table: list[Outcome]) -> list[dict[str, object]]:
    """Rows over all sizes: by data set with standard errors over packs, votes and sizes; by pack and vote without."""
    rows = []
    ways = ("blend, n^3/4", "tandem, n^3/4", "blend, n^3/4, unlabelled", "blend, n^3/4, designated")
    for of, way in product(dict.fromkeys(pack.split("-")[0] for pack, _ in _keys(table)), ways):
        keys = [key for key in _keys(table) if key[0].startswith(of)]
        cells = [cell for key in keys for cell in _cells(table, key, way)]
        rows.append({"name": f"{of}, all sizes: {way}", **_pooled(cells)})
        for size in _sizes(table, way):
            some = [cell for key in keys if (cell := _cell(table, key, way, size)) is not None]
            rows += [{"name": f"{of}, n = {size}: {way}", **_pooled(some)}] if some else []
    for key, way in product(_keys(table), ways[:3]):
        row = _pooled(_cells(table, key, way))
        # sizes of one pack are nested, so their spread says little
        row = {name: value for name, value in row.items() if not name.endswith("_error")}
        rows.append({"name": f"{key[0]}, {key[1]}: {way}", **row})
    return rows


def _cells(table: list[Outcome], key: tuple[str, str], way: str) -> list[dict[str, float]]:
    """The cells of a pack and vote: drawn samples for what needs unlabelled ones, halves for the others."""
    return [cell for size in _sizes(table, way) if (cell := _cell(table, key, way, size)) is not None]


def _sizes(table: list[Outcome], way: str) -> list[str]:
    drawn = way.count(",") > 1
    return list(dict.fromkeys(o.size for o in table if o.way == way and o.size.endswith("drawn") == drawn))
