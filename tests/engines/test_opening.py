"""The lock of a directory."""

from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.deep.directory import Directory
from comitia.engines.opening import locked


def test_what_a_killed_process_half_gathered_is_removed(tmp_path: Path) -> None:
    for name in (".holdout.npz.part-x1y2z3w4.npz", ".test.npz.part-a1b2c3d4.rows", "holdout.npz"):
        (tmp_path / name).touch()
    with locked(Directory(tmp_path)):
        assert {path.name for path in tmp_path.iterdir()} == {"holdout.npz", ".lock"}


def test_a_path_that_cannot_be_a_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(InputError, match="cannot be made a directory"),
        locked(Directory(tmp_path / "file" / "x")),
    ):
        pass


def test_a_second_training_is_refused_while_the_first_holds_the_lock(tmp_path: Path) -> None:
    directory = Directory(tmp_path / "out")
    with locked(directory), pytest.raises(InputError, match=r"a training is running there \(process \d+\)"):  # noqa: SIM117
        with locked(directory):
            pass
    with locked(directory):
        pass
