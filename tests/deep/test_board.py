"""TensorBoard files hold the numbers of the events."""

from pathlib import Path

import pytest

pytest.importorskip("tensorboard")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_scalars(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from comitia.deep.board import Board

    board = Board(tmp_path)
    numbers = {"loss": 0.5, "accuracy": 0.75, "select_accuracy": None, "seconds": 2.0}
    board.listen({"event": "begin"})
    board.listen({"event": "epoch", "run": 3, "epoch": 2, **numbers})
    board.listen({"event": "member", "run": 3, "step": 2, "accuracy": 0.7})
    layer = {"name": "dense.weight", "size": 8, "kinetic": None, "configurational": 0.25}
    board.listen({"event": "temperatures", "run": 3, "epoch": 2, "expected": 0.5, "layers": [layer]})
    board.listen({"event": "end"})
    found = EventAccumulator(str(tmp_path / "run-0003"))
    found.Reload()
    assert sorted(found.Tags()["scalars"]) == [
        "accuracy",
        "configurational_temperature/dense.weight",
        "holdout_accuracy",
        "loss",
        "seconds",
    ]
    (ratio,) = found.Scalars("configurational_temperature/dense.weight")
    assert (ratio.step, ratio.value) == (2, 0.5)
    (loss,) = found.Scalars("loss")
    assert (loss.step, loss.value) == (2, 0.5)
