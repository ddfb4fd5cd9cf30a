import pytest

from quorate.certificates import MEANING, Certificate, percent_up


def test_what_is_shown_still_holds() -> None:
    for risk in (0.07411, 0.0740001, 0.1, 0.29999, 0.5, 0.999901):
        assert float(percent_up(risk).rstrip("%")) / 100 >= risk - 1e-9
        assert float(percent_up(risk).rstrip("%")) / 100 <= risk + 1e-4


def test_a_vacuous_certificate_promises_nothing() -> None:
    certificate = Certificate("tandem-kl", "majority", 1.02, 0.05, 100)
    assert certificate.vacuous
    assert "nothing is promised" in certificate.promise


def test_json_and_back() -> None:
    certificate = Certificate("occam", "average", 0.1, 0.05, 100, {"errors": 3, "n": 100})
    record = certificate.to_json()
    assert Certificate.from_json(record) == certificate
    assert record["vacuous"] is False
    assert record["meaning"] == MEANING["occam"]


def test_delta_shows_in_the_sentence() -> None:
    assert "probability 99%" in Certificate("split", "majority", 0.2, 0.01, 5).promise


def test_unknown_names_have_no_meaning() -> None:
    with pytest.raises(KeyError):
        Certificate("wishful", "majority", 0.2, 0.01, 5).to_json()
