"""Progress: what events make people see."""

import io

import pytest
from rich.console import Console

from comitia.deep.events import (
    Begin,
    Epoch,
    Failed,
    LayerReading,
    Member,
    Started,
    Stopped,
    Temperatures,
    Warned,
)
from comitia.engines.progress import PlainView, Track, clock, draw, fold, watching

BEGIN = Begin("demo", "out", {1: 4, 2: 4, 3: 4}, {1: 4, 2: 1, 3: 0}, (2, 3), 12)


def epoch(run: int, number: int) -> Epoch:
    return Epoch(run=run, epoch=number, epochs=4, loss=0.5, accuracy=0.75, select_accuracy=None, seconds=2.0)


EVENTS = [
    BEGIN,
    Started(2, 1),
    epoch(2, 2),
    Member(2, 2, 0.8),
    epoch(2, 3),
    Stopped(3, 1, "the loss of epoch 1 is not finite"),
]
WARNING = Warned(2, 3, "epoch 3: temperatures off in 1 of 1 layers")


def folded() -> Track:
    track = Track()
    for second, event in enumerate(EVENTS):
        track = fold(track, event, float(second))
    return track


def test_time_left_follows_from_the_pace() -> None:
    track = folded()
    assert (track.done, track.epochs) == (7, 8)
    assert track.left(10.0) == pytest.approx(1 * 10 / 2)
    assert [line.state for line in track.lines.values()] == ["done", "training", "stopped"]


def test_plain_lines() -> None:
    out = io.StringIO()
    times = iter(range(100))
    view = PlainView(Console(file=out, width=200), now=lambda: float(next(times)))
    for event in EVENTS:
        view.listen(event)
    assert out.getvalue().splitlines() == [
        "demo: 2 of 3 runs to train into out",
        "run 2 epoch 2/4: loss 0.5000, accuracy 0.7500, 2.0 s; 6/12 epochs, 0:12 left",
        "run 2 epoch 3/4: loss 0.5000, accuracy 0.7500, 2.0 s; 7/12 epochs, 0:10 left",
        "run 3: the loss of epoch 1 is not finite",
    ]


def test_the_live_table() -> None:
    out = io.StringIO()
    Console(file=out, width=120).print(draw(folded(), 10.0))
    text = out.getvalue()
    assert "demo: 7/8 epochs, 0:05 left" in text
    assert "run 3: the loss of epoch 1 is not finite" in text
    rows = [line for line in text.splitlines() if "/4" in line]
    assert "training" in rows[0]
    assert "0.8000" in rows[0]


def test_a_terminal_gets_the_live_view() -> None:
    out = io.StringIO()
    with watching(Console(file=out, force_terminal=True, width=120)) as listen:
        for event in EVENTS:
            listen(event)
    assert "demo: 7/8 epochs" in out.getvalue()


def test_nothing_is_shown_of_a_training_that_never_began() -> None:
    out = io.StringIO()
    with watching(Console(file=out, force_terminal=True, width=120)):
        pass
    assert out.getvalue() == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (3599, "59:59"), (36000, "10:00:00")]
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_a_warning_is_shown_in_both_views() -> None:
    out = io.StringIO()
    view = PlainView(Console(file=out, width=200))
    for event in (BEGIN, WARNING, Temperatures(2, 3, 1.0, (LayerReading("dense", 8, None, None),))):
        view.listen(event)
    assert out.getvalue().splitlines()[1:] == ["run 2: epoch 3: temperatures off in 1 of 1 layers"]
    assert "temperatures off" in str(draw(fold(folded(), WARNING, 9.0), 9.0).caption)


def test_what_a_failure_says_is_not_read_as_markup() -> None:
    out = io.StringIO()
    failed = Failed(2, "ValueError: [/x] [red]")
    Console(file=out, width=120).print(draw(fold(folded(), failed, 9.0), 9.0))
    assert "[/x] [red]" in out.getvalue()


@pytest.mark.parametrize("width", [60, 72, 80, 120])
def test_the_table_fits_the_terminal(width: int) -> None:
    track = Track()
    for event in (
        Begin("demo", "out", dict.fromkeys(range(1, 13), 200), {}, tuple(range(1, 13)), 12),
        Started(12, 1),
    ):
        track = fold(track, event, 0.0)
    ran = Epoch(
        run=12, epoch=150, epochs=200, loss=0.1234, accuracy=0.9876, select_accuracy=None, seconds=2.0
    )
    track = fold(fold(track, ran, 1.0), Member(12, 150, 0.9123), 2.0)
    out = io.StringIO()
    Console(file=out, width=width).print(draw(track, 3.0, width))
    row = next(line for line in out.getvalue().splitlines() if "150/200" in line)
    for part in ("12", "150/200", "training", "0.1234", "0.9876", "0.9123"):
        assert part in row
    assert "…" not in out.getvalue()
