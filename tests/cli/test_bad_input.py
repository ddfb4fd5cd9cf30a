"""A table of (bad input, message): one line on standard error, exit code 2, nothing written."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from comitia.cli.main import main

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 3, 40)
PROBS = RNG.dirichlet(np.ones(3), size=(4, 40))
VOTES = PROBS.argmax(axis=2)


def changed(array: np.ndarray, where: tuple, value: float) -> np.ndarray:
    copy = array.copy()
    copy[where] = value
    return copy


def save(**arrays: object) -> Callable[[Path], list[str]]:
    def write(folder: Path) -> list[str]:
        np.savez(folder / "pack.npz", **arrays)
        return ["weigh", "pack.npz"]

    return write


def content(name: str, data: bytes, *words: str) -> Callable[[Path], list[str]]:
    def write(folder: Path) -> list[str]:
        (folder / name).write_bytes(data)
        return ["weigh", name, *words]

    return write


def good(*words: str) -> Callable[[Path], list[str]]:
    def write(folder: Path) -> list[str]:
        np.savez(folder / "pack.npz", probs=PROBS, labels=LABELS)
        return ["weigh", "pack.npz", *words]

    return write


def truncated() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, probs=PROBS, labels=LABELS)
    return buffer.getvalue()[:600]


def pickled_npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return buffer.getvalue()


def pickled_npz() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("probs.npy", pickled_npy())
    return buffer.getvalue()


def apart(folder: Path) -> list[str]:
    mask = np.zeros((4, 40), bool)
    mask[0, :20] = mask[1, 20:] = mask[2] = mask[3] = True
    np.savez(folder / "pack.npz", votes=VOTES, labels=LABELS, mask=mask)
    return ["weigh", "pack.npz"]


def existing(folder: Path) -> list[str]:
    (folder / "ensemble.json").write_text("mine")
    return good("--out", "ensemble.json")(folder)


def given(folder: Path) -> Path:
    path = folder / "w.json"
    path.write_text(json.dumps([0.25] * 4))
    return path


NUMBERED = b"key,a,label\n" + b"".join(b"%d,1,%d\n" % (i, i % 2) for i in range(7, 19))
BAD = {
    "NaN": (save(probs=changed(PROBS, (1, 2, 0), np.nan), labels=LABELS), "NaN"),
    "infinity": (save(probs=changed(PROBS, (1, 2, 0), np.inf), labels=LABELS), "infinit"),
    "negative": (
        save(probs=changed(PROBS, (1, 2), [1.1, -0.1, 0.0]), labels=LABELS),
        "probabilities lie in [0, 1]",
    ),
    "unnormalised": (save(probs=PROBS / 2, labels=LABELS), "sum to 1"),
    "logits": (save(probs=RNG.normal(0, 3, (4, 40, 3)), labels=LABELS), "look like logits"),
    "labels missing": (save(probs=PROBS), "labels"),
    "labels too long": (save(probs=PROBS, labels=np.zeros(41, int)), "41"),
    "labels out of range": (save(probs=PROBS, labels=np.full(40, 3)), "3"),
    "labels negative": (save(probs=PROBS, labels=np.full(40, -1)), "labels"),
    "labels fractional": (save(probs=PROBS, labels=LABELS + 0.5), "labels"),
    "labels of text": (save(probs=PROBS, labels=np.array(["cat"] * 40)), "labels"),
    "empty": (save(probs=np.zeros((0, 40, 3)), labels=LABELS), "probs"),
    "no samples": (save(probs=np.zeros((4, 0, 3)), labels=np.zeros(0, int)), "probs"),
    "wrong rank": (save(probs=PROBS[None], labels=LABELS), "probs"),
    "one dimension": (save(votes=VOTES[0], labels=LABELS), "votes"),
    "both": (save(probs=PROBS, votes=VOTES, labels=LABELS), "either probs or votes"),
    "neither": (save(labels=LABELS), "prob"),
    "misspelt key": (save(prob=PROBS, labels=LABELS), "probs"),
    "votes fractional": (save(votes=VOTES + 0.5, labels=LABELS), "votes"),
    "votes negative": (save(votes=VOTES - 1, labels=LABELS), "votes"),
    "mask of another shape": (save(votes=VOTES, labels=LABELS, mask=np.ones((4, 39), bool)), "mask"),
    "names twice": (save(votes=VOTES, labels=LABELS, names=["a", "a", "b", "c"]), "names"),
    "run too short": (save(votes=VOTES, labels=LABELS, run=[1, 2]), "run"),
    "pair without common samples": (apart, "'member 0' and 'member 1' have no hold-out sample in common"),
    "truncated npz": (content("pack.npz", truncated()), "pack.npz"),
    "zero bytes": (content("pack.npz", b""), "pack.npz"),
    "not a zip": (content("pack.npz", b"hello"), "pack.npz"),
    "pickle in npz": (content("pack.npz", pickled_npz()), "pickle"),
    "pickle in npy": (content("a.npy", pickled_npy(), "--labels", "a.npy"), "pickle"),
    "zero byte npy": (content("a.npy", b"", "--labels", "a.npy"), "a.npy"),
    "unknown ending": (content("pack.txt", b"1"), "pack.txt"),
    "empty csv": (content("t.csv", b""), "t.csv"),
    "csv without labels": (content("t.csv", b"a,b\n0,1\n1,1\n"), "label"),
    "csv with text": (content("t.csv", b"a,label\nx,1\n"), "t.csv"),
    "csv with an index": (
        content("t.csv", b",a,label\n0,1,1\n1,0,0\n"),
        "a column without a name looks like a row",
    ),
    "csv with an id": (content("t.csv", NUMBERED), "column 'key' looks like a row number"),
    "output is an input": (good("--out", "pack.npz", "--force"), "is one of the inputs"),
    "output is a folder": (good("--out", "."), "is a folder; the name of a file is required"),
    "output without a name": (good("--out", ""), "is a folder; the name of a file is required"),
    "output to nowhere": (good("--out", "-"), "--json - writes to standard output"),
    "the same file twice": (lambda f: [*good()(f), "pack.npz"], "holds the same samples as pack.npz"),
    "fraction of a plan": (
        lambda _: ["plan", "--error", ".1", "--samples", "30", "--certify-fraction", "5"],
        "--certify-fraction: must lie strictly between 0 and 1, got 5",
    ),
    "samples beyond measure": (lambda _: ["plan", "--error", ".1", "--samples", "1" + "0" * 23], "at most"),
    "no file": (lambda _: ["weigh", "absent.npz"], "absent.npz: no such file"),
    "no files": (lambda _: ["weigh"], "FILE"),
    "unknown command": (lambda _: ["wiegh"], "no command 'wiegh' (did you mean 'weigh'?)"),
    "unknown option": (good("--metod", "tandem"), "--metod"),
    "unknown method": (good("--method", "tandom"), "(did you mean 'tandem'?)"),
    "unknown vote": (good("--vote", "mean"), "vote: 'mean' is not one of majority, average"),
    "delta 0": (good("--delta", "0"), "delta: must lie strictly between 0 and 1, got 0"),
    "delta 1": (good("--delta", "1"), "delta: must lie strictly between 0 and 1, got 1"),
    "delta text": (good("--delta", "small"), "small"),
    "fraction 1": (good("--certify-fraction", "1"), "--certify-fraction"),
    "fraction of given weights": (
        lambda f: good("--certify-fraction", ".5", "--weights", str(given(f)))(f),
        "--certify-fraction: must be left out with given weights, got 0.5",
    ),
    "risk that takes too many samples": (
        lambda _: ["plan", "--error", ".07", "--risk", ".0700001"],
        "risk: 0.0700001 needs more than 1,000,000,000 hold-out samples with split",
    ),
    "binary bound for three classes": (good("--method", "disagreement"), "two classes"),
    "output exists": (existing, "ensemble.json: already exists; --force overwrites it"),
    "output folder missing": (good("--out", "no/such.json"), "does not exist"),
    "prior missing": (good("--prior", "absent.json"), "absent.json"),
    "not an ensemble": (
        lambda f: [(f / "e.json").write_text("{}") and "verify", "e.json", "e.json"],
        "not an ensemble",
    ),
    "plan without a question": (lambda _: ["plan", "--error", ".1"], "--risk: give either risk"),
}


@pytest.mark.parametrize("case", BAD)
def test_one_clear_line_and_nothing_written(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write, message = BAD[case]
    monkeypatch.chdir(tmp_path)
    words = write(tmp_path)
    if words and words[0] == "weigh" and "--out" not in words and "absent" not in "".join(words):
        words = [*words, "--out", "never.json"]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(SystemExit) as end:
        main(words)
    out, err = capsys.readouterr()
    assert end.value.code == 2, err
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("comitia: ")
    assert message in err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_force_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main([*existing(tmp_path), "--force"])
    assert end.value.code == 0
    assert json.loads((tmp_path / "ensemble.json").read_text())["members"] == 4


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such file"):
        main(["weigh", str(tmp_path / "absent.npz"), "--debug"])
