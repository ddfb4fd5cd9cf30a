import tomllib
from pathlib import Path
from typing import Any

import pytest

from comitia._errors import InputError
from comitia.recipes import read_recipe, recipe_from_dict

PLAIN: dict[str, Any] = {
    "name": "mine",
    "data": {"name": "arrays"},
    "model": {"name": "my.module:network"},
    "training": {"strategy": "simple", "runs": 3, "epochs": 10},
}


def changed(**values: Any) -> dict[str, Any]:
    """The plain recipe with `table__key` set."""
    table: dict[str, Any] = {key: dict(v) if isinstance(v, dict) else v for key, v in PLAIN.items()}
    for path, value in values.items():
        *tables, last = path.split("__")
        place = table
        for part in tables:
            place = place.setdefault(part, {})
        place[last] = value
    return table


CSGLD = {
    "training__strategy": "csgld",
    "sampler__cycle": 4,
    "sampler__burn_in": 2,
    "sampler__noise_epochs": 2,
    "sampler__temperature": 0.5,
}
DROPOUT = {
    "training__strategy": "mc-dropout-ensemble",
    "sampler__dropout": 0.1,
    "sampler__passes": 4,
}
SWAG = {
    "training__strategy": "swag",
    "sampler__burn_in": 4,
    "sampler__collect_every": 2,
    "sampler__samples": 3,
    "sampler__rank": 2,
}
BUDGET = {
    "training__strategy": "epoch-budget",
    "training__runs": 1,
    "training__budget": 20,
    "training__sizes": [2, 5],
}
STEP = {"training__schedule__shape": "step", "training__schedule__milestones": [3, 6]}

