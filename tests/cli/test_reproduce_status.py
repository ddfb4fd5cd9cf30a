"""`comitia reproduce --status`, `--tables`, `--results` and `--trained`."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from comitia.cli.main import main
from comitia.cli.reproduce import command
from comitia.paper.outputs import TABLE_FILES
from comitia.paper.rows import paper_rows


def _fails(*words: object) -> object:
    with pytest.raises(SystemExit) as stopped:
        main(["reproduce", *(str(word) for word in words)])
    return stopped.value.code


def _rows(*words: object) -> list[dict[str, Any]]:
    done = CliRunner().invoke(command, [*map(str, words), "--json", "-"], catch_exceptions=False)
    assert done.exit_code == 0
    whole = json.loads(done.stdout)
    assert list(whole) == ["rows"]
    return list(whole["rows"])


def test_the_status_has_all_rows_of_the_paper() -> None:
    rows = _rows("--status")
    assert len(rows) == 31
    for row in rows:
        assert {"recipe", "paper", "ours", "scale", "source", "needs"} <= set(row)
        assert row["source"] in ("trained", "stored", None)
        assert (row["source"] is None) == (row["ours"] is None) == (row["scale"] is None)
        assert "h on 2 cores" in row["needs"]
    bagging = next(row for row in rows if row["recipe"] == "imdb-cnn_lstm-bagging")
    assert bagging["paper"]["avg_tandem_last"] == 0.869
    shown = CliRunner().invoke(command, ["--status"], catch_exceptions=False).output
    assert [line.split()[0] for line in shown.splitlines() if "-" in line.strip().partition(" ")[0]] == [
        row.key for row in paper_rows()
    ]
    assert "* not trained as the paper did." in shown


def test_reproductions_of_ones_own_are_in_status_and_tables(pack: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine" / "eyes"
    small = ["--from", pack, "--out", out, "--sizes", "2,5", "--no-figures", "--trained", "with dropout .5"]
    words = [str(word) for word in ("eyepacs-resnet50-bagging", *small)]
    assert CliRunner().invoke(command, words, catch_exceptions=False).exit_code == 0
    (row,) = [row for row in _rows("--status", "--results", tmp_path) if row["recipe"] == words[0]]
    assert (row["source"], row["scale"], row["as_paper"]) == ("stored", "with dropout .5", False)
    record = json.loads((out / "evaluation.json").read_text())
    (mean,) = [
        found["accuracy_mean"]
        for found in record["rows"]
        if [found[key] for key in ("size", "members", "weights", "vote")] == [5, "all", "tandem", "average"]
    ]
    assert row["ours"]["avg_tandem_all"] == pytest.approx(mean, abs=1e-6)

    tables = tmp_path / "tables"
    done = CliRunner().invoke(
        command, ["--tables", str(tables), "--results", str(tmp_path / "mine")], catch_exceptions=False
    )
    assert {path.name for path in tables.iterdir()} == set(TABLE_FILES)
    assert "12 files written to" in done.output
    with (tables / "table-3.csv").open(newline="") as file:
        (ours,) = [r for r in csv.DictReader(file) if (r["data"], r["experiment"]) == ("EyePACS", "bagging")]
    assert (float(ours["average all"]), ours["average all, paper"]) == (
        row["ours"]["avg_tandem_all"],
        "0.896",
    )


def test_what_is_said_of_the_training_decides_what_is_judged(pack: Path, tmp_path: Path) -> None:
    for told, said in (
        ("paper", "Levels can be"),
        ("briefly", "Training: briefly. This is not how the paper"),
    ):
        words = ["imdb-cnn_lstm-simple", "--from", pack, "--sizes", "2", "--no-figures", "--trained", told]
        out = tmp_path / told
        done = CliRunner().invoke(command, [*map(str, words), "--out", str(out)], catch_exceptions=False)
        assert done.exit_code == 0
        page = (out / "README.md").read_text()
        assert said in page
        assert f"--trained {told} --sizes 2" in page
        origin = json.loads((out / "evaluation.json").read_text())["provenance"]
        assert origin["as_paper"] == (told == "paper")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["demo", "--trained", "paper"], "--trained: says how stored predictions came to be and requires"),
        (["--results", "x"], "--results: requires --status or --tables"),
        (["--status", "--results", "absent"], "--results: absent must be a folder with reproduced rows"),
        (["--status", "--results", "."], "--results: . must hold a folder with evaluation.json for each"),
        (["--tables", "x", "--results", "."], "got none; give the folder that comitia reproduce wrote to"),
        (["--status", "--list"], "nothing is trained or evaluated; leave out --list"),
        (["--tables", "x", "demo", "--members", "3"], "leave out NAME, --members"),
        (["--status", "--compare", "bayes-demo"], "leave out --compare"),
        (["--tables", ""], "--tables: the name of a directory is required, got ''"),
        (["--tables", "-"], "--tables: the name of a directory is required, got '-'"),
    ],
)
def test_wrong_words_with_status_and_tables_are_one_line(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _fails(*words) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_result_is_one_line_and_no_table_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "row").mkdir()
    (tmp_path / "row" / "evaluation.json").write_text('{"format": ')
    assert _fails("--tables", tmp_path / "out", "--results", tmp_path) == 2
    told = capsys.readouterr().err
    assert "row/evaluation.json: not readable as JSON" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_tables_are_not_overwritten_without_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "status.md").write_text("mine")
    assert _fails("--tables", tmp_path) == 2
    assert "status.md already exists; use force to overwrite it" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["status.md"]
    assert _fails("--tables", tmp_path, "--force", "--json", tmp_path / "table-1.csv") == 2
    assert "two outputs have this name" in capsys.readouterr().err
    assert (tmp_path / "status.md").read_text() == "mine"
    assert _fails("--tables", tmp_path, "--force") == 0
    assert (tmp_path / "status.md").read_text() != "mine"
