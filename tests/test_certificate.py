from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comitia._certificate import Certificate, confidence_down, percent_up
from comitia._records import from_plain
from comitia.bounds.table import BOUNDS


@given(st.floats(0, 1))
def test_what_is_shown_still_holds(risk: float) -> None:
    """Exactly so of the decimal that names the float; the float itself may lie half a unit in its last place off."""
    shown = Fraction(percent_up(risk).rstrip("%")) / 100
    assert Fraction(repr(risk)) <= shown < Fraction(repr(risk)) + Fraction(1, 10_000)


@pytest.mark.parametrize(
    ("risk", "shown"),
    [(0.08, "8.00%"), (0.07, "7.00%"), (0.08 + 9e-11, "8.01%"), (1e-13, "0.01%"), (0.0, "0.00%")],
)
def test_a_risk_is_rounded_up_and_never_to_nothing(risk: float, shown: str) -> None:
    assert percent_up(risk) == shown


@given(st.floats(1e-300, 1, exclude_max=True))
def test_no_more_confidence_is_shown_than_there_is(delta: float) -> None:
    text = confidence_down(delta)
    if text.endswith("%"):
        share = Fraction(text.rstrip("%")) / 100
        assert 0 < share <= 1 - Fraction(repr(delta))
        assert share * (1 + Fraction(1, 10**5)) > 1 - Fraction(repr(delta))
    else:
        shown = Fraction(text.removeprefix("1 - "))
        assert Fraction(repr(delta)) <= shown <= Fraction(repr(delta)) * Fraction(11, 10)


@pytest.mark.parametrize(
    ("delta", "shown"),
    [(0.05, "95%"), (0.001, "99.9%"), (1.4e-6, "99.9998%"), (1.49e-5, "99.9985%"), (4.94e-7, "1 - 5.0e-7")],
)
def test_the_promise_does_not_overstate_its_probability(delta: float, shown: str) -> None:
    promise = Certificate("split", "average", 0.0741, delta, 4000).promise
    assert promise.startswith(f"with probability {shown} over the draw of 4,000 hold-out samples")


def test_a_vacuous_certificate_promises_nothing() -> None:
    certificate = Certificate("tandem-kl", "majority", 1.02, 0.05, 100)
    assert certificate.vacuous
    assert "nothing is promised" in certificate.promise


def test_json_and_back() -> None:
    certificate = Certificate("occam", "average", 0.1, 0.05, 100, {"errors": 3, "n": 100, "counts": [1, 0]})
    record = certificate.to_json()
    assert from_plain(Certificate, record, strict=False) == certificate
    assert record["vacuous"] is False
    assert record["meaning"] == BOUNDS["occam"].meaning


def test_delta_shows_in_the_sentence() -> None:
    assert "probability 99%" in Certificate("split", "majority", 0.2, 0.01, 5).promise


def test_unknown_names_have_no_meaning() -> None:
    wishful = Certificate("wishful", "majority", 0.2, 0.01, 5)
    assert wishful.meaning == ""
    assert wishful.fault() == "unknown certificate 'wishful'"


def test_a_bound_from_outside_rests_on_the_word_of_its_author() -> None:
    outside = Certificate("mine:double", "majority", 0.2, 0.01, 5, meaning="twice as much")
    assert outside.fault() is None
    assert outside.assumption.endswith("and the bound 'mine:double', given from outside, is valid")


@pytest.mark.parametrize("share", ["x", [], True, 0, -1, 0.06])
def test_a_share_of_delta_must_be_one(share) -> None:
    for name in ("split", "mine:bound"):
        found = Certificate(name, "majority", 0.5, 0.05, 9, {"errors": 1, "n": 9, "delta_share": share})
        assert "delta_share must be a share of delta 0.05" in str(found.fault())


def test_numbers_that_no_hold_out_gives() -> None:
    huge = {"tandem": 0.1, "disagreement": 0.1, "kl": 1e308, "n": 10**18}
    assert "do not fit" in str(Certificate("c2", "majority", 0.9, 0.05, 10**18, huge).fault())
    assert "do not fit" in str(
        Certificate("split", "majority", 0.9, 0.05, 9, {"errors": True, "n": 9}).fault()
    )
