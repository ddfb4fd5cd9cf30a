"""The record: whole through JSON, and clear about what is not one."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comitia._errors import InputError
from comitia.evaluation import Evaluation, evaluate
from comitia.evaluation.claims import judge
from comitia.evaluation.references import Reference
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
            r"e.json: written by another version of comitia \(format comitia-evaluation-1, .*create it again",
        ),
        ('{"format": "comitia-evaluation-2"}', "e.json: settings: missing; it has no default"),
    ],
)
def test_anything_else_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Evaluation.from_json(text, source="e.json")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("rows.0.accuracy_mean", "<b>", "rows[0].accuracy_mean: must be a number, got '<b>'"),
        ("rows.0.accuracy_mean", float("nan"), "not readable as JSON (NaN is not a number)"),
        ("rows.0.accuracy_mean", 10**400, "rows[0].accuracy_mean: must be a number, got 1000"),
        ("rows.0.accuracy_mean", 17.3, "rows[0]: accuracy_mean is 17.3, outside of 0 to 1"),
        ("rows.0.accuracy_sd", -0.1, "rows[0]: accuracy_sd is -0.1, outside of 0 to 1"),
        ("rows.0.bound_mean", -0.1, "rows[0]: bound_mean is -0.1, outside of 0 to inf"),
        ("rows.0.diversity_mean", 1.5, "rows[0]: diversity_mean is 1.5, outside of 0 to 1"),
        ("single_best.accuracy_max", 2, "single_best: accuracy_max is 2, outside of 0 to 1"),
        ("rows.0.size", 2.5, "rows[0].size: must be a whole number, got 2.5"),
        ("rows.0.size", 10**400, "rows[0].size: must be a whole number, got 1000"),
        ("rows.0.size", 0, "rows[0]: size is 0, outside of 1 to inf"),
        ("rows", [], "it has no rows"),
        ("single_best.accuracy_mean", 2, "single_best: accuracy_mean is 2, outside of 0 to 1"),
        ("settings.sizes", [], "settings: sizes, weightings, votes and members must not be empty"),
        ("settings.delta", 2.5, "settings: delta is 2.5, outside of 0 to 1"),
        ("settings.delta", 0, "settings: delta is 0, outside of 0 to 1"),
        ("settings.votes", "average", "settings.votes: must be a list, got 'average'"),
        ("source.samples", -1, "source: samples is -1, outside of 1 to inf"),
        ("tandem.samples", 0, "tandem: counts must lie from 0 to their 0 samples"),
        ("tandem.upper.0", -1, "tandem: counts must lie from 0 to their 50 samples"),
        ("tandem.upper", [1, 2], "tandem: 2 counts do not fit 15 members"),
        ("members", [], "tandem.members is 15, but there are 0 members"),
        ("members.1.weights", ["x"], "members[1].weights: must be a table of keys, got ['x']"),
        ("members.1.name", 7, "members[1].name: must be a text, got 7"),
        (
            "certificates.0.certificate",
            None,
            "certificates[0].certificate: must be a table of keys, got None",
        ),
        (
            "certificates.0.certificate.name",
            "oracle",
            "certificates[0].certificate: unknown certificate 'oracle'",
        ),
        ("comparisons.0.left", ["all"], "comparisons[0].left: must have 2 entries, got 1"),
    ],
)
def test_what_cannot_be_is_one_line_that_names_its_place(path: str, value: Any, message: str) -> None:
    record: Any = _evaluation().to_json()
    inner, words = record, path.split(".")
    for word in words[:-1]:
        inner = inner[int(word) if word.isdigit() else word]
    inner[int(words[-1]) if words[-1].isdigit() else words[-1]] = value
    with pytest.raises(InputError) as caught:
        Evaluation.from_json(json.dumps(record), source="e.json")
    assert str(caught.value).startswith(f"e.json: {message}")
    assert "\n" not in str(caught.value)


def test_a_record_of_an_earlier_version_is_read() -> None:
    """It has no diversity, no scores by draw and no best member with hindsight."""
    record: Any = _evaluation().to_json()
    for row in record["rows"]:
        for name in ("diversity_mean", "nlls", "aurocs"):
            del row[name]
    del record["single_best"]["accuracy_max"]
    found = Evaluation.from_json(json.dumps(record))
    assert {(row.diversity_mean, row.nlls, row.aurocs) for row in found.rows} == {(None, None, None)}
    assert found.single_best.accuracy_max is None
    stored = sorted((Path(__file__).resolve().parents[2] / "docs" / "results").glob("*/evaluation.json"))
    assert all(Evaluation.from_json(path.read_text(), source=path.name).rows for path in stored)


def test_a_delta_that_was_edited_is_refused() -> None:
    record = _evaluation().to_json()
    record["settings"]["delta"] = 0.01
    with pytest.raises(InputError, match="all certificates must be at the evaluation's own delta, 0.01"):
        Evaluation.from_json(json.dumps(record))
