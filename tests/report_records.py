"""Records of a small ensemble and a small evaluation, made by hand, for the tests of figures and pages."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from comitia._certificate import Certificate
from comitia._certify import Certification, Unavailable
from comitia._ensemble import Data, Ensemble, Split
from comitia.evaluation.comparison import FORMAT
from comitia.evaluation.findings import HELD, NOT_HELD, Finding
from comitia.evaluation.records import (
    Certified,
    Claim,
    Difference,
    Evaluation,
    MemberFacts,
    Row,
    Settings,
    SingleBest,
    Source,
    TandemCounts,
)
from comitia.evaluation.references import Reference
from comitia.weighting import Weighting

HOSTILE = (
    "<script>window.hacked=1</script>",
    "</script><script>window.hacked=2</script>",
    '"><img src=x onerror="window.hacked=3">',
    '<a href="javascript:window.hacked=4">click</a>',
    "<b>bold</b> & %{y} $x$ _under",
    "x" * 500,
    "tab\tnew\nline \x00\x1b \u202e ключ 模型 😀",
)


def an_ensemble(names: tuple[str, ...] = ("ada", "bob", "cleo", "dora")) -> Ensemble:
    """A weighed ensemble: a designated split certificate, two others, one of them vacuous."""
    count = len(names)
    weights, kl = np.array([0.5, 0.5, *[0.0] * (count - 2)]), math.log(count / 2)
    split = Certificate("split", "average", 0.0741, 0.05, 4000, {"errors": 268, "n": 4000})
    others = (
        Certificate("tandem-kl", "average", 0.273, 0.05, 5000, {"tandem": 0.052, "kl": kl, "n": 5000}),
        Certificate("first-order-kl", "average", 1.2, 0.05, 5000, {"gibbs": 0.1, "kl": kl, "n": 5000}),
    )
    return Ensemble(
        names=names,
        run=None,
        step=None,
        class_names=("cat", "dog", "eel"),
        declared=True,
        vote="average",
        delta=0.05,
        chosen_on="part",
        weighting=Weighting("tandem", weights, samples=1000, lam=0.3, kl=0.7, gap=1e-11),
        prior=None,
        resolution=None,
        split=Split(0.8, 0, 1000, 4000),
        statistics={"gibbs": 0.1, "tandem": 0.052, "disagreement": 0.08},
        certification=Certification(
            (*others, split), split, 1, (Unavailable("holdout", "the weights were chosen"),)
        ),
        data=Data("ab" * 32, 5000, 5000),
        member_risks=tuple(0.08 + 0.01 * i for i in range(count)),
        warnings=(f"member '{names[-1]}' is no better than chance",),
        versions={"comitia": "0"},
    )


def unsplit(ensemble: Ensemble) -> Ensemble:
    """The same weighed on all samples: the best certificate is the smallest of six, each at a sixth of delta."""
    inputs = {"tandem": 0.052, "kl": math.log(len(ensemble.names) / 2), "n": 5000, "delta_share": 0.05 / 6}
    best = Certificate("tandem-kl", "average", 0.281, 0.05, 5000, inputs)
    found = replace(
        ensemble.certification, certificates=ensemble.certification.certificates[:2], best=best, compared=6
    )
    return replace(ensemble, certification=found, chosen_on="all")


ACCURACY = {"uniform": 0.868, "first-order": 0.85, "tandem": 0.8734, "early-stopping": 0.868}


def a_row(size: int, members: str, weights: str, vote: str) -> Row:
    mean = ACCURACY[weights] + (0.002 if members == "all" else 0.0) + size / 1000 - (vote == "majority") / 200
    return Row(
        size=size,
        members=members,
        weights=weights,
        vote=vote,
        accuracy_mean=mean,
        accuracy_sd=0.004,
        nll_mean=0.31 if vote == "average" else None,
        brier_mean=0.2 if vote == "average" else None,
        ece_mean=0.03 if vote == "average" else None,
        auroc_mean=None,
        bound_mean=0.43 - size / 100,
        effective_mean=2.5,
        member_count=2.0 * size,
        single_best=0.84,
        accuracies=(mean - 0.004, mean + 0.004),
        bounds=(0.42, 0.44),
    )


def an_evaluation(
    names: tuple[str, ...] = ("ada", "bob", "cleo", "dora"), label: str = "Bayes ensemble"
) -> Evaluation:
    """An evaluation of uniform, first-order and tandem weights at sizes 2, 3 and 4, with claims and references."""
    settings = Settings(
        (2, 3, 4), 2, 0, 0.05, ("uniform", "first-order", "tandem"), ("average", "majority"), ("last", "all")
    )
    rows = tuple(
        a_row(size, members, weights, vote)
        for size in settings.sizes
        for members in settings.members
        for weights in settings.weightings
        for vote in settings.votes
    )
    count = len(names)
    facts = tuple(
        MemberFacts(
            name,
            i,
            1,
            i % 2 == 1,
            0.8 + i / 100,
            {"first-order": float(i == 0), "tandem": 1 / count, "uniform": 1 / count},
        )
        for i, name in enumerate(names)
    )
    certified = tuple(
        Certified(
            "all",
            "tandem",
            name == "split",
            Certificate(name, vote, risk, 0.05, 500, inputs),
        )
        for vote in settings.votes
        for name, risk, inputs in (
            ("split", 0.1358, {"errors": 55, "n": 500}),
            ("tandem-kl", 0.41, {"tandem": 0.05, "kl": 0.7, "n": 500}),
            ("ctd", 1.7, {"gibbs": 0.3, "tandem": 0.15, "kl": 0.7, "n_first": 500, "n_pair": 500}),
        )
    )
    return Evaluation(
        settings=settings,
        source=Source("cd" * 32, 1000, 3, count, count // 2),
        rows=rows,
        single_best=SingleBest(0.8377, 0.001, None, names[:1]),
        differences=(Difference(4, "average", ("all", "tandem"), ("all", "uniform"), 0.0054, 0.001),),
        members=facts,
        tandem=TandemCounts(
            count, 500, tuple(60 if i == j else 30 + i + j for i in range(count) for j in range(i, count))
        ),
        certificates=certified,
        notes=(f"a note on {names[0]}",),
        name="imdb-cnn_lstm-checkpoints",
        references=(
            Reference(label, "bayes", "accuracy", 0.87, 7),
            Reference(
                "paper: tandem weights, all", "paper", "accuracy", 0.873, 40, "all", "tandem", "average"
            ),
        ),
        claims=(
            Claim(1, "Uniform is not worse.", HELD, (Finding("a against b", 0.87, 0.86, 0.01, 0.001, HELD),)),
            Claim(
                2, "Weights help.", NOT_HELD, (Finding("c against d", 0.85, 0.86, -0.01, 0.001, NOT_HELD),)
            ),
        ),
    )


def folder_of(place: Path, ensemble: Ensemble | None, evaluation: Evaluation | None) -> Path:
    """The folder with the records written as the commands write them, and a run.json beside them."""
    place.mkdir(parents=True, exist_ok=True)
    if ensemble is not None:
        (place / "ensemble.json").write_text(json.dumps(ensemble.to_json()))
    if evaluation is not None:
        (place / "evaluation.json").write_text(json.dumps(evaluation.to_json()))
    (place / "run.json").write_text(json.dumps({"machine": {"cores": 2}, "source": HOSTILE[0]}))
    return place


def a_comparison() -> dict[str, Any]:
    """The record of a comparison: a chain with momenta, its last states, one without momenta, dropout; two repeats."""
    samplers = {"last": (0.5, 0.0), "chain": (0.5, 0.0), "plain": (1.0, 0.0), "dropout": (1.0, 0.2)}
    lines = [
        {
            "ensemble": name,
            "weights": weights,
            "repeats": [1, 2],
            "members": [4, 4],
            "accuracy": [0.9 + 0.01 * i, 0.92 + 0.01 * i],
            **{score: [0.25, 0.35] for score in ("nll", "ece", "certificate", "bound")},
            "effective": [3.5, 3.7],
        }
        for i, name in enumerate(samplers)
        for weights in ("uniform", "tandem")
    ]
    finding = Finding("chain against plain: better", 0.92, 0.93, -0.01, 0.004, NOT_HELD)
    return {
        "format": FORMAT,
        "name": "small",
        "settings": {"budget": 6, "repeats": 2, "seed": 3, "delta": 0.05},
        "predictions": {"chain": "ab" * 32, "plain": "cd" * 32, "dropout": "ef" * 32},
        "ensembles": {
            name: {
                "last_of": "chain" if name == "last" else None,
                "epochs": 6,
                "recipe": {
                    "training": {"strategy": "csghmc-ap"},
                    "sampler": {"temperature": temperature, "dropout": rate},
                },
            }
            for name, (temperature, rate) in samplers.items()
        },
        "lines": lines,
        "findings": [asdict(finding)],
        "notes": ["plain, repeat 2: some of its runs are missing"],
    }


def comparison_folder(place: Path, layer: str = "dense.weight") -> Path:
    """A folder as `reproduce --compare` writes it: record, run.json and the logs of two chains."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "comparison.json").write_text(json.dumps(a_comparison()))
    (place / "run.json").write_text(json.dumps({"seconds": {"epochs, chain": 12.5}}))
    for name, expected in (("chain", 0.5), ("plain", 1.0)):
        log = place / name / "runs" / "run-0001" / "log.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        kinetic = 0.6 if name == "chain" else None
        told = [
            {
                "name": layer,
                "size": 90,
                "kinetic": kinetic,
                "configurational": 0.25,
                "configurational_error": None,
            },
            {
                "name": "second",
                "size": 40,
                "kinetic": kinetic,
                "configurational": 0.75,
                "configurational_error": 0.1,
            },
        ]
        events = [{"event": "started", "run": 1}]
        events += [
            {"event": "temperatures", "run": 1, "epoch": epoch, "expected": expected, "layers": told}
            for epoch in (2, 4, 6)
        ]
        log.write_text("".join(json.dumps(event) + "\n" for event in events))
    return place
