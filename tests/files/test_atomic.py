"""Files appear whole or not at all."""

import doctest
import os

import pytest

import comitia.files.atomic
from comitia._errors import InputError
from comitia.files.atomic import whole, write_bytes, write_text


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
