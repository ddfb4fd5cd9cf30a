"""Places of states in their runs, counted from the run's end: states of one place are alike up to chance."""

import numpy as np
from numpy.typing import NDArray

from comitia.statistics.counted import Holdout


def places_from_end(predictions: Holdout) -> NDArray[np.int64]:
    """Return, as (M,), how many later states each member's run has; 0 for all without runs and steps.

    >>> from comitia._predictions import Predictions
    >>> pack = Predictions.from_arrays(votes=[[0], [0], [0]], run=[1, 1, 2], step=[10, 30, 20])
    >>> places_from_end(pack)
    array([1, 0, 0])
    """
    found = np.zeros(predictions.members, dtype=np.int64)
    if predictions.run is None or predictions.step is None:
        return found
    for run in np.unique(predictions.run):
        states = np.flatnonzero(predictions.run == run)
        different, rank = np.unique(predictions.step[states], return_inverse=True)
        found[states] = len(different) - 1 - rank
    return found
