"""The record is read back as it was written, and a wrong one is named."""

import json

import pytest

from comitia._errors import InputError
from comitia.paper.argument import Argument, run_argument

FOUND = run_argument(repeats=2, sizes=(10, 30))


def test_it_is_read_back() -> None:
    assert Argument.from_json(json.dumps(FOUND.to_json())) == FOUND


@pytest.mark.parametrize(
    "change, message",
    [
        (
            lambda p: p.update(format="comitia-comparison-2"),
            "^a.json: not a record that comitia reproduce --argument",
        ),
        (lambda p: p.update(format="comitia-argument-9"), "^a.json: written by another version of comitia"),
        (lambda p: p.update(cases=[]), "^a.json: it has no cases or no cancellation$"),
        (lambda p: p.update(extra=1), "^a.json: extra: unknown key"),
        (
            lambda p: p["cases"][0]["rows"].reverse(),
            r"^a.json: cases\[0\]: rows: must be in the order of their samples",
        ),
        (
            lambda p: p["cases"][1].update(best_possible=0.9),
            r"^a.json: cases\[1\]: best_possible: above best_single$",
        ),
        (
            lambda p: p["cases"][0]["rows"][0]["bayes"].update(sd=-1),
            r"^a.json: cases\[0\]\.rows\[0\]\.bayes: sd: must be 0 or more$",
        ),
    ],
)
def test_a_wrong_record_is_named(change, message) -> None:
    plain = json.loads(json.dumps(FOUND.to_json()))
    change(plain)
    with pytest.raises(InputError, match=message):
        Argument.from_json(json.dumps(plain), "a.json")
