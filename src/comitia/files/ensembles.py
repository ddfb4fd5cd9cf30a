"""Reading ensembles and writing what they predict."""

import io
from pathlib import Path

import numpy as np

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predict import Predicted
from comitia.files.atomic import write_bytes, write_text


def read_ensemble(path: str | Path, *, faults: bool = True) -> Ensemble:
    """Read the ensemble in a file that `comitia weigh --out` wrote.

    A file that contradicts itself is refused; with `faults=False` only its form is checked, for `verify`.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; comitia weigh writes one") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not text, so not an ensemble that comitia weigh wrote") from None
    except OSError as error:
        raise InputError(f"{path}: not readable ({error.strerror})") from None
    return Ensemble.from_json(text, source=str(path), faults=faults)


def write_predicted(path: str | Path, predicted: Predicted) -> None:
    """Write the ensemble's classes and shares as .npz or .csv, whole or not at all."""
    if str(path).lower().endswith(".npz"):
        buffer = io.BytesIO()
        np.savez(buffer, votes=predicted.classes, probs=predicted.shares)
        write_bytes(Path(path), buffer.getvalue())
        return
    header = ",".join(["class", *(f"share_{c}" for c in range(predicted.shares.shape[1]))])
    rows = [
        ",".join([str(c), *(f"{share:.9g}" for share in shares)])
        for c, shares in zip(predicted.classes.tolist(), predicted.shares.tolist())
    ]
    write_text(Path(path), "\n".join([header, *rows]) + "\n")