WRONG = [
    ({"training__epoch": 3}, r"recipe key training.epoch: unknown key \(did you mean 'epochs'\?\)"),
    ({"epochs": 3}, r"recipe key epochs: unknown key \(did you mean 'training.epochs'\?\)"),
    (
        {"training__temperature": 3},
        r"training.temperature: unknown key \(did you mean 'sampler.temperature'\?\)",
    ),
    ({"zzz": 3}, "recipe key zzz: unknown key$"),
    ({"training": {"runs": 3}}, "recipe key training.strategy: missing"),
    ({"training": 3}, "recipe key training: must be a table of keys, got 3"),
    ({"training__runs": "three"}, "recipe key training.runs: must be a whole number, got 'three'"),
    ({"training__runs": True}, "training.runs: must be a whole number, got True"),
    ({"training__lr": "0.1"}, "training.lr: must be a number"),
    ({"training__nesterov": 1}, "training.nesterov: must be true or false, got 1"),
    ({"training__sizes": [1, 2.5]}, r"training.sizes\[1\]: must be a whole number, got 2.5"),
    ({"model__options": 3}, "model.options: must be a table of keys, got 3"),
    ({"data__options": {"partial": 1}}, "data.options.partial: is set elsewhere; remove it, got 1"),
    ({"model__options": {"classes": 3}}, "model.options.classes: is set elsewhere; remove it, got 3"),
    ({"data__folder": 3}, "data.folder: must be a text"),
    ({"training__runs": 0}, "training.runs: must be at least 1, got 0"),
    ({"training__epochs": 0}, "training.epochs: must be at least 1, got 0"),
    ({"training__lr": 0.0}, "training.lr: must be above 0 and finite, got 0.0"),
    ({"training__lr": float("nan")}, "training.lr: must be a number, got nan"),
    ({"training__l2": -1.0}, "training.l2: must be at least 0"),
    ({"training__l2_on": "kernel"}, r"training.l2_on: 'kernel' is not one of .*\(did you mean 'kernels'\?\)"),
    ({"training__l2_on": "kernels"}, "training.l2_on: has no effect without training.l2; set that, or"),
    ({"training__momentum": 1.0}, r"training.momentum: must be in \[0, 1\), got 1.0"),
    ({"training__nesterov": True}, "training.nesterov: needs training.momentum above 0"),
    ({"training__accumulate": 3}, "training.accumulate: must divide the batch of 128, got 3"),
    (
        {"training__strategy": "checkpoint"},
        r"training.strategy: 'checkpoint' .*\(did you mean 'checkpoints'\?\)",
    ),
    ({"training__optimiser": "sgdm"}, "training.optimiser: 'sgdm' is not one of sgd, adam"),
    ({"training__augment": "flip"}, "training.augment: 'flip' is not one of none, flip-shift"),
    ({"training__precision": "half"}, "training.precision: 'half' is not one of"),
    ({"training__class_weights": "even"}, "training.class_weights: 'even' is not one of none, balanced"),
    (
        {"training__optimiser": "adam", "training__momentum": 0.9},
        "adam takes no momentum; leave it out or use sgd",
    ),
    ({"training__save_every": 11}, "no state would be saved every 11 epochs of 10"),
    ({"training__strategy": "checkpoints"}, "strategy checkpoints needs it at least 1, got 0"),
    ({"training__strategy": "sse"}, "strategy sse needs 'cyclic'"),
    ({"training__early_stopping": True}, "needs samples to choose the epoch by; set data.select"),
    (
        {"training__early_stopping": True, "data__select": 0.2, "training__save_every": 2},
        "early_stopping: keeps one state per run",
    ),
    (
        {"training__budget": 10},
        "training.budget: only 'epoch-budget' uses it, got strategy 'simple'",
    ),
    ({**BUDGET, "training__sizes": []}, "training.sizes: must list different sizes of at least 1"),
    ({**BUDGET, "training__sizes": [2, 2]}, "training.sizes: must list different sizes"),
    ({**BUDGET, "training__budget": 4}, "must give each of 5 runs an epoch, so at least 5, got 4"),
    (
        {**BUDGET, "training__save_every": 2},
        "save_every: has no effect for 'epoch-budget'.* set it to 0, got 2",
    ),
    ({**BUDGET, "training__runs": 3}, "runs: has no effect for 'epoch-budget'.* set it to 1, got 3"),
    (
        {"training__strategy": "bagging", "data__holdout": 0.2},
        "data.holdout: has no effect for 'bagging', .* got 0.2; set data.holdout=0",
    ),
    ({"data__select": 20}, "data.select: has no effect without early stopping, .* set data.select=0, or"),
    (STEP, "factors: must be one for each milestone, got 0 for 2"),
    (
        {**STEP, "training__schedule__factors": [0.1, 0.01], "training__schedule__milestones": [6, 3]},
        r"milestones: must increase and be at least 1, got \[6, 3\]",
    ),
    (
        {**STEP, "training__schedule__factors": [0.1, 0.01], "training__epochs": 6},
        "milestones: 6 is never reached in 6 epochs",
    ),
    ({**STEP, "training__schedule__factors": [0.1, 0.0]}, "factors: must be above 0"),
    ({"training__schedule__shape": "cosine"}, "training.schedule.shape: 'cosine' is not one of"),
    ({"training__schedule__cycles": 2}, "schedule.cycles: has no effect for 'constant'"),
    (
        {"training__schedule__shape": "cyclic", "training__schedule__cycles": 11},
        r"training.schedule.cycles: must be 1 to 10 \(the epochs\), got 11",
    ),
    (
        {"training__schedule__shape": "linear", "training__schedule__start": 0.95},
        r"training.schedule.start: must lie in \[0, end = 0.9\), got 0.95",
    ),
    ({"data__holdout": 1.0}, "data.holdout: must be a count .* or a fraction below 1, got 1.0"),
    ({"data__holdout": -3}, "data.holdout: must be a count"),
    ({"data__holdout": 0.6, "data__select": 0.4}, "must leave samples to train on, got 1.0"),
    ({"keep": "all"}, "recipe key keep: 'all' is not one of states, predictions"),
    ({"seed": -1}, r"recipe key seed: must be at least 0 and below 2\^32, got -1"),
    ({"seed": 2**32}, "recipe key seed: must be .*, got 4294967296"),
    ({"engine__cpus": 0}, "engine.cpus: must be above 0 and finite, got 0.0"),
    ({"engine__cpus": float("inf")}, "engine.cpus: must be a number, got inf"),
    ({"engine__gpus": float("nan")}, "engine.gpus: must be a number, got nan"),
    ({"sampler__cycle": 3}, "recipe key sampler: has no effect for strategy 'simple'"),
    ({"training__strategy": "csgld"}, "recipe key sampler: missing; strategy 'csgld' takes burn_in, cycle"),
    ({**CSGLD, "sampler__passes": 3}, "sampler.passes: has no effect for 'csgld'"),
    ({**CSGLD, "sampler__temperature": -0.1}, "sampler.temperature: must be at least 0 and finite, got -0.1"),
    (
        {**CSGLD, "sampler__burn_in": 7},
        "no sample falls after the burn-in, since its 7 epochs and a cycle of 4",
    ),
    ({**CSGLD, "sampler__noise_epochs": 5}, r"sampler.noise_epochs: must be 0 to 4 \(the cycle\), got 5"),
    ({**CSGLD, "sampler__samples_per_cycle": 3}, "samples_per_cycle: must be 1 to 2"),
    ({**CSGLD, "sampler__preconditioner": "adam"}, "sampler.preconditioner: 'adam' is not one of"),
    ({**CSGLD, "training__save_every": 1}, "'csgld' brings its own optimiser and cycles"),
    (
        {"training__strategy": "mc-dropout", "sampler__passes": 5},
        "sampler.dropout: must lie strictly between",
    ),
    (
        {"training__strategy": "mc-dropout", "sampler__dropout": 0.1},
        "training.runs: must be 1 for mc-dropout; mc-dropout-ensemble takes more, got 3",
    ),
    ({**DROPOUT, "sampler__passes": 1}, r"sampler.passes: must be at least 2 \(each is a member\), got 1"),
    ({**DROPOUT, "training__save_every": 2}, "save_every: has no effect for 'mc-dropout-ensemble'"),
    ({**CSGLD, "training__momentum": 0.9}, "training.momentum: csgld has none, got 0.9"),
    (
        {"training__strategy": "swag"},
        "recipe key sampler: missing; strategy 'swag' takes burn_in, collect_every, samples, rank, scale",
    ),
    ({**SWAG, "sampler__temperature": 0.5}, "sampler.temperature: has no effect for 'swag'"),
    ({**CSGLD, "sampler__rank": 2}, "sampler.rank: has no effect for 'csgld'"),
    (
        {**SWAG, "training__strategy": "swa"},
        "sampler.samples: has no effect for 'swa', which takes burn_in, collect_every",
    ),
    ({**SWAG, "sampler__burn_in": -1}, "sampler.burn_in: must be at least 0, got -1"),
    ({**SWAG, "sampler__collect_every": 0}, "sampler.collect_every: must be at least 1 .*, got 0"),
    (
        {**SWAG, "sampler__burn_in": 9},
        "no weights are averaged, since its 9 epochs and collect_every of 2 exceed the 10 trained",
    ),
    (
        {**SWAG, "training__save_every": 2},
        "training.save_every: has no effect for 'swag', which saves when the run",
    ),
    ({**SWAG, "sampler__samples": 0}, r"sampler.samples: must be at least 1 \(each is a member\), got 0"),
    (
        {**SWAG, "sampler__burn_in": 8, "sampler__rank": 0},
        r"sampler.samples: must be 1 where one epoch is averaged \(all samples would be the same\).*, got 3",
    ),
    ({**SWAG, "sampler__scale": 0}, "sampler.scale: must be above 0 and finite .*, got 0.0"),
    (
        {**SWAG, "sampler__rank": 3},
        r"sampler.rank: must be 0 \(variances alone\) or 2 to 2 where 3 epochs are averaged, got 3",
    ),
    ({**SWAG, "sampler__rank": 1}, "sampler.rank: must be 0 .*, got 1"),
    (
        {**SWAG, "sampler__burn_in": 6},
        r"sampler.rank: must be 0 \(variances alone\) where 2 epochs are averaged, got 2",
    ),
    (
        {**SWAG, "data__select": 0.2, "training__early_stopping": True},
        "training.early_stopping: keeps one state per run, so it requires .* got 0 and 'swag'",
    ),
]


