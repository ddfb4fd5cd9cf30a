"""Members of each kind, loaded one at a time, answer as their makers do."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import skops.io
import torch
from skl2onnx import to_onnx
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from torch import nn

import plain_loop
from comitia._errors import InputError
from comitia.members import Member, MemberFile, find_members, open_member

X, Y = plain_loop.samples(2, 60)


def opened(place: Path, **options: Any) -> Member:
    (found,) = find_members([place], entry=options.pop("entry", None))
    return open_member(found, **options)


def wide(seed: int = 0) -> nn.Module:
    torch.manual_seed(seed)
    return plain_loop.Wide().eval()


def softmax(network: nn.Module) -> np.ndarray:
    with torch.no_grad():
        return network(torch.from_numpy(X)).softmax(1).numpy()


# --- states


@pytest.mark.parametrize(
    "kind", [torch.from_numpy(X), X, X.astype(np.float64)], ids=["tensor", "array", "float64"]
)
def test_a_state(tmp_path: Path, kind: Any) -> None:
    network = wide()
    torch.save(network.state_dict(), tmp_path / "a.pt")
    member = opened(tmp_path / "a.pt", model=plain_loop.Wide)
    assert np.allclose(member.probabilities(kind), softmax(network), atol=1e-6)
    assert member.probabilities(kind).dtype == np.float32
    assert (member.outputs, member.said) == ("logits", None)
    assert isinstance(member.module, plain_loop.Wide)
    assert not member.module.training


def lightning(network: nn.Module, ema: nn.Module) -> dict[str, Any]:
    """What Lightning saves: the module's state under the names of its attributes, and much else."""
    state = {f"net.{key}": value for key, value in network.state_dict().items()}
    state |= {f"ema.{key}": value for key, value in ema.state_dict().items()}
    state["loss.weight"] = torch.ones(3)
    optimiser = torch.optim.AdamW(network.parameters())
    network(torch.from_numpy(X)).sum().backward()
    optimiser.step()
    return {
        "epoch": 12,
        "global_step": 4000,
        "pytorch-lightning_version": "2.4.0",
        "state_dict": state,
        "loops": {"fit_loop": {"state_dict": {}, "epoch_progress": {"total": {"ready": 13}}}},
        "callbacks": {"ModelCheckpoint{'monitor': 'val_loss'}": {"best_model_score": torch.tensor(0.3)}},
        "optimizer_states": [optimiser.state_dict()],
        "lr_schedulers": [],
        "hparams_name": "kwargs",
        "hyper_parameters": {"width": 32, "lr": 0.01},
    }


def test_a_checkpoint_of_lightning(tmp_path: Path) -> None:
    network, average = wide(1), wide(2)
    held = lightning(network, average)
    torch.save(held, tmp_path / "epoch=12-step=4000.ckpt")
    with pytest.raises(
        InputError, match="the network is found in it 2 times, under net, ema; --entry says which"
    ):
        opened(tmp_path, model=plain_loop.Wide)
    for part, wanted in (("net", network), ("ema", average)):
        member = opened(tmp_path, model=plain_loop.Wide, entry=f"state_dict.{part}")
        assert np.allclose(member.probabilities(X), softmax(wanted), atol=1e-6)
    held["state_dict"] = {key: one for key, one in held["state_dict"].items() if "ema" not in key}
    torch.save(held, tmp_path / "epoch=12-step=4000.ckpt")
    member = opened(tmp_path, model=plain_loop.Wide)
    assert member.said == "prefix 'net.' taken off, 1 left aside (loss.weight)"
    assert (member.file.step, member.file.entry) == (12, "state_dict")
    assert np.allclose(member.probabilities(X), softmax(network), atol=1e-6)


def test_what_changes_while_it_is_used_is_noticed(tmp_path: Path) -> None:
    torch.save(wide().state_dict(), tmp_path / "a.pt")
    (found,) = find_members([tmp_path])
    torch.save(wide(1).state_dict(), tmp_path / "a.pt")
    with pytest.raises(InputError, match="has changed since it was found"):
        open_member(found, plain_loop.Wide)


