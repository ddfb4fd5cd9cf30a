"""`comitia evaluate` as people call it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from comitia import Predictions, evaluate
from comitia.cli.evaluate import command, show_evaluation
from comitia.cli.main import main


def _run(*words: object) -> str:
    result = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_a_table_the_claims_and_notes_are_shown(pack: Path) -> None:
    text = _run(pack, "--sizes", "2,5", "--repeats", 2)
    assert "15 members of 5 runs · 200 test samples · 2 classes" in text
    assert "tandem" in text
    assert "Claim 3:" in text
    assert "all draws of size 5 are the same" in text


def test_json_alone_on_standard_output_twice_the_same(pack: Path) -> None:
    words = (pack, "--sizes", "3", "--weights", "uniform,tandem", "--json", "-", "--seed", 4)
    one, other = (CliRunner().invoke(command, [str(w) for w in words]).stdout for _ in range(2))
    assert one == other
    record = json.loads(one)
    assert {row["weights"] for row in record["rows"]} == {"uniform", "tandem"}
    assert len(record["rows"]) == 8


def test_outputs_are_written_and_never_overwritten(pack: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"rows{end}" for end in (".md", ".tex", ".csv")]
    tables = [word for path in paths for word in ("--table", path)]
    _run(pack, "--sizes", 2, "--repeats", 1, *tables, "--out", tmp_path / "e.json")
    assert all(path.stat().st_size for path in paths)
    before = paths[0].read_bytes()
    assert _fails(pack, "--sizes", 2, "--seed", 1, "--table", paths[0])[0] == 2
    assert paths[0].read_bytes() == before
    _run(pack, "--sizes", 2, "--seed", 1, "--table", paths[0], "--force")
    assert paths[0].read_bytes() != before


@pytest.mark.parametrize("option", ["--out", "--json", "--table"])
def test_inputs_are_never_overwritten(
    tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "in.csv"
    table.write_text("label,a,b\n" + "0,0,1\n1,1,1\n" * 4)
    before = table.read_bytes()
    assert _fails(table, option, table, "--force")[0] == 2
    assert "is one of the inputs; refusing to overwrite it" in capsys.readouterr().err
    assert table.read_bytes() == before


def test_two_outputs_need_two_names(pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sub").mkdir()
    assert _fails(pack, "--out", tmp_path / "b.md", "--table", tmp_path / "sub" / ".." / "b.md")[0] == 2
    assert "two outputs have this name" in capsys.readouterr().err
    assert not (tmp_path / "b.md").exists()


def _fails(*words: object) -> tuple[object, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", *(str(word) for word in words)])
    return stopped.value.code, ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sizes", "2,x"], "sizes: must be whole numbers with commas, such as 2,4,8, got '2,x'"),
        (["--sizes", "9"], "sizes: must be from 1 to 5, the number of runs, got 9"),
        (["--weights", "tandm"], "did you mean 'tandem'"),
        (["--table", "rows.docx"], "rows.docx: the name of a table must end in .md, .tex, .csv"),
        (["--delta", "0"], "delta: must lie strictly between 0 and 1"),
        (["--votes", ","], "votes: at least one of average, majority is required, got none"),
        (["--out", "-"], "--json - writes to standard output"),
        (["--votes", "average,mean"], "votes: 'mean' is not one of average, majority"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    out = tmp_path / "e.json"
    assert _fails(pack, "--out", out, *words)[0] == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not out.exists()


def test_a_broken_file_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"not a zip")
    assert _fails(broken, "--json", tmp_path / "out.json")[0] == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out.json").exists()


def test_what_was_asked_for_is_written_though_nobody_reads_the_text(pack: Path, tmp_path: Path) -> None:
    outputs = {"--out": "e.json", "--json": "j.json", "--table": "rows.md"}
    words = [word for option, name in outputs.items() for word in (option, str(tmp_path / name))]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "comitia.cli.main", "evaluate", str(pack), "--sizes", "2", *words],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 1
    assert all((tmp_path / name).stat().st_size for name in outputs.values())


def test_a_weighting_from_a_file_outside_the_package(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "from comitia.weighting import Weighting\n"
        "def last(evidence):\n"
        "    weights = np.zeros(evidence.predictions.members)\n"
        "    weights[-1] = 1.0\n"
        "    return Weighting('last', weights, 0)\n"
    )
    start = [sys.executable, "-m", "comitia.cli.main", "evaluate", str(pack)]
    done = subprocess.run(
        [*start, "--sizes", "2,5", "--weights", "uniform,mine:last", "--json", "-"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if row["weights"] == "mine:last"]
    assert {row["effective_mean"] for row in rows} == {1.0}
    assert len(rows) == 8


def _shown(**more: object) -> str:
    """What is printed of 120 samples, three members of whom one often has no answer; `more` is known of the samples."""
    rng = np.random.default_rng(0)
    labels = np.array(["cat", "dog"])[rng.integers(0, 2, 120)]
    others = np.where(labels == "cat", "dog", "cat")
    votes = np.where(rng.random((3, 120)) < 0.2, others, labels)
    pack = Predictions.from_arrays(votes=votes, labels=labels, **more)
    terminal = Console(file=io.StringIO(), width=100)
    show_evaluation(terminal, evaluate(pack, sizes=[3], repeats=1))
    assert isinstance(terminal.file, io.StringIO)
    return " ".join(terminal.file.getvalue().split())


def test_groups_and_abstentions_are_said() -> None:
    silent = np.zeros((3, 120), bool)
    silent[2, ::3] = True
    text = _shown(groups=np.arange(120) // 4, abstained=silent)
    assert "120 test samples in 30 groups · 2 classes" in text
    assert "30 groups stay whole: intervals count groups" in text
    assert "some members abstain: no answer is not right" in text
    assert "estimate" not in text


def test_out_of_fold_predictions_are_headed_as_an_estimate() -> None:
    text = _shown(folds=np.arange(120) % 5)
    assert text.startswith("estimate: out-of-fold predictions promise nothing")
    assert "Bound: none, out-of-fold predictions promise nothing." in text
    plain = _shown()
    assert "estimate" not in plain
    assert "groups" not in plain
    assert "Bound: tandem-kl on the risk, delta 0.05." in plain


def test_columns_of_a_table_can_be_named(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("truth,note,a,b\n" + "cat,1,cat,dog\ndog,2,dog,dog\ncat,3,cat,cat\n" * 8)
    text = _run(table, "--label", "truth", "--ignore", "note", "--sizes", 2)
    assert "label: truth" in text
    assert "members: 2 (a, b)" in text
    assert "24 test samples · 2 classes" in text
