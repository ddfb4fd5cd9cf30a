"""Bundles of members in files: states of networks as one graph, mixed kinds member by member."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from comitia import Ensemble, Predictions, weigh
from comitia._errors import InputError
from comitia.bundle import predict_bundle, read_bundle, verify_bundle, write_bundle
from comitia.members import MemberFile, find_members, open_member
from trained_networks import Trained, make


@pytest.fixture
def checkpoints(trained: Trained, tmp_path: Path) -> Path:
    """A folder of checkpoints as plain loops save them: two .pt, two .safetensors, of two architectures."""
    folder = tmp_path / "checkpoints"
    for name, network in zip(trained.predictions.names, trained.networks):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if name.startswith("wide"):
            save_file(network.state_dict(), place.with_suffix(".safetensors"))
        else:
            torch.save({"model_state_dict": network.state_dict(), "epoch": 3}, place.with_suffix(".pt"))
    return folder


def weighed(
    members: tuple[MemberFile, ...], inputs: np.ndarray, labels: np.ndarray, model: object = make
) -> tuple[tuple[MemberFile, ...], Predictions, Ensemble]:
    """What `build` does before it writes a bundle."""
    opened = [open_member(one, model) for one in members]
    probs = np.stack([one.probabilities(inputs) for one in opened])
    known = tuple(replace(file, outputs=one.outputs) for file, one in zip(members, opened))
    pack = Predictions.from_arrays(probs=probs, labels=labels, names=[one.name for one in members])
    return known, pack, weigh(pack, method="uniform")


def test_states_in_files_become_one_graph(trained: Trained, checkpoints: Path, tmp_path: Path) -> None:
    inputs, labels = trained.inputs.numpy().astype(np.float64), trained.labels.numpy()
    members, pack, ensemble = weighed(find_members([checkpoints]), inputs, labels)
    write_bundle(
        tmp_path / "out",
        ensemble,
        members,
        make,
        model_spec="trained_networks:make",
        onnx=True,
        example_inputs=inputs[:4],
        holdout=[(inputs[i : i + 100], labels[i : i + 100]) for i in range(0, 600, 100)],
        predictions=pack,
    )
    bundle = read_bundle(tmp_path / "out")
    assert {one.kind for one in bundle.config.members} == {"safetensors"}
    assert [one.origin for one in bundle.config.members] == [one.sha256 for one in members]
    found = verify_bundle(bundle, (inputs, labels), allow_code=True, device="cpu")
    assert found.holds
    assert [(one.what, one.differ) for one in found.files] == [("the networks", 0), ("model.onnx", 0)]


def test_mixed_kinds_predict_member_by_member(trained: Trained, checkpoints: Path, tmp_path: Path) -> None:
    """Networks, an ONNX file of unknown origin, and a model of scikit-learn, on vectors."""
    sklearn = pytest.importorskip("sklearn.linear_model")
    skl2onnx = pytest.importorskip("skl2onnx")
    skops = pytest.importorskip("skops.io")
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 500)
    inputs = (random.normal(size=(500, 4)) + 2 * np.eye(4)[labels]).astype(np.float32)
    first = sklearn.LogisticRegression(C=0.1).fit(inputs[:50], labels[:50])
    second = sklearn.LogisticRegression(C=10).fit(inputs[50:90], labels[50:90])
    folder = tmp_path / "models"
    folder.mkdir()
    made = skl2onnx.to_onnx(first, inputs[:1], options={"zipmap": False})
    (folder / "first.onnx").write_bytes(made.SerializeToString())
    skops.dump(second, folder / "second.skops")
    torch.manual_seed(0)
    network = torch.nn.Linear(4, 3)
    torch.save(network.state_dict(), folder / "third.pt")
    members, pack, ensemble = weighed(find_members([folder]), inputs, labels, lambda: torch.nn.Linear(4, 3))
    options = {"example_inputs": inputs[:2], "holdout": (inputs, labels), "predictions": pack}
    with pytest.raises(InputError, match="needs networks in torch for all voting members"):
        write_bundle(tmp_path / "out", ensemble, members, lambda: network, onnx=True, **options)
    write_bundle(
        tmp_path / "out",
        ensemble,
        members,
        lambda: torch.nn.Linear(4, 3),
        model_spec="trained_networks:linear",
        **options,
    )
    for file, stored in zip(members, read_bundle(tmp_path / "out").config.members):
        if stored.kind != "safetensors":  # files of others are copied as they are
            assert (tmp_path / "out" / stored.file).read_bytes() == Path(file.path).read_bytes()
    found = verify_bundle(
        tmp_path / "out", (inputs, labels), model=lambda: torch.nn.Linear(4, 3), device="cpu"
    )
    assert found.holds
    assert [(one.what, one.differ) for one in found.files] == [("member by member", 0)]
    shares = predict_bundle(tmp_path / "out", inputs[:5], model=lambda: torch.nn.Linear(4, 3)).shares
    expected = sum(w * member.astype(float) for w, member in zip(ensemble.weights, next(pack.blocks()).probs))
    assert np.allclose(shares, expected[:5], atol=1e-6)


def test_a_member_that_changed_is_noticed(trained: Trained, checkpoints: Path, tmp_path: Path) -> None:
    inputs, labels = trained.inputs.numpy(), trained.labels.numpy()
    members, _, ensemble = weighed(find_members([checkpoints]), inputs, labels)
    save_file(trained.networks[3].state_dict(), members[-1].path, metadata={"another": "file"})
    with pytest.raises(InputError, match="has changed since it was found"):
        write_bundle(tmp_path / "out", ensemble, members, make)
    with pytest.raises(InputError, match="must be those that were weighed"):
        write_bundle(tmp_path / "out", ensemble, members[:-1], make)
    assert not (tmp_path / "out").exists()
