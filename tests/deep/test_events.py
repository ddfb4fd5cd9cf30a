"""Events: the same lines as ever, and back."""

import json
from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.deep import events

LINES = [
    (events.Started(2, 41), '{"event": "started", "run": 2, "process": 41}'),
    (
        events.Epoch(run=1, epoch=2, epochs=5, loss=0.5, accuracy=0.75, select_accuracy=None, seconds=1.5),
        '{"event": "epoch", "run": 1, "epoch": 2, "epochs": 5, "loss": 0.5, "accuracy": 0.75, '
        '"select_accuracy": null, "seconds": 1.5}',
    ),
    (
        events.Temperatures(1, 3, 0.5, (events.LayerReading("dense", 8, None, 0.25, None),)),
        '{"event": "temperatures", "run": 1, "epoch": 3, "expected": 0.5, "layers": [{"name": "dense", "size": 8, '
        '"kinetic": null, "configurational": 0.25, "configurational_error": null}]}',
    ),
    (events.Member(1, 3, 0.9), '{"event": "member", "run": 1, "step": 3, "accuracy": 0.9}'),
    (events.Lost(1, "x"), '{"event": "lost", "run": 1, "message": "x"}'),
    (events.Crashed(None, "x"), '{"event": "crashed", "run": null, "message": "x"}'),
    (events.Failed(3, "x"), '{"event": "failed", "run": 3, "message": "x"}'),
    (events.Stopped(1, 4, "x"), '{"event": "stopped", "run": 1, "epoch": 4, "message": "x"}'),
    (events.Warned(1, 4, "x"), '{"event": "warning", "run": 1, "epoch": 4, "message": "x"}'),
    (events.Done(1, None, 5), '{"event": "done", "run": 1, "stopped": null, "members": 5}'),
    (events.Ready(), '{"event": "ready"}'),
    (events.Free(7), '{"event": "free", "run": 7}'),
]


@pytest.mark.parametrize(("event", "line"), LINES, ids=[event.kind for event, _ in LINES])
def test_lines_and_back(event: events.Event, line: str) -> None:
    assert events.event_line(event) == line + "\n"
    assert events.parse_event(line) == event
    assert events.parse_event(line[:-1] + ', "time": 1.5}') == event


def test_other_kinds_are_none() -> None:
    assert events.parse_event('{"event": "a kind of a later version", "x": 1}') is None
    assert events.parse_event('{"event": 3}') is None
    assert events.parse_event(LINES[0][1], kinds=(events.Epoch,)) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"event": "do', "log: not readable as JSON"),
        ("[1]", "log: must be a table of keys with the key event"),
        (
            '{"event": "done", "run": "x", "stopped": null, "members": 1}',
            "log: run: must be a whole number, got 'x'",
        ),
        ('{"event": "member", "run": 1, "step": 2}', "log: accuracy: missing"),
        (LINES[2][1].replace("0.5,", "0,"), "log: temperatures need a T above 0 and a layer"),
    ],
)
def test_damage_names_its_place(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        events.parse_event(line)
    assert str(caught.value).startswith(message)


def test_a_log_that_was_torn(tmp_path: Path) -> None:
    log = tmp_path / "run-0001" / "log.jsonl"
    for event in (events.Started(1, 5), events.Member(1, 2, 0.5)):
        events.append_event(log, event)
    assert [json.loads(line)["time"] > 0 for line in log.read_text().splitlines()] == [True, True]
    with log.open("a") as file:
        file.write('{"event": "mem\n' + LINES[9][1] + "\n")
    found = list(events.logged_events(log, events.Member, events.Done))
    assert found == [events.Member(1, 2, 0.5), events.Done(1, None, 5)]
