"""The temperatures in a log: later readings count, other events do not, damage is one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from comitia._errors import InputError
from comitia.pages.chain_temperatures import chain_of, read_chain


def event(number: int, kinetic: float | None, **changed: Any) -> str:
    layers = [
        {"name": "w", "size": 10, "kinetic": kinetic, "configurational": 0.25, "configurational_error": None}
    ]
    told = {"event": "temperatures", "run": 1, "epoch": number, "expected": 0.5, "layers": layers}
    return json.dumps({**told, **changed})


def test_the_later_of_two_readings_counts() -> None:
    lines = [event(2, 0.3), json.dumps({"event": "epoch", "epoch": 3}), event(1, None), event(2, 0.4)]
    found = chain_of("chain", lines)
    assert found is not None
    assert [(one.epoch, one.expected) for one in found.epochs] == [(1, 0.5), (2, 0.5)]
    assert [one.layers[0].kinetic for one in found.epochs] == [None, 0.4]


def test_no_temperatures_and_no_log_are_no_chain(tmp_path: Path) -> None:
    assert chain_of("sgd", [json.dumps({"event": "epoch", "epoch": 3})]) is None
    assert read_chain(tmp_path, "absent") is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"event": "temp', "not readable as JSON"),
        ("[1]", "must be a table of keys"),
        (event(1, None, layers=[{"name": "w"}]), "layers[0].size: missing"),
        (event(1, None, layers=[]), "need a T above 0 and a layer"),
        (event(1, None, expected=0), "need a T above 0 and a layer"),
        (event(1, float("nan")), "NaN is not a number"),
        (event(1, None, epoch="<b>"), "epoch: must be a whole number, got '<b>'"),
    ],
)
def test_damage_is_one_line_that_names_the_file(tmp_path: Path, line: str, message: str) -> None:
    log = tmp_path / "chain" / "runs" / "run-0001" / "log.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(line + "\n")
    with pytest.raises(InputError) as raised:
        read_chain(tmp_path, "chain")
    assert str(raised.value).startswith(f"{log}: damaged log: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
