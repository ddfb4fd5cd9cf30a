"""What `weigh` says of the vote beyond its risk: its gain over equal weights, and how sure it is, for later."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._choosing import Choice, Settings
from comitia._gain import Gain, measure_gain
from comitia._predictions import Predictions
from comitia._profile import Profile, Scored, profile_from, score
from comitia._sources import Sources
from comitia._votes import deployed_classes
from comitia.statistics.counted import Counted

UNIFORM = "equal weights"


@dataclass(frozen=True)
class Standing:
    """The gain over equal weights and the profile; None where no sample is known to have had no part in the weights."""

    gain: Gain | None = None
    profile: Profile | None = None


def look_back(sources: Sources, settings: Settings, choice: Choice) -> Standing:
    """Return what samples that had no part in the weights say, if there are any on which all members vote."""
    kept, rho = sources.measured, choice.weighting.weights
    if sources.estimated or choice.chosen_on == "all" or isinstance(kept, Counted) or not kept.shared:
        return Standing()
    if choice.certifying is not None:
        kept = kept.take(choice.certifying)
    scored = score(kept, rho, settings.vote)
    return Standing(_gain(kept, scored, rho, settings), profile_from(scored, kept.groups))


def _gain(kept: Predictions, scored: Scored, rho: NDArray[np.float64], settings: Settings) -> Gain | None:
    """The gain over equal weights; None where the weights are those, or a threshold decides beside them."""
    uniform = np.full(len(rho), 1 / len(rho))
    if np.allclose(rho, uniform, rtol=0, atol=1e-12) or settings.asked.threshold is not None:
        return None
    other = deployed_classes(kept, uniform, settings.vote) != kept.labels
    errs = scored.classes != kept.labels
    return measure_gain(errs, other, kept.groups, delta=settings.delta, seed=settings.seed, over=UNIFORM)
