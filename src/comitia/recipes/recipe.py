"""The record of a recipe: everything that decides which members come to be."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

STRATEGIES = ("simple", "checkpoints", "sse", "bagging", "epoch-budget")
BAYESIAN = ("csgld", "csghmc-ap", "mc-dropout", "mc-dropout-ensemble")
SHAPES = ("constant", "step", "linear", "cyclic")


@dataclass(frozen=True, kw_only=True)
class Data:
    """`[data]`: which data set, and how many of its training samples are kept apart.

    `holdout` and `select` are a count (integer) or a fraction (0 < f < 1) of the training samples.
    Samples of `holdout` weigh and certify; those of `select` decide which epoch is kept, so they certify
    nothing. They are drawn once by the recipe's seed, the same for all runs.
    """

    name: str
    folder: str | None = None
    partial: bool = False
    holdout: int | float = 0
    select: int | float = 0
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Model:
    """`[model]`: the network's name, or `module:function` for a factory of one's own, and its options."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """`[training.schedule]`: the learning rate as a function of the epoch t = 0, 1, ..., in multiples of lr.

    - constant: 1
    - step: `factors[k]` from epoch `milestones[k]` on (a multiple of lr, not of the factor before), 1 before
    - linear: 1 until `start`·epochs, then straight down to `final` at `end`·epochs, `final` after that
    - cyclic: (cos(π (t mod c)/c) + 1)/2 with c = ⌈epochs/cycles⌉
    """

    shape: str = "constant"
    milestones: tuple[int, ...] = ()
    factors: tuple[float, ...] = ()
    start: float = 0.5
    end: float = 0.9
    final: float = 0.01
    cycles: int = 1


@dataclass(frozen=True, kw_only=True)
class Training:
    """`[training]`: how the members of a run are trained and which states are saved.

    - `runs` independent trainings, each with a seed of its own (chains, for the samplers).
    - `l2` λ adds λ·‖w‖² to the mean loss (kernels of convolutions only); `prior_scale`
      s > 0 adds ½‖w‖²/(s²·n_train) over all parameters: the Gaussian prior N(0, s²). 0 = neither.
    - `save_every` k: a state after every k-th epoch and after the last; 0 = the last alone.
      `sse` saves at the end of each cycle instead.
    - `early_stopping`: all epochs are trained, the state of best accuracy on `data.select` is the member.
    - `batch` samples make one step of the optimiser, in `accumulate` pieces of batch/accumulate.
    - `class_weights`: "none", or "balanced" = n/(classes·n_c), for two classes ½/(1-p) and ½/p.
    - `augment`: "none" or "flip-shift" (mirrored half the time, shifted by up to 4 pixels each way).
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
    prior_scale: float = 0.0
    class_weights: str = "none"
    augment: str = "none"
    save_every: int = 0
    early_stopping: bool = False
    budget: int = 0
    sizes: tuple[int, ...] = ()
    precision: str = "float32"
    schedule: Schedule = field(default_factory=Schedule)

    def scaled(self, epochs: int) -> "Training":
        """The same training stretched or squeezed to that many epochs (see `recipes.scaling`)."""
        from comitia.recipes.scaling import scale_training

        return scale_training(self, epochs)


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """`[sampler]`: for the Bayesian strategies only.

    - csgld, csghmc-ap: `burn_in` epochs, then cosine cycles of `cycle` epochs; noise of `temperature` T in
      the last `noise_epochs` of each (0 = in all of them); a state after each of the last
      `samples_per_cycle` epochs of a cycle. Each cycle starts with the step size `training.lr`;
      `training.momentum` is β.
      `preconditioner`: "none" or "layers" (one mass per layer, refreshed when a cycle begins).
    - mc-dropout, mc-dropout-ensemble: a network with `dropout` rate; `passes` stochastic forward passes of
      its last state are the members.
    """

    burn_in: int = 0
    cycle: int = 1
    samples_per_cycle: int = 1
    noise_epochs: int = 0
    temperature: float = 1.0
    preconditioner: str = "none"
    dropout: float = 0.0
    passes: int = 1


@dataclass(frozen=True, kw_only=True)
class Engine:
    """`[engine]`: processors a member may use; of no influence on the result."""

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
        """What the network's factory is given: `model.options`, and the sampler's dropout rate if any."""
        options = dict(self.model.options)
        if self.sampler is not None and self.sampler.dropout > 0:
            options["dropout"] = self.sampler.dropout
        return options

    def to_dict(self) -> dict[str, Any]:
        """The recipe as nested plain values, tuples as lists; `recipe_from_dict` reads it back."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        if self.sampler is None:
            del plain["sampler"]
        if self.data.folder is None:
            del plain["data"]["folder"]
        return plain

    def flat(self) -> dict[str, Any]:
        """Every value under its dotted key, such as `training.lr`."""
        return _flat(self.to_dict(), "")

    def to_toml(self) -> str:
        """The recipe as a TOML text that `read_recipe` takes."""
        from comitia.recipes.writing import to_toml

        return to_toml(self.to_dict())

    def fingerprint(self) -> str:
        """Sha256 (hex) of what determines the states of a run.

        Left out: name, about, engine, keep, where the data lies, passes, and the number of runs: run r is
        the same however many others there are, so more can be added to a directory, or fewer be used.
        """
        content = self.to_dict()
        for key in ("name", "about", "engine", "keep"):
            del content[key]
        content["data"].pop("folder", None)
        content.get("sampler", {}).pop("passes", None)
        del content["training"]["runs"]
        return sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _flat(table: dict[str, Any], prefix: str) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat
