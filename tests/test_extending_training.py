"""One strategy, data set, model, schedule and augmentation from outside the package, trained end to end.

The module and the recipe are those that docs/extending.md shows.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comitia import Predictions, weigh
from comitia._errors import InputError
from comitia.cli.main import main
from comitia.deep import WeightedEnsemble
from comitia.engines.collection import collect
from comitia.engines.training import train
from comitia.files import read_predictions
from comitia.recipes import read_recipe, recipe_from_dict
from page_examples import page_blocks
from small_training import contents

MODULE = "\n".join(page_blocks("extending.md", "python", "The parts of a training"))
RECIPE = page_blocks("extending.md", "toml")[0]
ENSEMBLE = weigh(Predictions.from_arrays(votes=[[0, 1] * 9] * 2, labels=[0, 1] * 9, run=[1, 2], step=[1, 1]))


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
    outcome = train("mine.toml", "out", allow_code=True, workers=1, device="cpu")
    assert (outcome.runs, outcome.members, outcome.complete) == (1, 2, True)
    before = contents(folder / "out")

    events: list[Any] = []
    grown = train(
        "mine.toml", "out", allow_code=True, members=2, workers=1, device="cpu", listen=events.append
    )
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
    assert recipe_from_dict(recipe.to_dict(), allow_code=True) == recipe
    assert [rate(recipe.training, epoch) for epoch in range(5)] == pytest.approx(
        [0.0125, 0.025, 0.0375, 0.05, 0.025]
    )


WRONG = [
    ("training.strategy", "def f(): return 3", "strategy: 'wrong_part:f' must return a Strategy, got int"),
    (
        "training.strategy",
        "from parts_of_mine import *\ndef f(): return Strategy(name='f', plan=lambda r, i: "
        "Plan(run=i, training=r.training, saves=(9,)))",
        "must save increasing epochs from 1 to 5 in run 1, got \\(9,\\)",
    ),
    (
        "training.strategy",
        "from parts_of_mine import *\ndef f(): return Strategy(name='f', plan=lambda r, i: "
        "Plan(run=i, training=r.training, saves=(5,), bootstrap=True))",
        "must have out_of_bag = True, as its plans .*, got False and bootstrap = True in run 1",
    ),
    (
        "training.strategy",
        "from parts_of_mine import *\ndef f(): return Strategy(name='f', plan=lambda r, i: "
        "Plan(run=i, training=r.training, saves=(2, 5), collects=(3, 4)))",
        "must collect increasing epochs up to 5, the first no later than its first save, .* in run 1, got \\(3, 4\\)",
    ),
    (
        "training.strategy",
        "from parts_of_mine import *\ndef f(): return Strategy(name='f', plan=lambda r, i: "
        "Plan(run=i, training=r.training, saves=(5,), draws=2))",
        "must collect increasing epochs up to 5, .* in run 1, got \\(\\)",
    ),
    (
        "training.strategy",
        "from parts_of_mine import *\ndef f(): return Strategy(name='f', plan=lambda r, i: "
        "Plan(run=i, training=r.training, saves=(5,), collects=(5,), draws=2))",
        "sampler.samples: must be 1 where one epoch is averaged .*, got 2",
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
        train("mine.toml", "out", overrides=changes, device="cpu", allow_code=True)
    assert "\n" not in str(caught.value)
    assert not (folder / "out").exists()


def test_code_that_a_file_names_runs_only_if_allowed(folder: Path) -> None:
    """The module writes when it is imported: a refusal must come before that."""
    (folder / "parts_of_mine.py").write_text("open('ran', 'w').close()\n" + MODULE)
    refusal = r"recipe key \S+: 'parts_of_mine:\w+' is code, run only if allow_code says so"
    with pytest.raises(InputError, match=refusal):
        train("mine.toml", "out", device="cpu")
    with pytest.raises(InputError, match=refusal):
        train("mine.toml", "out", overrides=["training.lr=0.1", "training.augment=other:f"], device="cpu")
    (folder / "found").mkdir()
    (folder / "found" / "recipe.toml").write_text('name = "mine"\n' + RECIPE)
    with pytest.raises(InputError, match=refusal):
        collect("found")
    with pytest.raises(InputError, match=refusal):
        WeightedEnsemble.load("found", ENSEMBLE)
    assert not (folder / "ran").exists()
    assert read_recipe("mine.toml", ["model.name=parts_of_mine:dense"]).model.name == "parts_of_mine:dense"
    assert (folder / "ran").exists()


def test_the_command_line_asks_for_a_flag(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["train", "mine.toml", "--out", "out"], ["reproduce", "mine.toml", "--out", "out"]):
        with pytest.raises(SystemExit) as stopped:
            main(words)
        assert stopped.value.code == 2
        assert "run only if --allow-code says so" in capsys.readouterr().err
    assert not (folder / "out").exists()
