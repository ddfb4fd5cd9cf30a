"""Saving and loading: the same module again; whole or not at all; a card in which names are only text."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from comitia import Predictions, weigh
from comitia._errors import InputError
from comitia.bundle import read_bundle, verify_bundle
from comitia.deep import WeightedEnsemble
from trained_networks import Trained, make


@pytest.mark.parametrize("vote", ["average", "majority"])
def test_the_same_module_again(trained: Trained, bundles: dict[str, Path], vote: str, tmp_path: Path) -> None:
    again = WeightedEnsemble.from_pretrained(bundles[vote], make, device="cpu")
    before = trained.module(again.ensemble)
    assert torch.equal(again(trained.inputs), before(trained.inputs))
    assert not again.training
    # what was loaded can be saved again, without its ensemble or its code being named
    again.save_pretrained(tmp_path / "again")
    third = WeightedEnsemble.from_pretrained(tmp_path / "again", allow_code=True, device="cpu")
    assert torch.equal(third(trained.inputs), before(trained.inputs))
    stated = json.loads((bundles[vote] / "ensemble.json").read_text())
    assert json.loads((tmp_path / "again" / "ensemble.json").read_text()) == stated == again.ensemble.record


def test_only_members_that_vote_are_stored(trained: Trained, tmp_path: Path) -> None:
    ensemble = trained.weighed(method="best")
    trained.module(ensemble).save_pretrained(tmp_path / "one", ensemble=ensemble, model=make)
    assert [path.name for path in tmp_path.glob("one/*.safetensors")] == ["member-0000.safetensors"]
    again = WeightedEnsemble.from_pretrained(tmp_path / "one", make, device="cpu")
    assert torch.equal(again(trained.inputs), trained.module(ensemble)(trained.inputs))


def test_the_same_bytes_twice(trained: Trained, bundles: dict[str, Path], tmp_path: Path) -> None:
    ensemble = read_bundle(bundles["average"]).ensemble
    for name in ("a", "b"):
        trained.module(ensemble).save_pretrained(
            tmp_path / name, ensemble=ensemble, model=make, example=trained.inputs[:1], program=True
        )
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


def test_neither_samples_nor_places_are_in_a_bundle(trained: Trained, bundles: dict[str, Path]) -> None:
    """The example that a graph was made with, and the folders of the machine."""
    sample = trained.inputs[0].numpy().tobytes()[:16]
    for path in bundles["average"].iterdir():
        content = path.read_bytes()
        assert sample not in content, path.name
        assert b"trained_networks.py" not in content, path.name
        assert os.fsencode(Path.cwd()) not in content, path.name


class Tokens(nn.Module):
    """A classifier of texts with two inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> dict[str, torch.Tensor]:
        words = self.embedding(input_ids) * attention_mask[..., None]
        return {"logits": self.head(words.sum(1) / attention_mask.sum(1, keepdim=True).clamp(min=1))}


def test_several_inputs_by_name(tmp_path: Path) -> None:
    torch.manual_seed(0)
    networks = [Tokens() for _ in range(3)]
    ids, mask = torch.randint(0, 20, (300, 6)), torch.randint(0, 2, (300, 6))
    mask[:, 0] = 1
    batch, labels = {"input_ids": ids, "attention_mask": mask}, torch.randint(0, 2, (300,))
    with torch.inference_mode():
        probs = np.stack([net(**batch)["logits"].softmax(1).numpy() for net in networks])
    pack = Predictions.from_arrays(probs=probs, labels=labels.numpy())
    ensemble = weigh(pack, method="uniform")
    WeightedEnsemble(networks, ensemble.weights).save_pretrained(
        tmp_path / "texts",
        ensemble=ensemble,
        model=Tokens,
        example={name: one[:2] for name, one in batch.items()},
        onnx=True,
        holdout=(batch, labels),
        predictions=pack,
    )
    np.savez(
        tmp_path / "data.npz", **{name: one.numpy() for name, one in batch.items()}, labels=labels.numpy()
    )
    found = verify_bundle(tmp_path / "texts", tmp_path / "data.npz", model=Tokens, device="cpu")
    assert found.holds
    assert [(one.what, one.differ) for one in found.files] == [("the networks", 0), ("model.onnx", 0)]


