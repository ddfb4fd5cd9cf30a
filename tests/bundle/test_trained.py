"""A training of the library as a bundle: its networks need no code, and images are prepared in the graph."""

from pathlib import Path

import numpy as np
import pytest
import torch

from comitia import read_predictions, weigh
from comitia.bundle import read_bundle, verify_bundle
from comitia.data import divide
from comitia.deep import WeightedEnsemble
from comitia.deep.directory import Directory
from comitia.deep.loop import Task, train_run
from comitia.deep.members import assemble
from comitia.deep.networks import settle
from comitia.recipes import plans
from small_training import dataset, small_recipe


@pytest.mark.parametrize("mean", [False, True])
def test_a_training_becomes_a_bundle(tmp_path: Path, mean: bool) -> None:
    settle(1)
    recipe, data, places = small_recipe(epochs=2), dataset(mean=mean), Directory(tmp_path / "trained")
    for plan in plans(recipe):
        train_run(Task.of(recipe, plan, places, data, torch.device("cpu")), lambda event: None)
    places.recipe.write_text(recipe.to_toml())
    assemble(places, recipe, data)
    pack = read_predictions([places.predictions("holdout")])
    module = WeightedEnsemble.load(places.root, weigh(pack, method="uniform"), device="cpu")
    kept = divide(90, holdout=30, seed=0).holdout
    module.save_pretrained(
        tmp_path / "bundle",
        example=torch.from_numpy(data.train_x[:1]),
        holdout=(data.train_x[kept], data.train_y[kept]),
        predictions=pack,
    )
    config = read_bundle(tmp_path / "bundle").config
    assert (config.prepare, config.network.name) == ("image", recipe.model.name)
    again = WeightedEnsemble.from_pretrained(
        tmp_path / "bundle", device="cpu"
    )  # no code is named, so none is needed
    assert np.array_equal(again.predict_proba(data.test_x), module.predict_proba(data.test_x))
    found = verify_bundle(tmp_path / "bundle", (data.train_x[kept], data.train_y[kept]), device="cpu")
    assert found.holds
    assert [(one.what, one.differ) for one in found.files] == [("the networks", 0)]
