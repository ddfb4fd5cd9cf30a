"""The page of a row: its heading, the command that gives it, promises rounded up, what patience would have changed."""

import json
import re
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comitia.cli.reproduce import command as command_line
from comitia.evaluation import Evaluation
from comitia.evaluation.references import Provenance
from comitia.pages.learning import Epoch
from comitia.paper import reproduce
from comitia.paper.provenance import trained_here
from comitia.paper.row_page import command, heading, row_page
from comitia.recipes import Recipe, read_recipe
from evaluation.synthetic import ensemble
from paper.small_rows import small_row

NAME = "imdb-cnn_lstm-checkpoints"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    return small_row(tmp_path_factory.mktemp("small"))


def facts(recipe: Recipe | str, **settings: Any) -> dict[str, Any]:
    """The facts of a run, as `run.json` holds them."""
    named = recipe if isinstance(recipe, str) else recipe.to_dict()
    usual = {"recipe": named, "repeats": 5, "seed": 0, "delta": 0.05, "sizes": None}
    return {
        "source": "stored predictions mine.npz" if isinstance(recipe, str) else "trained here",
        "seconds": {} if isinstance(recipe, str) else {"epochs, all runs": 1234.6},
        "settings": json.loads(json.dumps({**usual, **settings})),
        "machine": {"cores": "2", "processor": "fast"},
        "versions": {"comitia": "1", "torch": "2", "numpy": "3"},
    }


def parsed(text: str) -> dict[str, Any]:
    """What the command line understands of a command."""
    program, name, *words = shlex.split(text)
    assert (program, name) == ("comitia", "reproduce")
    return command_line.make_context("reproduce", words).params


@pytest.mark.parametrize(
    ("source", "as_paper", "row", "title"),
    [
        ("trained", True, NAME, "IMDB, CNN-LSTM, checkpoints: trained here"),
        ("stored", True, NAME, "IMDB, CNN-LSTM, checkpoints: stored predictions"),
        ("stored", False, NAME, "IMDB, CNN-LSTM, checkpoints: not as the paper, stored predictions"),
        ("trained", True, "", f"{NAME}: trained here"),
    ],
)
def test_the_heading_says_where_members_come_from_and_whether_as_the_paper(
    small: Evaluation, source: str, as_paper: bool, row: str, title: str
) -> None:
    found = replace(small, provenance=Provenance(source, row, "so", as_paper))
    assert heading(found, facts(NAME)) == title
    assert row_page(found, facts(NAME)).startswith(f"# {title}\n")


@pytest.mark.parametrize(
    ("name", "overrides", "scale", "told"),
    [
        (NAME, [], {"epochs": 3}, "scaled down"),
        (NAME, ["training.lr=0.2"], {"members": 9}, "scaled down"),
        (NAME, ["training.lr=0.2"], {}, "not as the paper"),
        (NAME, ["training.epochs=9"], {"members": 60}, "not as the paper"),
        ("imdb-cnn_lstm-simple", ["training.patience=2"], {}, "not as the paper"),
        ("imdb-cnn_lstm-simple", ["data.select=0.1"], {}, "not as the paper"),
        ("imdb-cnn_lstm-epoch-budget", ["training.sizes=[1, 2]", "training.lr=0.2"], {}, "scaled down"),
        ("cifar10-resnet20-sse", ["data.partial=true"], {}, "scaled down"),
    ],
)
def test_only_fewer_runs_epochs_or_images_are_called_scaled_down(
    small: Evaluation, name: str, overrides: list[str], scale: dict[str, int], told: str
) -> None:
    recipe = read_recipe(name, overrides, **scale)
    origin = trained_here(recipe, runs=recipe.training.runs)
    assert not origin.as_paper
    title = heading(replace(small, provenance=origin), facts(recipe))
    assert title.partition(": ")[2] == f"{told}, trained here"


