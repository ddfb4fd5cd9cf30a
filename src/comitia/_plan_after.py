"""How many samples it takes to certify a difference, and how many labels until the alarm of `monitor`."""

import math
from dataclasses import dataclass

from scipy.special import ndtri

from comitia._certificate import percent_up
from comitia._errors import InputError, require_open_unit, require_whole_number
from comitia._gain import points_down
from comitia.statistics.alarm_times import alarm_times

#: How wide the digital bound of a difference is: (n·excess/z)² = 1.06·n·variance + 35, in the median over orders.
#: Fitted to 18 cases with 30 to 3,000 discordant samples at delta .05 and .01, and within 12% of each excess.
WIDER, PRIOR = 1.06, 35.0
#: Labels beyond which times until an alarm are not computed.
MOST_LABELS = 50_000
# Samples that nobody has.
MOST = 10**9


@dataclass(frozen=True)
class PlannedGain:
    """Samples that chose neither vote, and the gain that they certify in a draw that shows what is expected."""

    samples: int
    gain: float
    discordant: float
    gain_at_least: float
    delta: float

    @property
    def sentence(self) -> str:
        """The plan as one plain sentence."""
        return (
            f"{self.samples:,} samples that chose neither: a gain of {100 * self.gain:.2f} percentage points with "
            f"{100 * self.discordant:.2f}% discordant is certified to be at least "
            f"{points_down(self.gain_at_least)} points at delta {self.delta:g} in a draw that shows what you expect; "
            "about every second draw is somewhat worse"
        )


@dataclass(frozen=True)
class PlannedAlarm:
    """After how many labels the alarm is on with probability one half and nine tenths, if the risk is `true_risk`.

    None where that takes more than `MOST_LABELS`.
    """

    risk: float
    true_risk: float
    alpha: float
    median: int | None
    nine_tenths: int | None

    @property
    def samples(self) -> int | None:
        """The median number of labels until the alarm."""
        return self.median

    @property
    def sentence(self) -> str:
        """The plan as one plain sentence."""
        many = f"more than {MOST_LABELS:,}"
        median, late = (many if n is None else f"{n:,}" for n in (self.median, self.nine_tenths))
        return (
            f"at a risk of {percent_up(self.true_risk)} in place of {percent_up(self.risk)}, monitor raises the alarm "
            f"within {median} labels in every second case, and within {late} in nine of ten, at alpha {self.alpha:g}"
        )


def plan_gain(
    gain: float,
    *,
    discordant: float | None = None,
    error: float | None = None,
    at_least: float = 0.0,
    samples: int | None = None,
    delta: float = 0.05,
) -> PlannedGain:
    """Return how many samples certify a gain of more than `at_least`, or what a given number of them certifies.

    n (gain − at_least) = z √(1.06 n (q − gain²) + 35), z the normal quantile at 1 − delta, q the share of discordant
    samples: those on which exactly one of the two votes errs.

    Parameters
    ----------
    gain : the difference of the error rates that you expect
    discordant : the share of discordant samples that you expect; 2 error + gain, the most there can be, if not given
    error : the error of the better vote that you expect, in place of `discordant`
    at_least : the gain that is to be certified; 0 by default: that it is better at all
    samples : how many samples you have, in place of `at_least`
    delta : probability with which the lower bound may fail

    >>> plan_gain(0.01, discordant=0.03).samples
    1493
    """
    g, share = require_open_unit("gain", gain), _discordant(gain, discordant, error)
    z = -float(ndtri(require_open_unit("delta", delta)))
    if z <= 0:
        raise InputError(f"delta: must be below one half for a gain to be certified, got {delta:g}")
    variance = WIDER * max(share - g * g, 0.0)
    if samples is None:
        if not -1 < at_least < g:
            raise InputError(f"at_least: must be below the gain of {g:g} that you expect, got {at_least:g}")
        needed = _needed(g - at_least, z, variance)
        if needed > MOST:
            raise InputError(f"at_least: needs more than {MOST:,} samples; ask for less")
        samples = max(1, math.ceil(needed))
    count = require_whole_number("samples", samples, least=1)
    excess = z * math.sqrt(variance * count + PRIOR) / count
    return PlannedGain(count, g, share, max(-1.0, g - excess), delta)


def _needed(excess: float, z: float, variance: float) -> float:
    """The n at which n·excess = z √(variance·n + PRIOR)."""
    half = z * z * variance / 2
    return (half + math.sqrt(half * half + (excess * z) ** 2 * PRIOR)) / excess**2


def _discordant(gain: float, discordant: float | None, error: float | None) -> float:
    """The share of discordant samples: given, or the most that the error of the better vote allows."""
    if discordant is None:
        if error is None:
            raise InputError("discordant: give the share of samples on which one of the two errs, or error")
        if not 0 <= error < 1:
            raise InputError(f"error: must be at least 0 and below 1, got {error:g}")
        return min(1.0, 2 * error + gain)
    if not gain <= discordant <= 1:
        raise InputError(
            f"discordant: must be at least the gain of {gain:g} and at most 1, got {discordant:g}"
        )
    return float(discordant)


def plan_alarm(risk: float, true_risk: float, *, alpha: float = 0.05) -> PlannedAlarm:
    """Return after how many labels `monitor` raises the alarm, if the risk is above what was promised.

    Computed exactly for independent errors at that risk from the first label on, by the bets that run from the start;
    those that begin anew can only make it earlier.

    >>> plan_alarm(0.0765, 0.15).median
    116
    """
    promised, real = require_open_unit("risk", risk), require_open_unit("true_risk", true_risk)
    if real <= promised:
        raise InputError(
            f"true_risk: must be above the promised risk of {promised:g}, got {real:g}; below it there is no alarm "
            "with probability 1 - alpha"
        )
    found = alarm_times(real, promised, require_open_unit("alpha", alpha), MOST_LABELS, until=0.9)
    return PlannedAlarm(promised, real, alpha, found.quantile(0.5), found.quantile(0.9))
