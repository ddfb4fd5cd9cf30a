"""One strategy, data set, model, schedule and augmentation from a module outside the package, trained end to end."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comitia import weigh
from comitia._errors import InputError
from comitia.engines.training import train
from comitia.files import read_predictions
from comitia.recipes import read_recipe, recipe_from_dict
from small_training import contents

MODULE = '''
import numpy as np
from torch import nn

from comitia.data import Dataset
from comitia.recipes import Plan, Strategy


def last_two() -> Strategy:
    """A strategy: independent runs, the states of the last two epochs of each."""

    def plan(recipe, run):
        epochs = recipe.training.epochs
        return Plan(run=run, training=recipe.training, saves=(epochs - 1, epochs))

    return Strategy(name="last-two", plan=plan)


def blobs(folder, *, samples: int = 200) -> Dataset:
    """A data set: noisy 4 x 4 images, of class 1 if the upper half is the brighter one; half of them train."""
    random, half = np.random.default_rng(0), samples // 2
    y = random.integers(2, size=samples)
    x = random.integers(0, 160, size=(samples, 4, 4, 1)).astype(np.uint8)
    x[y == 1, :2] += 90
    x[y == 0, 2:] += 90
    return Dataset.of("blobs", (x[:half], y[:half]), (x[half:], y[half:]), classes=2, kind="image")


def dense(*, classes, input_shape, width: int = 8) -> nn.Module:
    """A model: one hidden layer."""
    inputs = int(np.prod(input_shape))
    return nn.Sequential(nn.Flatten(), nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, classes))


def warm_up(epoch, *, epochs, warm: int = 1) -> float:
    """A schedule: up from 0 in `warm` epochs, then down to 0, in multiples of training.lr."""
    return min((epoch + 1) / (warm + 1), (epochs - epoch) / (epochs - warm))


def darken(images, random):
    """An augmentation: each image dimmed at random."""
    dimmed = images * random.uniform(0.7, 1.0, size=(len(images), 1, 1, 1))
    return dimmed.astype(images.dtype)
'''
RECIPE = """
[data]
name = "parts_of_mine:blobs"
holdout = 40
options = {samples = 240}

[model]
name = "parts_of_mine:dense"
options = {width = 6}

[training]
strategy = "parts_of_mine:last_two"
augment = "parts_of_mine:darken"
runs = 1
epochs = 5
batch = 4
lr = 0.3

[training.schedule]
shape = "parts_of_mine:warm_up"
options = {warm = 2}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the module and a recipe that names its parts."""
    (tmp_path / "parts_of_mine.py").write_text(MODULE)
    (tmp_path / "mine.toml").write_text(RECIPE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "parts_of_mine", raising=False)
    return tmp_path


def test_every_part_from_outside(folder: Path) -> None:
    outcome = train("mine.toml", "out", workers=1, device="cpu")
    assert (outcome.runs, outcome.members, outcome.complete) == (1, 2, True)
    before = contents(folder / "out")

    events: list[Any] = []
    grown = train("mine.toml", "out", members=2, workers=1, device="cpu", listen=events.append)
    assert grown.members == 4
    assert {event.run for event in events if event.kind == "epoch"} == {2}
    states = {name: content for name, content in before.items() if name.endswith(".safetensors")}
    assert states.items() <= contents(folder / "out").items()

    holdout = read_predictions([grown.predictions["holdout"]])
    assert (holdout.members, holdout.samples, holdout.classes) == (4, 40, 2)
    assert holdout.step.tolist() == [4, 5, 4, 5]
    ensemble = weigh(holdout, method="tandem")
    assert ensemble.weights.sum() == pytest.approx(1)
    assert np.mean(ensemble.member_risks) < 0.2


def test_references_in_overrides_and_records(folder: Path) -> None:
    from comitia.recipes.schedules import rate

    changes = ["training.strategy=no_such_module:f"]
    with pytest.raises(InputError, match="training.strategy: cannot import"):
        read_recipe("demo", changes)
    texts = ["training.strategy=parts_of_mine:last_two", "training.schedule.shape=parts_of_mine:warm_up"]
    recipe = read_recipe("demo", [*texts, "training.schedule.options.warm=3", "training.save_every=0"])
    assert recipe_from_dict(recipe.to_dict()) == recipe
    assert [rate(recipe.training, epoch) for epoch in range(5)] == pytest.approx(
        [0.0125, 0.025, 0.0375, 0.05, 0.025]
    )


WRONG = [
    ("training.strategy", "def f(): return 3", "strategy: 'wrong_part:f' must return a Strategy, got int"),
    (
        "training.strategy",
        "from parts_of_mine import *\ndef f(): return Strategy(name='f', plan=lambda r, i: "
        "Plan(run=i, training=r.training, saves=(9,)))",
        "must save rising epochs from 1 to 5 in run 1, got \\(9,\\)",
    ),
    ("training.schedule.shape", "def f(epoch): return 1", "'wrong_part:f' failed in epoch 0 \\(TypeError"),
    ("training.schedule.shape", "def f(epoch, **more): return -1", "must be at least 0 and finite, got -1.0"),
    (
        "training.augment",
        "def f(images, random): return images[:1]",
        "must return uint8 of shape \\(4, 4, 4, 1\\)",
    ),
    (
        "training.augment",
        "def f(images): return images",
        "training.augment: 'wrong_part:f' failed: TypeError",
    ),
    ("data.name", "def f(folder, **more): return 3", "data set wrong_part:f: must return a Dataset, got int"),
    ("data.name", "def f(folder): return 3", "data set wrong_part:f: no option 'samples', it takes none"),
    ("model.name", "def f(*, width, **more): return 3", "must return a torch.nn.Module, got int"),
]


@pytest.mark.parametrize(("key", "source", "message"), WRONG, ids=[entry[2][:30] for entry in WRONG])
def test_a_part_that_breaks_its_contract(
    folder: Path, monkeypatch: pytest.MonkeyPatch, key: str, source: str, message: str
) -> None:
    (folder / "wrong_part.py").write_text(source)
    monkeypatch.delitem(sys.modules, "wrong_part", raising=False)
    changes: dict[str, Any] = {key: "wrong_part:f"}
    if key.endswith("shape"):
        changes["training.schedule.options"] = {}
    with pytest.raises(InputError, match=message) as caught:
        train("mine.toml", "out", overrides=changes, device="cpu")
    assert "\n" not in str(caught.value)
    assert not (folder / "out").exists()