def test_only_rows_of_the_paper_are_said_to_be_trained_as_it_did(small: Evaluation) -> None:
    def told(row: str, as_paper: bool) -> str:
        found = replace(small, provenance=Provenance("trained", row, "3 runs", as_paper))
        return row_page(found, facts(NAME)).splitlines()[2].partition("Training: ")[2]

    assert told(NAME, True) == "3 runs. Levels can be compared with the paper's."
    assert told(NAME, False) == "3 runs. This is not how the paper trained, so levels cannot be compared."
    assert told("", True) == "3 runs."  # the demo is no row of the paper


@pytest.mark.parametrize(
    ("name", "overrides", "members", "epochs"),
    [
        ("imdb-cnn_lstm-simple", ["data.split=shared", "training.patience=5"], 7, None),
        ("imdb-cnn_lstm-epoch-budget", ["training.sizes=[10]", "training.patience=5"], None, None),
        ("imdb-cnn_lstm-epoch-budget", ["training.sizes=[2, 3]", "seed=4"], None, None),
        ("cifar10-resnet110-epoch-budget", ["training.budget=300"], 3, None),
        ("cifar10-resnet20-simple", ["data.partial=true"], 5, 20),
        ("cifar10-resnet20-sse", ["data.partial=true", "training.lr=1e-05", "keep=predictions"], 2, 20),
        ("cifar10-resnet20-simple", ["training.save_every=10"], 2, 20),
        ("demo", [], None, None),
    ],
)
def test_the_command_trains_the_recipe_of_the_record(
    small: Evaluation, name: str, overrides: list[str], members: int | None, epochs: int | None
) -> None:
    recipe = read_recipe(name, overrides, members=members, epochs=epochs)
    found = parsed(command(small, facts(recipe)))
    again = read_recipe(found["recipe"], found["overrides"], members=found["members"], epochs=found["epochs"])
    assert again == recipe
    assert found["predictions"] is None


def test_keys_that_follow_from_the_epochs_are_set_by_themselves_if_they_were_changed(
    small: Evaluation,
) -> None:
    short = read_recipe("cifar10-resnet20-simple", epochs=20)
    recipe = replace(short, training=replace(short.training, save_every=5))
    found = parsed(command(small, facts(recipe)))
    assert found["epochs"] is None
    assert "training.save_every=5" in found["overrides"]
    assert read_recipe(found["recipe"], found["overrides"]) == recipe


def test_a_command_is_short_where_nothing_was_changed(small: Evaluation) -> None:
    assert command(small, facts(read_recipe(NAME))) == f"comitia reproduce {NAME}"
    assert command(small, facts(NAME)) == f"comitia reproduce {NAME} --from mine.npz"
    mine = replace(read_recipe("demo"), name="mine")
    assert command(small, facts(mine)) == "comitia reproduce mine.toml"
    assert command(small, facts("mine")) == "comitia reproduce mine.toml --from mine.npz"


def test_the_command_of_stored_predictions_gives_the_same_record(tmp_path: Path) -> None:
    pack = ensemble(runs=5, states=1, samples=200, classes=2)
    options: dict[str, Any] = {
        "trained": "with dropout .5",
        "overrides": ["training.sizes=[2, 3]"],
        "sizes": [3],
        "seed": 3,
        "delta": 0.1,
        "weightings": ["uniform", "tandem"],
    }
    name = "imdb-cnn_lstm-epoch-budget"
    found = reproduce(name, predictions=pack, out=tmp_path / "a", figures=False, **options)
    page = (tmp_path / "a" / "README.md").read_text()
    (line,) = re.findall(r"^\$ (.*)$", page, re.MULTILINE)
    asked = parsed(line)
    assert asked["predictions"] == "PACK.npz"
    again = reproduce(
        asked["recipe"],
        predictions=pack,
        out=tmp_path / "b",
        figures=False,
        trained=asked["trained"],
        overrides=asked["overrides"],
        sizes=[int(size) for size in asked["sizes"].split(",")],
        repeats=5 if asked["repeats"] is None else asked["repeats"],
        seed=asked["seed"],
        delta=asked["delta"],
        weightings=asked["weightings"].split(","),
    )
    assert again.evaluation == found.evaluation
    assert found.evaluation.settings.sizes == (3,)


