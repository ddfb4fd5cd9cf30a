"""What is changed, missing, too much, swapped or forged in a bundle is told in one line, and nothing of it is run."""

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from comitia._errors import InputError
from comitia.bundle import predict_bundle, read_bundle
from comitia.bundle.config import name_fault
from comitia.bundle.inputs import open_samples
from comitia.deep.exporting import open_program


@pytest.fixture
def copy(bundles: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(bundles["average"], tmp_path / "copy"))


def sign(folder: Path, name: str) -> None:
    """List the file as it is now, as somebody who forges a bundle would."""
    config = json.loads((folder / "config.json").read_text())
    content = (folder / name).read_bytes()
    for one in config["files"]:
        if one["name"] == name:
            one.update(bytes=len(content), sha256=sha256(content).hexdigest())
    (folder / "config.json").write_text(json.dumps(config))


def edit(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    config = json.loads((folder / "config.json").read_text())
    change(config)
    (folder / "config.json").write_text(json.dumps(config))


def test_a_whole_bundle_is_read(copy: Path) -> None:
    bundle = read_bundle(copy)
    assert [one.name for one in bundle.config.members] == list(bundle.ensemble.names)
    assert {path.name for path in copy.iterdir()} == {"config.json", *bundle.files}
    (copy / ".gitattributes").write_text("*.onnx filter=lfs")  # as on the Hub; hidden files are never read
    assert read_bundle(copy).files == bundle.files


def change_a_byte(folder: Path) -> None:
    path = folder / "model.onnx"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def swap(folder: Path) -> None:
    one, other = folder / "member-0000.safetensors", folder / "member-0002.safetensors"
    first = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(first)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (change_a_byte, "'model.onnx' was changed"),
        (lambda folder: (folder / "README.md").unlink(), "'README.md' is missing"),
        (lambda folder: (folder / "more.bin").write_bytes(b"x"), "'more.bin' does not belong to it"),
        (swap, "'member-0000.safetensors' holds what 'member-0002.safetensors' should"),
        (lambda folder: (folder / "config.json").unlink(), "not a bundle, it has no config.json"),
        (lambda folder: (folder / "ensemble.json").write_text("{}"), "'ensemble.json' was changed"),
    ],
)
def test_what_is_wrong_with_files(copy: Path, harm: Callable[[Path], None], said: str) -> None:
    harm(copy)
    with pytest.raises(InputError, match=said) as told:
        read_bundle(copy)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "name",
    ["../x", "..", "a/b", "a\\b", "/etc/passwd", ".hidden", "a\x1b[31m", "a..b", "", "C:", "a b", "x" * 200],
)
def test_names_that_leave_the_folder_are_refused(copy: Path, name: str) -> None:
    assert name_fault(name) is not None
    edit(copy, lambda config: config["files"][0].update(name=name))
    with pytest.raises(InputError, match="not a name that a file of a bundle can have"):
        read_bundle(copy)


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda c: c.update(format="comitia-bundle-9"), "written by another version"),
        (lambda c: c.update(more=1), "more: unknown key"),
        (lambda c: c["members"][0].update(kind="pickle"), "kind must be one of"),
        (lambda c: c["members"][0].update(name="another"), "lists other members than those that vote"),
        (lambda c: c["members"][0].update(file="model.onnx"), "not a state"),
        (lambda c: c["members"][0].update(file="none.safetensors"), "is named and not listed"),
        (lambda c: c["members"].pop(), "lists other members than those that vote"),
        (lambda c: c["members"][1].update(file=c["members"][0]["file"]), "two lie in one file"),
        (lambda c: c["exported"][0].update(file="member-0000.safetensors"), "file must be model.onnx"),
        (lambda c: c["exported"][0].update(differ=10**6), "more than there are samples"),
        (lambda c: c["files"].append(c["files"][0]), "a name occurs twice"),
        (lambda c: c["inputs"][0].update(shape=[10**15]), "not that of a sample"),
        (
            lambda c: c.update(network={"name": "resnet", "classes": 10**12, "input_shape": [9, 9, 3]}),
            "must be numbers up to",
        ),
        (lambda c: c.update(prepare="os"), "prepare must be one of"),
    ],
)
def test_a_forged_config_is_refused(copy: Path, forge: Callable[[dict[str, Any]], None], said: str) -> None:
    edit(copy, forge)
    with pytest.raises(InputError, match=said):
        read_bundle(copy).module(allow_code=False, model="trained_networks:make")


def test_a_forged_promise_is_refused(copy: Path) -> None:
    text = json.loads((copy / "ensemble.json").read_text())
    text["best"]["risk"] = 0.001
    (copy / "ensemble.json").write_text(json.dumps(text))
    sign(copy, "ensemble.json")
    with pytest.raises(InputError, match="it was edited|is not the certificate"):
        read_bundle(copy)


