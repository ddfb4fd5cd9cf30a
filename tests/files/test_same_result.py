"""One pack of predictions written in every format gives the same weights and certificates as its `.npz`."""

import csv
import gzip
import json

import numpy as np
import pytest

from comitia import Predictions, weigh
from comitia.files import read_predictions, write_predictions
from shared_data import shared

CIFAR = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
SENTIMENT = ("negative", "positive")
MEMBERS, SAMPLES = 5, 240


def part_of(name, classes):
    """Some members and samples of a real pack, its classes named."""
    found = read_predictions(shared(f"predictions/{name}.npz"))
    some = found.pick(np.arange(MEMBERS)).take(np.arange(0, found.samples, found.samples // SAMPLES))
    key = "probs" if some.has_probs else "votes"
    shard = some.shards[0]
    values = np.stack([shard.member(k, 0, shard.samples) for k in range(some.members)])
    facts = {"labels": some.labels, "mask": some.mask(), "names": some.names, "classes": classes}
    return Predictions.from_arrays(**{key: values}, **facts)


def made_up(kind, facts):
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 3, SAMPLES)
    votes = np.where(rng.random((MEMBERS, SAMPLES)) < 0.7, labels, rng.integers(0, 3, (MEMBERS, SAMPLES)))
    probs = rng.dirichlet([1, 1, 1], votes.shape) * 0.3 + 0.7 * np.eye(3)[votes]
    values = {"votes": votes} if kind == "votes" else {"probs": probs}
    more = {"gaps": {"abstained": rng.random(votes.shape) < 0.05}} | {
        "groups": {"groups": [f"patient {k // 2}" for k in range(SAMPLES)]}
    }
    return Predictions.from_arrays(
        **values, labels=labels, classes=("cat", "dog", "emu"), names=list("abcde"), **more.get(facts, {})
    )


PACKS = {
    "made-up votes": lambda: made_up("votes", None),
    "made-up probabilities": lambda: made_up("probs", None),
    "abstentions": lambda: made_up("votes", "gaps"),
    "abstentions from probabilities": lambda: made_up("probs", "gaps"),
    "groups": lambda: made_up("votes", "groups"),
    "two classes": lambda: part_of("imdb-cnn_lstm-simple", SENTIMENT),
    "ten classes": lambda: part_of("cifar10-resnet20-simple", CIFAR),
    "out of bag": lambda: part_of("cifar10-resnet20-bagging-outofbag", CIFAR),
}


def cells_of(predictions):
    """Per member a list per sample: None, the name of a class, or the probabilities as Python floats."""
    there = np.ones((predictions.members, predictions.samples), bool)
    if predictions.mask() is not None:
        there &= predictions.mask()
    if predictions.abstains:
        there &= ~predictions.abstained()
    if predictions.has_probs:
        values = np.concatenate([block.probs for block in predictions.blocks()], axis=1).tolist()
    else:
        votes = np.minimum(predictions.votes(), predictions.classes - 1)
        values = np.array(predictions.class_names)[votes].tolist()
    return [[v if t else None for v, t in zip(*pair)] for pair in zip(values, there.tolist())]


def facts_of(predictions):
    """The columns beside the members."""
    found = {"label": [predictions.class_names[code] for code in predictions.labels.tolist()]}
    if predictions.groups is not None:
        found["patient"] = [predictions.groups.names[code] for code in predictions.groups.codes.tolist()]
    return found


def flat_columns(predictions):
    """One column per member, or per member and class."""
    found = {}
    for name, cells in zip(predictions.names, cells_of(predictions)):
        if not predictions.has_probs:
            found[name] = cells
        elif predictions.shards[0].kind == "binary":
            found[name] = [None if cell is None else cell[1] for cell in cells]
        else:
            for code, word in enumerate(predictions.class_names):
                found[f"{name}:{word}"] = [None if cell is None else cell[code] for cell in cells]
    return found | facts_of(predictions)


def spelled(value):
    return "" if value is None else value if isinstance(value, str) else repr(value)


def write_csv(path, columns):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows([spelled(cell) for cell in row] for row in zip(*columns.values()))


def write_wide(path, predictions):
    write_csv(path, flat_columns(predictions))


def write_json_lines(path, predictions):
    columns = dict(zip(predictions.names, cells_of(predictions))) | facts_of(predictions)
    lines = [json.dumps(dict(zip(columns, row))) for row in zip(*columns.values())]
    path.write_text("\n".join(lines) + "\n")


def write_parquet(path, predictions):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table(flat_columns(predictions)), path)


