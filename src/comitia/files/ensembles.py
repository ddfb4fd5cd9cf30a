"""Reading ensembles and writing what they predict."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predict import Predicted
from comitia.files.atomic import write_bytes, write_text
from comitia.files.remote import shown
from comitia.files.texts import read_text

_FORMAT = re.compile(r'"format"\s*:\s*"comitia-([a-z]+)-[0-9]')


def read_ensemble(path: str | Path, *, faults: bool = True) -> Ensemble:
    """Read the ensemble in a file, or behind a URL, that `comitia weigh --out` wrote.

    A file that contradicts itself is refused; with `faults=False` only its form is checked, for `verify`.
    """
    text = ensemble_text(path)
    if is_real_text(text):
        raise InputError(
            f"{shown(path)}: is of an ensemble for real targets; predict, verify and report take it (in Python "
            "read_real_ensemble), this takes classes"
        )
    return Ensemble.from_json(text, source=shown(path), faults=faults)


def ensemble_text(path: str | Path) -> str:
    """Return the text of an ensemble's file, or of one behind a URL."""
    return read_text(path, absent="no such file; comitia weigh writes one")


def is_real_text(text: str) -> bool:
    """Return whether the text is of an ensemble for real targets, by the format it names first.

    >>> is_real_text('{"format": "comitia-regression-1"}'), is_real_text('{"format": "comitia-ensemble-2"}')
    (True, False)
    """
    found = _FORMAT.search(text)
    return found is not None and found[1] == "regression"


def write_predicted(path: str | Path, predicted: Predicted) -> None:
    """Write the ensemble's classes and shares as .npz or .csv, whole or not at all."""
    if str(path).lower().endswith(".npz"):
        named = {"classes": np.array(predicted.class_names)} if predicted.declared else {}
        known = {} if predicted.ids is None else {"ids": predicted.ids}
        buffer = io.BytesIO()
        np.savez(
            buffer, allow_pickle=False, votes=predicted.classes, probs=predicted.shares, **named, **known
        )
        write_bytes(path, buffer.getvalue())
        return
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(_rows(predicted))
    write_text(path, lines.getvalue())


def _rows(predicted: Predicted) -> Iterator[list[object]]:
    """Yield the header and a row per sample: its id if known, the class (empty where nobody answers), the shares."""
    ids = predicted.ids
    yield [*([] if ids is None else ["id"]), "class", *(f"share_{name}" for name in predicted.class_names)]
    for place, (answer, shares) in enumerate(zip(predicted.answers, predicted.shares.tolist())):
        known = [] if ids is None else [str(ids[place])]
        yield [*known, "" if answer is None else answer, *(f"{share:.9g}" for share in shares)]
