"""`early-stopping`: one state per run, the one that errs least on the hold-out; the states chosen have equal weights.

What early stopping makes of hold-out samples that other methods use to weigh all states.
"""

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.weighting.evidence import Evidence, Weighting, refuse_prior


def early_stopping(evidence: Evidence) -> Weighting:
    """Return equal weights on the state of each run that errs least on the hold-out, zero on all others.

    0/1 errors decide, whatever the vote; where members have hold-outs of their own, the error rate on them. Of states
    that err equally often the earliest step is chosen, as training with early stopping does.

    >>> from comitia._predictions import Predictions
    >>> votes, states = [[0, 0], [0, 1], [0, 1], [1, 1]], {"run": [1, 1, 2, 2], "step": [1, 2, 1, 2]}
    >>> early_stopping(Evidence(Predictions.from_arrays(votes=votes, labels=[0, 1], **states))).weights
    array([0. , 0.5, 0.5, 0. ])
    """
    refuse_prior(evidence, "early-stopping")
    run, step = _states(evidence)
    risks = evidence.hard.first
    order = np.lexsort((np.arange(run.size), step, risks, run))
    _, first = np.unique(run[order], return_index=True)
    counts = np.zeros(run.size, dtype=np.int64)
    counts[order[first]] = 1
    return Weighting("early-stopping", counts / counts.sum(), evidence.hard.first_samples, counts=counts)


def _states(evidence: Evidence) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return run and step of the members; raise unless there is a state to choose."""
    run, step = evidence.predictions.run, evidence.predictions.step
    if run is None or step is None:
        lacking = " and ".join(name for name, known in (("run", run), ("step", step)) if known is None)
        raise InputError(
            f"method: 'early-stopping' chooses one state per run, but these predictions have no {lacking}; "
            f"give {lacking} of each member, or use best"
        )
    if np.unique(run).size == run.size:
        raise InputError(
            "method: 'early-stopping' chooses one state per run, but every run has a single one here; "
            "give several states per run, or use uniform"
        )
    return run, step
