"""The record of a comparison is read as it was written; what is damaged is refused in one line."""

import json
from typing import Any

import pytest

from comitia._errors import InputError
from comitia.evaluation.comparison import ComparedEnsemble, Comparison, comparison_table
from report_records import a_comparison


def test_what_was_written_is_read() -> None:
    found = Comparison.from_json(json.dumps(a_comparison()))
    assert (found.name, found.settings.budget, found.settings.repeats) == ("small", 6, 2)
    assert [(name, one.temperature, one.last_of) for name, one in found.ensembles.items()] == [
        ("last", 0.5, "chain"),
        ("chain", 0.5, None),
        ("plain", 1.0, None),
        ("dropout", None, None),  # passes have no temperature
    ]
    assert found.lines[2].mean("accuracy") == pytest.approx(0.92)
    assert found.lines[2].spread("accuracy") == pytest.approx(0.02 / 2**0.5)
    assert found.findings[0].difference == -0.01
    assert found.notes == ("plain, repeat 2: some of its runs are missing",)
    assert found.ensembles["chain"].strategy == "csghmc-ap"
    assert found.to_json() == a_comparison()


def test_averaged_weights_have_no_temperature() -> None:
    sampler = {"temperature": 1.0, "dropout": 0.0, "collect_every": 1}
    recipe = {"training": {"strategy": "mine"}, "sampler": sampler}
    assert ComparedEnsemble(None, 6, recipe).temperature is None
    assert (
        ComparedEnsemble(None, 6, {**recipe, "sampler": {**sampler, "collect_every": 0}}).temperature == 1.0
    )


def test_the_table_has_one_row_per_line() -> None:
    table = comparison_table(Comparison.from_json(json.dumps(a_comparison())))
    assert len(table.rows) == 8
    assert table.shown()[2][:8] == ["chain", "0.5", "6", "4", "uniform", "0.9200", "0.0141", "0.3000"]
    assert table.notes[1:] == ("plain, repeat 2: some of its runs are missing",)


def test_one_repeat_has_no_spread() -> None:
    record = a_comparison()
    single = {key: v[:1] if isinstance(v, list) else v for key, v in record["lines"][0].items()}
    found = Comparison.from_json(json.dumps({**record, "lines": [single]}))
    assert found.lines[0].spread("nll") is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", "comitia-ensemble-1", "not a comparison that comitia reproduce wrote"),
        ("lines", [], "it has no lines"),
        ("lines.0.ensemble", "other", "lines[0].ensemble: 'other' is not one of the ensembles"),
        ("lines.0.repeats", [1], "lines[0]: it must have one score of each kind per repeat"),
        ("lines.0.nll", [0.1], "lines[0]: it must have one score of each kind per repeat"),
        ("lines.0.nll", [0.1, "x"], "lines[0].nll[1]: must be a number, got 'x'"),
        ("lines.0.members", [4, 4.5], "lines[0].members[1]: must be a whole number, got 4.5"),
        ("settings", {"budget": 3}, "settings.repeats: missing"),
        (
            "ensembles",
            {"../up": a_comparison()["ensembles"]["chain"]},
            "must be letters, digits, dashes and dots",
        ),
        ("ensembles.chain.recipe", None, "ensembles.chain.recipe: must be a table of keys, got None"),
        ("ensembles.chain.recipe", {}, "ensembles.chain: recipe.training: missing"),
        ("ensembles.chain.recipe.sampler", {}, "ensembles.chain: recipe.sampler.temperature: missing"),
    ],
)
def test_damage_is_one_line(path: str, value: Any, message: str) -> None:
    record: Any = a_comparison()
    inner, words = record, path.split(".")
    for word in words[:-1]:
        inner = inner[int(word) if word.isdigit() else word]
    inner[words[-1]] = value
    with pytest.raises(InputError, match="^here: ") as raised:
        Comparison.from_json(json.dumps(record), source="here")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
