"""`comitia verify`: compute every certificate of an ensemble again from the data."""

import sys
from dataclasses import asdict
from functools import partial
from typing import Any, NoReturn

import click

from comitia._errors import InputError
from comitia.cli.bundle_options import bundle_options, require_none, taken
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
  comitia verify BUNDLE --data holdout.npz      what the files of a bundle answer now, and what is promised of each
""",
)
@partial(ensemble_and_files, required=False)
@click.option("--labels", metavar="FILE", help="True classes, in place of those in the files.")
@click.option(
    "--unlabelled", multiple=True, metavar="FILE", help="The samples without labels that were used."
)
@click.option("--certify", multiple=True, metavar="FILE", help="The samples apart that certified.")
@click.option("--method", metavar="MODULE:NAME", help="Your own method that chose the weights.")
@click.option("--bound", "bounds", multiple=True, metavar="MODULE:NAME", help="Your own bound, as for weigh.")
@click.option("--data", metavar="FILE", help="Bundles: the hold-out samples with labels, or module:function.")
@bundle_options
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
    data: str | None,
    force: bool,
    json_path: str | None,
    target: str | None,
    **columns: Any,
) -> None:
    """Compute every certificate again from the data; exit 1 if one does not hold up.

    Checks that the data are those that were weighed (sha256), that the weights follow from the samples said to
    have chosen them, that no certificate promises more than the data give, and that everything else in the file is what
    the data give.

    Of a BUNDLE it checks every file, runs each on the hold-out samples (--data), and certifies what that file answers:
    a file whose answers differ gets its own count of errors and its own promise.
    """
    from comitia.bundle.reading import is_bundle

    options, tables = taken(columns), {"labels": labels, "unlabelled": unlabelled, "certify": certify}
    require_absent(json_path, force, (*files, data, *(x for x in tables.values() if isinstance(x, str))))
    if is_bundle(ensemble_path):
        given = {"files": files, **tables, "method": method, "bounds": bounds, **columns}
        require_none(given, "ensembles and predictions, and this is a bundle: --data FILE gives the samples")
        _verify_bundle(ensemble_path, data, options, json_path)
    require_none({"data": data, **options}, "bundles")
    if not files:
        raise click.UsageError("Missing argument 'FILE...'.")
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


def _verify_bundle(place: str, data: str | None, options: dict[str, Any], json_path: str | None) -> NoReturn:
    """Verify a bundle and end with its exit code."""
    from comitia.bundle import verify_bundle
    from comitia.cli.tables import show_bundle

    if data is None:
        raise InputError("data: is required with a bundle: the hold-out samples with labels")
    found = verify_bundle(place, data, **options)
    write_json(json_path, found.to_json())
    show_bundle(console(json_path), found)
    sys.exit(0 if found.holds else 1)
