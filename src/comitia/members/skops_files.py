"""Models of scikit-learn as `.skops`: types that are not trusted are refused, and no pickle is read (extra: skops)."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.deep.models import one_line

#: More classes than this are no numbers of classes.
MOST = 1_000_000


def open_skops(place: Path, trust: tuple[str, ...] = ()) -> Callable[[Any], torch.Tensor]:
    """Return what maps a batch to the model's probabilities."""
    try:
        import skops.io
    except ImportError:
        raise InputError(f"{place}: .skops needs skops: pip install 'comitia[skops]'") from None
    model = _read(place, trust, skops.io)
    if not hasattr(model, "predict_proba"):
        raise InputError(f"{place}: a {type(model).__name__} gives no probabilities (predict_proba)")
    columns = _columns(place, model)

    def answer(batch: Any) -> torch.Tensor:
        found = np.asarray(model.predict_proba(_rows(place, model, batch)), dtype=np.float32)
        probs = np.zeros((len(found), int(columns.max()) + 1), dtype=np.float32)
        probs[:, columns] = found
        return torch.from_numpy(probs)

    return answer


def _read(place: Path, trust: tuple[str, ...], io: Any) -> Any:
    try:
        unknown = [name for name in io.get_untrusted_types(file=place) if name not in trust]
    except Exception as error:  # a damaged archive may raise anything
        raise InputError(f"{place}: skops cannot read it ({one_line(error)}); save it again") from None
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        raise InputError(
            f"{place}: holds types that skops does not trust ({', '.join(unknown[:3])}{more}); --trust TYPE takes one "
            "that you know"
        )
    try:
        return io.load(place, trusted=list(trust))
    except Exception as error:
        raise InputError(f"{place}: skops cannot read it ({one_line(error)}); save it again") from None


def _columns(place: Path, model: Any) -> NDArray[np.int64]:
    """The class of each column."""
    classes = np.asarray(getattr(model, "classes_", []))
    if (
        classes.ndim != 1
        or classes.dtype.kind not in "iu"
        or not len(classes)
        or not 0 <= classes.min() <= classes.max() < MOST
    ):
        raise InputError(f"{place}: its classes are {classes.tolist()[:5]}, and integers from 0 are required")
    return classes.astype(np.int64)


def _rows(place: Path, model: Any, batch: Any) -> NDArray[Any]:
    """The batch as a table, images as rows of numbers."""
    if isinstance(batch, Mapping | tuple | list):
        raise InputError(f"{place}: takes one table of features, and the data give several inputs")
    array = batch.numpy(force=True) if isinstance(batch, torch.Tensor) else np.asarray(batch)
    return array.reshape(len(array), -1) if array.ndim != 2 else array
