"""The commands on members that predict real numbers: packs and tables, what they write, what they refuse."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comitia import predict, read_real_ensemble, read_real_predictions, report, weigh
from comitia.cli.main import main
from real_drawn import drawn

PACK = drawn(200)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the same predictions as a pack and as a table, with groups and ids."""
    monkeypatch.chdir(tmp_path)
    np.savez("real.npz", values=PACK.values, targets=PACK.targets, names=PACK.names)
    np.savez("votes.npz", votes=[[0, 1, 1, 0] * 9, [0, 1, 0, 0] * 9], labels=[0, 1, 1, 0] * 9)
    lines = ["sample,a,b,c,d,price,site"]
    for k in range(200):
        cells = [*PACK.values[:, k].tolist(), PACK.targets[k].item()]
        lines.append(",".join([f"s{k}", *map(repr, cells), f"site {k // 4}"]))
    Path("real.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


TABLE = ("real.csv", "--target", "price", "--id", "sample")


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*words: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as stopped:
            main(list(words))
        found = capsys.readouterr()
        assert (stopped.value.code or 0) == code, found.err
        return " ".join((found.err if code == 2 else found.out).split())

    return call


def test_weigh_verify_predict_report(run: Any) -> None:
    shown = run("weigh", *TABLE, "--ignore", "site", "--quantile", ".9", "--out", "e.json")
    assert "4 members · 200 hold-out samples · real target · weighted mean · delta 0.05" in shown
    found = read_real_ensemble("e.json")
    assert found.promised.promise in shown
    assert "Everything that can be computed holds." in run("verify", "e.json", *TABLE, "--ignore", "site")
    run("predict", "e.json", "real.csv", "--id", "sample", "--out", "p.csv")
    rows = Path("p.csv").read_text().splitlines()
    assert rows[0] == "id,value"
    assert rows[5].split(",") == ["s4", repr(predict(found, PACK).values[4].item())]
    run("predict", "e.json", "real.npz", "--out", "p.npz")
    np.testing.assert_array_equal(np.load("p.npz")["values"][0], predict(found, PACK).values)
    run("report", "e.json")
    page = Path("e.html").read_text()
    assert "Root mean squared error, of errors clipped at" in page  # by the limit that was chosen
    assert found.promised.promise[1:] in page


def test_a_pack_and_a_table_say_the_same(run: Any) -> None:
    run("weigh", "real.npz", "--json", "a.json")
    run("weigh", *TABLE, "--ignore", "site", "--json", "b.json")
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    expected = json.loads(json.dumps(weigh(PACK).to_json()))
    assert json.loads(Path("a.json").read_text()) == expected
    assert {
        "members",
        "samples",
        "delta",
        "weighting",
        "statistics",
        "certificates",
        "best",
    } <= expected.keys()
    assert {"method", "weights", "lambda", "kl", "samples"} <= expected["weighting"].keys()
    assert {"name", "risk", "delta"} <= expected["best"].keys()


def test_groups_folds_and_samples_apart(run: Any) -> None:
    grouped = run("weigh", *TABLE, "--group", "site")
    assert "hold-out groups, the mean squared error on the samples of a new group, on average" in grouped
    shown = run("weigh", *TABLE, "--fold", "site")
    assert "Estimate, not a promise" in shown
    other = drawn(150, seed=9)
    np.savez("apart.npz", values=other.values, targets=other.targets, names=other.names)
    run("weigh", "real.npz", "--certify", "apart.npz", "--out", "e.json")
    assert read_real_ensemble("e.json").chosen_on == "apart"
    assert "holds" in run("verify", "e.json", "real.npz", "--certify", "apart.npz")


def test_evaluate_writes_a_record_that_has_a_page(run: Any) -> None:
    shown = run("evaluate", "real.npz", "--weights", "tandem,uniform", "--repeats", "1", "--out", "ev.json")
    assert "Best member with hindsight: a" in shown
    record = json.loads(Path("ev.json").read_text())
    assert [row["weights"] for row in record["rows"]] == ["tandem", "uniform"]
    assert record["single_best"]["member"] == "a"
    run("report", "ev.json")
    assert "weights have the smallest mean squared error" in Path("ev.html").read_text()


def test_verify_needs_the_target_of_a_table(run: Any) -> None:
    run("weigh", *TABLE, "--ignore", "site", "--out", "e.json")
    assert "--target: required with a table" in run("verify", "e.json", "real.csv", "--id", "sample", code=2)
    assert "real.np: no such file" in run("verify", "e.json", "real.np", "--target", "price", code=2)


def test_verify_finds_a_forged_promise(run: Any) -> None:
    run("weigh", "real.npz", "--out", "e.json")
    record = json.loads(Path("e.json").read_text())
    for place in (record["best"], record["certificates"][0]):
        place["risk"] *= 0.99
    Path("e.json").write_text(json.dumps(record))
    assert "does not hold" in run("verify", "e.json", "real.npz", code=1)


def test_a_page_of_a_record_in_memory(run: Any) -> None:
    assert report(weigh(PACK, method="uniform", clip=3.0), "page.html") == Path("page.html")
    assert "Members and their weights" in Path("page.html").read_text()
    report(weigh(drawn(12)), "small.html")
    assert "nothing is promised" in Path("small.html").read_text()


@pytest.mark.parametrize(
    "words, message",
    [
        (("weigh", *TABLE), "column 'site' looks like groups of samples"),
        (
            ("weigh", *TABLE, "--ignore", "site", "--vote", "average"),
            "--vote: is for members that predict classes",
        ),
        (
            ("weigh", *TABLE, "--ignore", "site", "--label", "a"),
            "--label: is for members that predict classes",
        ),
        (("weigh", "votes.npz", "--clip", "3"), "--clip: is for real targets"),
        (("weigh", "votes.npz", "--target", "y"), "votes.npz: options for columns of tables were given"),
        (("weigh", "real.npz", "--largest-error", ".1"), "--largest-error: 0.1 is not true"),
        (("weigh", "real.npz", "--quantile", "90"), "--quantile: must lie strictly between 0 and 1"),
        (("weigh", "real.npz", "real.npz"), "holds the same samples as"),
        (("weigh", "real.csv", "--target", "prize"), "no column 'prize' for target (did you mean 'price'?)"),
        (("count", "real.npz", "--out", "x.counts"), "holds real numbers, and this takes classes"),
        (("evaluate", "real.npz", "--sizes", "2"), "--sizes: is for members that predict classes"),
        (("weigh", "missing.npz", "--target", "y"), "missing.npz: no such file"),
    ],
)
def test_refused(run: Any, words: tuple[str, ...], message: str) -> None:
    assert message in run(*words, code=2)


@pytest.mark.parametrize("command", ["compare", "monitor", "drift"])
def test_commands_for_votes_refuse_the_file(run: Any, command: str) -> None:
    run("weigh", "real.npz", "--out", "e.json")
    further = {"compare": ("--uniform", "votes.npz"), "monitor": ("votes.npz",), "drift": ("votes.npz",)}[
        command
    ]
    further = ("uniform", "votes.npz") if command == "compare" else further
    with pytest.raises(SystemExit) as stopped:
        main([command, "e.json", *further])
    assert stopped.value.code == 2


def test_cells_that_are_no_numbers(run: Any, folder: Path) -> None:
    for cells, message in (
        ("1.0,,2", "column 'b', row 3 is empty or not a finite number"),
        ("1.0,red,2", "column 'b' holds no real numbers"),
        ("1.0,nan,2", "column 'b', row 3 is empty or not a finite number"),
    ):
        Path("t.csv").write_text(f"a,b,y\n1.5,2.5,2\n{cells}\n")
        assert message in run("weigh", "t.csv", "--target", "y", code=2)
    Path("t.csv").write_text("a,b,y\n")
    run("weigh", "t.csv", "--target", "y", code=2)


def test_packs_that_mix_classes_and_numbers(run: Any) -> None:
    np.savez("both.npz", values=PACK.values, labels=[0] * 200)
    assert "both.npz: holds values and labels" in run("weigh", "both.npz", code=2)
    np.savez("objects.npz", values=np.array([[None]]), targets=[1.0])
    assert "pickles" in run("weigh", "objects.npz", code=2)


def test_reading_keeps_ids_groups_and_order(folder: Path) -> None:
    found = read_real_predictions("real.csv", target="price", id="sample", group="site")
    np.testing.assert_array_equal(found.values, PACK.values)
    assert found.ids is not None
    assert found.ids[3] == "s3"
    assert found.groups is not None
    assert found.groups.count == 50
    again = read_real_predictions(["real.npz"], like=weigh(PACK))
    assert again.names == PACK.names
