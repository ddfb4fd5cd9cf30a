"""Further promises by the command line: from a table to a promise, to predictions and back to the data."""

import json
from pathlib import Path

import numpy as np
import pytest

from comitia.cli.main import main
from promises.problems import clinic


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Votes of five members on 1,000 samples, in text, with a site per sample; costs beside it."""
    pack = clinic(1000, votes=True)
    words, sites = np.array(["well", "sick"]), pack.strata["site"]
    columns = [*words[pack.votes()], np.array(sites.names)[sites.codes], words[pack.labels]]
    lines = [",".join(row) for row in np.array(columns).T.tolist()]
    (tmp_path / "scans.csv").write_text("\n".join(["a,b,c,d,e,site,label", *lines]) + "\n")
    (tmp_path / "costs.csv").write_text("true,well,sick\nwell,0,1\nsick,5,0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "scans.csv"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    said = capsys.readouterr()
    return int(ended.value.code or 0), " ".join(said.out.split()), said.err


ASKED = (
    "--classes",
    "well,sick",
    "--per",
    "class",
    "--per",
    "predicted",
    "--per",
    "site",
    "--costs",
    "costs.csv",
)
RULES = ("--target-risk", ".2", "--threshold", "sensitivity=.9")


def test_from_a_table_to_a_promise_and_back(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "weigh", "scans.csv", *ASKED, *RULES, "--out", "e.json")
    assert code == 0
    for words in (
        "per: site",
        "Threshold: the vote answers 'sick' where its share is above",
        "Promise (per class), with probability 98.3333%, all 2 at once",
        "false-negative rate, 'sick' being positive; sensitivity at least",
        "Promise (per site), with probability 98.3333%, all 3 at once",
        "Promise (selective): with probability 95%",
        "Promise (costs): with probability 95%",
        "not promised: site tiny:",
        "which is the one to quote",
    ):
        assert words in out
    record = json.loads(Path("e.json").read_text())
    first = next(one for one in record["promises"] if one["name"] == "class")
    assert {"name", "group", "risk", "delta", "samples", "promise", "assumption", "void"} <= set(first)
    declines = next(one for one in record["promises"] if one["name"] == "selective")
    assert {"threshold", "coverage", "coverage_at_least", "risk"} <= set(declines)
    assert declines["risk"] == 0.2
    code, out, _ = run(capsys, "verify", "e.json", "scans.csv", "--classes", "well,sick")
    assert (code, "Everything that can be computed holds." in out) == (0, True)
    code, out, _ = run(capsys, "predict", "e.json", "scans.csv", "--out", "p.csv", "--json", "p.json")
    assert code == 0
    assert "declined: " in out
    assert ", of the samples answered:" in out
    empty = sum(line.startswith(",") for line in Path("p.csv").read_text().splitlines())
    assert json.loads(Path("p.json").read_text())["declined"] == empty


def test_a_page_quotes_one_promise(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "weigh", "scans.csv", *ASKED, "--out", "e.json")
    assert run(capsys, "report", "e.json")[0] == 0
    page = Path("e.html").read_text()
    assert page.count("<h1") == 1
    assert "The promise at the top of the page is the one to quote" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--per", "sit"), "scans.csv: no column 'sit' for --per (did you mean 'site'?)"),
        (("--per", "site", "--fold", "site"), "--per: out-of-fold samples certify nothing; --certify takes"),
        (("--target-risk", "2"), "--target-risk: must lie strictly between 0 and 0.5, got 2"),
        (("--target-risk", ".001"), "--target-risk: 0.001 is below what 876 certifying samples can certify"),
        (("--threshold", "1"), "--threshold: must lie strictly between 0 and 1"),
        (("--threshold", "much"), "--threshold: must be a number in (0, 1), cost=MISS:ALARM"),
        (
            ("--per", "class", "--certify-fraction", "0"),
            "--per: all samples choose, so none is left to count",
        ),
        (("--costs", "none.csv"), "none.csv: no such file"),
        (("--costs", "scans.csv"), "scans.csv: line 2 holds"),
    ],
)
def test_bad_input_is_one_line(
    words: tuple[str, ...], message: str, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ignore = () if "site" in words else ("--ignore", "site")
    code, out, err = run(capsys, "weigh", "scans.csv", *ignore, *words, "--out", "e.json")
    assert (code, out) == (2, "")
    assert err.startswith(f"comitia: {message}")
    assert err.count("\n") == 1
    assert not Path("e.json").exists()


def test_a_plan_per_class(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "plan", "--error", ".07", "--risk", ".1", "--share", ".1", "--at-once", "10", "--json", "-"
    )
    assert code == 0
    found = json.loads(out)
    assert found["samples"] == 7589
    assert found["expected"]["share"] == 0.1
