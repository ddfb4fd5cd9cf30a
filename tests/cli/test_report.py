import json
from pathlib import Path

import pytest

from comitia.cli.main import main
from report_records import an_ensemble, an_evaluation, folder_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return folder_of(tmp_path / "run", an_ensemble(), an_evaluation())


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["report", *words])
    return int(stopped.value.code or 0)


def test_the_page_goes_beside_its_record(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run/ensemble.json") == 0
    assert run("run") == 0
    assert "page written to run/report.html" in capsys.readouterr().out
    for page in ("ensemble.html", "report.html"):
        text = (folder / page).read_text()
        assert text.startswith("<!doctype html>")
        assert 2e4 < len(text) < 2e5


def test_the_same_record_gives_the_same_page(folder: Path) -> None:
    for name in ("a.html", "b.html"):
        assert run("run", "--out", name) == 0
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()


def test_the_title_can_be_given(folder: Path) -> None:
    assert run("run", "--out", "page.html", "--title", "Four members") == 0
    assert "<title>Four members · comitia</title>" in Path("page.html").read_text()


def test_json_goes_alone_to_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", "--out", "page.html", "--json", "-") == 0
    record = json.loads(capsys.readouterr().out)
    assert record == {"page": "page.html", "bytes": Path("page.html").stat().st_size}


def test_nothing_is_overwritten_unless_forced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("page.html").write_text("mine")
    assert run("run", "--out", "page.html") == 2
    assert Path("page.html").read_text() == "mine"
    assert capsys.readouterr().err == "comitia: page.html: already exists; --force overwrites it\n"
    assert run("run", "--out", "page.html", "--force") == 0
    assert Path("page.html").read_text() != "mine"


@pytest.mark.parametrize(
    "words",
    [
        ["run/ensemble.json", "--out", "run/ensemble.json"],
        ["run/ensemble.json", "--out", "page.html", "--json", "run/ensemble.json"],
        ["run", "--out", "run/evaluation.json"],
        ["run", "--out", "page.html", "--json", "run/run.json"],
        ["run", "--out", "run/learning.csv"],
        ["run", "--out", "page.html", "--json", "page.html"],
    ],
)
def test_records_are_never_overwritten(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (folder / "learning.csv").write_text("run,epoch,loss,accuracy,seconds\n1,1,0.5,0.75,12.0\n")
    before = {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}
    assert run(*words, "--force") == 2
    told = capsys.readouterr().err
    assert any(
        w in told for w in ("one of the inputs", "two outputs have this name", "is the name of a record")
    )
    assert {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()} == before
    assert not Path("page.html").exists()


@pytest.mark.parametrize(
    "words, message",
    [
        (["absent.json"], "absent.json: no such file or folder"),
        (["run/run.json"], "not an ensemble, evaluation or comparison"),
        (["empty"], "has neither evaluation.json nor ensemble.json"),
        (["run", "--out", "no/such/page.html"], "does not exist; make it first"),
        (["broken.json"], "not readable as JSON"),
        (["run", "--out", "-"], "out: the name of a file is required, got '-'"),
        (["run", "--out", "run/comparison.json"], "is the name of a record"),
        ([], "Missing argument 'PATH'"),
    ],
)
def test_bad_input(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    Path("empty").mkdir()
    Path("broken.json").write_text('{"format": "comitia-')
    before = sorted(folder.parent.rglob("*"))
    assert run(*words) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""
    assert sorted(folder.parent.rglob("*")) == before
