"""Prediction files (`.npz`, one `.npy` per member, tables), counts and ensemble files; outputs written whole."""

from comitia.files.counts import read_counts, write_counts
from comitia.files.ensembles import read_ensemble, write_predicted
from comitia.files.label_files import read_labels
from comitia.files.reading import read_predictions
from comitia.files.real import read_real_predictions
from comitia.files.real_ensembles import read_real_ensemble, write_real_predicted
from comitia.files.writing import write_predictions

__all__ = [
    "read_counts",
    "read_ensemble",
    "read_labels",
    "read_predictions",
    "read_real_ensemble",
    "read_real_predictions",
    "write_counts",
    "write_predicted",
    "write_predictions",
    "write_real_predicted",
]
