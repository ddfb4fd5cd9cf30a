"""Small reproductions of rows of the paper, from made-up predictions."""

from pathlib import Path
from typing import Any

from comitia.evaluation import Evaluation
from comitia.paper import reproduce
from evaluation.synthetic import ensemble


def small_row(out: Path, name: str = "imdb-cnn_lstm-checkpoints", **options: Any) -> Evaluation:
    """The evaluation of five runs, written to a folder.

    `states`, `samples` and `make` (a seed) are of the predictions, other options of `reproduce`.
    """
    classes = 2 if name.startswith(("imdb", "eyepacs")) else 100 if name.startswith("cifar100") else 10
    made = {"states": options.pop("states", 3), "samples": options.pop("samples", 200)}
    pack = ensemble(classes=classes, seed=options.pop("make", 0), **made)
    settings = {"sizes": [2, 5], "repeats": 2, "figures": False, **options}
    return reproduce(name, predictions=pack, out=out, **settings).evaluation
