"""Learning curves: what the logs told, kept as CSV, drawn once an epoch."""

import json
from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.pages.draw_matplotlib import drawn
from comitia.pages.learning import Epoch, learning_csv, learning_figure, logged_epochs, read_learning

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
