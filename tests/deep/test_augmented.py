"""Means over augmented copies against one image at a time, by another way of drawing and shifting."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from comitia import Predictions, collect, predict, weigh
from comitia._errors import InputError
from comitia.deep import WeightedEnsemble
from comitia.deep import prediction as prediction_module
from comitia.deep.augmented import Augmented
from comitia.deep.directory import Directory
from comitia.deep.loop import train_run
from comitia.deep.members import assemble
from comitia.deep.networks import load_network, settle
from comitia.deep.prediction import collect_augmented, collect_new
from comitia.deep.seeds import PURPOSES
from comitia.deep.task import Task
from comitia.recipes import Recipe, plans, recipe_from_dict
from small_training import bayes_recipe, contents, dataset, small_recipe

SEED, COPIES = 3, 5
DATA = dataset(mean=True)
RECIPE = recipe_from_dict({**small_recipe(epochs=2).to_dict(), "seed": SEED})
LOOKS = Augmented.of("flip-shift", COPIES, seed=SEED)


def trained(root: Path, recipe: Recipe) -> Directory:
    settle(1)
    places = Directory(root)
    for plan in plans(recipe):
        train_run(Task.of(recipe, plan, places, DATA, torch.device("cpu")), lambda event: None)
    places.recipe.write_text(recipe.to_toml())
    assemble(places, recipe, DATA)
    return places


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Directory:
    return trained(tmp_path_factory.mktemp("trained"), RECIPE)


def collected(places: Directory, recipe: Recipe, augmented: Augmented = LOOKS) -> dict[str, Path]:
    return collect_augmented(places, recipe, DATA, lambda event: None, augmented=augmented, device="cpu")


def arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


def slow_looks(image: np.ndarray) -> list[np.ndarray]:
    """The plain image, then each copy cut out of the image with a border of 4 repeated pixels, perhaps mirrored."""
    name = int(sha256(image.tobytes()).hexdigest()[:16], 16)
    sequence = np.random.SeedSequence([SEED, name, 0, PURPOSES.index("copies")])
    random = np.random.Generator(np.random.PCG64(sequence))
    down, right = random.integers(-4, 5, size=(2, COPIES - 1))
    mirrored = random.integers(0, 2, size=COPIES - 1)
    wide = np.pad(image, ((4, 4), (4, 4), (0, 0)), mode="edge")
    found = [image]
    for y, x, flip in zip(down, right, mirrored):
        cut = wide[4 + y : 16 + y, 4 + x : 16 + x]
        found.append(cut[:, ::-1] if flip else cut)
    return found


def slow_mean(network: torch.nn.Module, mean: np.ndarray, image: np.ndarray) -> np.ndarray:
    """One look after the other, softmax and mean in double precision."""
    total = np.zeros(3)
    for look in slow_looks(image):
        pixels = np.moveaxis(look / 255 - mean, 2, 0)[None].astype(np.float32)
        with torch.no_grad():
            logits = network(torch.from_numpy(np.ascontiguousarray(pixels)))[0].double().numpy()
        total += np.exp(logits) / np.exp(logits).sum()
    return total / COPIES


def test_looks_are_those_of_the_definition() -> None:
    looks = LOOKS.looks(DATA.test_x[:6])
    assert looks.dtype == np.uint8
    assert np.array_equal(looks, np.stack([look for image in DATA.test_x[:6] for look in slow_looks(image)]))
    assert len(np.unique(looks, axis=0)) > 20  # copies do differ


def test_probabilities_are_means_over_the_looks(directory: Directory) -> None:
    before = contents(directory.root)
    written = collected(directory, RECIPE)
    assert {part: path.name for part, path in written.items()} == {
        "holdout": "holdout-augmented.npz",
        "test": "test-augmented.npz",
    }
    after = contents(directory.root)
    assert before.items() <= after.items()  # plain files, rows and records are untouched
    found, plain = arrays(written["test"]), arrays(directory.predictions("test"))
    for key in ("labels", "run", "step"):
        assert found[key].tolist() == plain[key].tolist()
    for row, (run, step) in enumerate(zip(found["run"], found["step"])):
        network, inputs = load_network(RECIPE, directory.state(run, step), torch.device("cpu"))
        assert inputs.mean is not None
        mean = inputs.mean.numpy()
        expected = np.stack([slow_mean(network, mean, image) for image in DATA.test_x])
        assert np.allclose(found["probs"][row], expected, atol=1e-6)
        assert np.abs(found["probs"][row] - plain["probs"][row]).max() > 1e-3


def test_names_keep_them_apart(directory: Directory) -> None:
    written = collected(directory, RECIPE)
    names = arrays(written["holdout"])["names"]
    assert names[0] == "run 1, step 1, mean of 5 copies (flip-shift)"
    ensemble = weigh(Predictions.from_arrays(**arrays(written["holdout"])), method="uniform")
    predict(ensemble, Predictions.from_arrays(**arrays(written["test"])))
    with pytest.raises(InputError, match="members missing from the files: 'run 1, step 1, mean of 5 copies"):
        predict(ensemble, Predictions.from_arrays(**arrays(directory.predictions("test"))))


@pytest.mark.parametrize("part", ["holdout", "test"])
def test_a_weighted_ensemble_does_not_take_them(directory: Directory, part: str) -> None:
    written = collected(directory, RECIPE)
    ensemble = weigh(Predictions.from_arrays(**arrays(written[part])), method="uniform")
    message = (
        r"its members average over augmented copies \('run 1, step 1, mean of 5 copies \(flip-shift\)'\), and"
    )
    for given in (None, written[part]):
        with pytest.raises(InputError, match=message):
            WeightedEnsemble.load(directory.root, ensemble, predictions=given)


def test_copies_depend_on_the_sample_alone(
    directory: Directory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = LOOKS.looks(DATA.test_x).reshape(30, COPIES, 12, 12, 1)
    order = np.random.default_rng(0).permutation(30)
    assert np.array_equal(LOOKS.looks(DATA.test_x[order]).reshape(whole.shape), whole[order])
    for place in (0, 17, 29):
        assert np.array_equal(LOOKS.looks(DATA.test_x[place : place + 1]), whole[place])
    probs = []
    for name, numbers in (("one", 1), ("seven", 7 * 144), ("all", 2**21)):
        monkeypatch.setattr(prediction_module, "BATCH_NUMBERS", numbers)
        path = tmp_path / name
        collect_new(directory, RECIPE, DATA.test_x[order], None, path, device="cpu", augmented=LOOKS)
        probs.append(arrays(path)["probs"])
    assert np.allclose(probs[0], probs[1], atol=1e-6)
    assert np.allclose(probs[0], probs[2], atol=1e-6)
    test = arrays(collected(directory, RECIPE)["test"])
    assert np.allclose(probs[0], test["probs"][:, order], atol=1e-6)


def test_the_same_again_and_others_by_another_seed(directory: Directory) -> None:
    first = {part: path.read_bytes() for part, path in collected(directory, RECIPE).items()}
    assert {part: path.read_bytes() for part, path in collected(directory, RECIPE).items()} == first
    other = Augmented.of("flip-shift", COPIES, seed=SEED + 1)
    assert not np.array_equal(other.looks(DATA.test_x[:5]), LOOKS.looks(DATA.test_x[:5]))


def test_out_of_bag_masks_stay(tmp_path: Path) -> None:
    recipe = small_recipe(data={"holdout": 0}, strategy="bagging", epochs=1)
    places = trained(tmp_path, recipe)
    found, plain = arrays(collected(places, recipe)["holdout"]), arrays(places.predictions("holdout"))
    assert plain["mask"].shape == (2, 90)
    assert np.array_equal(found["mask"], plain["mask"])


def test_stochastic_passes_are_averaged_each_by_itself(tmp_path: Path) -> None:
    recipe = bayes_recipe("mc-dropout")
    places = trained(tmp_path, recipe)
    written = collected(places, recipe)
    found = arrays(written["test"])
    assert found["names"][2] == "run 1, pass 3, mean of 5 copies (flip-shift)"
    assert np.abs(found["probs"][0] - found["probs"][1]).max() > 1e-3
    first = written["test"].read_bytes()
    assert collected(places, recipe)["test"].read_bytes() == first


def dimmed(images: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return images // 2


def test_an_augmentation_of_ones_own() -> None:
    looks = Augmented.of(dimmed, None, seed=0).looks(DATA.test_x[:2])
    assert len(looks) == 2 * 8
    assert np.array_equal(looks[1], DATA.test_x[0] // 2)
    assert Augmented.of(dimmed, 2, seed=0).mark.endswith(":dimmed)")


def broken(images: np.ndarray, random: np.random.Generator) -> np.ndarray:
    raise ValueError("first\nsecond")


@pytest.mark.parametrize(
    ("augment", "copies", "kind", "message"),
    [
        ("none", 8, "image", "augment: 'none' is not one of flip-shift"),
        ("flipshift", 8, "image", r"augment: 'flipshift' is not one of flip-shift \(did you mean"),
        ("flip-shift", 1, "image", "copies: must be at least 2, got 1"),
        ("flip-shift", 2.5, "image", "copies: must be a whole number, got 2.5"),
        (
            "flip-shift",
            8,
            "tokens",
            "augment: is for images, and the samples of this training are tokens; leave",
        ),
        (dimmed, 8, "vector", "augment: is for images, and the samples of this training are vector"),
        (broken, 8, "image", r"broken' failed \(ValueError: first second\)"),
        (
            lambda images, random: images[:1],
            4,
            "image",
            r"must return uint8 of shape \(3, 12, 12, 1\) as it was",
        ),
        (lambda images, random: images / 2, 4, "image", "got float64 of shape"),
    ],
)
def test_what_cannot_be_augmented(
    augment: str | Callable[..., Any], copies: Any, kind: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Augmented.of(augment, copies, seed=0).check(DATA.test_x, kind)


def test_copies_require_an_augmentation(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="copies: requires augment, which says how copies are made, got 4"):
        collect(tmp_path, copies=4)
