"""Files appear whole or not at all."""

import doctest
import errno
import os
import subprocess
import sys

import pytest

import comitia.files.atomic
from comitia._errors import InputError
from comitia.files.atomic import (
    open_own,
    remove_orphans,
    require_real,
    together,
    whole,
    write_bytes,
    write_text,
)


def test_examples():
    assert doctest.testmod(comitia.files.atomic).failed == 0


def test_what_is_written_is_read(tmp_path):
    write_text(tmp_path / "a.txt", "ρ\r\n")
    write_bytes(tmp_path / "b.bin", b"\0\1")
    assert (tmp_path / "a.txt").read_bytes() == "ρ\r\n".encode()
    assert (tmp_path / "b.bin").read_bytes() == b"\0\1"


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    write_text(tmp_path / "a.txt", "old")

    def fail_half_way():
        with whole(tmp_path / "a.txt") as temporary:
            temporary.write_text("half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path):
    write_text(tmp_path / "a.txt", "old")
    with whole(tmp_path / "a.txt") as temporary:
        temporary.write_text("new")
        assert (tmp_path / "a.txt").read_text() == "old"
    assert (tmp_path / "a.txt").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="rights of Unix")
def test_rights_are_those_of_a_plain_file_and_kept_when_overwritten(tmp_path):
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "a.txt", "1")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "a.txt").chmod(0o640)
    write_text(tmp_path / "a.txt", "2")
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: not a regular file; refusing to overwrite it"):
        write_text(tmp_path / "pipe", "1")
    assert (tmp_path / "pipe").is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_a_link_stays_one_and_what_it_points_to_is_written(tmp_path):
    (tmp_path / "target.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("target.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "target.txt").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_a_link_to_nothing_is_not_written_through(tmp_path):
    (tmp_path / "link.txt").symlink_to(tmp_path / "elsewhere.txt")
    with pytest.raises(InputError, match=r"link\.txt: a link to nothing"):
        write_text(tmp_path / "link.txt", "1")
    assert os.listdir(tmp_path) == ["link.txt"]


def test_files_appear_together_or_not_at_all(tmp_path):
    write_text(tmp_path / "a.txt", "old")

    def fail_at_the_second():
        with together():
            write_text(tmp_path / "a.txt", "new")
            with whole(tmp_path / "b.txt") as temporary:
                temporary.write_text("half")
                raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        fail_at_the_second()
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]
    with together():
        write_text(tmp_path / "a.txt", "new")
        write_text(tmp_path / "b.txt", "too")
        assert (tmp_path / "a.txt").read_text() == "old"
    assert [(tmp_path / f"{name}.txt").read_text() for name in "ab"] == ["new", "too"]


KILLED = """
import os, signal, sys
from pathlib import Path
from comitia.files.atomic import whole
with whole(sys.argv[1]) as temporary:
    temporary.with_suffix(".rows").write_text("rows")
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_what_a_killed_process_left_goes_with_the_next_writing_and_what_a_live_one_writes_stays(tmp_path):
    (tmp_path / ".a.txt.bak").write_text("mine")
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a.txt")], check=False)
    assert len(os.listdir(tmp_path)) == 3
    with whole(tmp_path / "a.txt") as temporary:
        temporary.with_suffix(".rows").write_text("rows")
        assert len(os.listdir(tmp_path)) == 3, "what was left is gone, and two of our own are there"
        remove_orphans(tmp_path)
        assert temporary.exists()
        assert temporary.with_suffix(".rows").exists()
        temporary.with_suffix(".rows").unlink()
        temporary.write_text("whole")
    assert sorted(os.listdir(tmp_path)) == [".a.txt.bak", "a.txt"]


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "file/inside"])
def test_a_path_that_cannot_be_is_the_users_input(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written|no name of a file"):
        write_text(tmp_path / name, "1")


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_files_of_a_folder_of_ours_are_real(tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    (tmp_path / "ours").mkdir()
    require_real(tmp_path / "ours")
    (tmp_path / "ours" / "log").symlink_to(tmp_path / "mine.txt")
    with pytest.raises(InputError, match="log: a link inside a folder"):
        require_real(tmp_path / "ours")
    with pytest.raises(InputError, match="log: cannot be written"), open_own(tmp_path / "ours" / "log", "w"):
        pass
    assert (tmp_path / "mine.txt").read_text() == "precious"
