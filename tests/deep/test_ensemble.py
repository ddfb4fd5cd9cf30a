"""The weighted ensemble of networks against its members' predictions files and the command line's votes."""

import shutil
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim
from torch.utils.data import DataLoader, TensorDataset

from comitia import Ensemble, Predictions, weigh
from comitia._errors import InputError
from comitia._votes import average, ensemble_probabilities, majority, winners
from comitia.data import divide
from comitia.deep import WeightedEnsemble
from comitia.deep.directory import Directory
from comitia.deep.loop import Task, train_run
from comitia.deep.members import assemble
from comitia.deep.networks import settle
from comitia.deep.prediction import collect_again, collect_new
from comitia.deep.preparing import Prepare
from comitia.deep.voting import probabilities_of
from comitia.recipes import plans
from small_training import dataset, small_recipe

RECIPE = small_recipe(epochs=4)
DATA = dataset(mean=True)
PARTS = divide(90, holdout=30, seed=0)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Directory:
    settle(1)
    places = Directory(tmp_path_factory.mktemp("trained"))
    for plan in plans(RECIPE):
        train_run(Task.of(RECIPE, plan, places, DATA, torch.device("cpu")), lambda event: None)
    places.recipe.write_text(RECIPE.to_toml())
    assemble(places, RECIPE, DATA)
    return places


def arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_it_votes_as_its_members_do(directory: Directory, vote: str) -> None:
    weighed = weigh(Predictions.from_arrays(**arrays(directory.predictions("holdout"))), vote=vote)
    ensemble = WeightedEnsemble.load(directory.root, weighed, device="cpu")
    assert len(ensemble.members) == np.count_nonzero(weighed.weights)
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
    assert np.allclose(ensemble(torch.from_numpy(DATA.test_x)).numpy(force=True), shares, atol=1e-6)


def test_collecting_again_makes_the_same_files(directory: Directory) -> None:
    before = {part: directory.predictions(part).read_bytes() for part in ("holdout", "test")}
    directory.predictions("test").unlink()
    written = collect_again(directory, RECIPE, DATA, lambda event: None, device="cpu")
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


def weighed_on(path: Path, **options: object) -> Ensemble:
    return weigh(Predictions.from_arrays(**arrays(path)), method="uniform", **options)


def test_a_state_that_is_another_is_refused(directory: Directory, tmp_path: Path) -> None:
    ensemble = weighed_on(directory.predictions("holdout"))
    copy = Directory(shutil.copytree(directory.root, tmp_path / "copy"))
    copy.state(1, 2).write_bytes(copy.state(2, 2).read_bytes())
    with pytest.raises(
        InputError, match=r"step-0002.safetensors: not the state that run.json names; train again"
    ):
        WeightedEnsemble.load(copy.root, ensemble)
    copy.record(1).unlink()
    with pytest.raises(InputError, match=r"step-0001.safetensors: not the state that run.json names"):
        WeightedEnsemble.load(copy.root, ensemble)


def test_networks_of_another_training_are_refused(directory: Directory) -> None:
    """The same runs, steps, names and number of samples, but other probabilities."""
    held = arrays(directory.predictions("holdout"))
    other = Predictions.from_arrays(**{**held, "probs": held["probs"][:, ::-1]})
    ensemble = weigh(other, method="uniform")
    own = Predictions.from_arrays(**held).fingerprint()
    with pytest.raises(InputError) as error:
        WeightedEnsemble.load(directory.root, ensemble)
    assert f"weighed on 30 samples with sha256 {other.fingerprint()[:16]}" in str(error.value)
    assert f"holdout.npz holds sha256 {own[:16]}" in str(error.value)


def test_a_part_of_the_members_or_the_test_samples_may_have_been_weighed(directory: Directory) -> None:
    """A training that has grown since holds more members; both loads would fail by a warning."""
    pack = Predictions.from_arrays(**arrays(directory.predictions("holdout")))
    assert len(WeightedEnsemble.load(directory.root, weigh(pack.pick([5, 1]), method="uniform")).members) == 2
    WeightedEnsemble.load(directory.root, weighed_on(directory.predictions("test")))


def test_new_samples_may_have_been_weighed(directory: Directory, tmp_path: Path) -> None:
    new = tmp_path / "new.npz"
    collect_new(directory, RECIPE, DATA.test_x[:25], DATA.test_y[:25], new, device="cpu")
    ensemble = weighed_on(new)
    with pytest.warns(UserWarning, match="was weighed on 25 samples with sha256 .* nothing shows"):
        WeightedEnsemble.load(directory.root, ensemble)
    WeightedEnsemble.load(directory.root, ensemble, predictions=new)
    with pytest.raises(InputError, match=r"holdout.npz holds no such samples"):
        WeightedEnsemble.load(directory.root, ensemble, predictions=directory.predictions("holdout"))
    with pytest.raises(InputError, match=r"absent.npz: no such file"):
        WeightedEnsemble.load(directory.root, ensemble, predictions=tmp_path / "absent.npz")


