"""Predictions of checkpoints, a row per member: the same as by hand, resumed, and what is wrong named."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import plain_loop
from comitia import InputError, collect
from comitia.files import read_predictions
from comitia.members import collecting

TESTS = Path(__file__).resolve().parents[1]


def gather(folder: Path, out: Path, **options: Any) -> list[str]:
    """Collect and return what was told."""
    told: list[str] = []
    options = {"model": plain_loop.network, "device": "cpu", "tell": told.append, **options}
    collect([folder], plain_loop.holdout, out, **options)
    return told


def by_hand(folder: Path) -> np.ndarray:
    """The probabilities of all checkpoints, computed as one would by hand."""
    x = torch.from_numpy(plain_loop.holdout()[0])
    rows = []
    for path in sorted(folder.rglob("*.pt")):
        network = plain_loop.network(path.relative_to(folder).as_posix())
        network.load_state_dict(torch.load(path, weights_only=True))
        with torch.no_grad():
            scores = network.eval()(x)
        rows.append(scores if path.parts[-3] == "sure" else scores.softmax(1))
    return torch.stack(rows).numpy()


def test_the_same_as_by_hand(checkpoints: Path, tmp_path: Path) -> None:
    told = gather(checkpoints, tmp_path / "a.npz")
    found = read_predictions([tmp_path / "a.npz"])
    assert (found.members, found.samples, found.classes) == (18, 600, 3)
    with np.load(tmp_path / "a.npz") as pack:
        assert np.abs(pack["probs"] - by_hand(checkpoints)).max() < 1e-6
        assert np.array_equal(pack["labels"], plain_loop.holdout()[1])
        assert pack["names"].tolist()[-1] == "wide/run2/epoch=3"
        assert pack["step"].tolist() == [1, 2, 3] * 6
        assert pack["run"].tolist() == [run for run in range(1, 7) for _ in range(3)]
    assert told[0] == "18 members, 600 samples"
    assert any(line.startswith("18/18 wide/run2/epoch=3: ") and "% right; 0:00 left" in line for line in told)


def test_what_is_done_is_not_done_again(
    checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(checkpoints, mine)
    gather(mine, tmp_path / "a.npz")
    first = (tmp_path / "a.npz").read_bytes()
    opened: list[str] = []
    real = collecting.open_member

    def counted(member: Any, *rest: Any, **named: Any) -> Any:
        opened.append(member.name)
        return real(member, *rest, **named)

    monkeypatch.setattr(collecting, "open_member", counted)
    told = gather(mine, tmp_path / "a.npz")
    assert opened == []
    assert "18 of 18 members had predicted before" in told[1]
    assert (tmp_path / "a.npz").read_bytes() == first

    # a checkpoint that changes between two calls is noticed, and it alone predicts again
    changed = mine / "wide" / "run1" / "epoch=2.pt"
    state = torch.load(changed, weights_only=True)
    torch.save({key: value * 1.5 for key, value in state.items()}, changed)
    told = gather(mine, tmp_path / "a.npz")
    assert f"{changed} has changed since its predictions were kept; it predicts again" in told
    assert opened == ["wide/run1/epoch=2"]
    assert (tmp_path / "a.npz").read_bytes() != first

    # so are a damaged row, and other data
    row = next((tmp_path / "a.npz.rows").glob("*.npy"))
    row.write_bytes(row.read_bytes()[:-4])
    opened.clear()
    gather(mine, tmp_path / "a.npz")
    assert len(opened) == 1
    opened.clear()
    x, y = plain_loop.holdout()
    collect([mine], (x[1:], y[1:]), tmp_path / "a.npz", model=plain_loop.network, device="cpu")
    assert len(opened) == 18


def misfits(folder: Path) -> None:
    """Beside a good checkpoint, one of each kind of bad ones."""
    torch.manual_seed(0)
    good = plain_loop.Wide().state_dict()
    torch.save(good, folder / "wide-1.pt")
    torch.save({"state_dict": good, "epoch": 1}, folder / "wide-2.pt")
    torch.save({key: value for key, value in good.items() if "2.bias" not in key}, folder / "wide-3.pt")
    torch.save({key: value * float("nan") for key, value in good.items()}, folder / "wide-4.pt")
    larger = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 5))
    torch.save(larger.state_dict(), folder / "five-5.pt")


def made(name: str) -> nn.Module:
    if name.startswith("five"):
        return nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 5))
    return plain_loop.Wide()


def test_each_misfit_is_named(tmp_path: Path) -> None:
    misfits(tmp_path)
    with pytest.raises(InputError) as error:
        gather(tmp_path, tmp_path / "a.npz", model=made)
    assert str(error.value) == (
        f"1 of 5 checkpoints cannot be used: {tmp_path}/wide-3.pt: does not fit the network: it lacks 1 of 4 tensors "
        "(layers.2.bias); --model must make the network that was saved; --skip-bad leaves them out"
    )
    (tmp_path / "wide-3.pt").unlink()
    with pytest.raises(InputError) as error:
        gather(tmp_path, tmp_path / "a.npz", model=made)
    text = str(error.value)
    assert text.startswith("3 of 4 checkpoints cannot be used: ")
    assert f"{tmp_path}/wide-4.pt: its outputs hold NaN or infinity" in text
    assert f"{tmp_path}/five-5.pt: knows 5 classes, the others 3" in text
    assert (
        f"{tmp_path}/wide-2.pt: predicts exactly what {tmp_path}/wide-1.pt predicts on every sample" in text
    )
    assert not (tmp_path / "a.npz").exists()
    told = gather(tmp_path, tmp_path / "a.npz", model=made, skip_bad=True)
    assert sum(line.startswith("left out: ") for line in told) == 3
    assert read_predictions([tmp_path / "a.npz"]).names == ("wide-1",)


def test_a_best_state_beside_the_epochs_costs_no_runs_and_steps(checkpoints: Path, tmp_path: Path) -> None:
    """`best.pt` repeats an epoch, in other bytes: the epoch stays, and runs and steps are known again."""
    shutil.copytree(checkpoints / "wide", tmp_path / "wide")
    for run, epoch in (("run1", 2), ("run2", 3)):
        torch.save(torch.load(tmp_path / f"wide/{run}/epoch={epoch}.pt"), tmp_path / f"wide/{run}/best.pt")
    told = gather(tmp_path / "wide", tmp_path / "a.npz", model=plain_loop.Wide, skip_bad=True)
    kept = tmp_path / "wide/run1/epoch=2.pt"
    assert (
        f"left out: {kept.with_name('best.pt')}: predicts exactly what {kept} predicts on every sample"
        in told
    )
    assert not any("left out: only" in line or "are left out" in line for line in told)
    found = read_predictions([tmp_path / "a.npz"])
    assert (found.run.tolist(), found.step.tolist()) == ([1, 1, 1, 2, 2, 2], [1, 2, 3, 1, 2, 3])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": None}, "model: required, for .* holds a state without its network"),
        ({"model": "network"}, "model: must be module:function, got 'network'"),
        ({"model": lambda: 3}, "model: must return a torch.nn.Module, got int"),
        ({"model": lambda a, b: 3}, r"model: must take no argument, or one \(the member's name\), got a, b"),
        ({"model": lambda: 1 / 0}, "model: the function failed: ZeroDivisionError"),
        ({"outputs": "votes"}, "outputs: 'votes' is not one of logits, probabilities"),
        ({"device": "gpu"}, "device: 'gpu' is not one of"),
        ({"augment": "flip-shift"}, "augment: takes the folder of a training"),
        ({"entry": "ema"}, "no entry 'ema'"),
    ],
)
def test_wrong_options(checkpoints: Path, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gather(checkpoints / "wide", tmp_path / "a.npz", **options)
    assert not (tmp_path / "a.npz").exists()


def test_labels_beyond_the_classes(checkpoints: Path, tmp_path: Path) -> None:
    x, y = plain_loop.holdout()
    with pytest.raises(InputError, match=r"labels go up to 5, and members know 3 classes \(0 to 2\)"):
        collect([checkpoints / "wide"], (x, y + 3), tmp_path / "a.npz", model=plain_loop.Wide)


def test_one_member_is_in_memory_at_a_time(
    checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gc
    import weakref

    alive: list[weakref.ref[nn.Module]] = []
    most = 0

    def network(name: str) -> nn.Module:
        nonlocal most
        gc.collect()
        most = max(most, sum(one() is not None for one in alive))
        made = plain_loop.Wide()
        alive.append(weakref.ref(made))
        return made

    gather(checkpoints / "wide", tmp_path / "a.npz", model=network)
    assert most <= 1  # the one before is gone, or goes with the next


COMMAND = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
import plain_loop
from comitia import collect
print("begin", flush=True)
collect([sys.argv[1]], plain_loop.holdout, sys.argv[2], model=plain_loop.network, device="cpu",
        tell=lambda line: print(line, flush=True))
"""


