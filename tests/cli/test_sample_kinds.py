"""Classes, groups, abstentions, folds and samples apart on the command line, from tables and packs to the page."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comitia.cli.main import main
from panels import lost, panel, some_groups

NAMES = np.array(["cat", "dog", "emu"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Call the command line and return what it printed in one line; on standard error if it exits with 2."""

    def call(*words: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as end:
            main(list(words))
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        assert "Traceback" not in err
        if code == 2:
            assert err.count("\n") <= 3
        return " ".join((err if code == 2 else out).split())

    return call


def table(path: str, given: dict[str, Any], **columns: Any) -> None:
    """Write the panel as a wide table of class names, empty where a member declines."""
    said = NAMES[given["votes"]].astype(object)
    if given["abstained"] is not None:
        said[given["abstained"]] = ""
    heads = [*(f"judge{i}" for i in range(len(said))), "label", *columns]
    rows = zip(*said, NAMES[given["labels"]], *columns.values())
    Path(path).write_text("\n".join(",".join(map(str, row)) for row in [heads, *rows]) + "\n")


def test_names_of_classes_go_from_the_table_to_the_answers(run: Any) -> None:
    given = panel()
    table("t.csv", given)
    words = ["--empty", "abstain"]
    shown = run("weigh", "t.csv", *words, "--method", "uniform", "--out", "e.json")
    assert "3 classes (cat, dog, emu)" in shown
    assert f"{int(given['abstained'].sum())} abstentions" in shown
    assert json.loads(Path("e.json").read_text())["class_names"] == NAMES.tolist()
    shown = run("predict", "e.json", "t.csv", *words, "--out", "p.csv")
    assert "no answer: 4 samples, on which no member votes" in shown
    lines = [line.split(",") for line in Path("p.csv").read_text().splitlines()]
    assert lines[0] == ["class", "share_cat", "share_dog", "share_emu"]
    assert [line[0] for line in lines[1:5]] == [""] * 4
    assert {line[0] for line in lines[5:]} == set(NAMES.tolist())
    record = json.loads(run("predict", "e.json", "t.csv", *words, "--json", "-"))
    assert record["classes"][:4] == [None] * 4
    assert record["classes"][4:] == [line[0] for line in lines[5:]]
    run("predict", "e.json", "t.csv", *words, "--out", "p.npz")
    with np.load("p.npz") as stored:
        assert stored["classes"].tolist() == NAMES.tolist()
        assert stored["votes"][:4].tolist() == [-1] * 4
        assert NAMES[stored["votes"][4:]].tolist() == record["classes"][4:]
    assert "Everything that can be computed holds." in run("verify", "e.json", "t.csv", *words)


def test_groups_of_a_table_are_what_is_counted(run: Any) -> None:
    table("t.csv", panel(silent=0.0), patient=[f"p{code}" for code in some_groups()])
    shown = run("weigh", "t.csv", "--group", "patient", "--out", "e.json")
    assert "120 hold-out samples in 40 groups" in shown
    assert "Promise (groups): with probability 95% over the draw of 29 hold-out groups, the majority" in shown
    assert (
        "split, unlabelled, occam, best-member: proved for independent samples, and these come in groups"
        in shown
    )
    assert "Everything" in run("verify", "e.json", "t.csv", "--group", "patient")
    assert "does not hold" in run("verify", "e.json", "t.csv", "--ignore", "patient", code=1)


def test_out_of_fold_tables_are_estimated_and_samples_apart_promise(run: Any) -> None:
    table("oof.csv", panel(silent=0.0), fold=np.arange(120) % 4)
    table("apart.csv", panel(silent=0.0, seed=3))
    shown = run("weigh", "oof.csv", "--fold", "fold", "--out", "e.json")
    record = json.loads(Path("e.json").read_text())
    assert (record["best"], record["certificates"]) == (None, [])
    assert (
        f"Estimate, not a promise: the majority vote errs on {record['estimate']:.2%} of the samples" in shown
    )
    assert "Promise (" not in shown
    run("report", "e.json", "--out", "e.html")
    page = Path("e.html").read_text()
    assert f'class="headline">Estimate: about {record["estimate"]:.2%} errors; nothing is promised</h' in page
    assert "estimate" in run("verify", "e.json", "oof.csv", "--fold", "fold")
    words = ["oof.csv", "--fold", "fold", "--certify", "apart.csv"]
    shown = run("weigh", *words, "--out", "a.json")
    record = json.loads(Path("a.json").read_text())
    errors = sum(lost(panel(silent=0.0, seed=3), record["weighting"]["weights"], "majority"))
    assert (record["best"]["name"], record["best"]["samples"]) == ("holdout", 120)
    assert record["best"]["inputs"]["errors"] == errors
    assert "Promise (holdout): with probability 95% over the draw of 120 hold-out samples" in shown
    assert "Everything" in run("verify", "a.json", *words)
    assert "estimate: out-of-fold predictions promise nothing" in run("evaluate", "oof.csv", "--fold", "fold")


def test_samples_that_are_not_apart_are_refused(run: Any) -> None:
    given, ids = panel(silent=0.0), [f"s{k}" for k in range(120)]
    table("oof.csv", given, fold=np.arange(120) % 4, id=ids)
    table("same.csv", panel(silent=0.0, seed=3), id=[*ids[:3], *(f"t{k}" for k in range(117))])
    table("copy.csv", given, id=[f"t{k}" for k in range(120)])
    words = ["weigh", "oof.csv", "--fold", "fold", "--out", "e.json"]
    said = run(*words, "--id", "id", "--certify", "same.csv", code=2)
    assert "3 samples also choose the weights, such as 's0'; give untouched ones" in said
    said = run(*words, "--id", "id", "--certify", "copy.csv", code=2)
    assert "120 samples also choose the weights; give untouched ones" in said
    np.savez("oof.npz", votes=given["votes"], labels=given["labels"], folds=np.arange(120) % 4)
    other = panel(silent=0.0, seed=3)
    np.savez("more.npz", votes=other["votes"], labels=other["labels"], folds=np.arange(120) % 4)
    said = run("weigh", "oof.npz", "--certify", "more.npz", code=2)
    assert "samples of an out-of-fold table trained members; give samples that no fold has seen" in said
    assert not Path("e.json").exists()


def written(path: str, **more: Any) -> dict[str, Any]:
    """Write a pack of numbers from 1 and return its arrays."""
    given = panel(silent=0.0)
    np.savez(path, votes=given["votes"] + 1, labels=given["labels"] + 1, **more)
    return given


def test_packs_that_count_from_1_in_shards(run: Any) -> None:
    given = written("whole.npz")
    votes, labels = given["votes"] + 1, given["labels"] + 1
    for name, part in (("a", slice(0, 90)), ("b", slice(90, 120))):
        np.savez(f"{name}.npz", votes=votes[:, part], labels=labels[part])
    one, other = (
        json.loads(run("weigh", *files, "--json", "-")) for files in (["whole.npz"], ["a.npz", "b.npz"])
    )
    assert one["class_names"] == ["1", "2", "3"]
    assert one == other
    run("weigh", "whole.npz", "--out", "e.json")
    np.savez("one.npz", votes=np.ones((5, 1), int))
    assert json.loads(run("predict", "e.json", "one.npz", "--json", "-"))["classes"] == ["1"]


FORGED = {
    "a class renamed": ("grouped", ("class_names", 1), "gnu"),
    "more groups": ("grouped", ("data", "groups"), 120),
    "fewer abstentions": ("abstaining", ("data", "abstained"), 0),
    "a lower estimate": ("folds", ("estimate",), 0.001),
}


def weighed(run: Any, kind: str) -> tuple[dict[str, Any], list[str]]:
    given = panel(silent=0.3 if kind == "abstaining" else 0.0)
    more: dict[str, Any] = {"classes": NAMES}
    more |= {"grouped": {"groups": some_groups()}, "folds": {"folds": np.arange(120) % 4}}.get(kind, {})
    more |= {"abstained": given["abstained"]} if kind == "abstaining" else {}
    np.savez("pack.npz", votes=given["votes"], labels=given["labels"], **more)
    run("weigh", "pack.npz", "--out", "e.json")
    return json.loads(Path("e.json").read_text()), ["verify", "f.json", "pack.npz"]


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_file_does_not_hold_up(run: Any, name: str) -> None:
    kind, path, value = FORGED[name]
    record, words = weighed(run, kind)
    part = record
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    Path("f.json").write_text(json.dumps(record))
    assert "Some statements do not hold." in run(*words, code=1)


def test_an_estimate_turned_into_a_promise_is_refused_everywhere(run: Any) -> None:
    record, words = weighed(run, "folds")
    np.savez("plain.npz", votes=panel(silent=0.0)["votes"], labels=panel()["labels"], classes=NAMES)
    promise = json.loads(run("weigh", "plain.npz", "--json", "-"))
    forged = {**record, **{key: promise[key] for key in ("best", "certificates")}, "estimate": None}
    Path("f.json").write_text(json.dumps(forged))
    assert "Some statements do not hold." in run(*words, code=1)
    said = "f.json: best: out-of-fold samples certify nothing, and all others do"
    assert said in run("predict", "f.json", "pack.npz", code=2)
    assert said in run("report", "f.json", code=2)


@pytest.mark.parametrize("command", ["predict", "verify", "report"])
def test_files_of_an_older_format_are_named_as_such(run: Any, command: str) -> None:
    record, _ = weighed(run, "plain")
    Path("old.json").write_text(json.dumps({**record, "format": "comitia-ensemble-1"}))
    words = [command, "old.json", *([] if command == "report" else ["pack.npz"])]
    said = run(*words, code=2)
    assert (
        "old.json: written by another version of comitia (format comitia-ensemble-1, this one reads" in said
    )
    assert "create it again" in said


def test_warnings_are_shown_and_kept(run: Any) -> None:
    given = panel(silent=0.0)
    given["votes"][2], given["votes"][3] = given["labels"], 1
    np.savez("odd.npz", votes=given["votes"], labels=given["labels"], names=list("abcde"))
    shown = run("weigh", "odd.npz", "--out", "e.json")
    warnings = json.loads(Path("e.json").read_text())["warnings"]
    assert any("'c' errs on no sample" in warning for warning in warnings)
    assert any("'d' gives every sample the same class" in warning for warning in warnings)
    for warning in warnings:
        assert f"warning: {' '.join(warning.split())}" in shown
