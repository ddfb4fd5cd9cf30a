"""The lock of a directory."""

from pathlib import Path

import pytest

from quorate.deep.directory import Directory
from quorate.engines.opening import locked
from quorate.errors import InputError


def test_a_second_training_is_refused_while_the_first_holds_the_lock(tmp_path: Path) -> None:
    directory = Directory(tmp_path / "out")
    with locked(directory), pytest.raises(InputError, match=r"a training is running there \(process \d+\)"):  # noqa: SIM117
        with locked(directory):
            pass
    with locked(directory):
        pass