def long_columns(predictions):
    """A row per item and member, or per item, member and class where there are probabilities; none for gaps."""
    names, facts = predictions.class_names, facts_of(predictions)
    found = {name: [] for name in ("item", "judge", "answer", "prob", *facts)}
    cells = cells_of(predictions)
    for sample in range(predictions.samples):
        for member, name in enumerate(predictions.names):
            cell = cells[member][sample]
            said = [] if cell is None else zip(names, cell) if predictions.has_probs else [(cell, None)]
            for word, share in said:
                for key, value in zip(found, (f"item {sample}", name, word, share)):
                    found[key].append(value)
                for key, values in facts.items():
                    found[key].append(values[sample])
    return found if predictions.has_probs else {k: v for k, v in found.items() if k != "prob"}


def write_long(path, predictions):
    write_csv(path, long_columns(predictions))


def write_long_parquet(path, predictions):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table(long_columns(predictions)), path, row_group_size=777)


def write_long_json(path, predictions):
    columns = long_columns(predictions)
    path.write_text("".join(json.dumps(dict(zip(columns, row))) + "\n" for row in zip(*columns.values())))


FORMATS = {
    "wide.csv": write_wide,
    "wide.csv.gz": write_wide,
    "wide.parquet": write_parquet,
    "wide.jsonl": write_json_lines,
    "long.csv": write_long,
    "long.csv.gz": write_long,
    "long.parquet": write_long_parquet,
    "long.jsonl": write_long_json,
}


def options_of(predictions):
    found = {"classes": predictions.class_names, "group": "patient" if predictions.groups else None}
    if predictions.abstains:
        found["empty"] = "abstain"
    return found | ({} if predictions.mask() is None else {"empty": "unseen"})


def shares_of(predictions):
    blocks = [block.probs for block in predictions.blocks()]
    return np.concatenate(blocks, axis=1) if predictions.has_probs else np.empty(0)


def the_same(one, other):
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


class Expected:
    """What each pack says as `.npz`, found once: the predictions, and what `weigh` makes of them per vote."""

    def __init__(self, folder):
        self._folder, self._found = folder, {}

    def of(self, pack):
        if pack not in self._found:
            made = PACKS[pack]()
            if made.mask() is not None:  # a long table has no rows of samples that are nobody's hold-out
                made = made.take(np.flatnonzero(made.mask().any(axis=0)))
            path = self._folder / f"{pack}.npz"
            write_predictions(path, made)
            read = read_predictions(path)
            self._found[pack] = made, read, {vote: weighed(read, vote) for vote in votes_of(read)}
        return self._found[pack]


def votes_of(predictions):
    return ("majority", "average") if predictions.has_probs else ("majority",)


def weighed(predictions, vote):
    # members with hold-outs of their own cannot be split
    return weigh(predictions, vote=vote, certify_fraction=0.5 if predictions.shared else None)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return Expected(tmp_path_factory.mktemp("packs"))


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("form", FORMATS)
def test_weights_and_certificates_are_those_of_the_pack(pack, form, tmp_path, known):
    made, expected, ensembles = known.of(pack)
    FORMATS[form](tmp_path / form, made)
    found = read_predictions(tmp_path / form, **options_of(made))
    # members of a long table come in the order of their first answers
    found = found.pick([found.names.index(name) for name in expected.names])
    assert (found.names, found.class_names) == (expected.names, expected.class_names)
    assert the_same(found.labels, expected.labels)
    assert the_same(found.votes(), expected.votes())
    assert the_same(found.mask(), expected.mask())
    assert the_same(found.abstained(), expected.abstained())
    assert the_same(shares_of(found), shares_of(expected))
    assert (found.groups is None) == (expected.groups is None)
    for vote, ensemble in ensembles.items():
        other = weighed(found, vote)
        assert other.weights.tolist() == ensemble.weights.tolist()
        assert other.certification == ensemble.certification


def test_what_is_compared_can_differ(tmp_path):
    """One answer changed in the table changes the votes that are read."""
    made = made_up("votes", None)
    table = flat_columns(made)
    table["a"][3] = "cat" if table["a"][3] != "cat" else "dog"
    write_csv(tmp_path / "t.csv", table)
    assert (read_predictions(tmp_path / "t.csv").votes() != made.votes()).sum() == 1