def test_code_that_a_bundle_names_is_not_imported(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "harmful.py").write_text("open('ran', 'w').close()\ndef make(name): pass\n")
    monkeypatch.chdir(tmp_path)
    edit(copy, lambda config: config["network"].update(name="harmful:make"))
    with pytest.raises(InputError, match=r"made by code, 'harmful:make'"):
        read_bundle(copy).module()
    predict_bundle(copy, np.zeros((2, 2, 5, 5), np.float32))  # by model.onnx
    with pytest.raises(
        InputError, match="made by code, 'harmful:make'; --model harmful:make or --allow-code"
    ):
        predict_bundle(copy, np.zeros((2, 2, 5, 5), np.float32), runtime="torch")
    assert not (tmp_path / "ran").exists()
    with pytest.raises(InputError, match="must return"):
        read_bundle(copy).module(allow_code=True)
    assert (tmp_path / "ran").exists()


class Payload:
    """What a hostile pickle does."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return open, (str(self.path), "w")


def test_a_program_with_a_pickle_is_never_read(copy: Path, tmp_path: Path) -> None:
    """torch.export.load itself would run it; here the archive is looked through first."""
    path, ran = copy / "model.pt2", tmp_path / "ran"
    buffer = io.BytesIO()
    torch.save(Payload(ran), buffer)
    with zipfile.ZipFile(path) as archive:
        root = archive.namelist()[0].partition("/")[0]
        kept = {name: archive.read(name) for name in archive.namelist()}
    constants = {"config": {"c": {"path_name": "opaque_obj_0", "use_pickle": True}}}
    for change in (
        {f"{root}/data/constants/opaque_obj_0": buffer.getvalue()},
        {f"{root}/data/constants/model_constants_config.json": json.dumps(constants).encode()},
        {f"{root}/data/weights/model.pt": buffer.getvalue()},
        {f"{root}/data/sample_inputs/model.pt": buffer.getvalue()},
    ):
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in {**kept, **change}.items():
                archive.writestr(name, content)
        with pytest.raises(InputError, match=r"model\.pt2: holds"):
            open_program(path)
    assert not ran.exists()


def test_a_state_that_is_none_is_refused(copy: Path) -> None:
    (copy / "member-0000.safetensors").write_bytes((10**12).to_bytes(8, "little") + b"{}")
    sign(copy, "member-0000.safetensors")
    with pytest.raises(InputError, match="not a state"):
        read_bundle(copy).module("trained_networks:make")


def test_a_graph_that_is_none_is_refused(copy: Path) -> None:
    (copy / "model.onnx").write_bytes(b"\x08\x08 no graph")
    sign(copy, "model.onnx")
    with pytest.raises(InputError, match="onnxruntime cannot read it"):
        predict_bundle(copy, np.zeros((2, 2, 5, 5), np.float32), runtime="onnx")


@pytest.mark.parametrize("place", ["secret.bin", "../secret.bin", "/etc/hostname"])
def test_a_graph_reads_no_other_file(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """ONNX may name files beside it for its numbers; a graph of a bundle holds its own."""
    onnx = pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.bin").write_bytes(np.ones(3, np.float32).tobytes())
    numbers = onnx.TensorProto(name="w", data_type=onnx.TensorProto.FLOAT, dims=[3])
    numbers.data_location = onnx.TensorProto.EXTERNAL
    numbers.external_data.add(key="location", value=place)
    make_value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Add", ["inputs", "w"], ["shares"])],
        "graph",
        [make_value("inputs", onnx.TensorProto.FLOAT, ["batch", 3])],
        [make_value("shares", onnx.TensorProto.FLOAT, ["batch", 3])],
        [numbers],
    )
    made = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=10)
    (copy / "model.onnx").write_bytes(made.SerializeToString())
    sign(copy, "model.onnx")
    with pytest.raises(InputError, match="onnxruntime cannot read it"):
        predict_bundle(copy, np.zeros((2, 2, 5, 5), np.float32), runtime="onnx")


def npz(path: Path, shape: tuple[int, ...]) -> Path:
    """An archive whose array claims that shape and holds a few bytes."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inputs.npy", header.getvalue() + bytes(64))
    return path


def test_inputs_beyond_memory_are_refused(copy: Path, tmp_path: Path) -> None:
    config = read_bundle(copy).config
    with pytest.raises(InputError, match=r"not a whole .npz file"):
        open_samples(npz(tmp_path / "large.npz", (10**9, 2, 5, 5)), config)
    for shape, said in (((2**40,), "more than the limit"), ((4,), "holds more than its header says")):
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": shape})
        with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_BZIP2) as archive:
            archive.writestr("inputs.npy", header.getvalue() + bytes(2**27))
        with pytest.raises(InputError, match=said):
            open_samples(tmp_path / "bomb.npz", config)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (np.zeros((2, 2, 6, 6), np.float32), r"must have shape \(2, 5, 5\), got \(2, 6, 6\)"),
        (np.array([["a"]]), "inputs must be float32"),
        ({"a": np.zeros((2, 1)), "b": np.zeros((2, 1))}, "no array 'inputs'; the ensemble takes inputs"),
        (np.full((2, 2, 5, 5), np.nan, np.float32), "no shares that sum to 1"),
        (np.zeros((0, 2, 5, 5), np.float32), "one or more"),
        ("nowhere.npz", "no such file"),
        (7, "must be arrays or batches"),
    ],
)
def test_bad_inputs(copy: Path, inputs: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        predict_bundle(copy, inputs, runtime="onnx")