class Halved(nn.Module):
    """Prepares inputs, with a number of its own."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.register_buffer("factor", torch.tensor(factor))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return images * self.factor


def test_a_module_that_prepares_inputs(trained: Trained, tmp_path: Path) -> None:
    ensemble = trained.weighed(method="tandem")
    prepared = WeightedEnsemble(trained.networks, ensemble.weights, prepare=Halved(0.5))
    prepared.save_pretrained(tmp_path / "own", ensemble=ensemble, model=make)
    again = WeightedEnsemble.from_pretrained(tmp_path / "own", make, prepare=Halved(1.0), device="cpu")
    assert torch.equal(again(trained.inputs), prepared(trained.inputs))
    with pytest.raises(InputError, match="give it as prepare="):
        WeightedEnsemble.from_pretrained(tmp_path / "own", make)


def test_nothing_is_left_of_a_bundle_that_failed(trained: Trained, tmp_path: Path) -> None:
    ensemble = trained.weighed(method="tandem")
    module = trained.module(ensemble)
    with pytest.raises(InputError, match="must be the 600 samples that certified, got 40"):
        module.save_pretrained(
            tmp_path / "out",
            ensemble=ensemble,
            model=make,
            example=trained.inputs[:1],
            program=True,
            holdout=(trained.inputs[:40], trained.labels[:40]),
            predictions=trained.predictions,
        )
    assert list(tmp_path.iterdir()) == []


def test_what_lies_there_is_not_replaced(trained: Trained, tmp_path: Path) -> None:
    ensemble = trained.weighed(method="tandem")
    module = trained.module(ensemble)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "thesis.tex").write_text("years of work")
    for force in (False, True):
        with pytest.raises(InputError, match="is no bundle; refusing to replace it"):
            module.save_pretrained(tmp_path / "papers", ensemble=ensemble, model=make, force=force)
    module.save_pretrained(tmp_path / "b", ensemble=ensemble, model=make)
    with pytest.raises(InputError, match="already exists; --force replaces it"):
        module.save_pretrained(tmp_path / "b", ensemble=ensemble, model=make)
    module.save_pretrained(tmp_path / "b", ensemble=ensemble, model=make, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "papers"]
    read_bundle(tmp_path / "b")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ensemble": None}, "a bundle holds its promise"),
        ({"onnx": True}, "needs an example batch"),
        ({"vote": "majority"}, "was certified for the average vote"),
        ({"weights": [0.25] * 4}, "its weights are not those of this module"),
        ({"stochastic": True, "onnx": True}, "drop units at random"),
    ],
)
def test_what_cannot_be_saved(trained: Trained, tmp_path: Path, change: dict[str, Any], said: str) -> None:
    ensemble = trained.weighed(method="tandem", vote="average")
    own = {key: change[key] for key in ("vote", "stochastic") if key in change}
    weights = change.get("weights", ensemble.weights)
    module = WeightedEnsemble(trained.networks, weights, **own)
    options = {"ensemble": ensemble, **{k: v for k, v in change.items() if k in ("ensemble", "onnx")}}
    with pytest.raises(InputError, match=said):
        module.save_pretrained(tmp_path / "out", model=make, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_network_that_no_graph_can_hold(trained: Trained, tmp_path: Path) -> None:
    class Loops(nn.Module):
        def forward(self, images: torch.Tensor) -> torch.Tensor:
            return images.sum((2, 3)) if float(images.sum()) > 0 else images.mean((2, 3))

    votes = Predictions.from_arrays(probs=np.full((1, 8, 2), 0.5), labels=[0, 1] * 4)
    ensemble = weigh(votes, method="uniform", vote="average")
    with pytest.raises(InputError, match="torch cannot make one graph of these networks"):
        WeightedEnsemble([Loops()], [1.0]).save_pretrained(
            tmp_path / "out", ensemble=ensemble, model=Loops, example=torch.zeros(1, 2, 3, 3), program=True
        )
    assert list(tmp_path.iterdir()) == []


def test_names_are_only_text_in_the_card(trained: Trained, tmp_path: Path) -> None:
    names = ["<script>alert(1)</script>", "\x1b[31mred\x07", "a|b\n# title", "![x](http://x/y.png)"]
    probs = next(trained.predictions.blocks()).probs
    pack = Predictions.from_arrays(probs=probs, labels=trained.labels.numpy(), names=names)
    ensemble = weigh(pack, method="uniform")
    trained.module(ensemble).save_pretrained(tmp_path / "out", ensemble=ensemble, model=make)
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    for harm in ("<script", "\x1b", "\x07", "\n# title", "![x]", "a|b"):
        assert harm not in card
    assert "&#60;script&#62;alert(1)&#60;/script&#62;" in card
    assert [one.name for one in read_bundle(tmp_path / "out").config.members] == names


def test_the_card_says_what_is_promised(bundles: dict[str, Path]) -> None:
    ensemble = read_bundle(bundles["average"]).ensemble
    card = (bundles["average"] / "README.md").read_text(encoding="utf-8")
    files = sorted(bundles["average"].iterdir())
    assert ensemble.best.promise[1:] in card
    assert ensemble.data.sha256 in card
    assert "the same answers as the certified vote on all 600 hold-out samples" in card
    assert all(f"| `{path.name}` |" in card or path.name[:7] in ("member-", "README.") for path in files)
    for name, weight in zip(ensemble.names, ensemble.weights):
        assert f"| {name} | {weight:.4f} |" in card


def test_a_repository_needs_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match=r"someone/nothing: no such folder, and not fetched from the Hub"):
        WeightedEnsemble.from_pretrained("someone/nothing")
    with pytest.raises(InputError, match="no such folder; comitia build makes a bundle"):
        WeightedEnsemble.from_pretrained(tmp_path / "nothing")
