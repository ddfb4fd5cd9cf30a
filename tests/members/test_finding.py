"""Which files are members, and what is refused before anything is loaded."""

import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from comitia._errors import InputError
from comitia.members import find_members
from comitia.members.limits import memory_bytes


class Payload:
    """What a hostile file holds: reading it as a pickle makes a file."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.place),)


def one_state(seed: int = 0) -> dict[str, torch.Tensor]:
    torch.manual_seed(seed)
    return nn.Linear(4, 3).state_dict()


def test_checkpoints_of_a_plain_loop(checkpoints: Path) -> None:
    found = find_members([checkpoints])
    assert len(found) == 18
    assert [one.name for one in found[:4]] == [
        *("deep/run1/epoch=1", "deep/run1/epoch=2", "deep/run1/epoch=3", "deep/run2/epoch=1"),
    ]
    assert {(one.run, one.step) for one in found} == {
        (run, step) for run in range(1, 7) for step in (1, 2, 3)
    }
    assert {one.kind for one in found} == {"state"}
    assert len({one.sha256 for one in found}) == 18
    # a file named twice, directly and by its folder, is one member
    assert find_members([checkpoints, Path(found[0].path)]) == found


def test_kinds_in_one_folder(tmp_path: Path) -> None:
    torch.save(one_state(1), tmp_path / "a.pth")
    save_file(one_state(2), tmp_path / "b.safetensors")
    torch.save({"state": {}}, tmp_path / "optimizer.pt")
    (tmp_path / "notes.txt").write_text("no member")
    assert [(one.kind, one.name) for one in find_members([tmp_path])] == [
        ("state", "a"),
        ("safetensors", "b"),
    ]


@pytest.mark.parametrize("legacy", [False, True])
def test_a_pickle_never_runs(tmp_path: Path, legacy: bool) -> None:
    made = tmp_path / "made"
    torch.save(
        {"state_dict": one_state(), "hyper": Payload(made)},
        tmp_path / "a.pt",
        _use_new_zipfile_serialization=not legacy,
    )
    with pytest.raises(InputError, match=r"a\.pt: refused, because reading it would run code \(\w+\.mkdir\)"):
        find_members([tmp_path / "a.pt"])
    assert not made.exists()
    torch.load(tmp_path / "a.pt", weights_only=False)
    assert made.is_dir(), "the payload works, so that this test can fail"


def test_a_whole_network_is_refused(tmp_path: Path) -> None:
    torch.save(nn.Linear(4, 3), tmp_path / "a.pt")
    with pytest.raises(
        InputError, match=r"would run code \(torch\.nn\.modules\.linear\.Linear\); save the state alone"
    ):
        find_members([tmp_path / "a.pt"])


@pytest.mark.parametrize("name", ["a.pkl", "a.joblib"])
def test_pickles_are_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(InputError, match="is a pickle, which runs code when it is read, and is refused"):
        find_members([tmp_path / name])


def test_a_script_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.pt", "w") as archive:
        archive.writestr("a/constants.pkl", b"")
        archive.writestr("a/data.pkl", b"")
    with pytest.raises(InputError, match="is a TorchScript program, which holds code"):
        find_members([tmp_path / "a.pt"])


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    torch.save({"w": torch.zeros(4_000_000)}, tmp_path / "plain.pt")
    with zipfile.ZipFile(tmp_path / "plain.pt") as plain, zipfile.ZipFile(tmp_path / "a.pt", "w") as packed:
        for item in plain.infolist():
            packed.writestr(item.filename, plain.read(item), zipfile.ZIP_DEFLATED)
    assert (tmp_path / "a.pt").stat().st_size < 100_000
    with pytest.raises(InputError, match="unpack to more than the file holds"):
        find_members([tmp_path / "a.pt"])


def test_of_two_with_the_same_bytes_the_one_with_a_step_stays(tmp_path: Path) -> None:
    torch.save(one_state(1), tmp_path / "epoch=1.pt")
    torch.save(one_state(2), tmp_path / "epoch=2.pt")
    shutil.copy(tmp_path / "epoch=2.pt", tmp_path / "best.pt")
    told: list[str] = []
    found = find_members([tmp_path], skip_bad=True, tell=told.append)
    assert [(one.name, one.step) for one in found] == [("epoch=1", 1), ("epoch=2", 2)]
    assert told == [f"left out: {tmp_path}/best.pt: has the same bytes as {tmp_path}/epoch=2.pt"]


def test_what_is_broken_is_named_and_left_out_only_if_asked(tmp_path: Path) -> None:
    torch.save(one_state(), tmp_path / "a.pt")
    shutil.copy(tmp_path / "a.pt", tmp_path / "b.pt")
    (tmp_path / "c.pt").write_bytes((tmp_path / "a.pt").read_bytes()[:700])
    (tmp_path / "d.pt").write_bytes(b"")
    torch.save({"epoch": 3, "loss": 0.1}, tmp_path / "e.pt")
    with pytest.raises(InputError) as error:
        find_members([tmp_path])
    text = str(error.value)
    assert text.startswith("4 of 5 checkpoints cannot be used: ")
    assert f"{tmp_path}/c.pt: not readable as a file of torch.save" in text
    assert f"{tmp_path}/d.pt: is empty (0 bytes)" in text
    assert f"{tmp_path}/e.pt: holds no state dict (names with tensors), but a mapping of epoch, loss" in text
    assert text.endswith("and 1 more; --skip-bad leaves them out")
    told: list[str] = []
    assert [one.name for one in find_members([tmp_path], skip_bad=True, tell=told.append)] == ["a"]
    assert f"left out: {tmp_path}/b.pt: has the same bytes as {tmp_path}/a.pt" in told
    with pytest.raises(InputError, match="2 of 2 checkpoints cannot be used"):
        find_members([tmp_path / "c.pt", tmp_path / "d.pt"], skip_bad=True)


def test_nothing_to_find(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        find_members([tmp_path / "a.pt"])
    with pytest.raises(InputError, match="holds no training and no checkpoints"):
        find_members([tmp_path])
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(InputError, match=r"must be a checkpoint \(\.pt, .*got '\.txt'"):
        find_members([tmp_path / "a.txt"])


# --- where in a file the state lies


def test_entries(tmp_path: Path) -> None:
    def entry(held: object, wanted: str | None = None) -> str | None:
        torch.save(held, tmp_path / "a.ckpt")
        return find_members([tmp_path / "a.ckpt"], entry=wanted)[0].entry

    state, other = one_state(), one_state(1)
    optimiser = torch.optim.Adam(nn.Linear(4, 3).parameters()).state_dict()
    assert entry(state) is None
    assert entry({"epoch": 1, "state_dict": state, "optimizer_states": [optimiser]}) == "state_dict"
    assert (
        entry({"model_state_dict": state, "optimizer_state_dict": optimiser, "loss": 0.1})
        == "model_state_dict"
    )
    assert entry({"state": {"model": state, "step": 3}}) == "state.model"
    both = {"state_dict": state, "state_dict_ema": other}
    with pytest.raises(
        InputError, match=r"holds 2 states \(state_dict, state_dict_ema\); --entry says which"
    ):
        entry(both)
    assert entry(both, "state_dict_ema") == "state_dict_ema"
    with pytest.raises(InputError, match=r"no entry 'state_dict_em' \(did you mean 'state_dict_ema'\?\)"):
        entry(both, "state_dict_em")
    parts = {"state_dict": {f"{part}.{key}": one for part in ("net", "ema") for key, one in state.items()}}
    assert entry(parts, "state_dict.ema") == "state_dict.ema"


# --- safetensors


def sharded(folder: Path, names: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))


def test_a_state_in_parts(tmp_path: Path) -> None:
    state = one_state()
    sharded(tmp_path / "m", {"weight": "model-1.safetensors", "bias": "model-2.safetensors"})
    save_file({"weight": state["weight"]}, tmp_path / "m" / "model-1.safetensors")
    with pytest.raises(InputError, match=r"names 'model-2.safetensors', which is missing"):
        find_members([tmp_path])
    save_file({"bias": state["bias"]}, tmp_path / "m" / "model-2.safetensors")
    (found,) = find_members([tmp_path])
    assert (found.kind, found.path) == ("safetensors", str(tmp_path / "m"))
    save_file({"bias": state["bias"] + 1}, tmp_path / "m" / "model-2.safetensors")
    assert find_members([tmp_path])[0].sha256 != found.sha256


@pytest.mark.parametrize(
    "name", ["../out.safetensors", "/out.safetensors", "sub/out.safetensors", "..\\out.safetensors"]
)
def test_names_do_not_leave_the_folder(tmp_path: Path, name: str) -> None:
    sharded(tmp_path / "m", {"weight": name})
    save_file(one_state(), tmp_path / "out.safetensors")
    with pytest.raises(InputError, match="which is no .safetensors file of this folder; refused"):
        find_members([tmp_path / "m"])


def header(place: Path, tensors: dict[str, object], size: int | None = None) -> Path:
    text = json.dumps(tensors).encode()
    place.write_bytes((len(text) if size is None else size).to_bytes(8, "little") + text)
    return place


@pytest.mark.parametrize(
    ("tensors", "size", "message"),
    [
        (
            {"w": {"dtype": "F32", "shape": [2**40, 2**20], "data_offsets": [0, 2**62]}},
            None,
            "claims to hold",
        ),
        (
            {"w": {"dtype": "F32", "shape": [10], "data_offsets": [0, 40]}},
            None,
            "take 40 bytes and it holds 0",
        ),
        ({}, 2**60, "not a whole .safetensors file"),
        ({"w": 3}, None, "not a whole .safetensors file"),
    ],
)
def test_a_header_is_checked_before_memory_is_given(
    tmp_path: Path, tensors: dict[str, object], size: int | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        find_members([header(tmp_path / "a.safetensors", tensors, size)])


def test_memory_is_that_of_the_machine() -> None:
    pages = int(os.sysconf("SC_PHYS_PAGES")) if hasattr(os, "sysconf") else 0
    assert memory_bytes() in (pages * 4096, pages * 16384, pages * 65536, 2**40)
    assert np.log2(memory_bytes()) > 28


def test_a_model_that_unpacks_to_more_than_may_be_held_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMITIA_MEMORY", "1M")
    with zipfile.ZipFile(tmp_path / "a.skops", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", b" " * 2**22)
    with pytest.raises(InputError, match="a.skops, unpacked, needs 4.0 MiB"):
        find_members([tmp_path / "a.skops"])
