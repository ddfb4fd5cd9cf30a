"""A row of the paper from Python: everything is checked first, written, and given back."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comitia
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.evaluation import Evaluation
from comitia.paper import Reproduction, read_plan, reproduce, reproduce_comparison
from comitia.paper.outputs import COMPARISON_FILES, ROW_FILES
from comitia.recipes import read_recipe
from comitia.recipes.toml import to_toml
from comitia.weighting import Evidence, Weighting
from evaluation.synthetic import ensemble
from small_training import arrays_file, bayes_recipe

NAME = "imdb-cnn_lstm-checkpoints"


def reproduced(out: Path, **options: Any) -> Reproduction:
    settings = {"sizes": [2, 5], "repeats": 2, "figures": False, **options}
    return reproduce(NAME, predictions=ensemble(classes=2, samples=200), out=out, **settings)


def test_files_are_the_same_byte_for_byte_and_hold_what_is_given_back(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        found = reproduced(tmp_path / folder)
        assert {path.name for path in found.written} == set(ROW_FILES)
    for name in set(ROW_FILES) - {"run.json"}:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert Evaluation.from_json((tmp_path / "a" / "evaluation.json").read_text()) == found.evaluation
    facts = json.loads((tmp_path / "a" / "run.json").read_text())
    assert facts["source"] == "stored predictions"
    assert facts["settings"] == {
        "recipe": NAME,
        "repeats": 2,
        "seed": 0,
        "delta": 0.05,
        "weightings": ["uniform", "first-order", "tandem", "early-stopping"],
        "sizes": [2, 5],
    }


def test_it_is_found_at_the_top_of_the_package() -> None:
    assert comitia.reproduce is reproduce


def test_a_file_of_predictions_and_of_a_bayes_ensemble(tmp_path: Path) -> None:
    pack = ensemble(classes=2, samples=200)
    np.savez(tmp_path / "votes.npz", votes=pack.votes(), labels=pack.labels, run=pack.run, step=pack.step)
    file = tmp_path / "votes.npz"
    found = reproduce(
        NAME, predictions=file, bayes=file, out=tmp_path / "o", sizes=[5], repeats=1, figures=False
    )
    assert found.evaluation.references[0].label == "Bayes ensemble (15 members, trained here)"
    assert "stored predictions votes.npz" in (tmp_path / "o" / "run.json").read_text()


def test_figures_are_drawn_where_they_are_wanted(tmp_path: Path) -> None:
    found = reproduced(tmp_path, figures=True)
    drawn = {path for path in found.written if path.parent.name == "figures"}
    assert drawn
    assert drawn == set((tmp_path / "figures").iterdir())


def halves(evidence: Evidence) -> Weighting:
    """Half of the weight to the first member, the other half to all."""
    weights = np.full(evidence.predictions.members, 0.5 / evidence.predictions.members)
    weights[0] += 0.5
    return Weighting("halves", weights, evidence.predictions.samples)


def test_a_weighting_from_outside_has_rows_and_certificates(tmp_path: Path) -> None:
    found = reproduced(tmp_path, weightings=["uniform", halves], figures=True).evaluation
    name = f"{__name__}:halves"
    assert found.settings.weightings == ("uniform", name)
    assert found.curve("all", name, "average")[0].accuracy_mean > 0.5
    assert {c.certificate.name for c in found.certificates if c.weights == name} >= {"split", "tandem-kl"}
    assert found.members[0].weights[name] > 0.5
    assert f"| {name} |" in (tmp_path / "rows.md").read_text()


def test_a_recipe_is_changed_as_a_name_is(tmp_path: Path) -> None:
    recipe = read_recipe("imdb-cnn_lstm-epoch-budget")
    found = reproduce(
        recipe,
        predictions=ensemble(runs=5, states=1, samples=200, classes=2),
        overrides=["training.sizes=[2, 3]"],
        out=tmp_path,
        figures=False,
    )
    assert found.evaluation.settings.sizes == (2, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "^repeats: must be at least 1, got 0"),
        ({"delta": 2}, "^delta: must lie strictly between 0 and 1"),
        ({"seed": -1}, "^seed: must be a whole number from 0"),
        ({"weightings": ["tandm"]}, "^weightings: 'tandm' is not one of .*did you mean 'tandem'"),
        ({"weightings": ["absent_module:f"]}, "^weightings: cannot import 'absent_module'"),
        ({"weightings": [lambda e: None, lambda e: e]}, "^weightings: duplicate name '.*<lambda>'"),
        ({"weightings": [7]}, "^weightings: must be a name, 'module:function' or a callable, got 7"),
        ({"weightings": []}, "^weightings: at least one of uniform"),
        ({"members": 3}, "^predictions: nothing is trained, so members, epochs, workers and engine"),
        ({"workers": 3}, "^predictions: nothing is trained"),
        ({"engine": "ray"}, "^predictions: nothing is trained"),
        ({"out": ""}, "^out: the name of a directory is required"),
    ],
)
def test_bad_arguments_are_named_and_nothing_is_written(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        reproduced(**{"out": tmp_path / "out", **options})
    assert list(tmp_path.iterdir()) == []


def test_early_stopping_is_refused_before_a_training_that_saves_one_state_per_run(tmp_path: Path) -> None:
    asked = {"weightings": ["uniform", "early-stopping"], "out": tmp_path / "out", "figures": False}
    with pytest.raises(
        InputError, match="^weightings: 'early-stopping' .* but the recipe saves one state per run"
    ):
        reproduce("demo", members=2, epochs=1, **asked)
    assert not (tmp_path / "out").exists()


def test_sizes_are_checked_before_any_training(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="^sizes: must be from 1 to 4, the runs of the recipe, got 8"):
        reproduce("demo", members=4, sizes=[8], out=tmp_path / "out", figures=False)
    assert not (tmp_path / "out").exists()


def test_results_are_kept_unless_forced(tmp_path: Path) -> None:
    reproduced(tmp_path)
    with pytest.raises(
        InputError, match=r"^out: .*evaluation.json already exists; use force to overwrite it"
    ):
        reproduced(tmp_path, seed=1)
    assert reproduced(tmp_path, seed=1, force=True).evaluation.settings.seed == 1


def test_a_comparison_is_trained_written_and_given_back(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra torch")
    table = bayes_recipe("csghmc-ap", folder=arrays_file(tmp_path), runs=1).to_dict()
    del table["name"]
    chain = {key: table.pop(key) for key in ("training", "sampler")}
    ensembles = {"last": {"last_of": "chain"}, "chain": chain}
    (tmp_path / "mine.toml").write_text(to_toml({"budget": 4, "recipe": table, "ensembles": ensembles}))
    events: list[Any] = []
    found = reproduce_comparison(
        read_plan(tmp_path / "mine.toml"),
        out=tmp_path / "out",
        weightings=["uniform", halves],
        workers=1,
        listen=events.append,
        figures=False,
    )
    assert {path.name for path in found.written} == set(COMPARISON_FILES)
    weights = ["uniform", f"{__name__}:halves"]
    assert [line.weights for line in found.comparison.lines] == weights * 2
    assert len(found.comparison.predictions["chain"]) == 64
    assert events
    with pytest.raises(InputError, match="^comparison: overrides and repeats require a name or a file"):
        reproduce_comparison(read_plan(tmp_path / "mine.toml"), repeats=2)


def test_predictions_in_memory_are_not_changed(tmp_path: Path) -> None:
    pack = ensemble(classes=2, samples=200)
    before = pack.fingerprint()
    assert isinstance(pack, Predictions)
    reproduce(NAME, predictions=pack, out=tmp_path, sizes=[2], repeats=1, figures=False)
    assert pack.fingerprint() == before
