"""What is kept of the hold-out in a bundle: the answers that were certified, and how samples belong together."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predict import predict
from comitia._predictions import Predictions
from comitia._samples import Groups

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
    def from_bytes(content: bytes, source: str) -> "Known":
        """Return what `to_bytes` gave."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            answers = arrays["votes"].astype(np.int64)
        except (ValueError, KeyError, OSError, EOFError) as error:
            raise InputError(f"{source}: does not hold the answers of a hold-out ({error})") from None
        n = len(answers)
        strata = {
            name.removeprefix(_COLUMN): Groups.of(name, values, n)
            for name, values in arrays.items()
            if name.startswith(_COLUMN)
        }
        return Known(
            answers,
            Groups.of("groups", arrays.get("groups"), n),
            {name: one for name, one in strata.items() if one is not None},
        )
