"""The limit on what is held at once: stated, checked before anything is allocated, and raised by a variable."""

import doctest
import gzip
import io
import json
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import comitia._sizes
from comitia import Predictions, count, read_predictions, weigh
from comitia._errors import InputError
from comitia._sizes import VARIABLE, limit


def test_examples() -> None:
    assert doctest.testmod(comitia._sizes, optionflags=doctest.ELLIPSIS).failed == 0


def test_the_variable_says_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert 0 < limit() <= 4 * 2**30
    for text, size in (("16G", 16 * 2**30), ("500", 500), (" 2mb", 2 * 2**20)):
        monkeypatch.setenv(VARIABLE, text)
        assert limit() == size
    for text in ("", "much", "-1G", "1.5G", "0"):
        monkeypatch.setenv(VARIABLE, text)
        with pytest.raises(InputError, match="COMITIA_MEMORY: must be a number of bytes such as 16G"):
            limit()


def bomb(path: Path, size: int) -> None:
    """An archive of a thousandth of what it unpacks to."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|u1", "fortran_order": False, "shape": (4, size // 4)}
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("votes.npy", header.getvalue() + bytes(size))


def test_what_unpacks_to_more_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1M")
    bomb(tmp_path / "a.npz", 2**22)
    with pytest.raises(InputError, match=r"votes, unpacked, needs 4\.0 MiB, more than the limit of 1\.0 MiB"):
        read_predictions(tmp_path / "a.npz")
    text = b"a,b,label\n" + b"0,1,1\n0,1,0\n" * 2**18
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    with pytest.raises(InputError, match=r"a\.csv\.gz: unpacked it needs .* raises it"):
        read_predictions(tmp_path / "a.csv.gz")
    monkeypatch.setenv(VARIABLE, "64M")
    assert read_predictions(tmp_path / "a.csv.gz").samples == 2**19


def test_a_header_that_lies_takes_no_memory(tmp_path: Path) -> None:
    for kind, shape in (
        (zipfile.ZIP_DEFLATED, (2, 10**13)),
        (zipfile.ZIP_STORED, (2, 10**13)),
        (0, (2**70, 2)),
    ):
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<i8", "fortran_order": False, "shape": shape})
        with zipfile.ZipFile(tmp_path / "a.npz", "w", kind) as archive:
            archive.writestr("votes.npy", header.getvalue() + bytes(100))
        with pytest.raises(InputError, match="limit of|cut short|too big|too large"):
            read_predictions(tmp_path / "a.npz")


def test_numbers_for_each_pair_of_members(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = Predictions.from_arrays(votes=np.tile([0, 1], (200, 30)), labels=np.tile([0, 1], 30))
    monkeypatch.setenv(VARIABLE, "1M")
    for work in (weigh, count):
        with pytest.raises(InputError, match=r"a number for each pair of 200 members needs 1\.8 MiB"):
            work(pack)


def test_a_record_of_gigabytes_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from comitia.files.ensembles import read_ensemble

    monkeypatch.setenv(VARIABLE, "1M")
    (tmp_path / "e.json").write_text(json.dumps([0] * 2**16))
    with pytest.raises(InputError, match="a text of this size needs"):
        read_ensemble(tmp_path / "e.json")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as on Linux")
def test_ten_thousand_columns_end_with_a_line_and_not_with_the_memory(tmp_path: Path) -> None:
    """Within 1.5 GB of memory; the numbers for each pair would take 4.5 GiB."""
    names, cells = [f"c{i}" for i in range(10_000)], ["0", "1"] * 5_000
    rows = [",".join([*names, "label"]), *(",".join([*cells, str(k)]) for k in (0, 1, 0))]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    program = (
        "import resource, sys; from comitia.cli.main import main; import scipy.stats\n"
        f"resource.setrlimit(resource.RLIMIT_DATA, ({3 * 2**29},) * 2); main(['weigh', sys.argv[1]])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "t.csv")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "COMITIA_MEMORY=5G raises it" in done.stderr
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] != 3 * 2**29
