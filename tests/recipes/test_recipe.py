import json
from dataclasses import replace
from hashlib import sha256

import pytest

from comitia._errors import InputError
from comitia.recipes import read_recipe, recipe_from_dict


@pytest.mark.parametrize(
    "override",
    ["keep=predictions", "engine.cpus=4", "about=x", "name=x", "data.folder=x", "training.runs=99"],
)
def test_fingerprint_leaves_out_what_does_not_change_a_state(override: str) -> None:
    assert read_recipe("demo", [override]).fingerprint() == read_recipe("demo").fingerprint()


@pytest.mark.parametrize(
    "override",
    [
        "seed=1",
        "training.lr=0.02",
        "training.epochs=6",
        "data.holdout=999",
        "data.partial=true",
        "model.options.filters=9",
        "training.precision=bfloat16",
        "training.schedule.shape=linear",
    ],
)
def test_fingerprint_changes_with_what_changes_a_state(override: str) -> None:
    assert read_recipe("demo", [override]).fingerprint() != read_recipe("demo").fingerprint()


def test_fingerprint_with_a_sampler() -> None:
    name = "eyepacs-resnet50-mc-dropout"
    plain = read_recipe(name).fingerprint()
    assert len(plain) == 64
    assert read_recipe(name, members=9).fingerprint() == plain
    assert read_recipe(name, ["sampler.dropout=0.2"]).fingerprint() != plain


def test_dropout_reaches_the_network() -> None:
    assert read_recipe("eyepacs-resnet50-mc-dropout").model_options() == {"depth": 50, "dropout": 0.1}
    assert read_recipe("cifar10-resnet20-sse").model_options() == {"depth": 20}


# A change here means that no training of an earlier version can be resumed.
FINGERPRINTS = {
    "demo": "81aa49abbcc43f19",
    "imdb-cnn_lstm-checkpoints": "8a9b8862411936de",
    "cifar10-resnet20-sse": "f9b33a472f9c4898",
    "cifar10-resnet110-epoch-budget": "e6d51d429a69366a",
    "cifar10-resnet20-csghmc-ap": "7275ceb52bf9dd85",
    "eyepacs-resnet50-mc-dropout-ensemble": "c2bdce7d241dc822",
    "cifar100-wrn28_10-csgld": "4455e656217eaf55",
    "eyepacs-resnet50-bagging": "d8ebd9497cd2d18c",
}


@pytest.mark.parametrize("name", FINGERPRINTS)
def test_fingerprints_stay_those_of_earlier_versions(name: str) -> None:
    assert read_recipe(name).fingerprint().startswith(FINGERPRINTS[name])
    assert recipe_from_dict(read_recipe(name).to_dict()).fingerprint().startswith(FINGERPRINTS[name])


def test_recipes_that_keep_samples_of_patients_apart_are_not_those_of_earlier_versions() -> None:
    for override in ("data.holdout=0.1", "data.holdout=500"):
        recipe = read_recipe("eyepacs-resnet50-simple", [override])
        content = recipe.to_dict()
        for key in ("name", "about", "engine", "keep"):
            content.pop(key, None)
        del content["training"]["runs"]
        before = sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        assert recipe.fingerprint() != before


def test_later_keys_show_only_where_they_are_set() -> None:
    plain = read_recipe("demo")
    assert "options" not in plain.to_dict()["training"]
    assert "options" not in plain.to_dict()["training"]["schedule"]
    chain = read_recipe("cifar100-wrn28_10-csgld").to_dict()["sampler"]
    assert not {"collect_every", "samples", "rank", "scale"} & chain.keys()
    changed = replace(plain, training=replace(plain.training, options={"a": 1}))
    assert changed.to_dict()["training"]["options"] == {"a": 1}
    assert changed.fingerprint() != plain.fingerprint()
    with pytest.raises(InputError, match="training.options: has no effect for 'checkpoints'"):
        recipe_from_dict(changed.to_dict())
