"""Every door of a table, through the command line: (input, outcome) pairs."""

import gzip
import io
import json
import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from comitia.cli.main import main
from comitia.files import read_predictions

RNG = np.random.default_rng(3)
N = 40
TRUTH = RNG.integers(0, 2, N)
VOTES = np.where(RNG.random((3, N)) < 0.8, TRUTH, 1 - TRUTH)
SHARES = np.round(np.clip(VOTES * 0.6 + 0.2 + RNG.normal(0, 0.05, (3, N)), 0.01, 0.99), 4)
NAMES = ("rf", "svm", "nn")
ANIMALS = np.array(["cat", "dog"])


def columns(votes=VOTES, truth=TRUTH, spell=str, label="label", **more):
    found = {name: [spell(v) for v in row.tolist()] for name, row in zip(NAMES, votes)}
    return (
        found
        | {k: [str(v) for v in values] for k, values in more.items()}
        | {label: [spell(t) for t in truth.tolist()]}
    )


def animal(code):
    return str(ANIMALS[code])


def csv(table, sign=",", quote=""):
    lines = [sign.join(f"{quote}{name}{quote}" for name in table)]
    lines += [sign.join(f"{quote}{cell}{quote}" for cell in row) for row in zip(*table.values())]
    return ("\n".join(lines) + "\n").encode()


