import pytest

from comitia.recipes import read_recipe


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
    assert read_recipe("eyepacs-resnet50-mc-dropout").model_options() == {"dropout": 0.1}
    assert read_recipe("cifar10-resnet20-sse").model_options() == {"depth": 20}
