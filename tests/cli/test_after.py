"""compare, monitor and drift as a person or a program calls them: exit codes, states, bad input."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from comitia.cli.main import main

RNG = np.random.default_rng(0)
NAMES = np.array(["a", "b", "c", "d", "e"])


def votes(samples: int, more: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    labels = RNG.integers(0, 3, samples)
    hard = RNG.random(samples)
    chance = np.linspace(0.05, 0.3, 5)[:, None] * (0.5 + hard) + more
    return np.where(RNG.random((5, samples)) < chance, (labels + 1) % 3, labels), labels


PACKS = {
    name: votes(*size)
    for name, size in {"holdout": (2000,), "new": (600,), "again": (500,), "bad": (600, 0.3)}.items()
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for name, (answers, labels) in PACKS.items():
        np.savez(f"{name}.npz", votes=answers, labels=labels, names=NAMES)
        np.savez(f"{name}-unlabelled.npz", votes=answers, names=NAMES)
    run(capsys, "weigh", "holdout.npz", "--out", "a.json")
    run(capsys, "weigh", "holdout.npz", "--method", "uniform", "--out", "u.json")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    out, err = capsys.readouterr()
    assert end.value.code == code, err
    return out


def test_compare_two_ensembles(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(run(capsys, "compare", "a.json", "u.json", "new.npz", "--json", "-"))
    answers, labels = PACKS["new"]
    uniform = np.array([np.bincount(column, minlength=3).argmax() for column in answers.T])
    assert record["other_error"] == pytest.approx(float((uniform != labels).mean()))
    assert {"gain", "gain_at_least", "p_value", "discordant"} <= set(record)
    shown = run(capsys, "compare", "a.json", "u.json", "new.npz", "--out", "c.json")
    assert "exact McNemar test" in shown
    assert "Void by" in shown
    assert json.loads((folder / "c.json").read_text()) == record


def test_compare_with_what_is_in_the_ensemble(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "compare", "a.json", "holdout.npz", "--uniform")
    assert "the certifying part of the hold-out" in shown
    assert "its member 'b'" in run(capsys, "compare", "a.json", "new.npz", "--member", "b")
    assert "its best member, 'a'" in run(capsys, "compare", "a.json", "new.npz", "--best-member")


def test_weigh_and_report_say_whether_it_beats_equal_weights(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "Over equal weights" in run(capsys, "weigh", "holdout.npz")
    run(capsys, "report", "a.json")
    assert "Gain over equal weights" in (folder / "a.html").read_text()


def test_monitor_file_by_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = folder / "a.monitor.jsonl"
    assert "no labels so far" in run(capsys, "monitor", "a.json").lower()
    run(capsys, "monitor", "a.json", "new.npz")
    first = state.read_bytes()
    assert "new.npz: 600 samples were counted before; the file counts once" in run(
        capsys, "monitor", "a.json", "new.npz"
    )
    assert state.read_bytes() == first
    run(capsys, "monitor", "a.json", "again.npz")
    assert state.read_bytes().startswith(first)
    record = json.loads(run(capsys, "monitor", "a.json", "bad.npz", "--json", "-", code=1))
    assert record["alarm"] is True
    assert record["labels"] == 1700
    assert len(state.read_text().splitlines()) == 4
    run(capsys, "monitor", "a.json", code=1)


def test_several_files_at_once_are_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "monitor", "a.json", "new.npz", "--state", "one.jsonl")
    run(capsys, "monitor", "a.json", "again.npz", "--state", "one.jsonl")
    run(capsys, "monitor", "a.json", "new.npz", "again.npz", "--state", "two.jsonl")
    assert (folder / "one.jsonl").read_bytes() == (folder / "two.jsonl").read_bytes()


def test_a_cut_line_is_told_and_healed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = folder / "a.monitor.jsonl"
    run(capsys, "monitor", "a.json", "new.npz", "again.npz")
    whole = state.read_bytes()
    state.write_bytes(whole[:-100])
    assert "was cut off" in run(capsys, "monitor", "a.json", "again.npz")
    assert state.read_bytes() == whole


def test_a_page_of_the_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "monitor", "a.json", "new.npz", "--page", "page.html")
    assert "Evidence and errors so far" in (folder / "page.html").read_text()
    run(capsys, "report", "a.monitor.jsonl")
    assert "File by file" in (folder / "a.monitor.html").read_text()


def test_members_in_files_of_their_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers, labels = PACKS["new"]
    np.save("labels.npy", labels)
    for name, row in zip(NAMES, answers):
        np.save(f"{name}.npy", row)
    files = [f"{name}.npy" for name in NAMES]
    record = json.loads(run(capsys, "monitor", "a.json", *files, "--labels", "labels.npy", "--json", "-"))
    assert record["labels"] == 600


def test_drift_look_by_look(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "drift", "a.json", "new-unlabelled.npz")
    record = json.loads(run(capsys, "drift", "a.json", "bad-unlabelled.npz", "--json", "-", code=1))
    assert (record["look"], record["alarm"]) == (2, True)
    again = json.loads(run(capsys, "drift", "a.json", "bad-unlabelled.npz", "--json", "-", code=1))
    assert again["notes"] == ["bad-unlabelled.npz: was look 2 already; it counts once"]
    assert {**again, "notes": []} == record
    assert "No alarm promises nothing" in run(capsys, "drift", "a.json", "again-unlabelled.npz")
    assert len((folder / "a.drift.jsonl").read_text().splitlines()) == 4


def test_drift_with_a_reference_is_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = json.loads(run(capsys, "drift", "a.json", "new.npz", "--state", "1.jsonl", "--json", "-"))
    words = ("drift", "a.json", "new.npz", "--reference", "holdout.npz", "--state", "2.jsonl", "--json", "-")
    other = json.loads(run(capsys, *words))
    assert one["tests"] == other["tests"]


def test_plans(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "samples that chose neither" in run(capsys, "plan", "--gain", ".01", "--discordant", ".03")
    record = json.loads(
        run(capsys, "plan", "--gain", ".01", "--error", ".05", "--samples", "9000", "--json", "-")
    )
    assert record["samples"] == 9000
    record = json.loads(run(capsys, "plan", "--risk", ".0765", "--true-risk", ".15", "--json", "-"))
    assert 90 < record["median"] < 130


def edited(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        with pytest.raises(SystemExit):
            main(["monitor", "a.json", "new.npz", "--state", name])
        place = folder / name
        place.write_bytes(place.read_bytes().replace(b'"risk":0.', b'"risk":0.9', 1))

    return change


def of_another(folder: Path) -> None:
    with pytest.raises(SystemExit):
        main(["monitor", "u.json", "new.npz", "--state", "s.jsonl"])
    with pytest.raises(SystemExit):
        main(["drift", "u.json", "new.npz", "--state", "d.jsonl"])


def fewer_members(folder: Path) -> None:
    answers, labels = PACKS["new"]
    np.savez("few.npz", votes=answers[1:3], labels=labels, names=NAMES[1:3])


def nothing(folder: Path) -> None:
    pass


def all_chose(folder: Path) -> None:
    with pytest.raises(SystemExit):
        main(["weigh", "holdout.npz", "--certify-fraction", "0", "--out", "all.json"])


def a_folder(folder: Path) -> None:
    (folder / "s.jsonl").mkdir()


Prepared = tuple[Callable[[Path], None], list[str], str]
BAD: dict[str, Prepared] = {
    "wrong ensemble": (
        of_another,
        ["monitor", "a.json", "new.npz", "--state", "s.jsonl"],
        "--state: s.jsonl is of another",
    ),
    "wrong ensemble of looks": (
        of_another,
        ["drift", "a.json", "new.npz", "--state", "d.jsonl"],
        "--state: d.jsonl is of another ensemble",
    ),
    "other kind of state": (
        of_another,
        ["drift", "u.json", "new.npz", "--state", "s.jsonl"],
        "s.jsonl: not a state that comitia drift wrote",
    ),
    "damaged state": (
        edited("s.jsonl"),
        ["monitor", "a.json", "again.npz", "--state", "s.jsonl"],
        "s.jsonl, line 1: damaged or edited",
    ),
    "state is a folder": (
        a_folder,
        ["monitor", "a.json", "new.npz", "--state", "s.jsonl"],
        "s.jsonl: not readable",
    ),
    "state in no folder": (
        nothing,
        ["monitor", "a.json", "new.npz", "--state", "no/such.jsonl"],
        "does not exist; make it first",
    ),
    "drift in no folder": (
        nothing,
        ["drift", "a.json", "new.npz", "--state", "no/such.jsonl"],
        "does not exist; make it first",
    ),
    "not an ensemble": (
        nothing,
        ["monitor", "new.npz", "new.npz"],
        "new.npz: not readable as text (it is not UTF-8)",
    ),
    "no labels": (nothing, ["monitor", "a.json", "new-unlabelled.npz"], "drift needs no labels"),
    "one good, one bad": (
        nothing,
        ["monitor", "a.json", "new.npz", "again-unlabelled.npz"],
        "drift needs no labels",
    ),
    "members missing": (
        fewer_members,
        ["monitor", "a.json", "few.npz"],
        "members missing from the files: 'a'",
    ),
    "members missing for drift": (
        fewer_members,
        ["drift", "a.json", "few.npz"],
        "members missing from the files",
    ),
    "members missing for compare": (
        fewer_members,
        ["compare", "a.json", "u.json", "few.npz"],
        "members missing",
    ),
    "alpha 0": (
        nothing,
        ["monitor", "a.json", "new.npz", "--alpha", "0"],
        "--alpha: must lie strictly between 0 and 1",
    ),
    "alpha 1": (
        nothing,
        ["drift", "a.json", "new.npz", "--alpha", "1"],
        "--alpha: must lie strictly between 0 and 1",
    ),
    "risk 1": (
        nothing,
        ["monitor", "a.json", "new.npz", "--risk", "1"],
        "--risk: must lie strictly between 0 and 1",
    ),
    "other alpha": (
        of_another,
        ["monitor", "u.json", "again.npz", "--state", "s.jsonl", "--alpha", ".01"],
        "--alpha: s.jsonl was begun with 0.05, got 0.01",
    ),
    "no reference": (all_chose, ["drift", "all.json", "new.npz"], "--reference: required"),
    "samples that chose": (
        all_chose,
        ["compare", "all.json", "u.json", "holdout.npz"],
        "hold the samples that chose",
    ),
    "no rival": (nothing, ["compare", "a.json", "new.npz"], "give A.json, B.json and predictions"),
    "two rivals": (
        nothing,
        ["compare", "a.json", "new.npz", "--uniform", "--best-member"],
        "--uniform: takes the place",
    ),
    "no such member": (
        nothing,
        ["compare", "a.json", "new.npz", "--member", "z"],
        "--member: the ensemble has no member 'z'",
    ),
    "comparison delta": (
        nothing,
        ["compare", "a.json", "u.json", "new.npz", "--delta", "2"],
        "--delta: must lie strictly",
    ),
    "no labels to compare": (
        nothing,
        ["compare", "a.json", "u.json", "new-unlabelled.npz"],
        "labels: votes cannot be compared",
    ),
    "one labels for several": (
        nothing,
        ["monitor", "a.json", "new.npz", "again.npz", "--labels", "x.npy"],
        "--labels: one file of labels for several files",
    ),
    "plan of both": (nothing, ["plan", "--gain", ".1", "--true-risk", ".1"], "ask one at a time"),
    "plan without effect": (
        nothing,
        ["plan", "--risk", ".1", "--error", ".05", "--alpha", ".1"],
        "--alpha: has no effect",
    ),
    "plan of an alarm alone": (nothing, ["plan", "--true-risk", ".1"], "--risk: required with --true-risk"),
    "plan of a gain with a risk": (
        nothing,
        ["plan", "--gain", ".1", "--risk", ".1"],
        "--risk: has no effect with --gain",
    ),
    "report of no state": (nothing, ["report", "none.jsonl"], "none.jsonl: no such file"),
}


@pytest.mark.parametrize("case", BAD)
def test_one_clear_line_and_nothing_written(
    case: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare, words, message = BAD[case]
    prepare(folder)
    capsys.readouterr()
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    with pytest.raises(SystemExit) as end:
        main(words)
    out, err = capsys.readouterr()
    assert end.value.code == 2, err
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
