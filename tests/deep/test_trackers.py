"""Trackers hold the numbers of the events, and none of them can stop a training."""

from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from comitia import InputError
from comitia.deep import trackers
from comitia.deep.events import Begin, End, Epoch, Event, LayerReading, Member, Temperatures, Untracked
from comitia.deep.trackers import tracking

EVENTS: list[Event] = [
    Begin("demo", "out", {3: 2, 4: 2}, {}, (3, 4), 1),
    Epoch(run=3, epoch=1, epochs=2, loss=0.9, accuracy=0.5, select_accuracy=None, seconds=1.0),
    Epoch(run=4, epoch=1, epochs=2, loss=0.8, accuracy=0.6, select_accuracy=None, seconds=1.0),
    Epoch(run=3, epoch=2, epochs=2, loss=0.5, accuracy=0.75, select_accuracy=None, seconds=2.0),
    Member(3, 2, 0.7),
    Member(3, 3, None),
    Temperatures(3, 2, 0.5, (LayerReading("dense.weight", 8, None, 0.25),)),
    End(1, True),
]
NAMES = ["accuracy", "configurational_temperature/dense.weight", "holdout_accuracy", "loss", "seconds"]


def send(name: str, out: Path, events: list[Event] = EVENTS) -> None:
    told: list[Event] = []
    with tracking([name], out, told.append) as listen:
        for event in events:
            listen(event)
    assert told == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    send("tensorboard", tmp_path)
    found = EventAccumulator(str(tmp_path / "tensorboard" / "run-0003"))
    found.Reload()
    assert sorted(found.Tags()["scalars"]) == NAMES
    (ratio,) = found.Scalars("configurational_temperature/dense.weight")
    assert (ratio.step, ratio.value) == (2, 0.5)
    assert [(loss.step, round(loss.value, 6)) for loss in found.Scalars("loss")] == [(1, 0.9), (2, 0.5)]


@pytest.mark.filterwarnings("ignore")
def test_mlflow_and_a_resumed_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mlflow")
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    from mlflow.tracking import MlflowClient

    send("mlflow", tmp_path, EVENTS[:3])
    send("mlflow", tmp_path, [EVENTS[0], *EVENTS[3:]])
    client = MlflowClient(tracking_uri=(tmp_path / "mlflow").as_uri())
    experiment = client.get_experiment_by_name(str(tmp_path))
    runs = {run.info.run_name: run for run in client.search_runs([experiment.experiment_id])}
    assert sorted(runs) == ["run 3", "run 4"]
    third = runs["run 3"]
    assert sorted(third.data.metrics) == NAMES
    assert third.data.metrics["configurational_temperature/dense.weight"] == 0.5
    history = client.get_metric_history(third.info.run_id, "loss")
    assert sorted((metric.step, metric.value) for metric in history) == [(1, 0.9), (2, 0.5)]
    assert third.info.status == "FINISHED"


def wandb_records(path: Path) -> list[Any]:
    """The run and its rows in a file of an offline run: a log of LevelDB's form after seven bytes of header."""
    from wandb.proto.wandb_internal_pb2 import Record

    content, place, found = path.read_bytes(), 7, []
    while place + 7 <= len(content):
        length, kind = int.from_bytes(content[place + 4 : place + 6], "little"), content[place + 6]
        assert kind == 1, "a record of several pieces"
        record = Record()
        record.ParseFromString(content[place + 7 : place + 7 + length])
        if record.WhichOneof("record_type") in ("run", "history"):
            found.append(record)
        place += 7 + length
    return sorted(found, key=lambda record: record.WhichOneof("record_type") == "history")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.timeout(120)
def test_wandb_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.delenv("WANDB_MODE", raising=False)
    send("wandb", tmp_path)
    files = sorted(tmp_path.glob("wandb/offline-run-*/run-*.wandb"))
    assert len(files) == 2
    runs = {run.run.display_name: rows for run, *rows in map(wandb_records, files)}
    told = [
        {"/".join(item.nested_key) or item.key: item.value_json for item in row.history.item}
        for row in runs["run 3"]
    ]
    losses = [(row["epoch"], float(row["loss"])) for row in told if "loss" in row]
    assert losses == [("1", 0.9), ("2", 0.5)]
    assert sorted({name for row in told for name in row if name in NAMES}) == NAMES
    assert len(runs["run 4"]) == 3


def test_a_tracker_of_ones_own_and_one_that_fails() -> None:
    seen: list[Event] = []
    told: list[Event] = []

    def failing(event: Event) -> None:
        raise OSError("disk\nfull")

    with tracking([failing, seen.append], Path("out"), told.append) as listen:
        for event in EVENTS:
            listen(event)
    assert seen == EVENTS
    (line,) = told
    assert isinstance(line, Untracked)
    assert "failed (OSError: disk full); the training goes on without it" in line.message


@pytest.mark.parametrize("moment", ["opening", "closing"])
def test_a_tracker_that_cannot_be_opened_or_closed(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def awkward(out: Path) -> Any:
        if moment == "opening":
            raise OSError("no server")
        yield lambda event: None
        raise OSError("no server")

    monkeypatch.setattr(trackers.Row, "open", lambda self, out: awkward(out))
    told: list[Any] = []
    with tracking(["mlflow"], Path("out"), told.append) as listen:
        listen(EVENTS[0])
    (line,) = told
    assert "tracker 'mlflow' failed (OSError: no server)" in line.message


def test_names_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(InputError, match="track: 'mlfow' is not one of .*did you mean 'mlflow'"),
        tracking(["mlfow"], Path("out"), print),
    ):
        pass
    monkeypatch.setattr(trackers, "find_spec", lambda name: None)
    with (
        pytest.raises(InputError, match=r"track: 'wandb' needs wandb; pip install 'comitia\[wandb\]'"),
        tracking(["wandb"], Path("out"), print),
    ):
        pass
