"""ONNX files of any origin, run by onnxruntime (extra: onnx)."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.deep.models import one_line

#: Types that inputs may have, by onnxruntime's names.
TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(uint8)": np.uint8,
    "tensor(int8)": np.int8,
    "tensor(bool)": np.bool_,
}


def open_onnx(place: Path, device: torch.device) -> Callable[[Any], torch.Tensor]:
    """Return what maps a batch to the file's numbers per class: logits or probabilities, as it gives them."""
    external_files(place)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # warnings about graphs are for their makers
    wanted = ["CUDAExecutionProvider"] if device.type == "cuda" else []
    providers = [one for one in wanted if one in onnxruntime.get_available_providers()]
    try:
        session = onnxruntime.InferenceSession(
            str(place), options, providers=[*providers, "CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime has a class per failure, none of them public
        raise InputError(f"{place}: onnxruntime cannot read it ({one_line(error)})") from None
    inputs, output = session.get_inputs(), _output(place, session.get_outputs())

    def answer(batch: Any) -> torch.Tensor:
        return _tensor(place, session.run([output], _feed(place, inputs, batch))[0])

    return answer


def external_files(place: Path) -> list[Path]:
    """Return the files beside an ONNX file that hold its large tensors; names that leave its folder are refused."""
    try:
        import onnx
        import onnxruntime  # noqa: F401 (asked for here, before anything is computed)
        from onnx.external_data_helper import ExternalDataInfo, uses_external_data
    except ImportError:
        raise InputError(
            f"{place}: ONNX files need onnx and onnxruntime: pip install 'comitia[onnx]'"
        ) from None
    model = _graph(place, onnx)
    graphs = [model.graph, *model.functions]
    tensors = [one for graph in graphs for one in _tensors(graph) if uses_external_data(one)]
    names = sorted({ExternalDataInfo(one).location for one in tensors})
    for name in names:
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or parts[0] == "/" or "\\" in name:
            raise InputError(f"{place}: names {name!r}, which lies outside its folder; refused")
        if not (place.parent / name).is_file():
            raise InputError(f"{place}: names {name!r}, which is missing; copy it beside the file")
    return [place.parent / name for name in names]


def _graph(place: Path, onnx: Any) -> Any:
    try:
        return onnx.load(str(place), load_external_data=False)
    except Exception as error:  # a damaged file may raise anything
        raise InputError(
            f"{place}: not a whole ONNX file ({one_line(error)}); copy or export it again"
        ) from None


def _tensors(graph: Any) -> Any:
    """Every constant of a graph or function, those of its branches and loops too."""
    yield from getattr(graph, "initializer", ())
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            for inner in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs):
                yield from _tensors(inner)


def _output(place: Path, outputs: Sequence[Any]) -> str:
    """The output with numbers per class: the one called so, else the only one that is no label."""
    named = [one.name for one in outputs if "prob" in one.name.lower() or "logit" in one.name.lower()]
    real = [one.name for one in outputs if "int" not in one.type and "string" not in one.type.split("map")[0]]
    for found in (named, real):
        if len(found) == 1:
            return str(found[0])
    listed = ", ".join(f"{one.name} {one.type}" for one in outputs)
    if not real:
        raise InputError(
            f"{place}: gives no numbers per class, only {listed}; export its probabilities or logits"
        )
    return str((named or real)[0])


def _feed(place: Path, inputs: Sequence[Any], batch: Any) -> dict[str, NDArray[Any]]:
    """The batch by the names of the file's inputs: by name where it has names, else in order."""
    names = [one.name for one in inputs]
    if isinstance(batch, Mapping):
        if missing := [name for name in names if name not in batch]:
            raise InputError(f"{place}: takes {', '.join(names)}, and the data have no {missing[0]}")
        given = [batch[name] for name in names]
    else:
        given = list(batch) if isinstance(batch, tuple | list) else [batch]
    if len(given) != len(names):
        raise InputError(
            f"{place}: takes {len(names)} inputs ({', '.join(names)}), and the data give {len(given)}"
        )
    return {one.name: _typed(place, one, values) for one, values in zip(inputs, given)}


def _typed(place: Path, one: Any, values: Any) -> NDArray[Any]:
    array = values.numpy(force=True) if isinstance(values, torch.Tensor) else np.asarray(values)
    if one.type not in TYPES:
        raise InputError(f"{place}: input {one.name} is {one.type}, and numbers are required")
    wanted = np.dtype(TYPES[one.type])
    if wanted.kind in "iu" and array.dtype.kind == "f":
        raise InputError(f"{place}: input {one.name} takes {wanted} numbers, and the data give {array.dtype}")
    flat = len(one.shape) == 2 and array.ndim > 2
    return np.ascontiguousarray(array.reshape(len(array), -1) if flat else array, dtype=wanted)


def _tensor(place: Path, values: Any) -> torch.Tensor:
    """The output as a tensor; skl2onnx may give a map from class to probability per sample."""
    if isinstance(values, list) and values and isinstance(values[0], dict):
        classes = sorted(values[0])
        if classes != list(range(len(classes))):
            raise InputError(f"{place}: its classes are {classes[:5]}, and integers from 0 are required")
        values = np.array([[row[name] for name in classes] for row in values], dtype=np.float32)
    return torch.from_numpy(np.ascontiguousarray(values))
