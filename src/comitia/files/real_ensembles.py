"""Ensembles for real targets from their files, and files of what they predict."""

import csv
import io
from pathlib import Path

import numpy as np

from comitia._errors import InputError
from comitia.files.atomic import write_bytes, write_text
from comitia.files.ensembles import ensemble_text, is_real_text
from comitia.files.remote import shown
from comitia.regression.ensemble import RealEnsemble
from comitia.regression.predicting import RealPredicted


def is_real_ensemble(path: str | Path) -> bool:
    """Return whether the file, or what is behind the URL, is of an ensemble for real targets."""
    return is_real_text(ensemble_text(path))


def read_real_ensemble(path: str | Path, *, faults: bool = True) -> RealEnsemble:
    """Read the ensemble for real targets in a file, or behind a URL, that `comitia weigh --out` wrote.

    A file that contradicts itself is refused; with `faults=False` only its form is checked, for `verify`.
    """
    return RealEnsemble.from_json(ensemble_text(path), source=shown(path), faults=faults)


def write_real_predicted(path: str | Path, predicted: RealPredicted) -> None:
    """Write what the ensemble predicts as .npz (`values`) or .csv, whole or not at all."""
    ids = predicted.ids
    if str(path).lower().endswith(".npz"):
        buffer = io.BytesIO()
        known = {} if ids is None else {"ids": ids}
        np.savez(buffer, allow_pickle=False, values=predicted.values[None, :], **known)
        write_bytes(path, buffer.getvalue())
        return
    if not str(path).lower().endswith(".csv"):
        raise InputError(f"{path}: must end in .npz or .csv")
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["value"] if ids is None else ["id", "value"])
    for place, value in enumerate(predicted.values.tolist()):
        writer.writerow([repr(value)] if ids is None else [str(ids[place]), repr(value)])
    write_text(path, lines.getvalue())
