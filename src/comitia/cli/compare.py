"""`comitia compare`: is one ensemble certified better than another?"""

from pathlib import PurePath
from typing import Any

import click

from comitia._errors import InputError
from comitia.cli.output import (
    common_options,
    console,
    require_absent,
    require_distinct,
    show_place,
    write_json,
)
from comitia.cli.table_options import Told, as_arguments, table_options


@click.command(
    "compare",
    epilog="""\b
Examples:
  comitia compare new.json old.json test.npz           samples that chose neither
  comitia compare ensemble.json holdout.npz --uniform  the certifying part of its own hold-out
  comitia compare ensemble.json test.npz --member "run 3, step 40"
  comitia compare ensemble.json test.npz --best-member --delta .01 --json -
""",
)
@click.argument("ensemble_path", metavar="A.json")
@click.argument("files", nargs=-1, required=True, metavar="[B.json] FILE...")
@click.option("--member", metavar="NAME", help="Compare with this member of A, in place of B.")
@click.option("--best-member", is_flag=True, help="Compare with the best member of A, in place of B.")
@click.option("--uniform", is_flag=True, help="Compare with equal weights of A's members, in place of B.")
@click.option("--labels", metavar="FILE", help="True classes, in place of those in the files.")
@click.option(
    "--other", multiple=True, metavar="FILE", help="B's members on the same samples, where FILE lacks them."
)
@click.option("--delta", type=float, default=0.05, show_default=True, help="Probability of failure.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the order of samples."
)
@click.option("--out", metavar="FILE", help="Write the record (JSON).")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@table_options
@common_options
def command(
    ensemble_path: str,
    files: tuple[str, ...],
    member: str | None,
    best_member: bool,
    uniform: bool,
    labels: str | None,
    other: tuple[str, ...],
    delta: float,
    seed: int,
    out: str | None,
    force: bool,
    json_path: str | None,
    **columns: Any,
) -> None:
    """Say by how much A errs less than B, and how much of that is certified.

    FILE holds the members of both on samples with labels that chose neither. Where it is the hold-out that was weighed,
    only the samples kept for certifying are counted. Samples that chose weights are refused, as far as checksums and
    ids can tell.
    """
    if out == "-":
        raise InputError("--out: the name of a file is required; --json - writes to standard output")
    rival, data = _rival(member, best_member, uniform, files)
    require_distinct(out, json_path)
    for path in (out, json_path):
        require_absent(path, force, (ensemble_path, *files, labels, *other))
    from comitia import compare, read_ensemble, read_predictions
    from comitia.cli.after_tables import show_compared
    from comitia.files.atomic import together

    told = Told()
    against = read_ensemble(files[0]) if rival == "ensemble" else None if rival == "member" else rival
    found = compare(
        read_ensemble(ensemble_path),
        against,
        read_predictions(data, labels=labels, **as_arguments(columns, told)),
        member=member,
        other=read_predictions(other, **as_arguments(columns)) if other else None,
        delta=delta,
        seed=seed,
        names=(f"A ({_name(ensemble_path)})", f"B ({_name(files[0])})"),
    )
    record = found.to_json()
    with together():
        write_json(out, record)
        write_json(json_path, record)
    told.show(console(json_path))
    show_compared(console(json_path), found)
    if out is not None:
        console(json_path).print(f"record written to {show_place(out)}", markup=False)


def _rival(
    member: str | None, best_member: bool, uniform: bool, files: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """What A is compared with, and the files of predictions."""
    asked = [
        name
        for name, given in (
            ("member", member is not None),
            ("best-member", best_member),
            ("uniform", uniform),
        )
        if given
    ]
    if len(asked) > 1:
        raise InputError(f"--{asked[1]}: takes the place of --{asked[0]}; leave one of the two out")
    if asked:
        return asked[0], files
    if len(files) < 2:
        raise InputError(
            "FILE: give A.json, B.json and predictions; or --member, --best-member or --uniform for B"
        )
    return "ensemble", files[1:]


def _name(path: str) -> str:
    return PurePath(show_place(path)).name
