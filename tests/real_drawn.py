"""Real predictions drawn for tests: members with errors of different sizes that share a part."""

import numpy as np

from comitia import RealPredictions

SCALES = np.array([[0.5], [0.7], [1.0], [2.0]])


def drawn(samples=600, seed=0, shared=0.4, **further):
    rng = np.random.default_rng(seed)
    targets = 10 * rng.normal(size=samples)
    values = targets + shared * rng.normal(size=samples) + SCALES * rng.normal(size=(len(SCALES), samples))
    return RealPredictions.from_arrays(values, targets, ["a", "b", "c", "d"], **further)
