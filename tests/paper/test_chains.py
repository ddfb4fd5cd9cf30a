"""A chain that was trained is evaluated, its temperatures are kept, and docs/bayes.md shows what the records say."""

import csv
import json
import runpy
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comitia.evaluation import Evaluation
from comitia.pages.chain_temperatures import TEMPERATURES
from comitia.paper import reproduce
from comitia.paper.chains import ChainResult, chain_table, layer_table, literature_of
from comitia.paper.outputs import ROW_FILES, write_chain
from comitia.paper.row_page import PAGE
from comitia.recipes import Recipe, read_recipe
from paper.small_rows import small_row
from small_training import arrays_file, bayes_recipe

pytest.importorskip("torch", reason="training needs the extra torch")

DOCS = Path(__file__).resolve().parents[2] / "docs"
NAME = "imdb-cnn_lstm-csghmc-ap"
CHAINS = {"warm": 1.0, "cold": 0.01}


def tiny(folder: Path) -> Recipe:
    """A chain under the name of the built-in one, whose sizes are not its own."""
    return replace(bayes_recipe("csghmc-ap", folder=arrays_file(folder), runs=1), name=NAME)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results as docs/results: a chain, a copy said to be warm, and a row that is no chain.

    The chain is trained first and then reproduced in the same folder.
    """
    from comitia.engines.training import train

    root, recipe = tmp_path_factory.mktemp("results"), tiny(tmp_path_factory.mktemp("data"))
    cold = root / "imdb-csghmc-ap-cold"
    assert recipe.sampler is not None
    train(replace(recipe, sampler=replace(recipe.sampler, temperature=0.01)), cold, workers=1)
    given = ["sampler.temperature=0.01"]
    found = reproduce(recipe, out=cold, overrides=given, repeats=1, workers=1, figures=False)
    assert found.missing == ()
    assert cold / TEMPERATURES in found.written
    write_chain(cold, NAME, figures=True)
    shutil.rmtree(cold / "runs")  # a page of results has no states
    _warm(cold, root / "imdb-csghmc-ap-warm")
    small_row(root / "stored")
    return root


def _warm(cold: Path, warm: Path) -> None:
    """Write the records of a warm chain that differs in what a page shows."""
    warm.mkdir()
    record, facts = (json.loads((cold / file).read_text()) for file in ("evaluation.json", "run.json"))
    record["single_best"]["accuracy_mean"] /= 2
    facts["settings"]["recipe"]["sampler"]["temperature"] = 1.0
    (warm / "evaluation.json").write_text(json.dumps(record))
    (warm / "run.json").write_text(json.dumps(facts))
    (warm / TEMPERATURES).write_text((cold / TEMPERATURES).read_text().replace(",0.01,", ",1.0,"))


@pytest.fixture
def made(results: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The functions that write the pages, on those results."""
    found = runpy.run_path(str(DOCS / "results_pages.py"))
    monkeypatch.setitem(found["chains"].__globals__, "RESULTS", results)
    return found


