"""Plans of comparisons: read, held to one budget, refused with one line."""

from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.paper.comparison_plan import plan_names, read_plan

SMALL = """
budget = 4
repeats = 2

[recipe.data]
name = "mnist5k"

[recipe.model]
name = "small_cnn"
options = {filters = 2, dropout = 0.25}

[recipe.training]
lr = 0.05

[ensembles.simple]
last_of = "saved"

[ensembles.saved.training]
strategy = "checkpoints"
runs = 2
epochs = 2
save_every = 1

[ensembles.chain]
model = {options = {dropout = 0.0}}
training = {strategy = "csgld", epochs = 4}
sampler = {burn_in = 1, cycle = 3}

[ensembles.passes]
training = {strategy = "mc-dropout", epochs = 4}
sampler = {dropout = 0.25, passes = 3}
"""


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", plan_names())
def test_built_in_plans_are_at_equal_epochs(name: str) -> None:
    plan = read_plan(name)
    assert {entry.epochs for entry in plan.entries} == {plan.budget}
    strategies = {entry.recipe.training.strategy for entry in plan.entries}
    assert strategies == {"checkpoints", "simple", "sse", "csgld", "csghmc-ap", "mc-dropout", "swag"}
    warm = {
        e.recipe.sampler.temperature
        for e in plan.entries
        if e.name.startswith("csghmc-ap") and e.recipe.sampler
    }
    assert max(warm) == 1.0 > min(warm)


def test_entries_share_the_recipe_and_change_it(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, SMALL))
    simple, saved, chain, passes = plan.entries
    assert (plan.name, plan.repeats) == ("mine", 2)
    assert simple.folder == saved.folder == "saved"
    assert chain.recipe.model_options() == {"filters": 2, "dropout": 0.0}
    assert passes.recipe.model_options() == {"filters": 2, "dropout": 0.25}
    assert {entry.recipe.training.lr for entry in plan.entries} == {0.05}


def test_repeats_are_further_runs(tmp_path: Path) -> None:
    _, saved, _, passes = read_plan(written(tmp_path, SMALL), repeats=3).entries
    assert saved.repeated(3).training.runs == 6
    assert [list(saved.runs(repeat)) for repeat in range(3)] == [[1, 2], [3, 4], [5, 6]]
    repeated = passes.repeated(3).training
    assert (repeated.strategy, repeated.runs) == ("mc-dropout-ensemble", 3)


def test_changes_are_for_all(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, SMALL), ["training.lr=0.2", "seed=3"])
    assert {(e.recipe.training.lr, e.recipe.seed) for e in plan.entries} == {(0.2, 3)}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("budget = 4", "budgt = 4", r"comparison key budgt: unknown key \(did you mean 'budget'\?\)"),
        ("budget = 4", "", "comparison key budget: missing"),
        ("budget = 4", "budget = 5", "ensemble simple: trains 4 epochs in all its runs, the budget is 5"),
        ("repeats = 2", "repeats = 0", "repeats: must be at least 1, got 0"),
        ('last_of = "saved"', 'last_of = "savd"', "ensemble simple: last_of must be its only key"),
        ("cycle = 3", "cycle = 4", "ensemble chain: recipe key sampler.burn_in: no sample falls after"),
        ("cycle = 3", "cycle = 3, temperature = -1", "ensemble chain: recipe key sampler.temperature"),
        ("dropout = 0.25, passes", "dropout = 0.0, passes", "ensemble passes: recipe key sampler.dropout"),
        ("[ensembles.chain]", '[ensembles."a/b"]', "must be letters, digits, dashes and dots"),
        ('"checkpoints"', '"bagging"', "strategy 'bagging' cannot be compared"),
        ("budget = 4", "budget = ", "not a TOML file"),
        ("budget = 4", "budget = 4.0", "comparison key budget: must be a whole number, got 4.0"),
        ("repeats = 2", 'repeats = "x"', "comparison key repeats: must be a whole number, got 'x'"),
        ("repeats = 2", 'about = ["x"]', r"comparison key about: must be a text, got \['x'\]"),
        ("repeats = 2", "repeats = 2\nensembles = 3", "not a TOML file"),
        (
            SMALL[SMALL.index("[recipe.data]") :],
            "recipe = 3\nensembles = {}",
            "key recipe: must be a table of keys, got 3",
        ),
        (SMALL[SMALL.index("[ensembles") :], "[ensembles]", "at least one ensemble is required, got none"),
        (
            SMALL[SMALL.index("[ensembles") :],
            "[ensembles]\na = 3",
            "comparison key ensembles.a: must be a table of keys, got 3",
        ),
    ],
)
def test_wrong_plans(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = SMALL.replace(old, new, 1)
    with pytest.raises(InputError, match=message) as caught:
        read_plan(written(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_a_folder_is_not_a_plan(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").mkdir()
    with pytest.raises(InputError, match="mine.toml: is a folder; the name of a file is required"):
        read_plan(str(tmp_path / "mine.toml"))


def test_unknown_names() -> None:
    with pytest.raises(InputError, match="did you mean 'bayes-demo'"):
        read_plan("bayes-dmo")
    with pytest.raises(InputError, match="nowhere.toml: no such file; give a .toml file or one of"):
        read_plan("nowhere.toml")