def test_a_bayes_ensemble_is_part_of_the_command(tmp_path: Path) -> None:
    small_row(tmp_path, bayes=ensemble(classes=2, samples=200, runs=2), repeats=2)
    (line,) = re.findall(r"^\$ (.*)$", (tmp_path / "README.md").read_text(), re.MULTILINE)
    assert (parsed(line)["bayes"], parsed(line)["repeats"]) == ("PACK.npz", 2)


def promised(page: str) -> list[list[str]]:
    section = page.partition("## Promises")[2].partition("## ")[0]
    return [
        line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith(("| av", "| maj"))
    ]


def test_promises_are_those_of_tandem_weights_rounded_up(small: Evaluation) -> None:
    wanted = [
        row
        for row in small.certificates
        if row.members == "all" and row.weights.split(",")[0] == "tandem" and row.certificate.risk < 1
    ]
    lines = promised(row_page(small, facts(NAME)))
    assert len(lines) == len(wanted) > 0
    for (vote, name, risk, delta), row in zip(lines, wanted):
        kept = row.certificate
        assert (vote, name.split(",")[0], float(delta)) == (kept.vote, f"`{kept.name}`", kept.delta)
        assert 0 <= Fraction(risk) - Fraction(kept.risk) <= Fraction(1, 10_000)
        assert ("multiples of 1/20" in name) == (kept.name == "occam")


def test_without_a_promise_there_is_no_section(small: Evaluation) -> None:
    vacuous = tuple(
        replace(row, certificate=replace(row.certificate, risk=1.0)) for row in small.certificates
    )
    for certificates in ((), vacuous):
        assert "## Promises" not in row_page(replace(small, certificates=certificates), facts(NAME))


def curves(*runs: tuple[float | None, ...]) -> list[Epoch]:
    return [
        Epoch(run, epoch, 1.0, 0.5, 9.0, value)
        for run, curve in enumerate(runs, start=1)
        for epoch, value in enumerate(curve, start=1)
    ]


LONG = (0.5, *[0.4] * 4, 0.6, *[0.5] * 6)  # better again after four epochs that were not


def test_what_patience_would_have_changed_is_told_for_runs_of_all_epochs(small: Evaluation) -> None:
    recipe = read_recipe("imdb-cnn_lstm-simple")
    page = row_page(small, facts(recipe), learning=curves(LONG, (0.7, *LONG[1:]), LONG))
    section = page.partition("## Patience")[2]
    table = re.findall(r"^\| (\d+) \| (\d+) of (\d+) \|$", section, re.MULTILINE)
    assert table == [("1", "2", "3"), ("2", "2", "3"), ("3", "2", "3"), ("5", "0", "3"), ("10", "0", "3")]


@pytest.mark.parametrize(
    "learned",
    [
        [],
        curves(LONG, LONG[:11]),  # stopped at different epochs
        curves(tuple(None for _ in LONG)),  # no early stopping
        curves(LONG[:10]),  # too short for the longest patience
    ],
)
def test_patience_is_not_told_of_where_it_cannot_be(small: Evaluation, learned: list[Epoch]) -> None:
    recipe = read_recipe("imdb-cnn_lstm-simple")
    assert "## Patience" not in row_page(small, facts(recipe), learning=learned)


def test_runs_that_had_patience_did_not_train_all_their_epochs(small: Evaluation) -> None:
    patient = read_recipe("imdb-cnn_lstm-simple", ["training.patience=11"], members=1)
    assert "## Patience" not in row_page(small, facts(patient), learning=curves(LONG))


def test_machine_and_figures(small: Evaluation) -> None:
    page = row_page(small, facts(read_recipe(NAME)), figures=["bound", "nll", "accuracy-average"])
    assert "2 cores (fast), comitia 1, torch 2. The epochs took 1,235 s of worker time." in page
    pictures = re.findall(r"^!\[.*\]\((.*)\)$", page, re.MULTILINE)
    assert pictures == ["figures/accuracy-average.svg", "figures/bound.svg"]
    assert "Also drawn: [nll](figures/nll.svg)." in page
    assert "## Figures" not in row_page(small, facts(NAME))
