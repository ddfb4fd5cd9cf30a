"""Predictions as a file that `read_predictions` takes: written whole, a member at a time."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._samples import Groups
from comitia.files.atomic import whole


def write_predictions(path: str | Path, predictions: Predictions) -> None:
    """Write the predictions as an uncompressed `.npz`, in their stored precision; never whole in memory.

    Names of classes, groups, folds, ids, abstentions and strata are written where there are any.

    >>> from tempfile import TemporaryDirectory
    >>> from comitia.files.npz import read_npz
    >>> with TemporaryDirectory() as folder:
    ...     pack = Path(folder) / "holdout.npz"
    ...     write_predictions(pack, Predictions.from_arrays(votes=[[0, 1], [1, 1]], labels=[0, 1]))
    ...     read_npz(pack).votes().tolist()
    [[0, 1], [1, 1]]
    """
    if Path(path).suffix.lower() != ".npz":
        raise InputError(f"{path}: predictions are written as .npz; end the name in .npz")
    with whole(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        _write_values(archive, predictions)
        for key, array in _small_arrays(predictions).items():
            with archive.open(f"{key}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


def _write_values(archive: zipfile.ZipFile, predictions: Predictions) -> None:
    key, dtype, width = _layout(predictions)
    shape: tuple[int, ...] = (predictions.members, predictions.samples, *width)
    header = {"descr": dtype.str, "fortran_order": False, "shape": shape}
    with archive.open(f"{key}.npy", "w", force_zip64=True) as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        for index in range(predictions.members):
            for shard in predictions.shards:
                for start, stop in shard.chunks(0, shard.samples):
                    piece = np.ascontiguousarray(shard.member(index, start, stop), dtype=dtype)
                    stream.write(piece.tobytes())
                shard.release()


def _layout(predictions: Predictions) -> tuple[str, np.dtype[Any], tuple[int, ...]]:
    shard = predictions.shards[0]
    if shard.kind == "votes":
        return "votes", np.dtype(np.uint8 if predictions.classes <= 256 else np.uint16), ()
    dtype = np.result_type(*(part.dtype for shard in predictions.shards for part in shard.values))
    return "probs", dtype, (shard.width,) if shard.kind == "probs" else ()


def _small_arrays(predictions: Predictions) -> dict[str, NDArray[Any]]:
    mask = None if predictions.shared else predictions.mask()
    found = {
        "labels": predictions.labels,
        "mask": mask,
        "run": predictions.run,
        "step": predictions.step,
        "names": np.array(predictions.names),
        "classes": np.array(predictions.class_names) if predictions.declared else None,
        "groups": _texts(predictions.groups),
        "folds": _texts(predictions.folds),
        "ids": predictions.ids,
        "abstained": predictions.abstained(),
    }
    strata = {name: _texts(known) for name, known in predictions.strata.items()}
    return {key: array for key, array in {**strata, **found}.items() if array is not None}


def _texts(groups: Groups | None) -> NDArray[np.str_] | None:
    return None if groups is None else np.array(groups.names)[groups.codes]