def dropping(*, stochastic: bool = False, vote: str = "majority") -> WeightedEnsemble:
    torch.manual_seed(0)
    networks = [nn.Sequential(nn.Linear(5, 16), nn.Dropout(0.5), nn.Linear(16, 3)) for _ in range(3)]
    return WeightedEnsemble(networks, [0.5, 0.3, 0.2], vote=vote, stochastic=stochastic)


SAMPLES = torch.from_numpy(np.random.default_rng(0).normal(size=(200, 5)).astype(np.float32))


def test_the_modes_are_those_of_torch() -> None:
    ensemble = dropping(vote="average")
    assert not ensemble.training
    assert not any(part.training for part in ensemble.modules())
    certain = ensemble(SAMPLES)
    assert torch.equal(ensemble(SAMPLES), certain)
    assert ensemble.train() is ensemble
    assert not torch.equal(ensemble(SAMPLES), ensemble(SAMPLES))
    assert np.array_equal(ensemble.predict_proba(SAMPLES.numpy()), certain.numpy(force=True))
    assert ensemble.training
    assert torch.equal(nn.Sequential(ensemble).eval()(SAMPLES), certain)


def test_members_with_dropout_by_design_keep_it_awake() -> None:
    ensemble = dropping(stochastic=True, vote="average").train().eval()
    assert all(member[1].training and not member[0].training for member in ensemble.members)
    assert not torch.equal(ensemble(SAMPLES), ensemble(SAMPLES))


@pytest.mark.parametrize(
    ("images", "got"),
    [
        (DATA.test_x.astype(np.float32), "got 0 to 219"),
        (DATA.test_x.astype(np.int64), "got 0 to 219"),
        (DATA.test_x / np.float32(127.5) - 1, "got -1 to 0.717647"),
        (np.full((2, 12, 12, 1), np.nan, np.float32), "got nan to nan"),
    ],
)
def test_images_of_another_scale_are_refused(directory: Directory, images: np.ndarray, got: str) -> None:
    ensemble = WeightedEnsemble.load(directory.root, weighed_on(directory.predictions("holdout")))
    with pytest.raises(InputError, match=f"samples: images that are not uint8 must lie in 0 to 1.*{got}"):
        ensemble.predict(images)
    with pytest.raises(InputError, match="samples: images that are not uint8"):
        ensemble(torch.from_numpy(images))


def test_images_on_the_scale_of_the_training_are_as_good_as_bytes(directory: Directory) -> None:
    ensemble = WeightedEnsemble.load(directory.root, weighed_on(directory.predictions("holdout")))
    scaled = DATA.test_x.astype(np.float32) / 255
    assert np.allclose(ensemble.predict_proba(scaled), ensemble.predict_proba(DATA.test_x), atol=1e-6)


def test_images_of_any_scale_where_the_training_was_of_floats() -> None:
    class Mean(nn.Module):
        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            return batch.flatten(1)[:, :3]

    how, images = Prepare("image"), np.full((2, 2, 2, 1), 200, np.float32)
    assert WeightedEnsemble([Mean()], [1.0], prepare=how).predict(images).tolist() == [0, 0]
    with pytest.raises(InputError, match="got 200 to 200"):
        WeightedEnsemble([Mean()], [1.0], prepare=how, trained_on_bytes=True).predict(images)


def test_predictions_file_holds_what_members_are(directory: Directory) -> None:
    holdout = arrays(directory.predictions("holdout"))
    assert holdout["probs"].shape == (8, 30, 3)
    assert holdout["probs"].dtype == np.float32
    assert holdout["labels"].tolist() == DATA.train_y[PARTS.holdout].tolist()
    assert holdout["names"].tolist() == [f"run {run}, step {step}" for run in (1, 2) for step in (1, 2, 3, 4)]


def numbers(*, vote: str, classes: int) -> tuple[WeightedEnsemble, np.ndarray]:
    """Members of different kinds, and their probabilities (M, n, C) by plain loops."""
    torch.manual_seed(1)
    members = [nn.Linear(5, classes), nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, classes))]
    ensemble = WeightedEnsemble(members, [0.6, 0.4], vote=vote)
    with torch.inference_mode():
        probs = np.stack([torch.softmax(member(SAMPLES), dim=1).numpy() for member in members])
    return ensemble, probs


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("vote", ["majority", "average"])
def test_it_votes_as_the_predictions_file_of_its_members(vote: str, classes: int) -> None:
    ensemble, probs = numbers(vote=vote, classes=classes)
    stored = probs[..., 1] if classes == 2 else probs
    expected = ensemble_probabilities(Predictions.from_arrays(probs=stored), [0.6, 0.4], vote)
    assert np.allclose(ensemble(SAMPLES).numpy(force=True), expected, rtol=0, atol=1e-15)
    assert ensemble.classes(SAMPLES).tolist() == winners(expected).tolist()


