"""The certificates of an evaluation: of the largest ensemble, for each choice of members, weighting and vote."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._certify import Certification, certify_with
from comitia._choosing import is_blind
from comitia._predictions import Predictions
from comitia._simplex import round_to
from comitia.evaluation.draws import Draw
from comitia.evaluation.folds import Asked, Fold, ask
from comitia.evaluation.records import Certified, Settings
from comitia.statistics import Statistics, measure
from comitia.weighting import minimise_tandem

# Weights are rounded to multiples of 1/20 for `occam`: fine enough for the vote, short to write down.
RESOLUTION = 20


def certificates(
    predictions: Predictions,
    settings: Settings,
    fold: Fold,
    largest: Draw,
    place: Mapping[Asked, int],
    bounds: Sequence[Any],
) -> Iterator[Certified]:
    """Yield every certificate of the largest ensemble, with all samples as hold-out.

    Uniform weights are chosen on nothing, so `holdout` is designated; other weights come from the first fold's
    weighing half and the other half certifies them, so `split` is; `occam` is for tandem weights that all
    samples choose, rounded to multiples of 1/20. Out-of-fold samples certify nothing.
    """
    if predictions.folds is not None:
        return
    losses = {"majority": measure(predictions, loss="hard")}
    if "average" in settings.votes:
        losses["average"] = measure(predictions, loss="soft")
    for members in settings.members:
        chosen = largest.members(members)
        methods = settings.weightings_of(members)
        weights = {m: fold.weights[place[ask(largest, members, m)]] for m in methods}
        kept = fold.scoring.samples
        choice = _Chosen(members, np.array(chosen), predictions, losses, settings, kept, bounds)
        for vote in settings.votes:
            yield from choice.certified(vote, weights)


@dataclass(frozen=True, eq=False)
class _Chosen:
    """One choice of members: their positions, and what they are certified from."""

    members: str
    picked: NDArray[np.int64]
    predictions: Predictions
    losses: dict[str, Statistics]
    settings: Settings
    certifying: NDArray[np.int64]
    bounds: Sequence[Any]

    def certified(self, vote: str, weights: Mapping[str, NDArray[np.float64]]) -> Iterator[Certified]:
        """Yield the certificates of one vote, by weighting."""
        for method, rho in weights.items():
            chosen_on = "nothing" if is_blind(method) else "part"
            found = self._certify(rho[self.picked], vote, chosen_on)
            best = None if found.best is None else found.best.name
            for certificate in found.certificates:
                yield Certified(self.members, method, certificate.name == best, certificate)
        if "tandem" in weights:
            for certificate in self._certify(self.rounded, vote, "all").certificates:
                if certificate.name == "occam":
                    yield Certified(self.members, f"tandem, multiples of 1/{RESOLUTION}", False, certificate)

    def _certify(self, rho: NDArray[np.float64], vote: str, chosen_on: str) -> Certification:
        return certify_with(
            self.losses[vote].pick(self.picked),
            self.predictions.pick(self.picked),
            rho,
            vote=vote,
            delta=self.settings.delta,
            chosen_on=chosen_on,
            certifying=self.certifying if chosen_on == "part" else None,
            bounds=self.bounds,
            seed=self.settings.seed,
        )

    @cached_property
    def rounded(self) -> NDArray[np.float64]:
        """Tandem weights that all samples choose, rounded. They are the same for both votes."""
        hard = self.losses["majority"].pick(self.picked)
        return round_to(
            minimise_tandem(hard.second, hard.pair_samples, self.settings.delta).weights, RESOLUTION
        )
