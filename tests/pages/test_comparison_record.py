"""The record of a comparison is read as it was written; what is damaged is refused in one line."""

import json
from typing import Any

import pytest

from comitia._errors import InputError
from comitia.pages.comparison_record import ComparisonRecord
from report_records import a_comparison


def test_what_was_written_is_read() -> None:
    found = ComparisonRecord.from_json(json.dumps(a_comparison()))
    assert (found.name, found.settings.budget, found.settings.repeats) == ("small", 6, 2)
    assert [(one.name, one.temperature, one.last_of) for one in found.ensembles] == [
        ("last", 0.5, "chain"),
        ("chain", 0.5, None),
        ("plain", 1.0, None),
        ("dropout", None, None),  # passes have no temperature
    ]
    assert found.lines[2].mean("accuracy") == pytest.approx(0.92)
    assert found.lines[2].spread("accuracy") == pytest.approx(0.02 / 2**0.5)
    assert found.findings[0].difference == -0.01
    assert found.notes == ("plain, repeat 2: some of its runs are missing",)


def test_one_repeat_has_no_spread() -> None:
    record = a_comparison()
    single = {key: v[:1] if isinstance(v, list) else v for key, v in record["lines"][0].items()}
    found = ComparisonRecord.from_json(json.dumps({**record, "lines": [single]}))
    assert found.lines[0].spread("nll") is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", "comitia-ensemble-1", "not a comparison that comitia reproduce --compare wrote"),
        ("lines", [], "no lines"),
        ("lines.0.ensemble", "other", "a line of the ensemble other, which is not described"),
        ("lines.0.repeats", [1], "the scores of last, uniform are not one a repeat"),
        ("lines.0.nll", [0.1], "the scores of last, uniform are not one a repeat"),
        ("settings", {"budget": 3}, "KeyError 'repeats'"),
        ("ensembles", {"../up": {}}, "must be letters, digits, dashes and dots"),
        ("ensembles.chain.recipe", None, "damaged comparison"),
    ],
)
def test_damage_is_one_line(path: str, value: Any, message: str) -> None:
    record: Any = a_comparison()
    inner, words = record, path.split(".")
    for word in words[:-1]:
        inner = inner[int(word) if word.isdigit() else word]
    inner[words[-1]] = value
    with pytest.raises(InputError, match="^here: ") as raised:
        ComparisonRecord.from_json(json.dumps(record), source="here")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