def of(results: Path, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    folder = results / f"imdb-csghmc-ap-{name}"
    record, facts = ((folder / file).read_text() for file in ("evaluation.json", "run.json"))
    return json.loads(record), json.loads(facts)


def test_a_trained_chain_is_evaluated_and_its_record_says_the_temperature(results: Path) -> None:
    folder = results / "imdb-csghmc-ap-cold"
    record, facts = of(results, "cold")
    assert facts["settings"]["recipe"]["sampler"]["temperature"] == 0.01
    assert facts["source"] == "trained here: 4 members of 1 run"
    assert record["provenance"]["scale"].startswith("1 run × 4 states at T = 0.01, ")
    page = (folder / "README.md").read_text()
    assert "1 run × 4 states at T = 0.01" in page
    assert "--set sampler.temperature=0.01" in page
    with (folder / TEMPERATURES).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted({int(row["epoch"]) for row in rows}) == [1, 2, 3, 4]
    assert {float(row["expected"]) for row in rows} == {0.01}
    assert all(float(row["kinetic"]) > 0 for row in rows)


def test_the_temperatures_of_a_chain_are_drawn_where_figures_are(results: Path) -> None:
    drawn = {path.parent.parent.name for path in results.glob(f"*/figures/temperatures-{NAME}.svg")}
    assert drawn == {"imdb-csghmc-ap-cold"}


def test_the_pages_of_a_chain_can_be_published(results: Path, made: dict[str, Any]) -> None:
    folder = results / "imdb-csghmc-ap-cold"
    texts = made["texts"](folder)
    # The figure was drawn after the page was written.
    drawn = f"figures/temperatures-{NAME}.svg"
    section = f"## Figures\n\nAlso drawn: [temperatures imdb cnn_lstm csghmc ap]({drawn}).\n\n"
    assert section in texts[PAGE]
    texts[PAGE] = texts[PAGE].replace(section, "")
    for file, text in texts.items():
        assert file in ROW_FILES
        assert (folder / file).read_text() == text, file
    assert "imdb-csghmc-ap" not in made["rows_table"](), "a chain is no row of the paper"


def cells(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]


def table_below(text: str, first: str) -> list[dict[str, str]]:
    """The rows of the table whose first column has that title."""
    tables = [cells(part) for part in text.split("\n\n")]
    (titles, *rows) = next(table for table in tables if table and table[0][0] == first)
    return [dict(zip(titles, row, strict=True)) for row in rows]


def test_the_block_of_chains_is_that_of_the_records(results: Path, made: dict[str, Any]) -> None:
    text = made["chains_text"](made["chains"]())
    assert text.startswith("## Long chains\n")
    rows = table_below(text, "chain")
    assert [row["T"] for row in rows] == ["0.01", "1"]
    for row, name, theirs in zip(rows, ("cold", "warm"), ("0.8703", "0.8600"), strict=True):
        record, _ = of(results, name)
        assert row["chain"] == f"[imdb-csghmc-ap-{name}](results/imdb-csghmc-ap-{name}/README.md)"
        assert (row["epochs"], row["samples"], row["literature"]) == ("4", "4", theirs)
        assert row["best single sample"] == f"{record['single_best']['accuracy_mean']:.4f}"
        means = {
            found["weights"]: found["accuracy_mean"]
            for found in record["rows"]
            if (found["members"], found["vote"]) == ("all", "average")
        }
        assert row["uniform (Bayes)"] == f"{means['uniform']:.4f}"
        assert row["tandem weights"] == f"{means['tandem']:.4f}"
    assert [row["source"] for row in rows] == [
        "cold cSGHMC-ap[7], Wenzel et al. 2020",
        "T=1 cSGHMC-ap[7], Wenzel et al. 2020",
    ]


@pytest.mark.parametrize(("kind", "short"), [("kinetic", "T_K"), ("configurational", "T_C")])
def test_the_layers_have_the_means_of_the_temperatures_that_were_kept(
    results: Path, made: dict[str, Any], kind: str, short: str
) -> None:
    rows = {row["layer"]: row for row in table_below(made["chains_text"](made["chains"]()), "layer")}
    for name, temperature in CHAINS.items():
        with (results / f"imdb-csghmc-ap-{name}" / TEMPERATURES).open(newline="") as file:
            told = list(csv.DictReader(file))
        assert set(rows) == {row["layer"] for row in told}
        for layer, row in rows.items():
            values = [float(one[kind]) / temperature for one in told if one["layer"] == layer]
            shown = float(row[f"{short} / T, T = {temperature:g}"])
            assert shown == pytest.approx(sum(values) / len(values), abs=6e-4)  # each epoch ends in a sample


def test_without_chains_there_is_no_section(made: dict[str, Any]) -> None:
    assert made["chains_text"]([]) == ""


def test_epochs_without_a_sample_are_left_out_of_the_layers(results: Path, made: dict[str, Any]) -> None:
    cold = made["chains"]()[0]
    assert cold.recipe.sampler is not None
    once = replace(
        cold, recipe=replace(cold.recipe, sampler=replace(cold.recipe.sampler, samples_per_cycle=1))
    )
    found = layer_table([once])
    assert found is not None
    first = cold.chain.epochs[0].layers[0].name
    kept = [one.layers[0].kinetic / one.expected for one in cold.chain.epochs if one.epoch in (2, 4)]
    assert found.rows[0][0] == first
    assert found.rows[0][2] == pytest.approx(sum(kept) / 2)


def test_chains_whose_temperatures_were_not_kept_have_no_layers(results: Path, made: dict[str, Any]) -> None:
    cold, warm = made["chains"]()
    assert layer_table([replace(cold, chain=None)]) is None
    one = layer_table([replace(cold, chain=None), warm])
    assert one is not None
    assert [column.title for column in one.columns][2:] == ["T_K / T, T = 1", "T_C / T, T = 1"]


@pytest.mark.parametrize(
    ("name", "given"), [(NAME, ["sampler.temperature=2.0"]), ("cifar10-resnet110-csgld", [])]
)
def test_a_chain_that_the_literature_does_not_have_has_no_number(
    results: Path, name: str, given: list[str]
) -> None:
    recipe = read_recipe(name, given)
    assert literature_of(recipe) is None
    text = (results / "imdb-csghmc-ap-cold" / "evaluation.json").read_text()
    (row,) = chain_table([ChainResult("chain", recipe, Evaluation.from_json(text, source="cold"))]).rows
    assert row[-2:] == (None, None)
