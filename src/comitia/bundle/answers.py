"""What is kept of the hold-out in a bundle: the answers that were certified, and how samples belong together."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predict import predict
from comitia._predictions import Predictions
from comitia._samples import Groups
from comitia.files.npz import read_named

# Before the names of columns, so that none is taken for another array.
_COLUMN = "column "


@dataclass(frozen=True, eq=False)
class Known:
    """Of n hold-out samples: the certified vote's answers (-1 for none), their groups, and facts by name.

    Neither inputs nor labels.
    """

    answers: NDArray[np.int64] | None = None
    groups: Groups | None = None
    strata: Mapping[str, Groups] = field(default_factory=dict)

    @staticmethod
    def of(ensemble: Ensemble, predictions: Predictions) -> "Known":
        """Return what is to be kept of the predictions that were certified."""
        strata = {name: predictions.strata[name] for name in ensemble.asked.columns}
        return Known(predict(ensemble, predictions).classes, predictions.groups, strata)

    def to_bytes(self) -> bytes:
        """Return it as `.npz`; groups are numbers, not names."""
        assert self.answers is not None
        arrays: dict[str, Any] = {"votes": self.answers.astype(np.int32)}
        if self.groups is not None:
            arrays["groups"] = self.groups.canonical().astype(np.int32)
        arrays |= {f"{_COLUMN}{name}": np.array(one.names)[one.codes] for name, one in self.strata.items()}
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        return buffer.getvalue()

    @staticmethod
    def read(path: Path) -> "Known":
        """Return what `to_bytes` gave, from its file."""
        arrays = read_named(path)
        answers, groups = arrays.get("votes"), arrays.get("groups")
        whole = [one for one in (answers, groups) if one is not None]
        if answers is None or any(one.dtype.kind != "i" or one.shape != (answers.size,) for one in whole):
            raise InputError(f"{path}: does not hold the answers of a hold-out; get the bundle again")
        columns = {
            name.removeprefix(_COLUMN): one for name, one in arrays.items() if name.startswith(_COLUMN)
        }
        strata = {name: Groups.of(name, values, answers.size) for name, values in columns.items()}
        return Known(
            answers.astype(np.int64),
            Groups.of("groups", groups, answers.size),
            {name: one for name, one in strata.items() if one is not None},
        )
