"""A slice of `make attack`: harmed inputs, forged ensembles and full disks for some seconds, and that it can find."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attack import harm
from attack.calls import Called, faults
from attack.inputs import INPUTS, make_all

TESTS = Path(__file__).parent
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and of files as on Linux")


def test_nothing_slips_through_in_some_seconds() -> None:
    command = [sys.executable, "-m", "attack", "--minutes", "0.35", "--processes", "1"]
    stages = ["--stages", "mutate,forge,full disk"]
    path = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    done = subprocess.run(
        [*command, *stages],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 wrong" in done.stdout


def test_every_kind_of_input_is_read_when_it_is_not_harmed_and_every_harm_harms(tmp_path: Path) -> None:
    good, random = make_all(tmp_path), np.random.default_rng(0)
    for entry in INPUTS:
        for one in entry.harms:
            tried = [one(random, good[entry.name]) for _ in range(8)]
            assert any(content != good[entry.name] for content in tried), (
                f"{one.__name__} leaves {entry.name} alone"
            )
    assert {harm.flip, harm.member, harm.value, harm.column} <= {
        one for entry in INPUTS for one in entry.harms
    }


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        (Called(0, "", ""), ""),
        (Called(2, "", "comitia: a.npz: no such file"), ""),
        (Called(2, "", "comitia: one\ntwo"), "not one line"),
        (Called(2, "", "Traceback (most recent call last)"), "not told as bad input"),
        (Called(1, "", "comitia: failed: KeyError: 'a'"), "not told as bad input"),
        (Called(1, "", ""), "exit code 1"),
        (Called(3, "", ""), "exit code 3"),
        (Called(0, "\x1b[2J", ""), "control characters"),
        (Called(None, "", "", "escaped: ZeroDivisionError"), "escaped"),
    ],
)
def test_what_counts_as_wrong(found: Called, wrong: str) -> None:
    assert faults(["weigh"], found).startswith(wrong)
    assert bool(faults(["weigh"], found)) == bool(wrong)
