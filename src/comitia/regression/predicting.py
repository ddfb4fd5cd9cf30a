"""What a weighted mean predicts, from the predictions of the members that have weight."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, require_type
from comitia._members import matched_by_order
from comitia.regression.ensemble import RealEnsemble
from comitia.regression.predictions import RealPredictions, require_real
from comitia.regression.weighting import weighted_mean


@dataclass(frozen=True, eq=False)
class RealPredicted:
    """The ensemble's predictions (n,), which members were used, and the errors where targets are known."""

    values: NDArray[np.float64]
    members: tuple[str, ...]
    dropped: int
    mse: float | None
    mae: float | None
    ids: NDArray[np.str_] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the predictions as plain data."""
        return {
            "samples": len(self.values),
            "values": self.values.tolist(),
            "members": list(self.members),
            "dropped": self.dropped,
            "mse": self.mse,
            "mae": self.mae,
        }


def predict(ensemble: RealEnsemble, predictions: RealPredictions) -> RealPredicted:
    """Return the weighted mean; only members of positive weight are looked at, found by name or else by order.

    >>> from comitia.regression import weigh
    >>> pack = RealPredictions.from_arrays([[1.0, 2.0, 3.0], [1.5, 1.5, 3.5]], [1.2, 1.8, 3.2])
    >>> predict(weigh(pack, method="uniform", clip=5), pack).values
    array([1.25, 1.75, 3.25])
    """
    require_type("ensemble", ensemble, RealEnsemble, "read_real_ensemble reads one")
    require_real(predictions)
    active = ensemble.active
    voters = predictions.pick(_places(ensemble, predictions, active))
    values = weighted_mean(voters, ensemble.weights[active])
    errors = None if voters.targets is None else values - voters.targets
    return RealPredicted(
        values,
        tuple(ensemble.names[i] for i in active.tolist()),
        len(ensemble.names) - len(active),
        None if errors is None else float((errors**2).mean()),
        None if errors is None else float(np.abs(errors).mean()),
        voters.ids,
    )


def _places(ensemble: RealEnsemble, predictions: RealPredictions, active: NDArray[np.int64]) -> list[int]:
    """Where the members that have weight are in the predictions: by name, or by order if one side has no names."""
    if matched_by_order(predictions.names, predictions.named, ensemble.names):
        if predictions.members != len(ensemble.names):
            raise InputError(
                f"members: the ensemble has {len(ensemble.names)}, the files {predictions.members} without names; "
                "give all of them in order, or name them as when they were weighed"
            )
        return [int(i) for i in active]
    place = {name: index for index, name in enumerate(predictions.names)}
    missing = [ensemble.names[i] for i in active.tolist() if ensemble.names[i] not in place]
    if missing:
        raise InputError(
            f"members: '{missing[0]}' is missing from the files; give the predictions of every member that has "
            "weight, by the names they were weighed with"
        )
    return [place[ensemble.names[i]] for i in active.tolist()]