def test_the_same_initial_values_each_time(tmp_path: Path) -> None:
    """What a state does not hold, such as a buffer that is not saved, is the same at each start."""

    class Odd(plain_loop.Wide):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("noise", torch.randn(3), persistent=False)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x) + self.noise

    torch.save(wide().state_dict(), tmp_path / "a.pt")
    first = opened(tmp_path, model=Odd).probabilities(X)
    torch.manual_seed(9)
    state = torch.get_rng_state()
    assert np.array_equal(opened(tmp_path, model=Odd).probabilities(X), first)
    assert torch.equal(torch.get_rng_state(), state), "the user's own random numbers go on as before"


# --- what outputs are


@pytest.mark.parametrize(
    ("head", "outputs"),
    [
        (lambda x: torch.softmax(x, 1), "probabilities"),
        (lambda x: torch.log_softmax(x, 1), "logits"),
        (lambda x: x, "logits"),
        (lambda x: {"logits": x, "hidden": x + 1}, "logits"),
    ],
)
def test_outputs_are_recognised(tmp_path: Path, head: Any, outputs: str) -> None:
    class Headed(plain_loop.Wide):
        def forward(self, x: torch.Tensor) -> Any:
            return head(super().forward(x))

    torch.save(wide().state_dict(), tmp_path / "a.pt")
    member = opened(tmp_path, model=Headed)
    assert np.allclose(member.probabilities(X), softmax(wide()), atol=1e-6)
    assert member.outputs == outputs


def test_outputs_that_nothing_tells(tmp_path: Path) -> None:
    class Sigmoid(plain_loop.Wide):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.sigmoid(super().forward(x))

    torch.save(wide().state_dict(), tmp_path / "a.pt")
    with pytest.raises(InputError, match="rows do not sum to 1, so nothing tells what they are; --outputs"):
        opened(tmp_path, model=Sigmoid).probabilities(X)


def test_one_column_is_the_second_class() -> None:
    file = MemberFile("a", "onnx", "a", None, None, "", outputs="probabilities")
    member = Member(file, lambda batch: torch.tensor([[0.25], [1.0]]))
    assert member.probabilities(X).tolist() == [[0.75, 0.25], [0.0, 1.0]]


# --- ONNX


def onnx_of_sklearn(place: Path, zipmap: bool) -> LogisticRegression:
    model = LogisticRegression().fit(X, Y)
    made = to_onnx(model, X[:1], options={"zipmap": zipmap})
    place.write_bytes(made.SerializeToString())
    return model


@pytest.mark.parametrize("zipmap", [True, False])
def test_onnx_of_scikit_learn(tmp_path: Path, zipmap: bool) -> None:
    model = onnx_of_sklearn(tmp_path / "a.onnx", zipmap)
    member = opened(tmp_path / "a.onnx")
    assert np.allclose(member.probabilities(torch.from_numpy(X)), model.predict_proba(X), atol=1e-5)
    assert (member.outputs, member.module) == ("probabilities", None)


def onnx_of_torch(place: Path, network: nn.Module, **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            (torch.from_numpy(X[:2]),),
            place,
            dynamo=False,
            input_names=["x"],
            dynamic_axes={"x": {0: "n"}},
            **options,
        )


def test_onnx_of_torch(tmp_path: Path) -> None:
    onnx_of_torch(tmp_path / "a.onnx", wide())
    member = opened(tmp_path / "a.onnx")
    assert np.allclose(member.probabilities(X), softmax(wide()), atol=1e-5)
    assert member.outputs == "logits"
    images = X.reshape(60, 2, 2)  # a flat input takes what other members see as images
    assert np.allclose(member.probabilities(images), softmax(wide()), atol=1e-5)
    with pytest.raises(InputError, match=r"takes x, and the data have no x"):
        member.probabilities({"pixels": X})
    with pytest.raises(InputError, match=r"takes 1 inputs \(x\), and the data give 2"):
        member.probabilities((X, X))


