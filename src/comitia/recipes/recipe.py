"""The record of a recipe: everything that decides which members are made."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any

from comitia._errors import InputError
from comitia._records import to_plain
from comitia.recipes.toml import to_toml

# Keys with this metadata were added later: left out while they have their default, so that older recipes keep
# their fingerprint.
LATER = {"later": True}
# Data sets whose groups (patients) stay whole when samples are kept apart. Earlier versions tore them apart, so that
# what was trained by them has another fingerprint.
GROUPED = ("eyepacs",)
#: `data.select`: the samples that a run's bootstrap sample left out choose its epoch.
OUT_OF_BAG = "out-of-bag"
#: `data.split`: each run draws its own samples to keep apart.
SHARED, PER_RUN = "shared", "per run"
#: `training.l2_on`: which kernels the penalty acts on.
CONVOLUTIONS, KERNELS = "convolutions", "kernels"


@dataclass(frozen=True, kw_only=True)
class Data:
    """`[data]`: which data set (a name or `module:function`), and how many of its training samples are kept apart.

    `holdout` and `select` are a count (integer) or a fraction (0 < f < 1) of the training samples.
    Samples of `holdout` weigh and certify; those of `select` decide which epoch is kept, so they certify
    nothing. With bagging, `select` may be "out-of-bag": the samples that a run did not draw decide.
    `split`: "shared" draws them once by the recipe's seed, the same for all runs; "per run" draws them anew for
    each run, whose own hold-out is then marked in the predictions file by `mask`.
    """

    name: str
    folder: str | None = None
    partial: bool = False
    holdout: int | float = 0
    select: int | float | str = 0
    split: str = field(default=SHARED, metadata=LATER)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Model:
    """`[model]`: the network (a name or `module:function`) and its options."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """`[training.schedule]`: the learning rate as a function of the epoch t = 0, 1, ..., in multiples of lr.

    - constant: 1
    - step: `factors[k]` from epoch `milestones[k]` on (a multiple of lr, not of the factor before), 1 before
    - linear: 1 until `start`·epochs, then straight down to `final` at `end`·epochs, `final` after that
    - cyclic: (cos(π (t mod c)/c) + 1)/2 with c = ⌈epochs/cycles⌉
    - `module:function`: what that function of (t, epochs=..., and `options`) returns
    """

    shape: str = "constant"
    milestones: tuple[int, ...] = ()
    factors: tuple[float, ...] = ()
    start: float = 0.5
    end: float = 0.9
    final: float = 0.01
    cycles: int = 1
    options: Mapping[str, Any] = field(default_factory=dict, metadata=LATER)

    def scaled(self, ratio: float, epochs: int) -> "Schedule":
        """Return the schedule with its milestones multiplied by `ratio`, for a training of that many epochs."""
        steps = {max(1, round(m * ratio)): f for m, f in zip(self.milestones, self.factors, strict=True)}
        kept = {m: f for m, f in sorted(steps.items()) if m < epochs}
        return replace(
            self,
            milestones=tuple(kept),
            factors=tuple(kept.values()),
            cycles=min(self.cycles, epochs),
        )


@dataclass(frozen=True, kw_only=True)
class Training:
    """`[training]`: how the members of a run are trained and which states are saved.

    - `strategy`: a name of `recipes.strategies` or `module:function`, which may read `options`.
    - `runs` independent trainings, each with a seed of its own (chains, for the samplers).
    - `l2` λ adds λ·‖w‖² to the mean loss; `l2_on`: over the kernels of "convolutions" only, or over all "kernels",
      those of dense layers too. `prior_scale` s > 0 adds ½‖w‖²/(s²·n_train) over all parameters: the Gaussian prior
      N(0, s²). 0 = neither.
    - `save_every` k: a state after every k-th epoch and after the last; 0 = the last alone.
      `sse` saves at the end of each cycle instead.
    - `early_stopping`: all epochs are trained, the state of best accuracy on `data.select` is the member.
      `patience` k > 0 ends a run once k epochs in a row have not improved on it; 0 trains them all.
    - `batch` samples make one step of the optimiser, in `accumulate` pieces of batch/accumulate.
    - `class_weights`: "none", or "balanced" = n/(classes·n_c), for two classes ½/(1-p) and ½/p.
    - `augment`: "none", "flip-shift" (mirrored half the time, shifted by up to 4 pixels each way), or
      `module:function` of (images, random) that returns the images to train on.
    - `budget`, `sizes`: epoch-budget trains, for each M of `sizes`, M runs of ⌊budget/M⌋ epochs, whose
      schedule is that of `epochs` scaled to them (`Training.scaled`).
    - `precision`: "float32", or "bfloat16" / "float16" for mixed precision.
    """

    strategy: str
    runs: int = 1
    epochs: int = 1
    batch: int = 128
    accumulate: int = 1
    optimiser: str = "sgd"
    lr: float = 0.1
    momentum: float = 0.0
    nesterov: bool = False
    l2: float = 0.0
    l2_on: str = field(default=CONVOLUTIONS, metadata=LATER)
    prior_scale: float = 0.0
    class_weights: str = "none"
    augment: str = "none"
    save_every: int = 0
    early_stopping: bool = False
    patience: int = field(default=0, metadata=LATER)
    budget: int = 0
    sizes: tuple[int, ...] = ()
    precision: str = "float32"
    schedule: Schedule = field(default_factory=Schedule)
    options: Mapping[str, Any] = field(default_factory=dict, metadata=LATER)

    def scaled(self, epochs: int) -> "Training":
        """Return the same training in that many epochs, its schedule in proportion.

        With f = new/old epochs: milestones become round(f·m), at least 1; where two fall together the later one's
        factor holds, and those at or past the end are dropped. The number of cycles stays, at most one per epoch.
        `save_every` becomes round(f·k), at least 1. The linear schedule is relative already.

        >>> step = Schedule(shape="step", milestones=(80, 120), factors=(0.1, 0.01))
        >>> short = Training(strategy="simple", epochs=200, save_every=40, schedule=step).scaled(10)
        >>> short.schedule.milestones, short.save_every
        ((4, 6), 2)
        """
        if epochs < 1:
            raise InputError(f"training.epochs: must be at least 1, got {epochs}")
        ratio = epochs / self.epochs
        every = max(1, round(self.save_every * ratio)) if self.save_every else 0
        return replace(self, epochs=epochs, save_every=every, schedule=self.schedule.scaled(ratio, epochs))


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """`[sampler]`: for the Bayesian strategies and averaged weights only.

    - chains: `burn_in` epochs, then cosine cycles of `cycle` epochs; noise of `temperature` T in
      the last `noise_epochs` of each (0 = in all of them); a state after each of the last
      `samples_per_cycle` epochs of a cycle. Each cycle starts with the step size `training.lr`;
      `training.momentum` is β.
      `preconditioner`: "none" or "layers" (one mass per layer, refreshed when a cycle begins).
    - dropout networks: a network with `dropout` rate; `passes` stochastic forward passes of
      its last state are the members.
    - averaged weights: after `burn_in` epochs, the weights after every `collect_every`-th epoch are averaged.
      Around their mean, `samples` members are drawn from a Gaussian with the variances of the averaged weights
      and the last `rank` deviations from the mean (0 = variances alone), its standard deviation times `scale`.
    """

    burn_in: int = 0
    cycle: int = 1
    samples_per_cycle: int = 1
    noise_epochs: int = 0
    temperature: float = 1.0
    preconditioner: str = "none"
    dropout: float = 0.0
    passes: int = 1
    collect_every: int = field(default=0, metadata=LATER)
    samples: int = field(default=0, metadata=LATER)
    rank: int = field(default=0, metadata=LATER)
    scale: float = field(default=1.0, metadata=LATER)


@dataclass(frozen=True, kw_only=True)
class Engine:
    """`[engine]`: processors that one member may use; they do not influence the result."""

    cpus: float = 1.0
    gpus: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A whole recipe. `keep` is "states", or "predictions" to drop each state once it has predicted."""

    name: str
    about: str = ""
    seed: int = 0
    keep: str = "states"
    data: Data
    model: Model
    training: Training
    sampler: Sampler | None = None
    engine: Engine = field(default_factory=Engine)

    def model_options(self) -> dict[str, Any]:
        """Return what the network's factory is given: `model.options`, and the sampler's dropout rate if any."""
        options = dict(self.model.options)
        if self.sampler is not None and self.sampler.dropout > 0:
            options["dropout"] = self.sampler.dropout
        return options

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as nested plain values, tuples as lists; `recipe_from_dict` reads it back."""
        return _without_unset(self, to_plain(self))

    def flat(self) -> dict[str, Any]:
        """Return every value under its dotted key, such as `training.lr`."""
        return _flat(self.to_dict(), "")

    def to_toml(self) -> str:
        """Return the recipe as a TOML text that `read_recipe` takes."""
        return to_toml(self.to_dict())

    def fingerprint(self) -> str:
        """Return the sha256 (hex) of what determines the states of a run.

        Left out: name, about, engine, keep, where the data lies, passes, and the number of runs: run r is
        the same however many others there are, so more can be added to a directory, or fewer be used.
        """
        content = self.to_dict()
        for key in ("name", "about", "engine", "keep"):
            del content[key]
        content["data"].pop("folder", None)
        if self.data.name in GROUPED and (self.data.holdout or self.data.select):
            content["data"]["groups"] = "whole"
        content.get("sampler", {}).pop("passes", None)
        del content["training"]["runs"]
        return sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _without_unset(record: Any, plain: dict[str, Any]) -> dict[str, Any]:
    """The plain table without keys that are None, and without later keys that have their default."""
    kept = {}
    for entry in fields(record):
        value = getattr(record, entry.name)
        if value is None or (entry.metadata == LATER and value == _default(entry)):
            continue
        inner = plain[entry.name]
        kept[entry.name] = _without_unset(value, inner) if is_dataclass(value) else inner
    return kept


def _default(entry: "Field[Any]") -> Any:
    return entry.default if entry.default_factory is MISSING else entry.default_factory()


def _flat(table: dict[str, Any], prefix: str) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat
