"""A whole training with the local engine: members, resuming, growing, crashes, refusals."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.deep.directory import Directory
from comitia.deep.members import assemble
from comitia.engines import local
from comitia.engines.training import Outcome, train
from comitia.engines.worker import load_data, train_one
from comitia.files import read_predictions
from comitia.recipes import Model, Recipe
from small_training import arrays_file, contents, dataset, small_recipe

Events = list[Any]


def trained(recipe: Recipe, out: Path, workers: int = 1) -> tuple[Outcome, Events]:
    events: Events = []
    return train(recipe, out, workers=workers, device="cpu", listen=events.append), events


def crashing(tmp_path: Path, factory: str, options: dict[str, Any], runs: int = 2) -> Recipe:
    recipe = small_recipe(folder=arrays_file(tmp_path), epochs=1, runs=runs)
    return replace(recipe, model=Model(name=f"crashing_network:{factory}", options=options))


def test_train_again_and_grow(tmp_path: Path) -> None:
    recipe, out = small_recipe(folder=arrays_file(tmp_path)), tmp_path / "out"
    outcome, events = trained(recipe, out, workers=2)
    assert (outcome.runs, outcome.members, outcome.complete) == (2, 6, True)
    assert sorted({event.run for event in events if event.kind == "done"}) == [1, 2]

    test = read_predictions([outcome.predictions["test"]])
    assert (test.members, test.samples, test.classes) == (6, 30, 3)
    assert test.run.tolist() == [1, 1, 1, 2, 2, 2]
    assert test.step.tolist() == [1, 2, 3] * 2
    assert test.labels.tolist() == dataset().test_y.tolist()
    assert read_predictions([outcome.predictions["holdout"]]).samples == 30

    before = contents(out)
    (out / "runs" / "run-0001" / "resume-0002.safetensors").write_bytes(b"left by a worker killed at its end")
    again, events = trained(recipe, out)
    assert again == outcome
    assert [event.kind for event in events] == ["begin", "end"]
    assert contents(out) == before

    grown = replace(recipe, training=replace(recipe.training, runs=3))
    more, events = trained(grown, out)
    assert more.members == 9
    assert {event.run for event in events if event.kind == "epoch"} == {3}
    states = {name: content for name, content in before.items() if name.endswith(".safetensors")}
    assert states.items() <= contents(out).items()

    fewer, events = trained(recipe, out)
    assert (fewer.members, [event.kind for event in events]) == (9, ["begin", "end"])


def test_processes_and_one_process_make_the_same_bytes(tmp_path: Path) -> None:
    recipe = small_recipe(folder=arrays_file(tmp_path), epochs=2)
    trained(recipe, tmp_path / "two", workers=2)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "recipe.toml").write_text((tmp_path / "two" / "recipe.toml").read_text())
    for run in (1, 2):
        train_one(str(tmp_path / "one"), run, threads=1, device="cpu", report=lambda event: None)
    two = contents(tmp_path / "two")
    assert {name: two[name] for name in two if not name.endswith(".npz")} == contents(tmp_path / "one")


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    recipe = crashing(tmp_path, "once", {"marker": str(tmp_path / "marker")})
    outcome, events = trained(recipe, tmp_path / "out")
    assert outcome.complete
    assert outcome.members == 2
    (crash,) = [event for event in events if event.kind == "crashed"]
    assert "signal 9" in crash.message


def test_a_run_that_kills_its_workers_is_given_up(tmp_path: Path) -> None:
    outcome, _ = trained(crashing(tmp_path, "always", {"run": 1}), tmp_path / "out")
    assert list(outcome.failed) == [1]
    assert "3 times" in outcome.failed[1]
    assert outcome.members == 1


def test_an_error_in_one_run_leaves_the_others(tmp_path: Path) -> None:
    outcome, _ = trained(crashing(tmp_path, "broken", {"run": 2}, runs=3), tmp_path / "out")
    assert outcome.failed == {
        2: "the disk is full, or a limit of its use is reached (No space left on device)"
    }
    assert outcome.members == 2


def test_a_worker_that_leaves_in_peace_with_its_run_undone_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory in which nothing was trained then takes another recipe, and a `queue.py` there does no harm."""
    monkeypatch.setattr(local, "ATTEMPTS", 1)  # further ones are those of the test above
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queue.py").write_text("raise RuntimeError('not the one of the standard library')")
    out = tmp_path / "out"
    assert trained(crashing(tmp_path, "broken", {"run": 1}, runs=1), out)[0].members == 0
    outcome, _ = trained(crashing(tmp_path, "leaving", {"run": 2}), out)
    assert list(outcome.failed) == [2]
    assert "exit code 0" in outcome.failed[2]
    assert not outcome.complete
    assert outcome.members == 1


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8] + b"damaged!")


