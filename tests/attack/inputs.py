"""The table of inputs: for each kind of file the tool reads, a good one, commands that read it, and how to harm it.

A new kind of input (a bundle, a checkpoint) is a new row.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attack import harm
from comitia import Predictions, count, evaluate, weigh
from comitia.files.counts import write_counts

Harm = Callable[[np.random.Generator, bytes], bytes]
MEMBERS, SAMPLES, CLASSES = 4, 60, 3


@dataclass(frozen=True)
class Input:
    """A kind of input: the name of the file, how a good one is made, command lines ({} is the file), and harms."""

    name: str
    make: Callable[[Path], None]
    commands: tuple[str, ...]
    harms: tuple[Harm, ...] = harm.ANY


def arrays(seed: int = 0) -> dict[str, Any]:
    """A pack of probabilities with all that a pack may hold."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, CLASSES, SAMPLES)
    scores = random.normal(size=(MEMBERS, SAMPLES, CLASSES)) + 2 * np.eye(CLASSES)[labels]
    probs = np.exp(scores) / np.exp(scores).sum(axis=2, keepdims=True)
    ids = np.array([f"s{seed}-{i}" for i in range(SAMPLES)])
    return {"probs": probs, "labels": labels, "run": [1, 1, 2, 2], "step": [1, 2, 1, 2], "ids": ids}


def votes(seed: int = 0) -> dict[str, Any]:
    """The same as votes, with abstentions and groups."""
    known = arrays(seed)
    silent = np.random.default_rng(seed).random((MEMBERS, SAMPLES)) < 0.1
    groups = np.arange(SAMPLES) // 2
    return {
        "votes": known["probs"].argmax(axis=2),
        "labels": known["labels"],
        "abstained": silent,
        "groups": groups,
    }


def _npz(content: Callable[[], dict[str, Any]], *, packed: bool = False) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        (np.savez_compressed if packed else np.savez)(path, **content())

    return make


def _npy(path: Path) -> None:
    np.save(path, arrays()["probs"][0])


