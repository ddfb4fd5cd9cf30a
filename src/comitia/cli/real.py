"""What commands do where members predict real numbers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from comitia._errors import InputError
from comitia.cli.output import console, show_place, write_json
from comitia.cli.table_options import REAL, TableOption

if TYPE_CHECKING:
    from comitia.regression import RealPredictions

Command = TypeVar("Command", bound=Callable[..., Any])

COLUMNS = ("id", "group", "fold", "members", "ignore")
ALWAYS = ("files", "ensemble_path", "target", "json_path", "out", "force", *COLUMNS)
OPTIONS: dict[str, dict[str, Any]] = {
    "target": {"metavar": "COL", "help": "The column of real targets: members then predict numbers."},
    "largest_error": {"type": float, "help": "No error can be larger: your word, which promises state."},
    "clip": {
        "type": float,
        "help": "Larger errors count as this [default: twice the largest where weights are chosen].",
    },
    "quantile": {
        "type": float,
        "multiple": True,
        "help": "Also promise what this share of new errors, such as .9, does not exceed.",
    },
}


def real_options(*names: str) -> Callable[[Command], Command]:
    """Return what adds those options for real targets to a command."""

    def add(command: Command) -> Command:
        for name in reversed(names):
            flag = f"--{name.replace('_', '-')}"
            command = click.option(flag, cls=TableOption, heading=REAL, **OPTIONS[name])(command)
        return command

    return add


def asks_real(files: tuple[str, ...], target: str | None) -> bool:
    """Return whether real predictions are given: a table with a real target, or a pack that holds values."""
    from comitia.files.real import holds_real

    return target is not None or holds_real(files)


def refuse_classes(allowed: tuple[str, ...]) -> None:
    """Raise where an option was given that only members that predict classes have."""
    context = click.get_current_context()
    for name in context.params:
        if (
            name not in (*ALWAYS, *allowed)
            and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        ):
            raise InputError(
                f"{name}: is for members that predict classes, these predict real numbers; leave it out"
            )


def refuse_real(given: dict[str, Any]) -> None:
    """Raise where an option for real targets was given, and members predict classes."""
    for name, value in given.items():
        if value not in (None, ()):
            raise InputError(
                f"{name}: is for real targets, and these members predict classes; --target names the column of real "
                "ones (a pack holds values and targets)"
            )


def read_real(
    files: tuple[str, ...], target: str | None, columns: dict[str, Any], **further: Any
) -> "RealPredictions":
    """Return the predictions of those files, by the options for tables."""
    from comitia.files.real import read_real_predictions

    return read_real_predictions(files, target=target, **{name: columns[name] for name in COLUMNS}, **further)


def weigh_real(
    files: tuple[str, ...],
    target: str | None,
    certify: tuple[str, ...],
    columns: dict[str, Any],
    out: str | None,
    json_path: str | None,
    **settings: Any,
) -> None:
    """Do what `comitia weigh` does, for real targets."""
    refuse_classes(
        (
            "method",
            "delta",
            "certify_fraction",
            "seed",
            "prior",
            "weights",
            "certify",
            "largest_error",
            "clip",
            "quantile",
        )
    )
    from comitia.cli.real_tables import show_real_ensemble
    from comitia.regression import weigh

    holdout = read_real(files, target, columns)
    apart = read_real(certify, target, dict(columns, fold=None), like=holdout) if certify else None
    ensemble = weigh(holdout, certify=apart, **settings)
    for path in (out, json_path):
        write_json(path, ensemble.to_json())
    terminal = console(json_path)
    show_real_ensemble(terminal, ensemble)
    if out is not None:
        terminal.print(f"ensemble written to {show_place(out)}", markup=False)


def predict_real(
    ensemble_path: str,
    files: tuple[str, ...],
    target: str | None,
    columns: dict[str, Any],
    out: str | None,
    json_path: str | None,
) -> None:
    """Do what `comitia predict` does, for real targets."""
    refuse_classes(())
    from comitia.cli.real_tables import show_real_predicted
    from comitia.files.real_ensembles import read_real_ensemble, write_real_predicted
    from comitia.regression import predict

    ensemble = read_real_ensemble(ensemble_path)
    predicted = predict(ensemble, read_real(files, target, columns, like=ensemble, labelled=False))
    if out is not None:
        write_real_predicted(out, predicted)
    write_json(json_path, predicted.to_json())
    terminal = console(json_path)
    show_real_predicted(terminal, predicted)
    if out is not None:
        terminal.print(f"predictions written to {show_place(out)}", markup=False)


def verify_real(
    ensemble_path: str,
    files: tuple[str, ...],
    target: str | None,
    certify: tuple[str, ...],
    columns: dict[str, Any],
    json_path: str | None,
) -> bool:
    """Do what `comitia verify` does, for real targets; return whether everything holds."""
    from dataclasses import asdict

    from comitia.cli.tables import show_verification
    from comitia.files.real_ensembles import read_real_ensemble
    from comitia.regression import verify

    refuse_classes(("certify",))
    if not asks_real(files, target):
        raise InputError("target: required with a table; it names the column of true numbers")
    ensemble = read_real_ensemble(ensemble_path, faults=False)
    holdout = read_real(files, target, columns)
    apart = read_real(certify, target, dict(columns, fold=None), like=holdout) if certify else None
    found = verify(ensemble, holdout, certify=apart)
    write_json(json_path, {**asdict(found), "holds": found.holds})
    show_verification(console(json_path), found)
    return found.holds


def evaluate_real(
    files: tuple[str, ...],
    target: str | None,
    columns: dict[str, Any],
    out: str | None,
    json_path: str | None,
    **settings: Any,
) -> None:
    """Do what `comitia evaluate` does, for real targets."""
    refuse_classes(("weightings", "repeats", "seed", "delta", "largest_error", "clip"))
    from comitia.cli.real_tables import show_real_evaluation
    from comitia.regression import evaluate

    found = evaluate(read_real(files, target, columns), **settings)
    for path in (out, json_path):
        write_json(path, found.to_json())
    terminal = console(json_path)
    show_real_evaluation(terminal, found)
    if out is not None:
        terminal.print(f"written to {show_place(out)}", markup=False)
