"""weigh, predict, verify and plan as a person or a program calls them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from comitia.cli.main import COMMANDS, main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 1000)
    logits = rng.normal(size=(30, 1000, 3)) + 2.5 * np.eye(3)[labels] + rng.normal(size=(1, 1000, 3))
    probs = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    names = [f"net {i}" for i in range(30)]
    np.savez("holdout.npz", probs=probs[:, :600], labels=labels[:600], names=names)
    np.savez("new.npz", probs=probs[:, 600:], labels=labels[600:], names=names)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    out, err = capsys.readouterr()
    assert end.value.code == code, err
    return out


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_weigh_then_predict_then_verify(folder: Path, capsys: pytest.CaptureFixture[str], vote: str) -> None:
    shown = run(capsys, "weigh", "holdout.npz", "--vote", vote, "--out", "ensemble.json")
    assert (
        f"Promise (split): with probability 95% over the draw of 515 hold-out samples, the {vote}"
        in " ".join(shown.split())
    )
    assert "… " in shown
    assert "split" in shown
    predicted = json.loads(
        run(capsys, "predict", "ensemble.json", "new.npz", "--out", "p.npz", "--json", "-")
    )
    with np.load("p.npz") as stored:
        assert stored["votes"].tolist() == predicted["classes"]
        assert stored["probs"].shape == (400, 3)
    assert predicted["error"] < 0.2
    assert "Everything that can be computed holds." in run(capsys, "verify", "ensemble.json", "holdout.npz")
    shown = run(capsys, "verify", "ensemble.json", "new.npz", code=1)
    assert "does not hold" in shown


def test_json_on_standard_output_is_alone_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(run(capsys, "weigh", "holdout.npz", "--json", "-", "--method", "greedy"))
    assert record["weighting"]["method"] == "greedy"
    assert record["best"]["name"] == "split"


def test_predict_as_csv(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "weigh", "holdout.npz", "--out", "e.json")
    run(capsys, "predict", "e.json", "new.npz", "--out", "p.csv")
    table = (folder / "p.csv").read_text().splitlines()
    assert table[0] == "class,share_0,share_1,share_2"
    assert len(table) == 401


def test_names_stay_apart_and_cannot_speak_to_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load("holdout.npz") as pack:
        probs, labels = pack["probs"][:3], pack["labels"]
    names = [f"experiment-with-a-long-name-seed{i}-and-a-very-long-end-of-it" for i in range(2)] + [
        "red \x1b[31m\x00"
    ]
    np.savez("named.npz", probs=probs, labels=labels, names=names)
    text = run(capsys, "weigh", "named.npz")
    assert "\x1b[31m" not in text
    assert "\x00" not in text
    assert len({line.split()[0] for line in text.splitlines() if ": experiment" in line}) == 2


def test_one_file_a_member_and_tables_say_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with np.load("holdout.npz") as pack:
        votes, labels = pack["probs"][:3].argmax(axis=2), pack["labels"]
    for i, row in enumerate(votes):
        np.save(f"m{i}.npy", row)
    np.save("labels.npy", labels)
    lines = ["m0,m1,m2,label", *(",".join(map(str, row)) for row in [*zip(*votes, labels)])]
    (folder / "table.csv").write_text("\n".join(lines))
    a = json.loads(
        run(capsys, "weigh", "m0.npy", "m1.npy", "m2.npy", "--labels", "labels.npy", "--json", "-")
    )
    b = json.loads(run(capsys, "weigh", "table.csv", "--json", "-"))
    assert a["weighting"] == b["weighting"]
    assert a["certificates"] == b["certificates"]


def test_given_weights(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "w.json").write_text(json.dumps([1 / 30] * 30))
    record = json.loads(run(capsys, "weigh", "holdout.npz", "--weights", "w.json", "--json", "-"))
    assert record["best"]["name"] == "holdout"
    assert record["weighting"]["method"] == "given"
    shown = " ".join(run(capsys, "weigh", "holdout.npz", "--weights", "w.json").split())
    assert "weights: given, by your own statement fixed without the hold-out, certified on all of it" in shown
    assert "chosen by its result on them, and the weights were fixed without these samples." in shown


def test_uniform_weights_need_no_word_of_the_user(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = " ".join(run(capsys, "weigh", "holdout.npz", "--method", "uniform").split())
    assert "weights: uniform, fixed without the hold-out, certified on all of it" in shown
    assert "no seed, method or other option was chosen by its result on them. " in shown
    assert "has no effect" not in shown


def test_a_fraction_without_effect_is_said_to_have_none(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["weigh", "holdout.npz", "--method", "uniform", "--certify-fraction"]
    said = "--certify-fraction 0.5 has no effect: no sample chooses uniform weights, so all samples certify"
    assert said in " ".join(run(capsys, *words, ".5").split())
    assert "has no effect" not in run(capsys, *words, "0")


def test_an_edited_promise_does_not_hold_up(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "weigh", "holdout.npz", "--out", "e.json")
    record = json.loads((folder / "e.json").read_text())
    record["best"]["promise"] = (
        "with probability 99.9%, the majority vote errs on at most 0.1% of new samples"
    )
    (folder / "e.json").write_text(json.dumps(record))
    shown = " ".join(run(capsys, "verify", "e.json", "holdout.npz", code=1).split())
    assert "other: promise does not hold" in shown


def test_plan_both_ways(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(run(capsys, "plan", "--error", ".07", "--risk", ".08", "--json", "-"))
    back = json.loads(
        run(capsys, "plan", "--error", ".07", "--samples", str(record["samples"]), "--json", "-")
    )
    assert back["risk"] == record["risk"] <= 0.08
    assert record["samples"] == 2476
    shown = run(capsys, "plan", "--error", ".07", "--risk", ".08")
    assert shown.startswith("from 2,476 hold-out samples on: split certifies a risk of 8.00%")
    assert "5,000 hold-out samples: split certifies" in run(
        capsys, "plan", "--error", ".07", "--samples", "5000"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_helps_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, command, "--help")
    assert "Example" in shown
    assert f"comitia {command}" in shown


@pytest.mark.parametrize("command", ["weigh", "predict", "verify", "evaluate"])
def test_help_lists_options_for_tables_after_the_others(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options, tables = run(capsys, command, "--help").split("\nTables:\n")
    columns, answers = tables.split("\nLong tables (a row per answer):\n")
    for shown, expected in ((columns, "--label --id --positive --abstain"), (answers, "--rounds --columns")):
        assert all(f"  {flag} " in shown and f"  {flag} " not in options for flag in expected.split())
    assert "  --debug " in options
    assert "FILE..." not in options.split("\nOptions:\n")[1]


def test_groups_and_abstentions_are_told_of_the_samples_that_certify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, first, count in (("choose", 0, 30), ("certify", 30, 40)):
        rows = [f"p{first + k // 2},{k % 2},{'' if k == 0 else k % 2},{k % 2}" for k in range(count)]
        Path(f"{name}.csv").write_text("\n".join(["patient,a,b,label", *rows]))
    words = ("--group", "patient", "--empty", "abstain")
    alone = run(capsys, "weigh", "choose.csv", *words)
    assert "30 hold-out samples in 15 groups · 1 abstention ·" in alone
    apart = run(capsys, "weigh", "choose.csv", "--certify", "certify.csv", *words)
    assert "30 hold-out samples · 2 classes" in apart
    assert "certified on 40 samples apart in 20 groups · 1 abstention" in apart


def test_files_are_written_although_the_reader_of_the_table_has_gone(folder: Path) -> None:
    command = f"{sys.executable} -m comitia.cli.main weigh holdout.npz --out e.json | head -1 > first.txt"
    subprocess.run(["bash", "-c", command], cwd=folder, check=True, timeout=60)
    assert json.loads((folder / "e.json").read_text())["members"] == 30


def test_a_terminal_without_the_signs(folder: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [sys.executable, "-m", "comitia.cli.main", "weigh", "holdout.npz"]
    done = subprocess.run(words, cwd=folder, capture_output=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 2
    assert "\n  comitia weigh holdout.npz" in capsys.readouterr().err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version").startswith("comitia ")
    assert all(command in run(capsys, "--help") for command in COMMANDS)


def test_the_default_vote_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "because the members gave"
    assert f"vote: average, {said} probabilities; --vote says otherwise" in run(
        capsys, "weigh", "holdout.npz"
    )
    with np.load(folder / "holdout.npz") as pack:
        np.savez(folder / "votes.npz", votes=pack["probs"].argmax(2), labels=pack["labels"])
    assert f"vote: majority, {said} votes; --vote says otherwise" in run(capsys, "weigh", "votes.npz")
    assert said not in run(capsys, "weigh", "holdout.npz", "--vote", "majority")


def test_the_default_method_is_said_where_it_is_another(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "weights: blend, chosen on 85 samples" in run(capsys, "weigh", "holdout.npz")
    with np.load(folder / "holdout.npz") as pack:
        mask = np.random.default_rng(1).random(pack["probs"].shape[:2]) < 0.8
        np.savez(folder / "own.npz", probs=pack["probs"], labels=pack["labels"], mask=mask)
    shown = run(capsys, "weigh", "own.npz")
    assert "weights: tandem, chosen on all samples" in shown
    assert "method: tandem, because each member has its own hold-out samples (else blend)" in shown
