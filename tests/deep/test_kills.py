"""Three kills with SIGKILL at seeded moments: the states are those of an uninterrupted run, byte by byte."""

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from comitia.engines.worker import train_one
from small_training import arrays_file, bayes_recipe, contents, small_recipe

# Imports everything once and forks a process for each line "renaming folder". That process kills itself in place of the
# n-th renaming: between any two of state, rows, resume file and record. The exit code is told as subprocess tells it.
SCRIPT = """
import os, signal, sys, traceback
import torch._dynamo  # torch's optimisers import it when the first one is made
import comitia.deep.loop, comitia.deep.networks, comitia.deep.task
from comitia.engines.worker import train_one

def train(root, renaming):
    left = [renaming]

    def hook(name, arguments):
        if name == "os.rename":
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    train_one(root, 1, threads=1, device="cpu", report=lambda event: None)

for line in sys.stdin:
    renaming, root = line.rstrip().split(" ", 1)
    process = os.fork()
    if process == 0:
        try:
            train(root, int(renaming))
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""
Run = Callable[[Path, int], int]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Train in a process of its own that is killed in place of the n-th renaming (0: never); return its exit code."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def train(root: Path, renaming: int) -> int:
            print(renaming, root, file=server.stdin, flush=True)
            return int(server.stdout.readline())

        yield train
        server.stdin.close()
    assert server.returncode == 0


def test_three_kills_do_not_show(run: Run, tmp_path: Path) -> None:
    recipe = small_recipe(folder=arrays_file(tmp_path), runs=1, epochs=4, augment="flip-shift")
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "recipe.toml").write_text(recipe.to_toml())
    assert run(tmp_path / "whole", 0) == 0
    # An epoch makes six renamings: state, resume file, record, two rows, record.
    moments = random.Random(7)
    for _ in range(3):
        assert run(tmp_path / "killed", moments.randint(1, 7)) == -signal.SIGKILL
    assert run(tmp_path / "killed", 0) == 0
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
    assert not [path for path in (tmp_path / "killed").rglob(".*") if path.name != ".lock"]


def test_a_kill_before_the_end_is_committed_does_not_show(run: Run, tmp_path: Path) -> None:
    """All members are there and predict, only the record does not say yet that the run is finished."""
    recipe = small_recipe(folder=arrays_file(tmp_path), runs=1, epochs=1)
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "recipe.toml").write_text(recipe.to_toml())
    assert run(tmp_path / "whole", 0) == 0
    # The only epoch makes a state, two rows and their record; the fifth renaming is the end.
    assert run(tmp_path / "killed", 5) == -signal.SIGKILL
    assert run(tmp_path / "killed", 0) == 0
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


# Averaged weights make two renamings in each of four epochs, then three draws, and two rows and a record for each.
@pytest.mark.parametrize(
    ("strategy", "renaming"), [("csghmc-ap", 9), ("swag", 8), ("swag", 10), ("swag", 16)]
)
def test_a_killed_chain_or_average_goes_on_with_the_same_noise(
    run: Run, tmp_path: Path, strategy: str, renaming: int
) -> None:
    recipe = bayes_recipe(strategy, folder=arrays_file(tmp_path), runs=1)
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "recipe.toml").write_text(recipe.to_toml())
    assert run(tmp_path / "killed", renaming) == -signal.SIGKILL
    for name in ("whole", "killed"):
        train_one(str(tmp_path / name), 1, threads=1, device="cpu", report=lambda event: None)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
