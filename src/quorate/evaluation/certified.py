"""Certificates for the largest ensemble, every sample being hold-out."""

from collections.abc import Iterator

import numpy as np

from quorate.certification import certify
from quorate.evaluation.draws import Draw
from quorate.evaluation.folds import Asked, Fold
from quorate.evaluation.records import Certified, Settings
from quorate.predictions import Predictions
from quorate.simplex import round_to
from quorate.statistics import Statistics, measure
from quorate.weighting import minimise_tandem

# Weights are rounded to multiples of 1/20 for `occam`: fine enough for the vote, short to write down.
RESOLUTION = 20


def certificates_of(
    predictions: Predictions, settings: Settings, largest: Draw, fold: Fold, place: dict[Asked, int]
) -> tuple[Certified, ...]:
    """Every certificate, for each choice of members, weighting and vote.

    Uniform weights are chosen on nothing, so `holdout` is designated; other weights come from the first fold's
    weighing half and the other half certifies them, so `split` is; `occam` is for tandem weights that all
    samples choose, rounded to multiples of 1/20.
    """
    losses = {"majority": measure(predictions, loss="hard")}
    if "average" in settings.votes:
        losses["average"] = measure(predictions, loss="soft")
    return tuple(
        row
        for members in settings.members
        for vote in settings.votes
        for row in _of(predictions, settings, largest.members(members), members, vote, fold, place, losses)
    )


def _of(
    predictions: Predictions,
    settings: Settings,
    chosen: tuple[int, ...],
    members: str,
    vote: str,
    fold: Fold,
    place: dict[Asked, int],
    losses: dict[str, Statistics],
) -> Iterator[Certified]:
    picked = np.array(chosen)
    part, measured = predictions.pick(picked), losses[vote].pick(picked)
    for method in settings.weightings:
        rho = fold.weights[place[Asked(chosen, method)]][picked]
        on = "nothing" if method == "uniform" else "part"
        kept = None if method == "uniform" else fold.scoring.samples
        found = certify(
            part, rho, vote=vote, delta=settings.delta, chosen_on=on, certifying=kept, statistics=measured
        )
        for certificate in found.certificates:
            yield Certified(members, method, certificate.name == found.best.name, certificate)
    if "tandem" in settings.weightings:
        hard = losses["majority"].pick(picked)
        rho = round_to(minimise_tandem(hard.second, hard.pair_samples, settings.delta).weights, RESOLUTION)
        found = certify(part, rho, vote=vote, delta=settings.delta, chosen_on="all", statistics=measured)
        for certificate in found.certificates:
            if certificate.name == "occam":
                yield Certified(members, f"tandem, multiples of 1/{RESOLUTION}", False, certificate)
