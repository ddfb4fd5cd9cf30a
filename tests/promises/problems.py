"""Two classes, a site per sample, members that share errors: what further promises are asked of in tests."""

from typing import Any

import numpy as np

from comitia import Predictions

COSTS = {"sick": {"sick": 0, "well": 5}, "well": {"sick": 1, "well": 0, "no answer": 2}}


def clinic(samples: int = 2000, *, seed: int = 0, votes: bool = False, **more: Any) -> Predictions:
    """Five members on well and sick, at three sites; the last site has few samples."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(samples) < 0.3).astype(int)
    noise = 0.2 * rng.normal(size=samples) + 0.35 * rng.normal(size=(5, samples))
    probs = np.clip(0.15 + 0.7 * labels + noise, 0.001, 0.999)
    content = {"votes": (probs > 0.5).astype(int)} if votes else {"probs": probs}
    sites = rng.choice(["north", "south", "tiny"], samples, p=[0.6, 0.398, 0.002])
    given = {"classes": ["well", "sick"], "strata": {"site": sites}, **more}
    return Predictions.from_arrays(**content, labels=labels, **given)
