"""Learning curves: what the logs told, kept as CSV, drawn once an epoch."""

import json
from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.pages.draw_matplotlib import drawn
from comitia.pages.learning import (
    Epoch,
    cut_short,
    learning_csv,
    learning_figure,
    logged_epochs,
    read_learning,
)

EPOCHS = (
    Epoch(1, 1, 2.0, 0.2, 9.0),
    Epoch(1, 2, 1.0, 0.6, 8.0),
    Epoch(2, 1, 3.0, 0.1, 9.5),
    Epoch(2, 2, 0.5, 0.7, 8.5),
    Epoch(3, 1, 2.5, 0.3, 7.0),
)


def test_the_later_of_two_trainings_of_an_epoch_counts(tmp_path: Path) -> None:
    events = [
        {"event": "epoch", "run": 4, "epoch": 1, "loss": 9.0, "accuracy": 0.1, "seconds": 1.0},
        {"event": "lost", "run": 4},
        {"event": "epoch", "run": 4, "epoch": 1, "loss": 2.0, "accuracy": 0.5, "seconds": 3.0},
    ]
    log = tmp_path / "runs" / "run-0004" / "log.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(json.dumps(event) + "\n" for event in events))
    assert logged_epochs(tmp_path) == (Epoch(4, 1, 2.0, 0.5, 3.0),)


def test_csv_and_back() -> None:
    assert read_learning(learning_csv(EPOCHS), source="x") == EPOCHS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must begin with run,epoch"),
        ("run,epoch\n1,2\n", "must begin with run,epoch"),
        ("run,epoch,loss,accuracy,seconds\n1,2,x,0.5,1\n", "damaged line '1,2,x,0.5,1'"),
        ("run,epoch,loss,accuracy,seconds\n1,2,0.5\n", "damaged line"),
        ("run,epoch,loss,accuracy,seconds\n1,2,nan,0.5,1\n", "run 1, epoch 2: a number is not finite"),
    ],
)
def test_damaged_files_are_told(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_learning(text, source="learning.csv")


def test_median_lowest_and_highest_run_of_each_epoch() -> None:
    figure = learning_figure(EPOCHS)
    assert figure is not None
    loss, accuracy = figure.panels
    assert [series.y for series in loss.series] == [(2.5, 0.75), (2.0, 0.5), (3.0, 1.0)]
    assert [series.y for series in accuracy.series] == [
        (0.2, pytest.approx(0.65)),
        (0.1, 0.6),
        (0.3, 0.7),
    ]
    assert figure.table.rows[1][:5] == (2, 2, 0.75, 0.5, 1.0)
    assert "from 2.5 to 0.75" in figure.alt
    assert drawn(figure, ("svg",))["svg"].startswith(b"<?xml")


def test_one_run_is_one_line_and_no_epochs_no_figure() -> None:
    figure = learning_figure(EPOCHS[:2])
    assert figure is not None
    assert [series.name for series in figure.panels[0].series] == ["the run"]
    assert learning_figure([]) is None


SELECTED = tuple(
    Epoch(run, epoch, 1.0, 0.5, 9.0, value)
    for run, curve in enumerate(([0.5, 0.8, 0.7, 0.7, 0.7, 0.9], [0.8, 0.7, 0.6, 0.5, 0.5, 0.5]), 1)
    for epoch, value in enumerate(curve, 1)
)


def test_accuracies_on_select_are_kept_and_drawn() -> None:
    text = learning_csv(SELECTED)
    assert text.splitlines()[0] == "run,epoch,loss,accuracy,seconds,select_accuracy"
    assert read_learning(text, source="x") == SELECTED
    figure = learning_figure(SELECTED)
    assert figure is not None
    assert [panel.y_title for panel in figure.panels] == [
        "training loss", "training accuracy", "accuracy on select"
    ]  # fmt: skip
    assert "select" not in learning_csv(EPOCHS)


@pytest.mark.parametrize(("patience", "changed"), [(1, 1), (3, 1), (4, 0), (5, 0)])
def test_patience_is_too_short_where_a_later_epoch_would_have_won(patience: int, changed: int) -> None:
    assert cut_short(SELECTED, patience) == (changed, 2)


def test_runs_that_patience_would_not_have_shortened_are_not_counted() -> None:
    assert cut_short(SELECTED, 6) == (0, 0)
    assert cut_short(EPOCHS, 1) == (0, 0)
