"""Files that are only added to: cut at every byte, killed for good, damaged, absent."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from comitia import InputError
from comitia.files.logs import Log, add_to_log, log_place, read_log

RECORDS = [{"a": 1}, {"text": 'quotes " and , "check" {} ρ', "list": [1, 2.5, None]}, {"a": 2}]


def written(place: Path, records: list[dict]) -> Path:
    add_to_log(place, read_log(place), records)
    return place


def test_what_is_added_is_read(tmp_path: Path) -> None:
    place = tmp_path / "log.jsonl"
    assert read_log(place) == Log((), 0, 0)
    for record in RECORDS:
        written(place, [record])
    found = read_log(place)
    assert list(found.records) == RECORDS
    assert (found.whole, found.torn) == (place.stat().st_size, 0)
    assert place.read_bytes() == written(tmp_path / "other.jsonl", RECORDS).read_bytes()


def test_cut_at_every_byte_nothing_before_is_lost_and_the_next_line_heals_it(tmp_path: Path) -> None:
    whole = written(tmp_path / "log.jsonl", RECORDS).read_bytes()
    ends = [0, *(i + 1 for i, byte in enumerate(whole) if byte == ord("\n"))]
    for cut in range(len(whole) + 1):
        place = tmp_path / "cut.jsonl"
        place.write_bytes(whole[:cut])
        found = read_log(place)
        kept = max(i for i, end in enumerate(ends) if end <= cut)
        assert list(found.records) == RECORDS[:kept]
        assert found.torn == cut - ends[kept]
        add_to_log(place, found, RECORDS[kept:])
        assert place.read_bytes() == whole


@pytest.mark.parametrize("place_of_damage", [3, 40, -30, -5])
def test_a_damaged_line_is_said_to_be(tmp_path: Path, place_of_damage: int) -> None:
    place = written(tmp_path / "log.jsonl", RECORDS)
    content = bytearray(place.read_bytes())
    content[place_of_damage] ^= 1
    place.write_bytes(content)
    with pytest.raises(InputError, match=r"log.jsonl, line \d: damaged"):
        read_log(place)


@pytest.mark.parametrize(
    "content", [b"\n", b"{}\n", b"\xff\xfe\n", b'{"check":"0123456789abcdef"}\n', b"hello\n"]
)
def test_other_files_are_no_logs(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "log.jsonl"
    place.write_bytes(content)
    with pytest.raises(InputError, match="line 1: damaged"):
        read_log(place)
    assert place.read_bytes() == content


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not readable"):
        read_log(tmp_path)


def test_two_that_add_at_once_both_count(tmp_path: Path) -> None:
    place = tmp_path / "log.jsonl"
    seen = read_log(place)
    add_to_log(place, seen, [{"by": "one"}])
    add_to_log(place, seen, [{"by": "two"}])
    assert [record["by"] for record in read_log(place).records] == ["one", "two"]


def test_a_cut_line_that_another_has_healed_is_not_cut_again(tmp_path: Path) -> None:
    place = written(tmp_path / "log.jsonl", RECORDS[:1])
    place.write_bytes(place.read_bytes() + b'{"half')
    seen = read_log(place)
    add_to_log(place, seen, [{"by": "one"}])
    add_to_log(place, seen, [{"by": "two"}])
    assert [record.get("by") for record in read_log(place).records] == [None, "one", "two"]


ADDING = """
import sys
from pathlib import Path
from comitia.files.logs import add_to_log, read_log
place = Path(sys.argv[1])
for number in range(int(sys.argv[2]), 10**6):
    add_to_log(place, read_log(place), [{"number": number, "filling": "x" * 5000}])
    print(number, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_what_was_added_before_a_kill_is_there(tmp_path: Path) -> None:
    """Three kills while lines are being added: every line that was said to be added is there, once, in order."""
    place, said = tmp_path / "log.jsonl", -1
    for lines in (3, 5, 4):
        command = [sys.executable, "-c", ADDING, str(place), str(len(read_log(place).records))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(lines):
                said = int(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
        numbers = [record["number"] for record in read_log(place).records]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) > said


def test_places(tmp_path: Path) -> None:
    assert log_place("s.jsonl", "e.json", ".monitor.jsonl") == Path("s.jsonl")
    assert log_place(None, tmp_path / "a.b.json", ".drift.jsonl") == tmp_path / "a.b.drift.jsonl"
    assert log_place(None, f"file://{tmp_path}/e.json", ".drift.jsonl") == tmp_path / "e.drift.jsonl"
    with pytest.raises(InputError, match="state: must be a local file"):
        log_place("s3://bucket/s.jsonl", "e.json", ".monitor.jsonl")
    with pytest.raises(InputError, match="state: required where the ensemble has a URL"):
        log_place(None, "s3://bucket/e.json", ".monitor.jsonl")
