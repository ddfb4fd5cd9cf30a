"""How many hold-out samples a wanted certificate needs, and what a given number of them can certify."""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from scipy.special import betainc

from comitia._certificate import percent_up
from comitia._errors import InputError, require_choice, require_open_unit, require_whole_number
from comitia._split import SMALLEST_SPLIT, default_fraction
from comitia.bounds.row import Facts
from comitia.bounds.table import BOUNDS
from comitia.promises.formulas import shared_delta

PLANNED = tuple(name for name, row in BOUNDS.items() if row.planned)
MOST = 10**9
NEEDED = {"error": "error", "members": "number of members", "gibbs": "Gibbs risk", "tandem": "tandem risk"}


@dataclass(frozen=True)
class Expected:
    """What is expected of the ensemble: the vote's error, and for PAC-Bayes bounds Gibbs or tandem risk and KL.

    `share` is that of the samples that the promise is about: those of a class, or those that are answered; the error is
    that among them. `at_once` is how many such promises hold together.
    """

    error: float | None = None
    members: int | None = None
    gibbs: float | None = None
    tandem: float | None = None
    kl: float = 0.0
    share: float = 1.0
    at_once: int = 1


@dataclass(frozen=True)
class Planned:
    """A number of hold-out samples and the risk that they certify, in a draw that shows what is expected."""

    certificate: str
    samples: int
    risk: float
    delta: float
    expected: Expected

    @property
    def sentence(self) -> str:
        """The plan as one plain sentence."""
        vacuous = " (vacuous)" if self.risk >= 1 else ""
        some, share = self.expected.at_once, self.expected.share
        among = "" if share == 1 else f" among {100 * share:.4g}% of the samples"
        among += "" if some == 1 else f", one of {some} such promises at once,"
        return (
            f"{self.samples:,} hold-out samples: {self.certificate} certifies a risk of "
            f"{percent_up(self.risk)}{vacuous}{among} at delta {self.delta:g} in a draw that shows what you expect; "
            "about every second draw is somewhat worse"
        )


def plan(
    *,
    risk: float | None = None,
    samples: int | None = None,
    error: float | None = None,
    certificate: str = "split",
    delta: float = 0.05,
    certify_fraction: float | None = None,
    members: int | None = None,
    gibbs: float | None = None,
    tandem: float | None = None,
    kl: float = 0.0,
    share: float = 1.0,
    at_once: int = 1,
) -> Planned:
    """Return how many hold-out samples a wanted certificate needs, or what a given number of them can certify.

    Parameters
    ----------
    risk : the risk you want to promise; or
    samples : the hold-out samples you have
    error : the vote's error that you expect (split, holdout, best-member)
    certificate : one of `PLANNED`
    delta : probability with which the certificate may fail
    certify_fraction : share of the samples kept for certifying (split); that of `weigh` when None
    members : how many members the best one is chosen from (best-member)
    gibbs, tandem, kl : expected Gibbs risk (first-order-kl), tandem risk (tandem-kl), KL of weights to prior
    share : of the samples that the promise is about (split, holdout): the share of the rarest class, or the coverage of
        a vote that declines; error and risk are those among them
    at_once : how many such promises are to hold together, such as one per class

    Examples
    --------
    >>> plan(error=0.07, risk=0.08).samples
    2476
    >>> plan(error=0.07, risk=0.1, share=0.1, at_once=10).samples
    7589
    >>> plan(error=0.07, samples=5000).sentence  # doctest: +ELLIPSIS
    '5,000 hold-out samples: split certifies a risk of 7.66% at delta 0.05 in a draw that shows what you expect...'
    """
    if (risk is None) == (samples is None):
        raise InputError("risk: give either risk (how many samples it needs) or samples (what they certify)")
    expected = Expected(error, members, gibbs, tandem, kl, share, at_once)
    question = Question(expected, certificate, delta, certify_fraction)
    if risk is not None:
        samples = samples_needed(risk, question)
    assert samples is not None
    return Planned(certificate, samples, certifiable(samples, question), delta, expected)


@dataclass(frozen=True)
class Question:
    """By which certificate an ensemble that is as expected is to be certified."""

    expected: Expected
    certificate: str = "split"
    delta: float = 0.05
    certify_fraction: float | None = None

    def __post_init__(self) -> None:
        require_choice("certificate", self.certificate, PLANNED)
        require_open_unit("delta", self.delta)
        self._check_share()
        if self.certify_fraction is not None and self.certificate != "split":
            raise InputError(f"certify_fraction: has no effect for {self.certificate}; leave it out")

    def _check_share(self) -> None:
        share, some = self.expected.share, self.expected.at_once
        if not 0 < share <= 1:
            raise InputError(f"share: must be above 0 and at most 1, got {share:g}")
        several = require_whole_number("at_once", some, least=1) > 1 or share < 1
        if several and self.certificate not in ("split", "holdout"):
            raise InputError(
                f"share: errors among some samples are counted by split and holdout, not {self.certificate}"
            )

    @property
    def each(self) -> float:
        """The delta of one promise, of those that hold at once."""
        return shared_delta(self.delta, self.expected.at_once)

    def kept(self, samples: int) -> int:
        """Return how many samples certify: those that a split keeps, all for other certificates; of these its share."""
        fraction = self.certify_fraction
        if self.certificate != "split":
            return int(samples * self.expected.share + 1e-9)
        if fraction is not None and not 0 < fraction < 1:
            raise InputError(f"certify_fraction: must lie strictly between 0 and 1, got {fraction:g}")
        kept = round(samples * (default_fraction(samples) if fraction is None else fraction))
        return int(kept * self.expected.share + 1e-9)


