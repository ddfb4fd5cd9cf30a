"""The record: whole through JSON, and clear about what is not one."""

import json
from dataclasses import replace

import pytest

from comitia._errors import InputError
from comitia.evaluation import Evaluation, Reference, evaluate
from comitia.evaluation.claims import judge
from evaluation.synthetic import ensemble


def _evaluation() -> Evaluation:
    found = evaluate(ensemble(samples=100), sizes=[2, 5], repeats=2)
    named = replace(found, name="demo", references=(Reference("Bayes", "bayes", "accuracy", 0.7, 7),))
    return replace(named, claims=judge(named))


def test_json_gives_the_record_back() -> None:
    found = _evaluation()
    assert Evaluation.from_json(json.dumps(found.to_json())) == found


def test_json_has_the_names_that_programs_rely_on() -> None:
    record = _evaluation().to_json()
    wanted = {"size", "members", "weights", "vote", "accuracy_mean", "accuracy_sd", "nll_mean", "bound_mean"}
    assert all(wanted | {"single_best"} <= set(row) for row in record["rows"])
    assert 0 < record["single_best"]["accuracy_mean"] <= 1
    assert {(row["members"], row["vote"]) for row in record["rows"]} == {
        (m, v) for m in ("last", "all") for v in ("average", "majority")
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "e.json: not readable as JSON"),
        ("[]", "e.json: not an evaluation that comitia evaluate wrote"),
        ('{"format": "comitia-ensemble-1"}', "e.json: not an evaluation"),
        (
            '{"format": "comitia-evaluation-1"}',
            r"e.json: written by another version of comitia \(format comitia-evaluation-1, .*make it anew",
        ),
        ('{"format": "comitia-evaluation-2"}', "e.json: damaged evaluation: KeyError 'tandem'"),
    ],
)
def test_anything_else_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Evaluation.from_json(text, source="e.json")
