"""`comitia verify`: compute every certificate of an ensemble again from the data."""

import sys
from dataclasses import asdict
from typing import Any

import click

from comitia.cli.output import common_options, console, ensemble_and_files, require_absent, write_json
from comitia.cli.real import real_options, refuse_real, verify_real
from comitia.cli.table_options import (
    ReadingCommand,
    Told,
    read_further,
    read_holdout,
    read_unlabelled,
    table_options,
)


@click.command(
    "verify",
    cls=ReadingCommand,
    epilog="""\b
Examples:
  comitia verify ensemble.json holdout.npz      exit 0 if everything holds up, 1 if not
  comitia verify ensemble.json oof.csv --fold fold --certify untouched.csv    the files and columns that were weighed
  comitia verify ensemble.json part1.counts part2.counts --certify untouched.npz
""",
)
@ensemble_and_files
@click.option("--labels", metavar="FILE", help="True classes, in place of those in the files.")
@click.option(
    "--unlabelled", multiple=True, metavar="FILE", help="The samples without labels that were used."
)
@click.option("--certify", multiple=True, metavar="FILE", help="The samples apart that certified.")
@click.option("--method", metavar="MODULE:NAME", help="Your own method that chose the weights.")
@click.option("--bound", "bounds", multiple=True, metavar="MODULE:NAME", help="Your own bound, as for weigh.")
@table_options
@real_options("target")
@common_options
def command(
    ensemble_path: str,
    files: tuple[str, ...],
    labels: str | None,
    unlabelled: tuple[str, ...],
    certify: tuple[str, ...],
    method: str | None,
    bounds: tuple[str, ...],
    force: bool,
    json_path: str | None,
    target: str | None,
    **columns: Any,
) -> None:
    """Compute every certificate again from the data; exit 1 if one does not hold up.

    Checks that the data are those that were weighed (sha256), that the weights follow from the samples said to
    have chosen them, that no certificate promises more than the data give, and that everything else in the file is what
    the data give.
    """
    require_absent(json_path, force, (ensemble_path, *files, labels, *unlabelled, *certify))
    from comitia._verify import verify
    from comitia.cli.tables import show_verification
    from comitia.files.ensembles import read_ensemble
    from comitia.files.real_ensembles import is_real_ensemble

    if is_real_ensemble(ensemble_path):
        sys.exit(0 if verify_real(ensemble_path, files, target, certify, columns, json_path) else 1)
    refuse_real({"target": target})
    ensemble = read_ensemble(ensemble_path, faults=False)
    told, columns = Told(), {**columns, "per": ensemble.asked.columns}
    holdout = read_holdout(files, labels, columns, told, (*unlabelled, *certify))
    found = verify(
        ensemble,
        holdout,
        unlabelled=read_unlabelled(unlabelled, columns, holdout),
        certify=read_further(certify, columns, holdout),
        method=method,
        bounds=bounds,
    )
    write_json(json_path, {**asdict(found), "holds": found.holds})
    told.show(console(json_path))
    show_verification(console(json_path), found)
    sys.exit(0 if found.holds else 1)