def json_lines(table, number=False):
    rows = [dict(zip(table, row)) for row in zip(*table.values())]
    if number:
        rows = [{k: json.loads(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def arrow(kind, table):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    made, buffer = pa.table(table), io.BytesIO()
    if kind == "parquet":
        pyarrow.parquet.write_table(made, buffer)
    elif kind == "stream":
        with pa.ipc.new_stream(buffer, made.schema) as writer:
            writer.write_table(made)
    else:
        pyarrow.feather.write_feather(made, buffer)
    return buffer.getvalue()


def comma(table):
    return {k: [c.replace(".", ",") for c in cells] for k, cells in table.items()}


def per_class(joint=":", order="mc", names=("cat", "dog")):
    found = {}
    for member, row in zip(NAMES, SHARES):
        for name, share in zip(names, (1 - row, row)):
            key = f"{member}{joint}{name}" if order == "mc" else f"prob_{name}_{member}"
            found[key] = [f"{x:.4f}" for x in share.tolist()]
    return found | {"label": [names[t] for t in TRUTH]}


def lists(width=2):
    extra = [0.0] * (width - 2)
    return {n: [[1 - x, x, *extra] for x in row.tolist()] for n, row in zip(NAMES, SHARES)}


def holes(table, column, row, cell=""):
    cells = list(table[column])
    cells[row] = cell
    return table | {column: cells}


TEXT, DIGITS, PROBS = columns(spell=animal), columns(), columns(SHARES)
PROBS["label"] = [str(t) for t in TRUTH]
INTS = {k: [int(c) for c in v] for k, v in DIGITS.items()}
SEX, ONES = RNG.choice(["f", "m"], N), RNG.integers(0, 2, N)
FRACTIONS, UNIQUE = np.round(RNG.normal(50, 9, N), 2), [f"x{i:03d}" for i in range(N)]

# name: (file, bytes, options, expected class names or number of classes)
GOOD = {
    "text classes": ("t.csv", csv(TEXT), (), 2),
    "numbers": ("t.csv", csv(DIGITS), (), 2),
    "numbers from 1": ("t.csv", csv(columns(spell=lambda v: str(v + 1))), (), 2),
    "numbers -1 and 1": ("t.csv", csv(columns(spell=lambda v: str(2 * v - 1))), (), 2),
    "true and false": ("t.csv", csv(columns(spell=lambda v: str(bool(v)))), (), 2),
    "dates as classes": ("t.csv", csv(columns(spell=lambda v: f"2024-01-0{v + 1}")), (), 2),
    "probabilities": ("t.csv", csv(PROBS), (), 2),
    "probabilities, text labels": ("t.csv", csv(PROBS | {"label": TEXT["label"]}), (), 2),
    "semicolons": ("t.csv", csv(TEXT, ";"), (), 2),
    "tabs": ("t.tsv", csv(TEXT, "\t"), (), 2),
    "pipes": ("t.csv", csv(TEXT, "|"), (), 2),
    "decimal commas": ("t.csv", csv(comma(PROBS), ";"), (), 2),
    "quotes": ("t.csv", csv(TEXT, ",", '"'), (), 2),
    "windows lines": ("t.csv", csv(TEXT).replace(b"\n", b"\r\n"), (), 2),
    "mark of UTF-8": ("t.csv", b"\xef\xbb\xbf" + csv(TEXT), (), 2),
    "UTF-16": ("t.csv", csv(TEXT).decode().encode("utf-16"), (), 2),
    "latin letters": ("t.csv", csv(TEXT).decode().replace("cat", "cät").encode("cp1252"), (), 2),
    "umlauts in UTF-8": ("t.csv", csv(TEXT).decode().replace("cat", "cät").encode(), (), 2),
    "packed csv": ("t.csv.gz", gzip.compress(csv(TEXT)), (), 2),
    "packed tsv": ("t.tsv.gz", gzip.compress(csv(TEXT, "\t")), (), 2),
    "json lines": ("t.jsonl", json_lines(TEXT), (), 2),
    "json numbers": ("t.ndjson", json_lines(DIGITS, number=True), (), 2),
    "json lists": ("t.jsonl", json_lines(lists() | {"label": TEXT["label"]}), (), 2),
    "packed json": ("t.jsonl.gz", gzip.compress(json_lines(TEXT)), (), 2),
    "parquet text": ("t.parquet", ("parquet", TEXT), (), 2),
    "parquet integers": ("t.parquet", ("parquet", INTS), (), 2),
    "parquet booleans": ("t.parquet", ("parquet", {k: [bool(c) for c in v] for k, v in INTS.items()}), (), 2),
    "parquet booleans, labels 0 and 1": (
        "t.parquet",
        ("parquet", {k: [c if k == "label" else bool(c) for c in v] for k, v in INTS.items()}),
        (),
        2,
    ),
    "parquet lists": ("t.parquet", ("parquet", lists() | {"label": TEXT["label"]}), (), 2),
    "feather": ("t.feather", ("feather", TEXT), (), 2),
    "arrow": ("t.arrow", ("feather", INTS), (), 2),
    "arrow stream": ("t.ipc", ("stream", TEXT), (), 2),
    "member:class": ("t.csv", csv(per_class()), (), 2),
    "member:class of numbers": ("t.csv", csv(per_class(names=("0", "1"))), (), 2),
    "pattern": ("t.csv", csv(per_class("_")), ("--pattern", "{member}_{class}"), 2),
    "pattern with a prefix": ("t.csv", csv(per_class(order="cm")), ("--pattern", "prob_{class}_{member}"), 2),
    "label named": ("t.csv", csv(columns(spell=animal, label="diagnosis")), ("--label", "diagnosis"), 2),
    "label in capitals": ("t.csv", csv(columns(spell=animal, label="Y_True")), (), 2),
    "id": ("t.csv", csv(columns(spell=animal, id=range(N))), ("--id", "id"), 2),
    "group": ("t.csv", csv(columns(spell=animal, patient=ONES)), ("--group", "patient"), 2),
    "fold": ("t.csv", csv(columns(fold=ONES)), ("--fold", "fold"), 2),
    "ignore": ("t.csv", csv(columns(spell=animal, sex=SEX)), ("--ignore", "sex"), 2),
    "ignore by glob": ("t.csv", csv(columns(f_a=FRACTIONS, f_b=SEX)), ("--ignore", "f_*"), 2),
    "ignore a nameless column": (
        "t.csv",
        csv({"": [str(i) for i in range(N)]} | DIGITS),
        ("--ignore", ""),
        2,
    ),
    "members": (
        "t.csv",
        csv(columns(sex=ONES)),
        ("--members", "rf", "--members", "[sn]*m", "--members", "nn"),
        2,
    ),
    "members in one list": ("t.csv", csv(columns(sex=ONES)), ("--members", "rf,svm, nn"), 2),
    "ignore a list": (
        "t.csv",
        csv(columns(f_a=FRACTIONS, sex=SEX, age=FRACTIONS)),
        ("--ignore", "f_*,sex,age"),
        2,
    ),
    "an answer that is none": (
        "t.csv",
        csv(holes(TEXT, "svm", 5, "tie")),
        ("--abstain", "tie"),
        None,
    ),
    "a number that is no answer": ("t.csv", csv(holes(DIGITS, "svm", 5, "-1")), ("--abstain", "-1"), None),
    "parquet: a number that is no answer": (
        "t.parquet",
        ("parquet", INTS | {"svm": [-9 if i == 5 else v for i, v in enumerate(INTS["svm"])]}),
        ("--abstain", "-9"),
        None,
    ),
    "the positive class": (
        "t.csv",
        csv(PROBS | {"label": [("good", "bad")[t] for t in TRUTH]}),
        ("--positive", "bad"),
        2,
    ),
    "unseen": ("t.csv", csv(holes(TEXT, "svm", 5)), ("--empty", "unseen"), 2),
    "abstain": ("t.csv", csv(holes(TEXT, "svm", 5, "N/A")), ("--empty", "abstain"), None),
    "classes": ("t.csv", csv(TEXT), ("--classes", "cat,dog,emu"), 3),
    "digits that no float keeps": ("t.csv", csv(columns(spell=lambda v: f"1234567890123456789{v}")), (), 2),
    "digits with zeros before them": ("t.csv", csv(columns(spell=lambda v: ("01", "1")[v])), (), 2),
    "parquet decimals": (
        "t.parquet",
        ("parquet", {k: [Decimal(c) for c in v] for k, v in PROBS.items()}),
        (),
        2,
    ),
    "parquet decimals of whole numbers": (
        "t.parquet",
        ("parquet", {k: [Decimal(f"{c}.00") for c in v] for k, v in DIGITS.items()}),
        (),
        2,
    ),
    "true and false beside 0 and 1": (
        "t.csv",
        csv(
            DIGITS
            | {
                "rf": [str(c == "1") for c in DIGITS["rf"]],
                "nn": [("FALSE", "TRUE")[c == "1"] for c in DIGITS["nn"]],
            }
        ),
        (),
        2,
    ),
    "true and false in several spellings": (
        "t.csv",
        csv(columns(spell=lambda v: str(bool(v))) | {"label": [("false", "true")[t] for t in TRUTH]}),
        (),
        2,
    ),
    "m_0 and m_1 are members": (
        "t.csv",
        csv({f"m_{i}": DIGITS[n] for i, n in enumerate(NAMES)} | {"label": DIGITS["label"]}),
        (),
        2,
    ),
}


def content(data):
    return arrow(*data) if isinstance(data, tuple) else data


def run(folder, monkeypatch, capsys, name, data, options):
    monkeypatch.chdir(folder)
    (folder / name).write_bytes(content(data))
    with pytest.raises(SystemExit) as end:
        main(["weigh", name, *options, "--out", "out.json", "--json", "-"])
    out, err = capsys.readouterr()
    return end.value.code, out, err


@pytest.mark.parametrize("case", GOOD)
def test_tables_that_are_read(case, tmp_path: Path, monkeypatch, capsys) -> None:
    name, data, options, classes = GOOD[case]
    code, out, err = run(tmp_path, monkeypatch, capsys, name, data, options)
    assert code == 0, err
    record = json.loads(out)
    assert record["members"] == 3
    assert record["samples"] == N
    if classes is not None:
        assert record["classes"] == classes
    assert "members: 3" in err


def arguments(options):
    pairs = [(flag.removeprefix("--"), value) for flag, value in zip(options[::2], options[1::2])]
    found = {}
    for name, value in pairs:
        found[name] = [*found.get(name, []), value] if name == "members" else value
    return found | ({"classes": found["classes"].split(",")} if "classes" in found else {})


@pytest.mark.parametrize("case", GOOD)
def test_what_is_read_is_what_the_members_said(case, tmp_path: Path) -> None:
    """However it is written, every table holds the same votes and labels: classes sort as 0 and 1 do."""
    name, data, options, _ = GOOD[case]
    (tmp_path / name).write_bytes(content(data))
    found = read_predictions(tmp_path / name, **arguments(options))
    said, expected = found.votes(), VOTES.copy()
    if "--empty" in options or "--abstain" in options:
        expected[1, 5] = 0 if "unseen" in options else 2
        assert (found.mask() is None) == ("unseen" not in options)
    assert said.tolist() == expected.tolist()
    assert found.labels.tolist() == TRUTH.tolist()
    assert found.names == NAMES or case.startswith("m_0")


AGE = ("holds", "nor a probability in [0, 1]; --ignore age leaves it out, --members names the members")
BAD = {
    "sex": (
        csv(columns(spell=animal, sex=SEX)),
        (),
        "not the classes of 'label'",
        "--ignore sex leaves it out, --members names the members",
    ),
    "sex as 0 and 1": (csv(columns(sex=ONES)), (), "column 'sex' looks like a feature", "--ignore sex"),
    "fold": (csv(columns(fold=ONES)), (), "looks like folds", "--fold fold says so, --ignore fold"),
    "weight": (csv(columns(weight=FRACTIONS)), (), "looks like weights of the samples", "--ignore weight"),
    "patient": (csv(columns(patient=ONES)), (), "looks like groups", "--group patient or --id patient"),
    "site_id": (csv(columns(site_id=ONES)), (), "looks like groups", "--group site_id"),
    "id": (csv(columns(id=range(N))), (), "looks like a row number or an id", "--id id takes it"),
    "nameless": (csv({"": UNIQUE} | DIGITS), (), "a column without a name", '--ignore "" leaves it out'),
    "unique texts": (csv(columns(spell=animal, stem=UNIQUE)), (), "column 'stem' looks like", "--id stem"),
    "row numbers": (csv(columns(nr=range(7, 7 + N))), (), "column 'nr' looks like a row number", "--id nr"),
    "age": (csv(columns(age=FRACTIONS)), (), *AGE),
    "whole feature": (
        csv(columns(visits=[5, 9] * 20)),
        (),
        "'5', '9'",
        "--ignore visits",
    ),
    "rf_cat, rf_dog": (csv(per_class("_")), (), "'rf_cat', 'rf_dog'", '--pattern "{member}_{class}"'),
    "rf.cat, rf.dog": (csv(per_class(".")), (), "'rf.cat', 'rf.dog'", '--pattern "{member}.{class}"'),
    "rf_0, rf_1": (csv(per_class("_", names=("0", "1"))), (), "per class", '--pattern "{member}_{class}"'),
    "class before member": (
        csv({"_".join(k.split(":")[::-1]): v for k, v in per_class().items()}),
        (),
        "columns 'cat_rf', 'dog_rf' sum to 1 in every row",
        '--pattern "{class}_{member}" reads them so',
    ),
    "classes that no label has": (
        csv(per_class(names=("neg", "pos")) | {"label": DIGITS["label"]}),
        (),
        "columns 'rf:neg', 'rf:pos' sum to 1 in every row",
        "named as in the labels",
    ),
    "a class that no label has": (
        csv(
            {
                f"rf_{k}": [f"{x:.4f}" for x in share]
                for k, share in enumerate((0.9 - 0.9 * SHARES[0], 0.9 * SHARES[0]))
            }
            | {"rf_2": ["0.1"] * N, "label": DIGITS["label"]}
        ),
        (),
        "columns 'rf_0', 'rf_1', 'rf_2' sum to 1 in every row",
        '--pattern "{member}_{class}"',
    ),
    "columns of one member named by its classes": (
        csv({"cat": [f"{1 - x:.4f}" for x in SHARES[0]], "dog": PROBS["rf"], "label": TEXT["label"]}),
        ("--members", "*"),
        "columns 'cat', 'dog' sum to 1 in every row",
        "name them 'member:class'",
    ),
    "0 and 1 beside probabilities": (
        csv(PROBS | {"insured": ONES.astype(str)}),
        (),
        "column 'insured' holds classes, the other columns probabilities",
        "--ignore insured leaves it out, --members names the members",
    ),
    "a probability beside 0 and 1": (
        csv(DIGITS | {"risk": PROBS["rf"]}),
        (),
        "column 'risk' holds probabilities, the other columns classes",
        "--ignore risk",
    ),
    "several columns at once": (
        csv(columns(fold=ONES, patient=ONES)),
        (),
        "column 'fold' looks like folds, not a member; --fold fold says so, --ignore fold leaves it out; column "
        "'patient' looks like groups",
        "--group patient or --id patient says which",
    ),
    "a class that one member knows": (
        csv(holes(TEXT, "svm", 5, "emu")),
        (),
        "column 'svm' holds 'emu', not the classes of 'label'",
        "--classes names all classes if this is one, --abstain emu if it means no answer",
    ),
    "a class called None": (
        csv(columns(spell=lambda v: ("Mild", "None")[v])),
        (),
        "is empty (NA, N/A, null and None are too)",
        "fix that label",
    ),
    "a fold column that members leave out": (
        csv(columns(kfold=ONES)),
        ("--members", "rf,svm,nn"),
        "column 'kfold' looks like folds or a split, and --members leaves it out",
        "--fold kfold if the predictions are out-of-fold, --ignore kfold if no row was trained on",
    ),
    "what would settle all at once": (
        csv(columns(spell=animal, label="species", sex=SEX, age=FRACTIONS, kfold=ONES)),
        (),
        "column 'age' holds",
        "no column is named as labels are: --label names it",
    ),
    "all members at once": (
        csv(columns(sex=ONES, age=FRACTIONS, kfold=ONES)),
        (),
        "'kfold' looks like folds, not a member; --fold kfold says so, --ignore kfold leaves it out; column 'sex'",
        "--members rf,svm,nn takes only what holds predictions",
    ),
    "the probability of the other class": (
        csv(PROBS | {"label": [("good", "bad")[t] for t in TRUTH]}),
        (),
        "column 'rf' and most others fall where the label is 'good', so they look like the probability of 'bad'",
        "--positive bad says whose it is",
    ),
    "the probability of 0": (
        csv(PROBS | {"label": [str(1 - t) for t in TRUTH]}),
        (),
        "look like the probability of '0'",
        "--positive 0",
    ),
    "a probability of unclear class": (
        csv({n: ["0.3", "0.6"] * 20 for n in NAMES} | {"label": ["bad", "bad", "good", "good"] * 10}),
        (),
        "column 'rf' holds one probability per sample, of 'bad' or of 'good'?",
        "--positive good says whose it is",
    ),
    "positive and classes": (
        csv(PROBS),
        ("--positive", "1", "--classes", "0,1"),
        "--positive: --classes",
        "give one",
    ),
    "positive that is no class": (
        csv(TEXT),
        ("--positive", "emu"),
        "--positive: must be one of two classes",
        "'cat'",
    ),
    "positive of lists": (
        json_lines(lists() | {"label": TEXT["label"]}),
        ("--positive", "dog"),
        "has lists of probabilities",
        "--classes names the classes in their order",
    ),
    "an abstention in other letters": (
        csv(holes(TEXT, "svm", 5, "Tie")),
        ("--abstain", "tie"),
        "did you mean 'Tie'?",
        "",
    ),
    "a row per answer with an unknown name": (
        b"task_id,annotator,sentiment,gold\n1,ann,pos,pos\n1,bob,neg,pos\n2,ann,neg,neg\n",
        (),
        "column 'annotator' may name members: if each row is one answer",
        "--columns answer=COLUMN says which column holds it",
    ),
    "judges with an unknown name": (
        b"question_id,judge_model,winner,gold\n1,ann,A,A\n1,bob,B,A\n2,ann,B,B\n",
        ("--id", "question_id"),
        "'1' of column 'question_id' occurs twice",
        "--columns member=judge_model says so",
    ),
    "kfold": (csv(columns(kfold=ONES)), (), "looks like folds", "--fold kfold says so"),
    "fold index": (
        csv({"Fold index": ONES.astype(str)} | DIGITS),
        (),
        "looks like folds",
        '--fold "Fold index"',
    ),
    "PatientID": (
        csv(columns(PatientID=ONES)),
        (),
        "looks like groups",
        "--group PatientID or --id PatientID",
    ),
    "image_name": (csv(columns(image_name=ONES)), (), "looks like a row number or an id", "--id image_name"),
    "bytes of anything": (b"a,b,label\n\x81\x01,\x02,\x03\n", (), "is not text (it holds control", "save it"),
    "empty cell": (
        csv(holes(TEXT, "svm", 5)),
        (),
        "1 of 120 cells are empty (first: column 'svm', row 7)",
        "--empty abstain if the member gave no answer there, --empty unseen",
    ),
    "empty label": (csv(holes(TEXT, "label", 3)), (), "column 'label', row 5 is empty", "fix that label"),
    "NaN": (
        csv(holes(PROBS, "rf", 1, "nan")),
        (),
        "column 'rf', row 3 holds NaN or an infinity",
        "fix or drop that member",
    ),
    "two labels": (csv(columns(y=ONES)), (), "'y' and 'label' both look like labels", "--label says"),
    "label missing": (csv(TEXT), ("--label", "truth"), "no column 'truth' for --label", "there are rf"),
    "id missing": (csv(TEXT), ("--id", "key"), "no column 'key' for --id", "there are rf"),
    "glob without a match": (csv(TEXT), ("--ignore", "z*"), "no column matches --ignore", "z*"),
    "members without a match": (csv(TEXT), ("--members", "z*"), "no column matches --members", "z*"),
    "id twice": (csv(columns(id=ONES)), ("--id", "id"), "occurs twice (rows", "--group id"),
    "unknown empty": (csv(TEXT), ("--empty", "skip"), "--empty: 'skip' is not one of abstain, unseen", ""),
    "unknown layout": (csv(TEXT), ("--layout", "tall"), "--layout: 'tall' is not one of wide, long", ""),
    "bad pattern": (csv(per_class("_")), ("--pattern", "{member}"), "--pattern: must hold {member}", ""),
    "ill-fitting pattern": (
        csv(per_class("_")),
        ("--pattern", "{member}+{class}"),
        "columns 'rf_cat', 'rf_dog', 'svm_cat', 'svm_dog', … do not fit --pattern",
        "--ignore rf_cat,rf_dog,svm_cat,svm_dog,nn_cat,nn_dog leaves them out",
    ),
    "a class without a column": (
        csv({k: v for k, v in per_class().items() if k != "svm:dog"}),
        (),
        "member 'svm' has no column of class 'dog'",
        "every member needs all classes",
    ),
    "sums": (csv(per_class() | {"rf:cat": ["0.9"] * N}), (), "must sum to 1", ""),
    "three classes, one probability": (
        csv(PROBS | {"label": ["a", "b", "c", "a"] * 10}),
        (),
        "there are 3 classes",
        "--pattern",
    ),
    "logits": (
        csv(PROBS | {"rf": [str(x) for x in FRACTIONS]}),
        ("--members", "*"),
        "a probability in [0, 1]",
        "logits",
    ),
    "classes in other letters": (
        csv(TEXT | {"rf": [c.upper() for c in TEXT["rf"]]}),
        ("--members", "*"),
        "'CAT'",
        "spell the classes alike",
    ),
    "fractional labels": (csv(DIGITS | {"label": [str(x) for x in FRACTIONS]}), (), "not a class", "--label"),
    "ragged": (csv(TEXT) + b"cat,dog\n", (), "row 42 has 2 cells, the header has 4", ""),
    "no samples": (b"a,b,label\n", (), "holds a header and no samples", ""),
    "no bytes": (b"", (), "is empty; a header and a row", ""),
    "numbers for a header": (b"0,1,1\n1,1,0\n", (), "the first row must name the columns", ""),
    "a name twice": (b"a,a,label\n0,1,0\n", (), "duplicate column 'a'", ""),
    "zero bytes": (b"a,b\0,label\n0,1,0\n", (), "is not text", "save it as UTF-8"),
    "a workbook": (b"PK\x03\x04" + b"\0" * 60, (), "is a zip archive", "save it as CSV"),
    "damaged gzip": (gzip.compress(csv(TEXT))[:60], (), "is damaged", "write it again"),
    "nested json": (
        b'{"a": {"b": 1}, "label": 1}\n',
        (),
        "line 1, 'a': is an object",
        "a list of numbers is required",
    ),
    "broken json": (b'{"a": 1, "label": 1}\n{"a": \n', (), "line 2 is not JSON", "one object per line"),
    "texts in a json list": (b'{"a": ["x"], "label": 1}\n', (), "must be a list of numbers", ""),
    "json lists of two lengths": (
        b'{"a":[0.5,0.5],"y":1}\n{"a":[1],"y":0}\n',
        (),
        "one length is required",
        "",
    ),
    "lists wider than the classes": (
        json_lines(lists(3) | {"label": TEXT["label"]}),
        (),
        "lists of 3 probabilities for 2 classes",
        "--classes names all 3",
    ),
    "parquet: a feature": (("parquet", INTS | {"age": FRACTIONS.tolist()}), (), *AGE),
    "parquet: a null": (
        ("parquet", INTS | {"rf": [None, *INTS["rf"][1:]]}),
        (),
        "column 'rf', row 1)",
        "--empty unseen",
    ),
    "parquet: a struct": (("parquet", INTS | {"s": [{"a": 1}] * N}), (), "cannot be read", "--ignore s"),
    "parquet: NaN": (
        ("parquet", INTS | {"rf": [float("nan"), *SHARES[0, 1:]]}),
        (),
        "row 1 holds NaN or an infinity",
        "fix or drop",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_tables_that_are_refused(case, tmp_path: Path, monkeypatch, capsys) -> None:
    data, options, message, remedy = BAD[case]
    code, out, err = run(tmp_path, monkeypatch, capsys, "t.csv", data, options)
    assert code == 2, err
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
    assert remedy in err
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    "data", [csv(TEXT), json_lines(TEXT), ("parquet", TEXT), gzip.compress(csv(TEXT, ";"))]
)
def test_standard_input(data, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content(data))))
    with pytest.raises(SystemExit) as end:
        main(["weigh", "-", "--json", "-"])
    out, err = capsys.readouterr()
    assert end.value.code == 0, err
    assert json.loads(out)["samples"] == N


LABEL_FILES = {
    "y.txt": "\n".join(TEXT["label"]) + "\n",
    "y.csv": "label\n" + "\n".join(TEXT["label"]) + "\n",
    "z.csv": "id,label\n" + "".join(f"{i},{TEXT['label'][i]}\n" for i in reversed(range(N))),
}


@pytest.mark.parametrize("name", LABEL_FILES)
def test_labels_in_another_file(name, tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / name).write_text(LABEL_FILES[name])
    table = csv({"id": [str(i) for i in range(N)]} | {n: TEXT[n] for n in NAMES})
    code, out, err = run(tmp_path, monkeypatch, capsys, "t.csv", table, ("--labels", name, "--id", "id"))
    assert code == 0, err
    (tmp_path / "out.json").unlink()
    _, plain, _ = run(tmp_path, monkeypatch, capsys, "u.csv", csv(TEXT), ())
    assert json.loads(out)["statistics"] == json.loads(plain)["statistics"]


def test_forty_thousand_columns_and_one_twice(tmp_path, monkeypatch, capsys) -> None:
    names = [f"m{i}" for i in range(40_000)] + ["m7"]
    data = (",".join(names) + "\n" + ",".join("1" for _ in names) + "\n").encode()
    code, _, err = run(tmp_path, monkeypatch, capsys, "t.csv", data, ())
    assert code == 2
    assert "duplicate column 'm7'" in err


def test_groups_that_nobody_named_are_told(tmp_path, monkeypatch, capsys) -> None:
    options = ("--members", "rf", "--members", "svm", "--members", "nn")
    data = csv(columns(patient=[f"p{i // 4}" for i in range(N)], user_id=range(N), year=[2024] * N))
    _, _, err = run(tmp_path, monkeypatch, capsys, "t.csv", data, options)
    assert "note: column 'patient' is ignored and has 10 values in 40 samples" in err
    assert "--group patient says so, else every certificate is too tight" in err
    assert "'user_id' is ignored" not in err
    (tmp_path / "out.json").unlink()
    _, _, err = run(tmp_path, monkeypatch, capsys, "t.csv", data, (*options, "--group", "patient"))
    assert "is ignored" not in err


def test_groups_of_a_long_table_that_nobody_named_are_told(tmp_path, monkeypatch, capsys) -> None:
    rows = [f"q{i},{n},{v[i]},{t},d{i // 4}\n" for n, v in zip(NAMES, VOTES) for i, t in enumerate(TRUTH)]
    data = ("item,judge,answer,label,document\n" + "".join(rows)).encode()
    _, _, err = run(tmp_path, monkeypatch, capsys, "t.csv", data, ())
    assert "note: column 'document' is ignored and has 10 values in 40 samples" in err
    data = data.replace(b",document", b",author")
    (tmp_path / "out.json").unlink()
    _, _, err = run(tmp_path, monkeypatch, capsys, "t.csv", data, ("--group", "author"))
    assert "is ignored" not in err


def test_an_out_of_fold_table_is_headed_as_an_estimate(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(csv(columns(fold=ONES)))
    with pytest.raises(SystemExit):
        main(["weigh", "t.csv", "--fold", "fold"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "estimate: out-of-fold predictions promise nothing"
    assert "Promise" not in "\n".join(lines)