def with_data_beside(place: Path, location: str) -> None:
    """An ONNX file whose tensors lie in another file of that name."""
    onnx_of_torch(place, wide())
    model = onnx.load(str(place))
    for tensor in model.graph.initializer:
        onnx.external_data_helper.set_external_data(tensor, location)
    place.write_bytes(model.SerializeToString())


@pytest.mark.parametrize("location", ["../secret.bin", "/etc/hostname", "a/../../secret.bin"])
def test_onnx_does_not_leave_its_folder(tmp_path: Path, location: str) -> None:
    (tmp_path / "secret.bin").write_bytes(b"x" * 10_000)
    (tmp_path / "in").mkdir()
    with_data_beside(tmp_path / "in" / "a.onnx", location)
    with pytest.raises(InputError, match="which lies outside its folder; refused"):
        find_members([tmp_path / "in"])


def test_onnx_with_tensors_beside(tmp_path: Path) -> None:
    onnx_of_torch(tmp_path / "plain.onnx", wide())
    model = onnx.load(str(tmp_path / "plain.onnx"))
    (tmp_path / "plain.onnx").unlink()
    onnx.save(model, str(tmp_path / "a.onnx"), save_as_external_data=True, location="a.bin", size_threshold=0)
    (found,) = find_members([tmp_path / "a.onnx"])
    assert np.allclose(open_member(found).probabilities(X), softmax(wide()), atol=1e-5)
    (tmp_path / "a.bin").write_bytes(b"\0" * (tmp_path / "a.bin").stat().st_size)
    assert find_members([tmp_path / "a.onnx"])[0].sha256 != found.sha256, "they belong to the checksum"


def test_a_broken_onnx(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"no graph")
    with pytest.raises(InputError, match=r"a\.onnx: not a whole ONNX file"):
        find_members([tmp_path / "a.onnx"])


# --- scikit-learn


def test_skops(tmp_path: Path) -> None:
    model = LogisticRegression().fit(X, Y)
    skops.io.dump(model, tmp_path / "a.skops")
    member = opened(tmp_path / "a.skops")
    assert np.allclose(member.probabilities(torch.from_numpy(X)), model.predict_proba(X), atol=1e-6)
    assert np.allclose(member.probabilities(X.reshape(60, 2, 2)), model.predict_proba(X), atol=1e-6)
    assert member.module is None


def test_types_that_skops_does_not_trust(tmp_path: Path) -> None:
    model = DecisionTreeClassifier(max_depth=3).fit(X, Y)
    skops.io.dump(model, tmp_path / "a.skops")
    name = "sklearn.tree._tree.Tree"
    with pytest.raises(
        InputError, match=f"holds types that skops does not trust \\({name}\\); --trust TYPE takes one"
    ):
        opened(tmp_path / "a.skops")
    trusted = opened(tmp_path / "a.skops", trust=(name,))
    assert np.allclose(trusted.probabilities(X), model.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearSVC().fit(X, Y), "a LinearSVC gives no probabilities"),
        (
            LogisticRegression().fit(X, Y.astype(str)),
            r"its classes are \['0', '1', '2'\], and integers from 0",
        ),
    ],
)
def test_models_that_do_not_fit(tmp_path: Path, model: Any, message: str) -> None:
    skops.io.dump(model, tmp_path / "a.skops")
    with pytest.raises(InputError, match=message):
        opened(tmp_path / "a.skops")


def test_a_class_that_training_lacked_has_probability_zero(tmp_path: Path) -> None:
    skops.io.dump(LogisticRegression().fit(X, Y * 2 % 3), tmp_path / "all.skops")
    skops.io.dump(LogisticRegression().fit(X[Y != 1], Y[Y != 1]), tmp_path / "a.skops")
    assert opened(tmp_path / "a.skops").probabilities(X)[:, 1].max() == 0


# --- exported programs


