"""The lock of a directory."""

from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.deep.directory import Directory
from comitia.engines.opening import check_same, locked, settle_directory, trained_recipe
from comitia.recipes import read_recipe


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


def test_a_training_whose_samples_an_earlier_version_divided_otherwise_is_refused(tmp_path: Path) -> None:
    # it kept single photographs apart, this version keeps whole patients: ours hold samples that trained its members
    directory = Directory(tmp_path)
    recipe = read_recipe("eyepacs-resnet50-simple", ["data.holdout=0.1"])
    settle_directory(directory, recipe, threads=1, device="cpu")
    (tmp_path / "runs" / "1").mkdir(parents=True)
    (tmp_path / "runs" / "1" / "run.json").write_text("{}")
    check_same(directory, recipe)
    assert trained_recipe(directory) == recipe
    before = "1" * 64
    text = directory.settings.read_text().replace(recipe.fingerprint(), before)
    assert before in text
    directory.settings.write_text(text)
    for look in (lambda: check_same(directory, recipe), lambda: trained_recipe(directory)):
        with pytest.raises(InputError, match="kept other samples apart"):
            look()
