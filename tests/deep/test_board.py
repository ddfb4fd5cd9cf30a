"""TensorBoard files hold the numbers of the events."""

from pathlib import Path

import pytest

pytest.importorskip("tensorboard")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_scalars(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from comitia.deep.board import Board
    from comitia.deep.events import Begin, End, Epoch, LayerReading, Member, Temperatures

    board = Board(tmp_path)
    board.listen(Begin("demo", "out", {3: 2}, {}, (3,), 1))
    board.listen(Epoch(run=3, epoch=2, epochs=2, loss=0.5, accuracy=0.75, select_accuracy=None, seconds=2.0))
    board.listen(Member(3, 2, 0.7))
    board.listen(Member(3, 3, None))
    board.listen(Temperatures(3, 2, 0.5, (LayerReading("dense.weight", 8, None, 0.25),)))
    board.listen(End(1, True))
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
