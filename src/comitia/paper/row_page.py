"""The page of a reproduced row, in Markdown: a pure function of its record and the facts of its run."""

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from comitia._errors import InputError
from comitia._words import counted
from comitia.evaluation import Evaluation
from comitia.evaluation.claims import claims_markdown
from comitia.evaluation.protocol import WEIGHTINGS
from comitia.evaluation.records import EARLY_STOPPING
from comitia.evaluation.table_formats import Table, markdown
from comitia.evaluation.tables import against_paper, by_size
from comitia.pages.learning import Epoch, cut_short
from comitia.paper.provenance import is_scaled_down
from comitia.paper.rows import paper_rows
from comitia.recipes import Recipe, names, read_recipe, recipe_from_dict

#: Its file: shown first where a folder is browsed, and the index of its folder on the site.
PAGE = "README.md"
PATIENCE = (1, 2, 3, 5, 10)
# The figures that a page shows, in this order; the others are linked.
SHOWN = ("accuracy-average", "early-stopping", "bound", "weights")


def row_page(
    evaluation: Evaluation,
    facts: Mapping[str, Any],
    figures: Sequence[str] = (),
    learning: Sequence[Epoch] = (),
) -> str:
    """Return the page: heading with the scale, command, our numbers beside the paper's, claims, promises, figures.

    `learning` are the epochs of a training, which tell what patience would have changed.
    """
    sections = (
        f"# {heading(evaluation, facts)}",
        _origin(evaluation),
        f"```console\n$ {command(evaluation, facts)}\n```",
        _machine(facts),
        _titled("Beside the paper", against_paper(evaluation)) if evaluation.references else "",
        _titled("By number of runs", by_size(evaluation)),
        _notes(evaluation.notes),
        f"## Claims\n\n{claims_markdown(evaluation.claims).rstrip()}" if evaluation.claims else "",
        _promises(evaluation),
        "" if _has_patience(facts["settings"]["recipe"]) else _patience(learning),
        _figures(figures),
        "All numbers: [rows](rows.md), [beside the paper](table.md), the record `evaluation.json`.",
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def heading(evaluation: Evaluation, facts: Mapping[str, Any]) -> str:
    """Return the title of the page: the row, where its members come from, and whether that is not as the paper did."""
    origin = evaluation.provenance
    row = next((row for row in paper_rows() if origin is not None and row.key == origin.row), None)
    name = (evaluation.name or "evaluation") if row is None else row.title
    if origin is None:
        return name
    source = "trained here" if origin.source == "trained" else "stored predictions"
    if origin.as_paper or row is None:
        return f"{name}: {source}"
    return f"{name}: {_otherwise(facts['settings']['recipe'])}, {source}"


def _otherwise(recipe: str | Mapping[str, Any]) -> str:
    """Return in which way members are not the paper's; all that is kept of stored ones is the recipe's name."""
    scaled = not isinstance(recipe, str) and is_scaled_down(recipe_from_dict(recipe))
    return "scaled down" if scaled else "not as the paper"


def command(evaluation: Evaluation, facts: Mapping[str, Any]) -> str:
    """Return the command that gives the record, from the settings of its run."""
    settings, recipe = facts["settings"], facts["settings"]["recipe"]
    words = ["comitia reproduce"]
    if isinstance(recipe, str):
        source = facts["source"].removeprefix("stored predictions").strip() or "PACK.npz"
        words += [_called(recipe), f"--from {shlex.quote(source)}"]
    else:
        words += _training_words(recipe_from_dict(recipe))
    words += _given(settings)
    usual = {"repeats": 5, "seed": 0, "delta": 0.05}
    words += [f"--{key} {settings[key]}" for key, value in usual.items() if settings[key] != value]
    return " ".join([*words, *_weights_words(evaluation)])


def _called(recipe: str) -> str:
    return recipe if recipe in names() else f"{recipe}.toml"


def _given(settings: Mapping[str, Any]) -> list[str]:
    """Return the options that a run keeps only if they were given."""
    words = [f"--set {shlex.quote(text)}" for text in settings.get("overrides", ())]
    words += [f"--{key} {shlex.quote(settings[key])}" for key in ("trained", "bayes") if settings.get(key)]
    sizes = settings.get("sizes")
    return words + ([f"--sizes {','.join(map(str, sizes))}"] if sizes else [])


def _weights_words(evaluation: Evaluation) -> list[str]:
    """Return the option that asks for the weightings of a record, unless they are those of a record of its kind."""
    usual = WEIGHTINGS if evaluation.single_states else (*WEIGHTINGS, EARLY_STOPPING)
    ours = evaluation.settings.weightings
    return [] if ours == usual else [f"--weights {shlex.quote(','.join(ours))}"]


def _training_words(recipe: Recipe) -> list[str]:
    """Return name, scale and changed keys of a recipe that was trained."""
    if recipe.name not in names():
        return [_called(recipe.name)]
    ours, built_in = recipe.training, read_recipe(recipe.name).training
    words = [recipe.name]
    words += [f"--members {ours.runs}"] if ours.runs != built_in.runs else []
    # Where keys that follow from the epochs were changed too, each is set by itself.
    scaled = ours.epochs != built_in.epochs and _gives(recipe, _changes(recipe, ours.epochs), ours.epochs)
    words += [f"--epochs {ours.epochs}"] if scaled else []
    changed = _changes(recipe, ours.epochs if scaled else None)
    return [*words, *(f"--set {shlex.quote(text)}" for text in changed)]


def _changes(recipe: Recipe, epochs: int | None) -> list[str]:
    """Return the "key=value" changes that make the recipe of the built-in one at that many epochs."""
    ours, usual = recipe.flat(), read_recipe(recipe.name, epochs=epochs).flat()
    free = ("about", "training.runs", "data.folder", "engine.cpus", "engine.gpus")
    changed = [key for key in {**ours, **usual} if key not in free and ours.get(key) != usual.get(key)]
    values = {key: _value(recipe, key) for key in changed}
    return [f"{key}={_toml(value)}" for key, value in values.items() if value is not None]


def _gives(recipe: Recipe, overrides: Sequence[str], epochs: int | None) -> bool:
    """Whether the changes give the recipe: they are made before it is scaled, so that they may be scaled too."""
    try:
        again = read_recipe(recipe.name, overrides, epochs=epochs)
    except InputError:
        return False
    runs = replace(again.training, runs=recipe.training.runs)
    return replace(again, training=runs, about=recipe.about, engine=recipe.engine).flat() == recipe.flat()


def _value(recipe: Recipe, key: str) -> Any:
    """The value of a dotted key; one that has its default may be left out of the flat recipe."""
    found: Any = recipe
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else getattr(found, part)
    return found


def _toml(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _origin(evaluation: Evaluation) -> str:
    origin, source = evaluation.provenance, evaluation.source
    extent = f"{counted(source.members, 'member')} of {counted(source.runs, 'run')}, {source.samples:,} test samples."
    if origin is None:
        return extent
    if not origin.row:
        return f"{extent} Training: {origin.scale}."
    levels = (
        "Levels can be compared with the paper's."
        if origin.as_paper
        else "This is not how the paper trained, so levels cannot be compared."
    )
    return f"{extent} Training: {origin.scale}. {levels}"


def _machine(facts: Mapping[str, Any]) -> str:
    machine, seconds = facts["machine"], facts["seconds"]
    versions = ", ".join(
        f"{name} {facts['versions'][name]}" for name in ("comitia", "torch") if name in facts["versions"]
    )
    where = f"{machine['cores']} cores ({machine['processor']}), {versions}."
    trained = seconds.get("epochs, all runs")
    return where if trained is None else f"{where} The epochs took {trained:,.0f} s of worker time."


def _titled(title: str, table: Table) -> str:
    return f"## {title}\n\n{markdown(table).rstrip()}"


def _notes(notes: Sequence[str]) -> str:
    return "" if not notes else "Notes:\n\n" + "\n".join(f"- {note}." for note in notes)


def _promises(evaluation: Evaluation) -> str:
    """Return the certificates of tandem weights on the widest choice of states, rounded up."""
    widest = evaluation.distinct[-1]
    lines = [
        f"| {row.certificate.vote} | `{row.certificate.name}`{row.weights.removeprefix('tandem')} | "
        f"{math.ceil(row.certificate.risk * 1e4) / 1e4:.4f} | {row.certificate.delta:g} |"
        for row in evaluation.certificates
        if row.members == widest and row.weights.startswith("tandem") and row.certificate.risk < 1
    ]
    if not lines:
        return ""
    head = f"Certified risk of tandem weights on {widest} states, all test samples as hold-out; each holds alone."
    return "\n".join(
        ["## Promises", "", head, "", "| vote | certificate | risk | delta |", "|---|---|--:|--:|", *lines]
    )


def _has_patience(recipe: str | Mapping[str, Any]) -> bool:
    return not isinstance(recipe, str) and bool(recipe["training"].get("patience"))


def _patience(learning: Sequence[Epoch]) -> str:
    """Return how often patience would have kept another state, where runs with early stopping trained to their end."""
    lengths = {run: sum(one.run == run for one in learning) for run in {one.run for one in learning}}
    counts = [(k, *cut_short(learning, k)) for k in PATIENCE]
    if len(set(lengths.values())) != 1 or not counts[-1][2]:
        return ""
    head = (
        "The runs trained all their epochs, and the state of best accuracy on `select` is the member. With "
        "`training.patience` they would have stopped earlier, and some would have kept another state:"
    )
    lines = [f"| {k} | {changed} of {runs} |" for k, changed, runs in counts]
    return "\n".join(
        ["## Patience", "", head, "", "| patience | runs with another state |", "|--:|--:|", *lines]
    )


def _figures(figures: Sequence[str]) -> str:
    shown = [name for name in SHOWN if name in figures]
    others = [name for name in figures if name not in shown]
    pictures = [f"![{name.replace('-', ' ')}](figures/{name}.svg)" for name in shown]
    links = ", ".join(f"[{name.replace('-', ' ')}](figures/{name}.svg)" for name in others)
    parts = [*pictures, f"Also drawn: {links}." if links else ""]
    return "## Figures\n\n" + "\n\n".join(part for part in parts if part) if figures else ""