def test_a_tie_goes_to_the_lowest_class_and_a_half_to_the_first_of_two() -> None:
    class Given(nn.Module):
        def __init__(self, row: list[float]) -> None:
            super().__init__()
            self.row = torch.tensor(row)

        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            return self.row.expand(len(batch), -1)

    batch = torch.zeros(2, 1)
    three = [Given([0.0, 0.0, 1.0]), Given([0.0, 1.0, 0.0])]
    pair = WeightedEnsemble(three, [0.5, 0.5], vote="majority", outputs="probabilities")
    assert pair.classes(batch).tolist() == [1, 1]
    half = WeightedEnsemble([Given([0.5])], [1.0], vote="majority", outputs="probabilities")
    assert half(batch).tolist() == [[1.0, 0.0]] * 2


def test_the_state_holds_the_weights_and_they_stay_wide() -> None:
    ensemble, _ = numbers(vote="average", classes=3)
    other, _ = numbers(vote="average", classes=3)
    other.weights.copy_(torch.tensor([0.1, 0.9]))
    other.load_state_dict(ensemble.state_dict())
    assert other.weights.tolist() == [0.6, 0.4]
    assert ensemble.to(torch.bfloat16).weights.dtype == torch.float64
    assert ensemble.members[0].weight.dtype == torch.bfloat16
    assert ensemble.weights.tolist() == [0.6, 0.4]


def test_gradients_reach_every_member() -> None:
    ensemble, _ = numbers(vote="average", classes=3)
    ensemble(SAMPLES)[:, 0].sum().backward()
    assert all(parameter.grad is not None for parameter in ensemble.parameters())


class Text(nn.Module):
    """A network with two inputs per sample, whose output has the logits as an attribute."""

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> SimpleNamespace:
        total = (ids * mask).sum(dim=1, keepdim=True).float()
        return SimpleNamespace(logits=torch.cat([total, 1 - total], dim=1))


def test_several_inputs_by_place_and_by_name() -> None:
    ids, mask = torch.tensor([[3, 4], [0, 9]]), torch.tensor([[1, 0], [1, 0]])
    ensemble = WeightedEnsemble([Text()], [1.0])
    wanted = torch.softmax(torch.tensor([[3.0, -2.0], [0.0, 1.0]]), dim=1)
    assert torch.allclose(ensemble(ids, mask).float(), wanted)
    assert torch.allclose(ensemble(ids=ids, mask=mask).float(), wanted)
    loaders = ([((ids, mask), torch.zeros(2))], [{"ids": ids, "mask": mask, "labels": torch.zeros(2)}])
    for loader in loaders:
        assert np.allclose(ensemble.predict_proba(loader), wanted)


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_graphs_give_the_same_at_any_batch_size(vote: str) -> None:
    """Compiled as one graph, exported and traced; the preprocessing is in the graph."""
    torch.manual_seed(2)
    networks = [nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(64, 3)) for _ in range(2)]
    how = [Prepare("image", torch.rand(6, 6, 3)) for _ in networks]
    ensemble = WeightedEnsemble(networks, [0.7, 0.3], vote=vote, prepare=how, trained_on_bytes=True)
    images = {n: torch.randint(0, 256, (n, 6, 6, 3), dtype=torch.uint8) for n in (1, 7, 256)}
    exported = torch.export.export(ensemble, (images[7],), dynamic_shapes={"samples": ({0: Dim("batch")},)})
    compiled = torch.compile(ensemble, fullgraph=True, dynamic=True, backend="eager")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch is on its way from tracing to exporting
        traced = torch.jit.trace(ensemble, (images[7],))
    for batch in images.values():
        wanted = ensemble(batch)
        for graph in (exported.module(), compiled, traced):
            assert torch.allclose(graph(batch), wanted, rtol=0, atol=1e-6)
            assert torch.equal(graph(batch).argmax(dim=1), ensemble.classes(batch))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": [0.5, 0.4]}, "weights"),
        ({"weights": [1.0]}, "weights"),
        ({"vote": "soft"}, "vote: 'soft' is not one of"),
        ({"outputs": "scores"}, "outputs: 'scores' is not one of"),
        ({"prepare": [Prepare("vector")] * 3}, "prepare: must be one module, or one per member"),
    ],
)
def test_what_does_not_fit_is_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        WeightedEnsemble(**{"members": [nn.Linear(2, 2)] * 2, "weights": [0.5, 0.5], **options})


@pytest.mark.parametrize(("output", "got"), [("text", "got str"), (torch.zeros(2, 3, 4), "3 dimensions")])
def test_members_that_return_something_else(output: object, got: str) -> None:
    with pytest.raises(InputError, match=f"members: must return .*{got}"):
        probabilities_of(output)