@pytest.mark.parametrize(("values", "message"), WRONG)
def test_wrong_recipes(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        recipe_from_dict(changed(**values), allow_code=True)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "values", [{}, CSGLD, SWAG, BUDGET, {"data__options": {"a": [1, "b"]}, "data__folder": "x"}]
)
def test_toml_and_dict_give_the_recipe_back(values: dict[str, Any]) -> None:
    recipe = recipe_from_dict(changed(**values), allow_code=True)
    assert recipe_from_dict(recipe.to_dict(), allow_code=True) == recipe
    assert recipe_from_dict(tomllib.loads(recipe.to_toml()), allow_code=True) == recipe


def test_texts_survive_toml() -> None:
    recipe = recipe_from_dict(
        changed(about='q " \\ \n é \x7f', data__options={"odd key": "v"}), allow_code=True
    )
    assert recipe_from_dict(tomllib.loads(recipe.to_toml()), allow_code=True) == recipe


def test_file_takes_its_stem_as_name(tmp_path: Path) -> None:
    path = tmp_path / "mine-too.toml"
    text = recipe_from_dict(changed(), allow_code=True).to_toml().split("\n", 1)[1]
    path.write_text(text)
    assert read_recipe(path, allow_code=True).name == "mine-too"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "imdb-cnn_lstm-checkpoint",
            r"no built-in recipe of that name \(did you mean 'imdb-cnn_lstm-checkpoints'",
        ),
        ("none.toml", "none.toml: no such file"),
        ("some/where", "some/where: no such file"),
    ],
)
def test_unknown_recipe(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_recipe(name)


@pytest.mark.parametrize("content", [b"= 3", b"\xff\xfe"])
def test_not_toml(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.toml").write_bytes(content)
    with pytest.raises(InputError, match=r"a.toml: not (a TOML file|readable as text)"):
        read_recipe(tmp_path / "a.toml")


def test_overrides_of_every_type() -> None:
    texts = [
        "training.lr=0.5",
        "training.runs = 2",
        "training.nesterov=false",
        "data.folder=/some/where",
        'model.name="a:b"',
        "model.options.filters=4",
        "training.schedule.shape=cyclic",
        "training.schedule.cycles=5",
        "seed=7",
    ]
    recipe = read_recipe("demo", texts)
    assert (recipe.training.lr, recipe.training.runs, recipe.training.nesterov) == (0.5, 2, False)
    assert (recipe.data.folder, recipe.model.name, recipe.seed) == ("/some/where", "a:b", 7)
    assert recipe.model.options == {"filters": 4}
    assert recipe.training.schedule.cycles == 5
    assert read_recipe("demo", {"training.lr": 0.5}).training.lr == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("training.lr", "overrides: must be key=value, .* got 'training.lr'"),
        ("=3", "overrides: must be key=value, .* got '=3'"),
        ("training.momentun=3", r"training.momentun: unknown key \(did you mean 'momentum'\?\)"),
        ("training.lr.x=3", "recipe key training.lr.x: 'lr' is a value, not a table"),
        ("training.lr=fast", "training.lr: must be a number, got 'fast'"),
    ],
)
def test_wrong_overrides(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_recipe("demo", [text])


def test_an_override_cannot_bring_further_keys() -> None:
    recipe = read_recipe("demo", ["training.lr=0.5\nruns = 99"])
    assert (recipe.training.lr, recipe.training.runs) == (0.5, 6)