def _table(sign: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_text("\n".join(sign.join(row) for row in rows()) + "\n")

    return make


def rows() -> list[list[str]]:
    """A wide table of texts: a header and a row per sample."""
    names, known = ["cat", "dog", "owl"], arrays()
    said = known["probs"].argmax(axis=2).T
    cells = [
        [f"s{i}", *(names[v] for v in row), names[t]] for i, (row, t) in enumerate(zip(said, known["labels"]))
    ]
    return [["id", "rf", "svm", "knn", "net", "label"], *cells]


def _long(path: Path) -> None:
    head, *body = rows()
    lines = [f"{row[0]},{name},{row[k]},{row[-1]}" for row in body for k, name in enumerate(head[1:-1], 1)]
    path.write_text("\n".join(["item,member,answer,label", *lines]) + "\n")


def _lines(path: Path) -> None:
    head, *body = rows()
    path.write_text("\n".join(json.dumps(dict(zip(head, row))) for row in body) + "\n")


def _arrow(path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.feather
    import pyarrow.parquet

    head, *body = rows()
    table = arrow.table({name: [row[k] for row in body] for k, name in enumerate(head)})
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path, compression="uncompressed")


def _counts(path: Path) -> None:
    write_counts(
        path,
        count(Predictions.from_arrays(votes=arrays()["probs"].argmax(axis=2), labels=arrays()["labels"])),
    )


def _ensemble(path: Path) -> None:
    path.write_text(
        json.dumps(weigh(Predictions.from_arrays(**arrays()), method="tandem").to_json(), indent=1)
    )


def _evaluation(path: Path) -> None:
    found = evaluate(Predictions.from_arrays(**arrays()), sizes=[2], repeats=1)
    path.write_text(json.dumps(found.to_json(), indent=1))


def _monitor(path: Path) -> None:
    from comitia._watch import batch_of, watch_over
    from comitia.files.states import add_batches, read_monitor_state

    ensemble = weigh(Predictions.from_arrays(**arrays()), method="tandem")
    batch = batch_of(ensemble, Predictions.from_arrays(**arrays(1)), "new.npz")
    add_batches(
        read_monitor_state(path), watch_over(ensemble, "samples", risk=None, alpha=0.05, seed=0), [batch]
    )


def _recipe(path: Path) -> None:
    from comitia.recipes import read_recipe

    path.write_text(read_recipe("demo").to_toml())


def _weights(path: Path) -> None:
    path.write_text(json.dumps([0.25] * MEMBERS))


def _costs(path: Path) -> None:
    path.write_text("true,0,1,2\n0,0,1,5\n1,1,0,2\n2,1,1,0\n")


def _labels(path: Path) -> None:
    path.write_text("\n".join(map(str, arrays()["labels"])) + "\n")


READERS = (
    "weigh {}",
    "weigh {} --method uniform --out out.json --json more.json",
    "weigh {} --certify-fraction 0 --per class --json out.json",
    "predict good.json {} --out out.csv --json out.json",
    "verify good.json {}",
    "count {} --out out.counts",
    "compare good.json {} --uniform --json out.json",
    "monitor good.json {} --state state.jsonl",
    "drift good.json {} --state state.jsonl --permutations 99",
)
PACKS = (
    *READERS,
    "evaluate {} --sizes 2 --repeats 1 --out out.json --table out.md",
    "weigh good.npz --certify {}",
)
TABLES = (
    "weigh {}",
    "weigh {} --json out.json --id id",
    "count {} --out out.counts",
    "predict words.json {} --out out.csv",
)
TEXT = (*harm.ANY, *harm.TEXT)
INPUTS = (
    Input("pack.npz", _npz(arrays), PACKS, (*harm.ANY, *harm.NPZ)),
    Input(
        "packed.npz", _npz(arrays, packed=True), ("weigh {}", "predict good.json {}"), (*harm.ANY, *harm.NPZ)
    ),
    Input("votes.npz", _npz(votes), PACKS, (*harm.ANY, *harm.NPZ)),
    Input("member.npy", _npy, ("weigh {} --labels good.labels --json out.json",), (*harm.ANY, *harm.NPY)),
    Input("wide.csv", _table(","), TABLES, TEXT),
    Input("wide.tsv", _table("\t"), TABLES, TEXT),
    Input("long.csv", _long, ("weigh {}", "weigh {} --empty abstain --json out.json"), TEXT),
    Input("lines.jsonl", _lines, TABLES, (*TEXT, *harm.JSON_LINES)),
    Input("table.parquet", _arrow, TABLES, (*harm.ANY, *harm.PARQUET)),
    Input("table.arrow", _arrow, TABLES, (*harm.ANY, *harm.PARQUET)),
    Input(
        "part.counts",
        _counts,
        ("weigh {}", "count {} --out out.counts", "weigh {} --certify good.npz"),
        harm.ANY,
    ),
    Input(
        "ensemble.json",
        _ensemble,
        (
            "predict {} good.npz --out out.csv",
            "verify {} good.npz",
            "report {} --out out.html",
            "drift {} good.npz",
        ),
        (*harm.ANY, *harm.JSON),
    ),
    Input("evaluation.json", _evaluation, ("report {} --out out.html",), (*harm.ANY, *harm.JSON)),
    Input(
        "state.monitor.jsonl",
        _monitor,
        ("report {} --out out.html", "monitor good.json other.npz --state {}"),
        (*harm.ANY, *harm.TEXT),
    ),
    Input("recipe.toml", _recipe, ("train {} --out out --device none",), TEXT),
    Input(
        "weights.json",
        _weights,
        ("weigh good.npz --weights {}", "weigh good.npz --prior {}"),
        (*TEXT, *harm.JSON),
    ),
    Input("costs.csv", _costs, ("weigh good.npz --costs {} --json out.json",), TEXT),
    Input("good.labels.txt", _labels, ("weigh member.npy --labels {}",), TEXT),
)


def make_all(folder: Path) -> dict[str, bytes]:
    """Write a good file of each kind, and those that commands need beside; return their bytes by name."""
    for entry in INPUTS:
        entry.make(folder / entry.name)
    np.savez(folder / "good.npz", **arrays())
    np.savez(folder / "other.npz", **arrays(2))
    _ensemble(folder / "good.json")
    _labels(folder / "good.labels")
    from comitia import read_predictions

    (folder / "words.json").write_text(
        json.dumps(weigh(read_predictions(folder / "wide.csv", id="id")).to_json())
    )
    return {path.name: path.read_bytes() for path in folder.iterdir()}
