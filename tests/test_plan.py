import math

import pytest
from scipy.stats import binom

from comitia import bounds, plan
from comitia._errors import InputError
from comitia._plan import PLANNED, Expected, Question, certifiable, samples_needed

FULL = Expected(error=0.07, members=20, gibbs=0.09, tandem=0.05, kl=2.0)


@pytest.mark.parametrize("certificate", PLANNED)
def test_the_samples_needed_certify_the_risk_and_half_as_many_do_not(certificate: str) -> None:
    risk = {"first-order-kl": 0.22, "tandem-kl": 0.28}.get(certificate, 0.08)
    samples = samples_needed(risk, Question(FULL, certificate=certificate))
    assert certifiable(samples, Question(FULL, certificate=certificate)) <= risk
    assert certifiable(samples // 2, Question(FULL, certificate=certificate)) > risk


@pytest.mark.parametrize(
    ("error", "risk", "certificate", "fraction"),
    [
        (0.07, 0.08, "holdout", None),
        (0.07, 0.08, "split", None),
        (0.3, 0.33, "split", None),
        (0.02, 0.03, "split", None),
        (0.02, 0.04, "split", 0.13),
        (0.35, 0.4, "best-member", None),
        (0.5, 0.54, "holdout", None),
        (1 / 7, 0.17, "holdout", None),
        (0.001, 0.01, "holdout", None),
        (0.0, 0.01, "holdout", None),
    ],
)
def test_from_that_number_on_every_one_is_enough_and_the_one_before_is_not(
    error: float, risk: float, certificate: str, fraction: float | None
) -> None:
    """By trying all numbers of samples: with whole errors the bound is a saw."""
    expected = Expected(error=error, members=20)
    found = samples_needed(risk, Question(expected, certificate=certificate, certify_fraction=fraction))
    enough = [
        certifiable(n, Question(expected, certificate=certificate, certify_fraction=fraction)) <= risk
        for n in range(20, 2 * found)
    ]
    assert all(enough[found - 20 :])
    assert not enough[found - 21]


def test_a_risk_just_above_the_error_needs_millions() -> None:
    """Every second number rounds half an error up, and that one decides."""
    expected = Expected(error=0.5)
    found = samples_needed(0.5001, Question(expected, certificate="holdout"))
    after, before = (
        [certifiable(n + i, Question(expected, certificate="holdout")) for i in (0, 1)]
        for n in (found, found - 100)
    )
    assert max(after) <= 0.5001 < max(before)


def test_a_holdout_of_that_size_by_the_binomial_tail() -> None:
    """The limit p after k errors is where k errors or fewer have probability delta."""
    value = certifiable(1000, Question(FULL, certificate="holdout"))
    assert binom.cdf(70, 1000, value) == pytest.approx(0.05, rel=1e-6)


def test_the_least_samples_that_can_be_split_may_be_enough() -> None:
    assert samples_needed(0.99, Question(Expected(error=0.0))) == 20


def test_a_split_certifies_with_the_samples_it_keeps() -> None:
    kept = certifiable(10_000, Question(FULL, certificate="split", certify_fraction=0.3))
    assert kept == bounds.clopper_pearson(210, 3000, 0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: samples_needed(0.06, Question(FULL)),
            "risk: 0.06 is out of reach of split; it tends to 0.07 from above with ever more samples",
        ),
        (
            lambda: samples_needed(0.0700001, Question(FULL)),
            "risk: 0.0700001 needs more than 1,000,000,000 hold-out samples with split, which tends to 0.07 slowly",
        ),
        (
            lambda: samples_needed(0.18, Question(FULL, certificate="first-order-kl")),
            "risk: 0.18 is out of reach of first-order-kl; it tends to 0.18 from above",
        ),
        (
            lambda: samples_needed(0.2000001, Question(FULL, certificate="tandem-kl")),
            "risk: 0.2000001 needs more than 1,000,000,000 hold-out samples with tandem-kl, which tends to 0.2",
        ),
        (
            lambda: samples_needed(0.1, Question(Expected())),
            "error: this certificate needs the error that you expect",
        ),
        (
            lambda: samples_needed(0.1, Question(FULL, certify_fraction=1.0)),
            "certify_fraction: must lie strictly between 0 and 1, got 1",
        ),
        (
            lambda: certifiable(100, Question(Expected())),
            "error: this certificate needs the error that you expect",
        ),
        (
            lambda: certifiable(100, Question(Expected(0.1), certificate="tandem-kl")),
            "tandem: this certificate needs",
        ),
        (lambda: certifiable(0, Question(FULL)), "samples: must be at least 1, got 0"),
        (lambda: certifiable(5, Question(FULL)), "samples: too few to keep any for certifying"),
        (
            lambda: certifiable(50, Question(FULL, certificate="spilt")),
            "certificate: 'spilt' is not one of first-order-kl, tandem-kl, holdout, split",
        ),
        (lambda: certifiable(50, Question(FULL, delta=2)), "delta: must lie strictly between 0 and 1"),
        (lambda: certifiable(50, Question(Expected(1.2))), "error: must be at least 0 and below 1, got 1.2"),
    ],
)
def test_plans_that_make_no_sense(call, message: str) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value).startswith(message)


def test_a_promise_per_class_needs_as_many_samples_of_the_rarest() -> None:
    """Of n samples those of the class certify, at the share of delta that ten promises at once leave to each."""
    found = plan(error=0.07, risk=0.1, share=0.1, at_once=10, certificate="holdout")
    share = 1 - 0.95 ** (1 / 10)

    def certified(n: int) -> bool:
        errors = math.ceil(0.07 * n - 1e-9)
        return binom.cdf(errors, n, 0.1) <= share

    least = max(n for n in range(1, 3000) if not certified(n)) + 1
    assert found.samples == 10 * least
    assert found.risk <= 0.1
    assert "among 10% of the samples, one of 10 such promises at once," in found.sentence


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 0}, "share: must be above 0 and at most 1, got 0"),
        ({"share": 1.5}, "share: must be above 0 and at most 1, got 1.5"),
        ({"at_once": 0}, "at_once: must be at least 1, got 0"),
        (
            {"share": 0.5, "certificate": "best-member", "members": 2},
            "share: errors among some samples are counted by",
        ),
    ],
)
def test_shares_that_cannot_be_planned(options: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(error=0.07, risk=0.1, **options)
    assert str(caught.value).startswith(message)
