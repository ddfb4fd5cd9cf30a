"""`comitia count`, and what the other commands make of its files."""

import io
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comitia import read_counts
from comitia.cli.main import main
from comitia.files import write_counts, write_predictions
from counting_cases import NAMES, PARTS, SAMPLES, WEIGHED, apart, arrays, drawn, part, shards, whole

KINDS = ("votes", "masked and abstaining", "text classes", "runs")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    return tmp_path


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    """Call the command line and return what it printed; it must end with that code."""

    def run(line: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(line))
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        return err if code == 2 else out

    return run


def write(kind: str) -> str:
    """Write whole.npz, apart.npz and 0.npz to 7.npz; return the names of the counts of the eight."""
    save("whole.npz", kind, slice(0, WEIGHED))
    save("apart.npz", kind, slice(WEIGHED, SAMPLES))
    for place, (where, order) in enumerate(PARTS):
        save(f"{place}.npz", kind, where, order)
    return " ".join(f"{place}.counts" for place in range(8))


def save(path: str | Path, kind: str, where: slice, order: list[int] | None = None) -> None:
    np.savez(path, **arrays(kind, where, order))


@pytest.fixture
def counted(folder: Path, call: Any) -> Any:
    """Write all files of a kind, the counts too; return the names of the eight."""

    def prepare(kind: str) -> str:
        names = write(kind)
        for path in [*names.split(), "whole.counts"]:
            call(f"count {path.replace('counts', 'npz')} --out {path}")
        return names

    return prepare


@pytest.mark.parametrize("kind", KINDS)
def test_eight_shards_are_one_whole(counted: Any, call: Any, kind: str) -> None:
    names = counted(kind)
    assert call(f"weigh {names} --json -") == call("weigh whole.counts --json -")
    call(f"weigh {names} --certify apart.npz --out e.json")
    found = json.loads(Path("e.json").read_text())
    expected = json.loads(
        call("weigh whole.npz --method tandem --vote majority --certify apart.npz --json -")
    )
    assert found.pop("data") | {"sha256": "", "counted": False} == expected.pop("data") | {"sha256": ""}
    assert found == expected
    assert found["best"]["name"] == "holdout" or "masked" in kind
    assert "Everything that can be computed holds." in call(f"verify e.json {names} --certify apart.npz")
    assert "Everything that can be computed holds." in call("verify e.json whole.counts --certify apart.npz")
    assert "does not hold" in call(f"verify e.json {names[:-9]} --certify apart.npz", code=1)


def test_what_is_printed_and_written(folder: Path, call: Any) -> None:
    save("0.npz", "masked and abstaining", slice(0, 50))
    save("1.npz", "masked and abstaining", slice(50, 200))
    shown = call("count 0.npz 1.npz --out some.counts")
    silent = read_counts("some.counts").counts.silences.sum()
    line = f"6 members · 200 hold-out samples in 2 parts, each member on its own · 3 classes · {silent} abstentions"
    assert shown.splitlines() == [line, "counts written to some.counts"]


def test_a_record_of_the_counts(folder: Path, call: Any) -> None:
    write("text classes")
    record = json.loads(call("count whole.npz --out whole.counts --json -"))
    found = read_counts("whole.counts")
    assert record == {
        "counts": "whole.counts",
        "members": 6,
        "samples": 960,
        "classes": 3,
        "class_names": ["cat", "dog", "eel"],
        "names": NAMES.tolist(),
        "errors": found.counts.errors.tolist(),
        "member_samples": [960] * 6,
        "abstained": 0,
        "folds": None,
        "parts": list(found.parts),
        "sha256": found.fingerprint(),
    }


def test_counts_are_added(counted: Any, call: Any) -> None:
    names = counted("votes").split()
    call(f"count {' '.join(names[:3])} --out first.counts")
    call(f"count first.counts {' '.join(names[3:])} --out all.counts")
    assert read_counts("all.counts").fingerprint() == read_counts("whole.counts").fingerprint()
    assert len(read_counts("all.counts").parts) == 8
    message = call(f"weigh first.counts {names[1]}", code=2)
    assert message.startswith("comitia: 1.counts: holds samples that are in first.counts too (part ")


def table(folder: Path, kind: str, where: slice, name: str, delimiter: str = ",") -> None:
    """A wide table with a column per member, and two more that are no predictions."""
    arrays = {key: array if key == "labels" else array.T for key, array in drawn(kind).items()}
    cells = np.where(arrays["abstained"], "", arrays["votes"]) if "abstained" in arrays else arrays["votes"]
    rows = [["case", "sex", "truth", *NAMES]]
    rows += [[f"s{k}", "mf"[k % 2], arrays["labels"][k], *cells[k]] for k in range(where.start, where.stop)]
    (folder / name).write_text("\n".join(delimiter.join(map(str, row)) for row in rows))


