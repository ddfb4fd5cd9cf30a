"""Prediction files (`.npz`, one `.npy` a member, CSV, Parquet) and ensemble files; outputs written whole."""

from quorate.files.ensembles import read_ensemble, write_predicted
from quorate.files.reading import read_labels, read_predictions
from quorate.files.writing import write_predictions

__all__ = ["read_ensemble", "read_labels", "read_predictions", "write_predicted", "write_predictions"]
