import pytest
from scipy.stats import binom

from quorate import bounds
from quorate.errors import InputError
from quorate.planning import PLANNED, Expected, certifiable, samples_needed

FULL = Expected(error=0.07, members=20, gibbs=0.09, tandem=0.05, kl=2.0)


@pytest.mark.parametrize("certificate", PLANNED)
def test_the_samples_needed_certify_the_risk_and_half_as_many_do_not(certificate: str) -> None:
    risk = {"first-order-kl": 0.22, "tandem-kl": 0.28}.get(certificate, 0.08)
    samples = samples_needed(risk, FULL, certificate=certificate)
    assert certifiable(samples, FULL, certificate=certificate) <= risk
    assert certifiable(samples // 2, FULL, certificate=certificate) > risk


def test_a_holdout_of_that_size_by_the_binomial_tail() -> None:
    """The limit p after k errors is where k errors or fewer have probability delta."""
    value = certifiable(1000, FULL, certificate="holdout")
    assert binom.cdf(70, 1000, value) == pytest.approx(0.05, rel=1e-6)


def test_the_least_samples_that_can_be_split_may_be_enough() -> None:
    assert samples_needed(0.99, Expected(error=0.0)) == 20


def test_a_split_certifies_with_the_samples_it_keeps() -> None:
    kept = certifiable(10_000, FULL, certificate="split", certify_fraction=0.3)
    assert kept == bounds.clopper_pearson(210, 3000, 0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: samples_needed(0.06, FULL), "risk: 0.06 is out of reach of split; it tends to 0.07"),
        (lambda: certifiable(100, Expected()), "error: this certificate needs the error that you expect"),
        (lambda: certifiable(100, Expected(0.1), certificate="tandem-kl"), "tandem: this certificate needs"),
        (lambda: certifiable(0, FULL), "samples: must be at least 1, got 0"),
        (lambda: certifiable(5, FULL), "samples: too few to keep any for certifying"),
        (lambda: certifiable(50, FULL, certificate="spilt"), "certificate: 'spilt' is not one of split"),
        (lambda: certifiable(50, FULL, delta=2), "delta: must lie strictly between 0 and 1"),
        (lambda: certifiable(50, Expected(1.2)), "error: must be at least 0 and below 1, got 1.2"),
    ],
)
def test_plans_that_make_no_sense(call, message: str) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value).startswith(message)