def test_every_kind_of_file_is_counted(folder: Path, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table(folder, "abstaining", slice(0, 960), "all.csv")
    table(folder, "abstaining", slice(0, 400), "one.csv")
    table(folder, "abstaining", slice(400, 960), "two.tsv", "\t")
    options = "--label truth --id case --ignore sex --empty abstain --classes 0,1,2"
    call(f"count all.csv {options} --out all.counts")
    call(f"count one.csv {options} --out one.counts")
    stream = io.TextIOWrapper(io.BytesIO(Path("two.tsv").read_bytes()))
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", stream)
        call(f"count - {options} --out two.counts")
    assert read_counts(["one.counts", "two.counts"]).fingerprint() == read_counts("all.counts").fingerprint()
    assert read_counts("all.counts").counts.silences.sum() > 0
    lines = [
        {"item": f"s{k}", "member": name, "answer": int(answer), "label": int(label)}
        for k, (row, label) in enumerate(zip(drawn("votes")["votes"].T, drawn("votes")["labels"]))
        if k < 960
        for name, answer in zip(NAMES, row)
    ]
    Path("long.jsonl").write_text("\n".join(map(json.dumps, lines)))
    call("count long.jsonl --layout long --out long.counts")
    for name, votes in zip(NAMES, drawn("votes")["votes"][:, :960]):
        np.save(f"{name}.npy", votes)
    np.save("labels.npy", drawn("votes")["labels"][:960])
    call(f"count {' '.join(f'{name}.npy' for name in NAMES)} --labels labels.npy --out npy.counts")
    call(f"count file://{folder}/npy.counts --out file://{folder}/copy.counts")
    for name in ("long", "npy", "copy"):
        found = read_counts(f"{name}.counts")
        assert np.array_equal(found.counts.co_errors, whole_counts().co_errors), name


def whole_counts() -> Any:
    from comitia import count

    return count(whole("votes")).counts


def test_a_bucket_is_counted_where_it_lies(folder: Path, call: Any, bucket: Any) -> None:
    save("whole.npz", "votes", slice(0, WEIGHED))
    pack = bucket.put("whole.npz", Path("whole.npz").read_bytes())
    target = pack.replace(".npz", ".counts")
    call(f"count {pack} --out {target}")
    assert sorted(bucket.keys()) == ["whole.counts", "whole.npz"]
    assert read_counts(target).samples == 960
    assert "960 hold-out samples, counted" in call(f"weigh {target}")


def test_what_counts_can_give_is_shown(counted: Any, call: Any) -> None:
    names = counted("two classes")
    shown = " ".join(call(f"weigh {names}").split())
    assert "6 members · 960 hold-out samples, counted · 2 classes · majority vote" in shown
    assert "weights: tandem, chosen on all samples" in shown
    assert (
        "not given: holdout, split, unlabelled, occam: counts do not hold the vote's own errors; --certify takes"
        in shown
    )
    assert "Promise (" in shown
    for method in ("uniform", "best", "first-order", "cantelli", "disagreement"):
        assert "Promise (" in call(f"weigh {names} --method {method}")


def test_options_of_tables_are_those_of_the_samples_apart(folder: Path, counted: Any, call: Any) -> None:
    counted("votes")
    table(folder, "votes", slice(960, 1300), "apart.csv")
    options = "--label truth --id case --ignore sex --classes 0,1,2"
    call(f"weigh whole.counts --certify apart.csv {options} --out e.json")
    expected = json.loads(
        call("weigh whole.npz --method tandem --vote majority --certify apart.npz --json -")
    )
    assert json.loads(Path("e.json").read_text())["certificates"] == expected["certificates"]
    assert "holds" in call(f"verify e.json whole.counts --certify apart.csv {options}")


def test_out_of_fold_counts(folder: Path, call: Any) -> None:
    table(folder, "votes", slice(0, 960), "oof.csv")
    table(folder, "votes", slice(960, 1300), "new.csv")
    lines = Path("oof.csv").read_text().splitlines()
    Path("oof.csv").write_text(
        "\n".join([f"fold,{lines[0]}", *(f"{k % 4},{line}" for k, line in enumerate(lines[1:]))])
    )
    options = "--label truth --id case --ignore sex --classes 0,1,2"
    assert "960 out-of-fold samples" in call(f"count oof.csv {options} --fold fold --out oof.counts")
    message = call("weigh oof.counts", code=2)
    assert (
        "out-of-fold samples promise nothing, and counts of them give no estimate either; --certify takes"
        in message
    )
    record = json.loads(call(f"weigh oof.counts --certify new.csv {options} --json -"))
    assert (record["best"]["name"], record["data"]["folds"]) == ("holdout", 4)


REFUSED = {
    "count 0.npz --out never.npz": "never.npz: counts are written as .counts; end the name in .counts",
    "count 0.npz --out -": "--out: the name of a file is required; --json - writes to standard output",
    "count 0.npz": "Missing option '--out'",
    "count --out never.counts": "Missing argument 'FILE...'",
    "count 0.npz --out whole.counts": "whole.counts: already exists; --force overwrites it",
    "count 0.npz --out 0.npz --force": "0.npz: is one of the inputs; refusing to overwrite it",
    "count whole.counts --out whole.counts --force": "whole.counts: is one of the inputs",
    "count absent.npz --out never.counts": "absent.npz: no such file",
    "count absent.counts --out never.counts": "absent.counts: no such file",
    "count 0.npz 0.npz --out never.counts": "0.npz: holds the same samples as 0.npz; give each once",
    "count whole.counts whole.counts --out never.counts": "whole.counts: holds samples that are in whole.counts too",
    "count whole.counts 0.npz --out never.counts": "0.npz: is not a .counts file, and others are; count it first",
    "count whole.counts --labels 0.npz --out never.counts": "--labels: counts hold the labels",
    "count whole.counts --id case --out never.counts": "options for columns of tables were given, and counts have none",
    "count other.npz whole.npz --out never.counts": "several files must hold the same members",
    "weigh whole.counts other.counts": "other.counts: must hold the same 6 members, got 5",
    "weigh whole.counts --vote average": "--vote: 'average' needs probabilities, and counts are of votes",
    "weigh whole.counts --method auto": "--method: 'auto' needs what members said on each sample",
    "weigh whole.counts --method greedy": "use one of uniform, best, early-stopping, first-order, tandem, cantelli",
    "weigh whole.counts --method early-stopping": "these predictions have no run and step",
    "weigh whole.counts --certify-fraction .5": "--certify-fraction: must be 0 with counts",
    "weigh whole.counts --certify 3.npz": "--certify: 70 samples were counted to choose the weights",
    "weigh whole.counts --certify apart.npz --certify-fraction .5": "must be left out, other samples certify",
    "weigh whole.counts --certify 0.counts": "0.counts: holds counts, and this needs what members said on each",
    "weigh whole.npz --certify 0.counts": "0.counts: holds counts, and this needs what members said on each sample",
    "weigh whole.counts --group case": "options for columns of tables were given, and counts have none",
    "weigh damaged.counts": "damaged.counts: is not a whole .counts file",
    "evaluate whole.counts": "whole.counts: holds counts, and this needs what members said on each sample",
    "predict e.json whole.counts": "whole.counts: holds counts, and this needs what members said on each sample",
    "report whole.counts": "whole.counts: holds counts; comitia weigh makes an ensemble of them, which has a page",
    "verify e.json whole.npz": "the ensemble was weighed from counts, got predictions; give the counts, or count these",
    "verify p.json whole.counts": "the ensemble was weighed from predictions, got counts; give the predictions",
    "verify e.json whole.counts --certify apart.npz": "--certify: the ensemble was weighed without samples apart",
}  # fmt: skip


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the lines above name; the counts are of the shards 0 to 7 at once."""
    from comitia import Counted, count, weigh

    folder = tmp_path_factory.mktemp("counts")
    for name, pack in {
        "whole": whole("votes"),
        "apart": apart("votes"),
        "0": part("votes", slice(0, 50)),
    }.items():
        write_predictions(folder / f"{name}.npz", pack)
    write_predictions(folder / "3.npz", shards("votes")[3])
    write_predictions(folder / "other.npz", part("votes", slice(960, 990)).pick(range(5)))
    total = Counted.total(count(shard) for shard in shards("votes"))
    write_counts(folder / "whole.counts", total)
    write_counts(folder / "0.counts", count(part("votes", slice(0, 50))))
    write_counts(folder / "other.counts", count(part("votes", slice(960, 990)).pick(range(5))))
    (folder / "damaged.counts").write_bytes((folder / "whole.counts").read_bytes()[:900])
    (folder / "e.json").write_text(json.dumps(weigh(total).to_json()))
    (folder / "p.json").write_text(json.dumps(weigh(whole("votes")).to_json()))
    return folder


@pytest.mark.parametrize("line", REFUSED)
def test_one_clear_line_and_nothing_written(
    line: str, prepared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(prepared)
    before = {path.name: path.read_bytes() for path in prepared.iterdir()}
    with pytest.raises(SystemExit) as end:
        main(shlex.split(line))
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert err.count("\n") == 1
    assert REFUSED[line] in err
    assert {path.name: path.read_bytes() for path in prepared.iterdir()} == before


def test_force_overwrites(counted: Any, call: Any) -> None:
    counted("votes")
    call("count 0.npz --out whole.counts --force")
    assert read_counts("whole.counts").samples == 50


def test_groups_are_refused(folder: Path, call: Any) -> None:
    pack = whole("votes")
    np.savez("g.npz", votes=pack.votes(), labels=pack.labels, groups=np.arange(960) // 3)
    message = call("count g.npz --out g.counts", code=2)
    assert "groups: samples of a group count one over its size" in message
    assert not Path("g.counts").exists()


def test_help_says_what_cannot_be_noticed(call: Any) -> None:
    shown = " ".join(call("count --help").split())
    assert "Parts that overlap otherwise cannot be noticed: count each sample once" in shown
    assert "comitia count a.counts b.counts --out ab.counts" in shown
