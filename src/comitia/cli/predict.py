"""`comitia predict`: member predictions → the ensemble's; samples → a bundle's."""

from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia.cli.bundle_options import bundle_options, require_none, taken
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

if TYPE_CHECKING:
    from comitia._predict import Predicted


@click.command(
    "predict",
    cls=ReadingCommand,
    epilog="""\b
Examples:
  comitia predict ensemble.json new.npz --out predicted.csv
  comitia predict ensemble.json new.csv --id id --out predicted.csv    ids and names of classes are kept
  comitia predict ensemble.json new.npz --json -
  comitia predict BUNDLE inputs.npz --out predicted.csv       the samples themselves, as networks take them
  comitia predict BUNDLE inputs.npz --runtime onnx            by onnxruntime, without torch
""",
)
@ensemble_and_files
@click.option("--labels", metavar="FILE", help="True classes, if you want the error counted.")
@click.option("--out", metavar="FILE", help="Where the predictions go: .npz or .csv.")
@bundle_options
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
    """Predict with an ensemble that `weigh --out` wrote, or with a bundle (`build`).

    With ENSEMBLE.json, FILE holds predictions of the members on new samples, as for weigh, without labels if you have
    none. Members are found by their names, or by their order where names are absent; those of weight zero may be left
    out. With a BUNDLE, FILE holds the samples: a .npz with an array per input, a .npy, or module:function.
    """
    from comitia.bundle.reading import is_bundle
    from comitia.files.real_ensembles import is_real_ensemble

    require_distinct(out, json_path)
    if out is not None and not out.lower().endswith((".npz", ".csv")):
        raise InputError(f"{show_place(out)}: must end in .npz or .csv")
    options, told, whole = taken(columns), Told(), is_bundle(ensemble_path)
    inputs = (*files, labels) if whole else (ensemble_path, *files, labels)
    for path in (out, json_path):
        require_absent(path, force, inputs)
    if not whole:
        require_none(options, "bundles")
    if not whole and is_real_ensemble(ensemble_path):
        predict_real(ensemble_path, files, target, columns, out, json_path)
        return
    refuse_real({"target": target})
    if whole:
        require_none({"labels": labels, **columns}, "ensembles and tables, and this is a bundle")
        predicted = _by_bundle(ensemble_path, files, options)
    else:
        predicted = _by_members(ensemble_path, files, labels, columns, told)
    _show(predicted, out, json_path, told)


def _by_members(
    place: str, files: tuple[str, ...], labels: str | None, columns: dict[str, Any], told: Told
) -> "Predicted":
    from comitia._predict import predict
    from comitia.files import read_predictions
    from comitia.files.ensembles import read_ensemble

    ensemble = read_ensemble(place)
    given = read_predictions(files, labels=labels, like=ensemble, **as_arguments(columns, told))
    return predict(ensemble, given)


def _by_bundle(place: str, files: tuple[str, ...], options: dict[str, Any]) -> "Predicted":
    from comitia.bundle import predict_bundle

    if len(files) != 1:
        raise InputError(f"files: a bundle takes one file of samples, got {len(files)}")
    return predict_bundle(place, files[0], **options)


def _show(predicted: "Predicted", out: str | None, json_path: str | None, told: Told) -> None:
    from comitia.cli.tables import show_predicted
    from comitia.files.atomic import together
    from comitia.files.ensembles import write_predicted

    with together():
        if out is not None:
            write_predicted(out, predicted)
        write_json(json_path, predicted.to_json())
    told.show(console(json_path))
    show_predicted(console(json_path), predicted)
    if out is not None:
        console(json_path).print(f"predictions written to {show_place(out)}", markup=False)