def test_an_exported_program_needs_leave(tmp_path: Path) -> None:
    rows = torch.export.Dim("n")
    program = torch.export.export(wide(), (torch.from_numpy(X),), dynamic_shapes=({0: rows},))
    torch.export.save(program, tmp_path / "a.pt2")
    with pytest.raises(InputError, match="can run code that the file holds; --allow-code if you trust it"):
        opened(tmp_path / "a.pt2")
    member = opened(tmp_path / "a.pt2", allow_code=True)
    assert np.allclose(member.probabilities(X), softmax(wide()), atol=1e-6)
    assert np.allclose(member.probabilities(X[:7]), softmax(wide())[:7], atol=1e-6)


# --- Hugging Face


def text_classifier(place: Path, seed: int = 0, **settings: Any) -> nn.Module:
    import transformers

    torch.manual_seed(seed)
    config = transformers.BertConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        vocab_size=50,
        num_labels=3,
        max_position_embeddings=32,
        **settings,
    )
    network = transformers.BertForSequenceClassification(config).eval()
    network.save_pretrained(place)
    return network  # type: ignore[no-any-return]


def image_classifier(place: Path) -> nn.Module:
    import transformers

    config = transformers.ViTConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        image_size=8,
        patch_size=4,
        num_labels=3,
    )
    network = transformers.ViTForImageClassification(config).eval()
    network.save_pretrained(place)
    return network  # type: ignore[no-any-return]


def rewrite(place: Path, **changes: Any) -> None:
    held = json.loads((place / "config.json").read_text())
    (place / "config.json").write_text(json.dumps({**held, **changes}))


@pytest.mark.filterwarnings("ignore")
def test_hugging_face_texts(tmp_path: Path) -> None:
    network = text_classifier(tmp_path / "checkpoint-500")
    torch.save({"state": {}}, tmp_path / "checkpoint-500" / "optimizer.pt")
    words = {"input_ids": torch.randint(0, 50, (6, 9)), "attention_mask": torch.ones(6, 9, dtype=torch.long)}
    words["attention_mask"][:, 6:] = 0
    (found,) = find_members([tmp_path])
    assert (found.kind, found.step, found.name) == ("huggingface", 500, "checkpoint-500")
    member = open_member(found)
    with torch.no_grad():
        wanted = network(**words).logits.softmax(1).numpy()
    assert np.allclose(member.probabilities(words), wanted, atol=1e-6)
    assert member.outputs == "logits"
    rewrite(tmp_path / "checkpoint-500", attention_probs_dropout_prob=0.5)
    with pytest.raises(InputError, match="has changed since it was found"):
        open_member(found)


@pytest.mark.filterwarnings("ignore")
def test_hugging_face_images(tmp_path: Path) -> None:
    network = image_classifier(tmp_path / "vit")
    images = torch.randn(5, 3, 8, 8)
    with torch.no_grad():
        wanted = network(images).logits.softmax(1).numpy()
    assert np.allclose(opened(tmp_path / "vit").probabilities(images), wanted, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"auto_map": {"AutoModel": "mine.Model"}}, "needs Python code of its own"),
        (
            {"architectures": ["BertForMaskedLM"]},
            "must be a classifier of texts or images .* got BertForMaskedLM",
        ),
        ({"problem_type": "multi_label_classification"}, "is trained for multi_label_classification"),
        # a body without a trained head: transformers would make one at random
        ({"id2label": {"0": "a", "1": "b"}}, "is no whole classifier: it has another shape for classifier"),
        ({"num_hidden_layers": 2}, r"is no whole classifier: it lacks \d+ tensors"),
        ({"model_type": "no_such_model"}, "transformers cannot read it"),
    ],
)
def test_hugging_face_folders_that_do_not_fit(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    text_classifier(tmp_path / "bert")
    rewrite(tmp_path / "bert", **changes)
    with pytest.raises(InputError, match=message):
        opened(tmp_path / "bert")


@pytest.mark.filterwarnings("ignore")
def test_hugging_face_pickles_are_refused(tmp_path: Path) -> None:
    network = text_classifier(tmp_path / "bert")
    (tmp_path / "bert" / "model.safetensors").unlink()
    torch.save(network.state_dict(), tmp_path / "bert" / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"holds pytorch_model\.bin, a pickle, and no \.safetensors"):
        opened(tmp_path / "bert")