def start(folder: Path, out: Path) -> "subprocess.Popen[str]":
    words = [sys.executable, "-c", COMMAND, str(folder), str(out), str(TESTS)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)


def kill_and_resume(folder: Path, work: Path, moments: int, draw: random.Random) -> None:
    """Kill at random moments, during any member; the last call runs through to the bytes of an undisturbed one."""
    whole, out = work / "whole.npz", work / "killed.npz"
    gather(folder, whole)
    for _ in range(moments):
        process = start(folder, out)
        assert process.stdout is not None
        for _ in range(draw.randint(1, 18)):
            process.stdout.readline()
        time.sleep(draw.uniform(0, 0.05))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert not out.exists() or out.read_bytes() == whole.read_bytes()
    last = start(folder, out)
    last.communicate(timeout=120)
    assert last.returncode == 0
    assert out.read_bytes() == whole.read_bytes()


def test_killed_it_resumes_to_the_same_bytes(checkpoints: Path, tmp_path: Path) -> None:
    kill_and_resume(checkpoints, tmp_path, moments=1, draw=random.Random(3))


@pytest.mark.slow
def test_killed_at_ten_random_moments(checkpoints: Path, tmp_path: Path) -> None:
    kill_and_resume(checkpoints, tmp_path, moments=10, draw=random.Random(5))