def certifiable(samples: int, question: Question) -> float:
    """Return the risk that this many hold-out samples certify, if the ensemble is as expected.

    >>> round(certifiable(10_000, Question(Expected(error=0.07))), 4)
    0.0745
    """
    if samples < 1:
        raise InputError(f"samples: must be at least 1, got {samples}")
    if samples > MOST:
        raise InputError(f"samples: must be at most {MOST:,}, got {samples:,}")
    kept = question.kept(samples)
    if kept < 1:
        raise InputError("samples: too few to keep any for certifying; give 20 or more, or certify_fraction")
    return _bound(kept, question.expected, question.certificate, question.each)


def _bound(n: int, expected: Expected, certificate: str, delta: float) -> float:
    row = BOUNDS[certificate]
    errors = _errors(expected, n) if row.counted else 0
    facts = Facts(
        vote="majority",
        classes=2,
        shared=True,
        chosen_on="nothing",
        members=int(_needed(expected, "members")) if certificate == "best-member" else 1,
        kl=expected.kl,
        gibbs=_needed(expected, "gibbs") if row.event == "gibbs" else 0.0,
        tandem=_needed(expected, "tandem") if row.event == "tandem" else 0.0,
        moment=0.0,
        n_first=n,
        n_pair=n,
        kept_errors=errors,
        kept_samples=n,
        alone=(errors, n),
    )
    return row(facts, delta)


def _errors(expected: Expected, n: int) -> int:
    """How many of n samples the vote is expected to err on, rounded up."""
    # 1e-9 less, so that a whole number of errors is not rounded up for float noise
    return math.ceil(_needed(expected, "error") * n - 1e-9)


def _needed(expected: Expected, what: str) -> float:
    """The expected value of that name; an error says that the certificate needs it."""
    value: float | None = getattr(expected, what)
    if value is None:
        raise InputError(f"{what}: this certificate needs the {NEEDED[what]} that you expect")
    if what == "members":
        if value < 1:
            raise InputError(f"members: must be at least 1, got {value:g}")
    elif not 0 <= value < 1:
        raise InputError(f"{what}: must be at least 0 and below 1, got {value:g}")
    return value


def samples_needed(risk: float, question: Question) -> int:
    """Return the number of hold-out samples from which on that risk is certified, if the ensemble is as expected.

    Errors are whole numbers, so the bound rises with every error more: some smaller numbers of samples may do, but
    of larger ones all do.

    >>> samples_needed(0.08, Question(Expected(error=0.07), "holdout"))
    2230
    """
    certificate, expected = question.certificate, question.expected
    wanted = _Wanted(require_open_unit("risk", risk), expected, certificate, question.each)
    question.kept(MOST)
    limit = _limit(expected, certificate)
    if risk <= limit:
        raise InputError(
            f"risk: {risk:.10g} is out of reach of {certificate}; it tends to {limit:.10g} from above with ever "
            "more samples; ask for a larger risk"
        )
    least = _last_miss(wanted) + 1 if BOUNDS[certificate].counted else _first(wanted.holds)
    found = max(SMALLEST_SPLIT, _first(lambda n: question.kept(n) >= least))
    if found > MOST:
        raise InputError(
            f"risk: {risk:.10g} needs more than {MOST:,} hold-out samples with {certificate}, which tends to "
            f"{limit:.10g} slowly; ask for a larger risk"
        )
    return found


def _limit(expected: Expected, certificate: str) -> float:
    """What the certificate tends to with ever more samples."""
    if BOUNDS[certificate].counted:
        return _needed(expected, "error")
    first = certificate == "first-order-kl"
    return 2 * _needed(expected, "gibbs") if first else 4 * _needed(expected, "tandem")


@dataclass(frozen=True)
class _Wanted:
    """A risk that is to be certified at delta, and by what."""

    risk: float
    expected: Expected
    certificate: str
    delta: float

    def holds(self, n: int) -> bool:
        """Whether n certifying samples are enough."""
        return _bound(n, self.expected, self.certificate, self.delta) <= self.risk

    def surely_holds(self, n: int) -> bool:
        """Whether it holds with one error more than expected, not rounded: then it does for all larger n too."""
        errors = _needed(self.expected, "error") * n + 1
        if errors >= n:
            return False
        members = _needed(self.expected, "members") if self.certificate == "best-member" else 1
        # limits are rounded outward, so that they must lie a little below the risk
        tail = betainc(n - errors, errors + 1, 1 - self.risk * (1 - 1e-11 - 6e-17 * n))
        return bool(tail * members <= self.delta)


def _last_miss(wanted: _Wanted) -> int:
    """The largest number of certifying samples that is not enough.

    While the errors stay the same more samples certify less risk, so that the fewest samples with that many errors
    miss it first.
    """
    top = _first(wanted.surely_holds)
    if top > MOST:
        return MOST
    for errors in range(_errors(wanted.expected, top), -1, -1):
        fewest = _fewest(wanted.expected, errors)
        if not wanted.holds(fewest):
            return _first(wanted.holds, fewest, _fewest(wanted.expected, errors + 1)) - 1
    return 0


def _fewest(expected: Expected, errors: int) -> int:
    """The smallest number of samples on which that many errors are expected."""
    return _first(lambda n: _errors(expected, n) >= errors)


def _first(enough: Callable[[int], bool], above: int = 0, below: int = MOST + 1) -> int:
    """The smallest number between the two that is enough, `below` if none is; all larger ones must be enough too."""
    return above + 1 + bisect_left(range(above + 1, below), True, key=enough)
