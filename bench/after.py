"""After weighing: false alarms and labels until the alarm of `monitor`, and the certified gain of real networks.

The promised risk is .0765, as certified for CIFAR-10. Alarm times are computed exactly for the bets from the start,
which bets that begin anew can only bring forward, and simulated for both together. The gain is that of the uniform
average of the last states of ten ResNet20 runs over that of all states, on all 10,000 test samples. Two Clopper-Pearson
limits are what one would certify without pairing samples.
"""

import os
from pathlib import Path
from time import perf_counter

import numpy as np

from comitia import bounds, compare, read_predictions, weigh
from comitia.statistics.alarm_times import alarm_times
from comitia.statistics.evidence import follow, threshold

DATA = Path(os.environ.get("COMITIA_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
PACK = DATA / "predictions" / "cifar10-resnet20-checkpoints.npz"
RISK, ALPHA, DELTA = 0.0765, 0.05, 0.05


def run(streams: int = 1000) -> list[dict[str, object]]:
    """Rows of name, value, and what was asked for."""
    return [*_alarms(streams), *_gain()]


def _alarms(streams: int) -> list[dict[str, object]]:
    rows = []
    start = perf_counter()
    false = np.array(_first(RISK, 10_000, streams))
    for labels in (4000, 10_000):
        exact = alarm_times(RISK, RISK, ALPHA, labels).chance(labels)
        shown = {"exact, at least": exact, "simulated": float((false <= labels).mean())}
        rows.append(
            {
                "name": f"false alarms in {labels:,} labels",
                **shown,
                "asked": 0.037 if labels == 4000 else ALPHA,
            }
        )
    for true_risk, asked in ((0.10, 912), (0.15, 120)):
        exact = alarm_times(true_risk, RISK, ALPHA, 20_000, until=0.6).quantile(0.5)
        simulated = float(np.median(_first(true_risk, 5000, streams)))
        name = f"median labels until the alarm at {true_risk:g}"
        rows.append({"name": name, "exact, at most": exact, "simulated": simulated, "asked": asked})
    rows[-1]["seconds"] = perf_counter() - start
    return rows


def _first(true_risk: float, labels: int, streams: int) -> list[float]:
    """After how many labels each stream raises the alarm; infinity if never."""
    rng, found = np.random.default_rng(0), []
    for _ in range(streams):
        path, _ = follow((rng.random(labels) < true_risk).astype(float), RISK)
        reached = path >= threshold(ALPHA)
        found.append(float(reached.argmax() + 1) if reached.any() else float("inf"))
    return found


def _gain() -> list[dict[str, object]]:
    if not PACK.exists():
        return [{"name": f"skipped: needs {PACK.name} (COMITIA_SHARED_DATA says where)"}]
    pack = read_predictions(PACK)
    last = np.zeros(pack.members)
    last[pack.last()] = 1 / len(pack.last())
    a = weigh(pack, method="given", weights=last, vote="average", delta=DELTA)
    b = weigh(pack, method="uniform", vote="average", delta=DELTA)
    found = [compare(a, b, pack, delta=DELTA, seed=seed) for seed in range(10)]
    limits = [one.gain_at_least for one in found]
    errors, other = (round(e * pack.samples) for e in (found[0].result.error, found[0].result.other_error))
    low = 1 - bounds.clopper_pearson(pack.samples - other, pack.samples, DELTA / 2)
    unpaired = low - bounds.clopper_pearson(errors, pack.samples, DELTA / 2)
    return [
        {"name": "gain of last states over all, CIFAR-10", "value": found[0].gain, "asked": 0.0112},
        {"name": "certified, seed 0", "value": limits[0], "asked": 0.0071},
        {"name": "certified, mean of ten seeds", "value": float(np.mean(limits)), "asked": 0.0071},
        {"name": "certified, smallest of ten seeds", "value": min(limits), "asked": 0.0071},
        {"name": "from two Clopper-Pearson limits", "value": unpaired},
    ]