def test_damaged_rows_are_repaired_or_left_out_and_states_can_be_dropped_later(tmp_path: Path) -> None:
    recipe, out = small_recipe(folder=arrays_file(tmp_path), epochs=1), tmp_path / "out"
    trained(recipe, out)
    before = contents(out)

    damage(Directory(out).row(2, 1, "holdout"))
    written = assemble(Directory(out), recipe, load_data(recipe))
    assert read_predictions([written["test"]]).run.tolist() == [1]

    fewer = replace(recipe, training=replace(recipe.training, runs=1))
    outcome, events = trained(fewer, out)
    assert outcome.complete
    assert [event.kind for event in events if event.kind in ("lost", "epoch")] == ["lost"]
    assert contents(out) == before

    assert trained(replace(recipe, keep="predictions"), out)[0] == outcome
    assert not list(out.rglob("*.safetensors"))


def test_devices_are_checked_before_anything_is_written(tmp_path: Path) -> None:
    recipe, out = small_recipe(folder=arrays_file(tmp_path)), tmp_path / "out"
    for device, message in [
        ("gpu", "is not one of"),
        ("cuda:x", "must be auto"),
        ("cuda:99", "has no cuda:99"),
    ]:
        with pytest.raises(InputError, match=message):
            train(recipe, out, device=device)
    assert not out.exists()
    directory = Directory(out)
    directory.run(1).mkdir(parents=True)
    directory.record(1).write_text("{}")
    directory.recipe.write_text(recipe.to_toml())
    directory.settings.write_text(
        json.dumps({"fingerprint": recipe.fingerprint(), "threads": 1, "device": "mps"})
    )
    with pytest.raises(InputError, match="device: the training there was started with mps, got cpu"):
        train(recipe, out, device="cpu")


def test_bagging_masks(tmp_path: Path) -> None:
    recipe = small_recipe(
        folder=arrays_file(tmp_path), data={"holdout": 0}, strategy="bagging", epochs=1, save_every=0
    )
    outcome, _ = trained(recipe, tmp_path / "out")
    with np.load(outcome.predictions["holdout"], allow_pickle=False) as file:
        assert file["probs"].shape == (2, 90, 3)
        assert file["mask"].shape == (2, 90)
        assert 0.2 < file["mask"].mean() < 0.55


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"training": {"lr": 0.06}}, r"another recipe \(training.lr: 0.05 there, 0.06 here\)"),
        ({"training": {"epochs": 4}}, r"another recipe \(training.epochs: 3 there, 4 here\)"),
        ({"data": {"name": "nowhere"}}, "is not one of"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    recipe, out = small_recipe(folder=arrays_file(tmp_path)), tmp_path / "out"
    out.mkdir()
    Directory(out).recipe.write_text(recipe.to_toml())
    Directory(out).run(1).mkdir(parents=True)
    Directory(out).record(1).write_text("{}")
    ((table, keys),) = change.items()
    other = replace(recipe, **{table: replace(getattr(recipe, table), **keys)})
    if table == "data":
        out = tmp_path / "new"
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=message):
        trained(other, out)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    recipe = small_recipe(folder=arrays_file(tmp_path))
    with pytest.raises(InputError, match="is not empty and holds no training"):
        trained(recipe, tmp_path)
    with pytest.raises(InputError, match="must be a directory"):
        trained(recipe, tmp_path / "stripes.npz")
