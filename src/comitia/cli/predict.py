"""`comitia predict`: member predictions → the ensemble's."""

from typing import Any

import click

from comitia.cli.output import (
    common_options,
    console,
    ensemble_and_files,
    require_absent,
    require_distinct,
    show_place,
    write_json,
)
from comitia.cli.real import predict_real, real_options, refuse_real
from comitia.cli.table_options import ReadingCommand, Told, as_arguments, table_options


@click.command(
    "predict",
    cls=ReadingCommand,
    epilog="""\b
Examples:
  comitia predict ensemble.json new.npz --out predicted.csv
  comitia predict ensemble.json new.csv --id id --out predicted.csv    ids and names of classes are kept
  comitia predict ensemble.json new.npz --json -
""",
)
@ensemble_and_files
@click.option("--labels", metavar="FILE", help="True classes, if you want the error counted.")
@click.option("--out", metavar="FILE", help="Where the predictions go: .npz or .csv.")
@table_options
@real_options("target")
@common_options
def command(
    ensemble_path: str,
    files: tuple[str, ...],
    labels: str | None,
    out: str | None,
    force: bool,
    json_path: str | None,
    target: str | None,
    **columns: Any,
) -> None:
    """Predict with an ensemble that `weigh --out` wrote.

    FILE holds predictions of the members on new samples, as for weigh, without labels if you have none.
    Members are found by their names, or by their order where names are absent; those of weight zero may be
    left out.
    """
    require_distinct(out, json_path)
    for path in (out, json_path):
        require_absent(path, force, (ensemble_path, *files, labels))
    from comitia._errors import InputError
    from comitia._predict import predict
    from comitia.cli.tables import show_predicted
    from comitia.files import read_predictions
    from comitia.files.ensembles import read_ensemble, write_predicted
    from comitia.files.real_ensembles import is_real_ensemble

    if out is not None and not out.lower().endswith((".npz", ".csv")):
        raise InputError(f"{show_place(out)}: must end in .npz or .csv")
    if is_real_ensemble(ensemble_path):
        predict_real(ensemble_path, files, target, columns, out, json_path)
        return
    refuse_real({"target": target})
    told = Told()
    ensemble = read_ensemble(ensemble_path)
    given = read_predictions(files, labels=labels, like=ensemble, **as_arguments(columns, told))
    predicted = predict(ensemble, given)
    if out is not None:
        write_predicted(out, predicted)
    write_json(json_path, predicted.to_json())
    told.show(console(json_path))
    show_predicted(console(json_path), predicted)
    if out is not None:
        console(json_path).print(f"predictions written to {show_place(out)}", markup=False)
