"""The weighted ensemble of networks against its members' predictions files and the command line's votes."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from quorate import Predictions, weigh
from quorate.data import divide
from quorate.deep import WeightedEnsemble
from quorate.deep.assembling import assemble
from quorate.deep.directory import Directory
from quorate.deep.loop import Task, train_run
from quorate.deep.networks import settle
from quorate.deep.recollecting import collect_again, collect_new
from quorate.deep.strategies import plans
from quorate.errors import InputError
from quorate.votes import average, majority
from small_training import dataset, small_recipe

RECIPE = small_recipe(epochs=4)
DATA = dataset(mean=True)
PARTS = divide(90, holdout=30, seed=0)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Directory:
    settle(1)
    places = Directory(tmp_path_factory.mktemp("trained"))
    for plan in plans(RECIPE):
        train_run(Task.of(RECIPE, plan, places, DATA, PARTS, torch.device("cpu")), lambda event: None)
    places.recipe.write_text(RECIPE.to_toml())
    assemble(places, RECIPE, DATA, PARTS)
    return places


def arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_it_votes_as_its_members_do(directory: Directory, vote: str) -> None:
    weighed = weigh(Predictions.from_arrays(**arrays(directory.predictions("holdout"))), vote=vote)
    ensemble = WeightedEnsemble.load(directory.root, weighed, device="cpu")
    assert len(ensemble.networks) == np.count_nonzero(weighed.weights)
    test = arrays(directory.predictions("test"))
    if vote == "majority":
        expected = majority(test["probs"].argmax(axis=2), weighed.weights, 3)
    else:
        expected = average(test["probs"], weighed.weights)
    assert ensemble.predict(DATA.test_x).tolist() == expected.tolist()
    shares = ensemble.predict_proba(DATA.test_x)
    assert np.allclose(shares.sum(axis=1), 1)
    loader = DataLoader(
        TensorDataset(torch.from_numpy(DATA.test_x), torch.from_numpy(DATA.test_y)), batch_size=7
    )
    assert np.allclose(ensemble.predict_proba(loader), shares, atol=1e-6)
    assert np.allclose(ensemble(torch.from_numpy(DATA.test_x)).numpy(), shares, atol=1e-6)


def test_collecting_again_makes_the_same_files(directory: Directory) -> None:
    before = {part: directory.predictions(part).read_bytes() for part in ("holdout", "test")}
    directory.predictions("test").unlink()
    written = collect_again(directory, RECIPE, DATA, PARTS, lambda event: None, device="cpu")
    assert {part: path.read_bytes() for part, path in written.items()} == before


def test_collecting_new_samples(directory: Directory, tmp_path: Path) -> None:
    count = collect_new(directory, RECIPE, DATA.test_x[:9], None, tmp_path / "new.npz", device="cpu")
    new, test = arrays(tmp_path / "new.npz"), arrays(directory.predictions("test"))
    assert count == 8
    assert "labels" not in new
    assert np.allclose(new["probs"], test["probs"][:, :9], atol=1e-6)
    assert new["names"].tolist() == test["names"].tolist()


def test_a_missing_state_is_told(directory: Directory, tmp_path: Path) -> None:
    weighed = weigh(Predictions.from_arrays(**arrays(directory.predictions("holdout"))), method="uniform")
    with pytest.raises(InputError, match="holds no training"):
        WeightedEnsemble.load(tmp_path, weighed)
    (tmp_path / "recipe.toml").write_text(RECIPE.to_toml())
    with pytest.raises(InputError, match=r"step-0001.safetensors: no such state"):
        WeightedEnsemble.load(tmp_path, weighed)
    with pytest.raises(InputError, match="no run is finished"):
        collect_new(Directory(tmp_path), RECIPE, DATA.test_x, None, tmp_path / "new.npz")


def test_predictions_file_holds_what_members_are(directory: Directory) -> None:
    holdout = arrays(directory.predictions("holdout"))
    assert holdout["probs"].shape == (8, 30, 3)
    assert holdout["probs"].dtype == np.float32
    assert holdout["labels"].tolist() == DATA.train_y[PARTS.holdout].tolist()
    assert holdout["names"].tolist() == [f"run {run}, step {step}" for run in (1, 2) for step in (1, 2, 3, 4)]
