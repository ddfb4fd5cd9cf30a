"""Three kills with SIGKILL at seeded moments: the states are those of an uninterrupted run, byte by byte."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from comitia.engines.worker import train_one
from small_training import arrays_file, bayes_recipe, contents, small_recipe

# Kills itself in place of the n-th renaming: between any two of state, rows, resume file and record.
SCRIPT = """
import os, signal, sys
from comitia.deep.directory import Directory
from comitia.engines.worker import train_one
from pathlib import Path

left = [int(sys.argv[2])]

def hook(name, arguments):
    if name == "os.rename":
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(hook)
train_one(sys.argv[1], 1, threads=1, device="cpu", report=lambda event: None)
"""


def run(root: Path, renaming: int) -> int:
    return subprocess.run([sys.executable, "-c", SCRIPT, str(root), str(renaming)], timeout=120).returncode


def test_three_kills_do_not_show(tmp_path: Path) -> None:
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


def test_a_kill_before_the_end_is_committed_does_not_show(tmp_path: Path) -> None:
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
    tmp_path: Path, strategy: str, renaming: int
) -> None:
    recipe = bayes_recipe(strategy, folder=arrays_file(tmp_path), runs=1)
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "recipe.toml").write_text(recipe.to_toml())
    assert run(tmp_path / "killed", renaming) == -signal.SIGKILL
    for name in ("whole", "killed"):
        train_one(str(tmp_path / name), 1, threads=1, device="cpu", report=lambda event: None)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
