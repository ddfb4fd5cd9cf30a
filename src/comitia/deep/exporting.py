"""A weighed ensemble as one graph in a file: ONNX, or an exported program of torch; the batch dimension is free.

Values of the example never enter a file: it is replaced by zeros. Nor do paths of the machine: a graph is written
without the places in source files that torch notes beside each node.
"""

import io
import json
import logging
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.export import Dim, ExportedProgram, export, load, save

from comitia._errors import InputError
from comitia.deep.models import one_line

#: The set of operators that an ONNX file is written in; onnxruntime reads it since 1.14.
OPSET = 18
#: Its parts share one message of at most this many bytes.
LARGEST_ONNX = 2**31 - 2**16
# What a graph notes about the source files it was made from.
PLACES = ("stack_trace", "nn_module_stack", "source_fn_stack", "from_node", "torch_fn")
# What an exported program may hold: text, and numbers as they are.
_PLAIN = (
    *("models/model.json", "archive_format", "archive_version", "byteorder", ".data/"),
    *("data/weights/weight_", "data/constants/tensor_"),
)
_SAMPLES = "data/sample_inputs/model.pt"
_CONFIGS = ("data/weights/model_weights_config.json", "data/constants/model_constants_config.json")

Example = torch.Tensor | tuple[torch.Tensor, ...] | Mapping[str, torch.Tensor]


def input_names(example: Example) -> tuple[str, ...]:
    """Return the names of the inputs in a graph: those of named ones, else `inputs`, `inputs_1`, ...

    >>> input_names(torch.zeros(2, 3)), input_names({"ids": torch.zeros(2), "mask": torch.zeros(2)})
    (('inputs',), ('ids', 'mask'))
    """
    if isinstance(example, Mapping):
        return tuple(example)
    count = 1 if isinstance(example, torch.Tensor) else len(example)
    return tuple("inputs" if place == 0 else f"inputs_{place}" for place in range(count))


def export_program(module: nn.Module, example: Example) -> ExportedProgram:
    """Return the module in `eval` mode as an exported program of torch, the first dimension of every input free.

    The program takes its inputs by place, named ones in the order of their names.
    """
    names = tuple(example) if isinstance(example, Mapping) else ()
    whole, inputs = _ByPlace(module, names), _two_samples(example)
    batch = Dim("batch")
    was = module.training
    module.eval()
    try:
        with _quiet(), torch.no_grad():
            return export(whole, inputs, dynamic_shapes={"inputs": tuple({0: batch} for _ in inputs)})
    except InputError:
        raise
    except Exception as error:  # networks of one's own may fail in any way
        raise InputError(
            f"export: torch cannot make one graph of these networks ({one_line(error)}); leave it out, or rewrite the "
            "network so that torch.export takes it"
        ) from error
    finally:
        module.train(was)


def write_program(path: Path, program: ExportedProgram) -> None:
    """Write an exported program as `.pt2`."""
    for node in _nodes(program.graph_module):
        for key in PLACES:
            node.meta.pop(key, None)
    program._example_inputs = None
    with _quiet():
        save(program, path)


def write_onnx(path: Path, program: ExportedProgram, names: tuple[str, ...], output: str) -> None:
    """Write an exported program as ONNX: those inputs, one output (n, C) in float64."""
    _require_onnx()
    with _quiet():
        try:
            made = torch.onnx.export(
                program,
                dynamo=True,
                input_names=list(names),
                output_names=[output],
                opset_version=OPSET,
                external_data=False,
                verbose=False,
            )
            assert made is not None
        except Exception as error:  # an operator without a counterpart, and much else
            raise InputError(
                f"onnx: these networks cannot be written as ONNX ({one_line(error)}); leave it out"
            ) from error
    _forget_places(made.model)
    content = made.model_proto.SerializeToString(deterministic=True)
    if len(content) > LARGEST_ONNX:
        raise InputError(
            f"onnx: the networks take {len(content) / 1e9:.1f} GB and one ONNX file holds at most 2; let fewer members "
            "vote, or leave it out"
        )
    path.write_bytes(content)


def open_program(path: Path) -> nn.Module:
    """Return the module of a `.pt2` file that holds no pickle; it computes what the file says, so trust it first."""
    _refuse_pickles(path)
    with _quiet():
        try:
            return load(path).module()
        except Exception as error:
            raise InputError(
                f"{path.name}: not an exported program that torch {torch.__version__} reads ({one_line(error)})"
            ) from error


class _ByPlace(nn.Module):
    """The module with inputs by place, whatever it takes: torch exports no free names."""

    def __init__(self, module: nn.Module, names: tuple[str, ...]) -> None:
        super().__init__()
        self.module, self.names = module, names

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Return what the module returns."""
        found: torch.Tensor = (
            self.module(**dict(zip(self.names, inputs))) if self.names else self.module(*inputs)
        )
        return found


def _two_samples(example: Example) -> tuple[torch.Tensor, ...]:
    """Return zeros like two samples of each input: a batch of one would be taken for fixed."""
    if isinstance(example, Mapping):
        return tuple(map(_zeros, example.values()))
    return tuple(map(_zeros, (example,) if isinstance(example, torch.Tensor) else example))


def _zeros(batch: torch.Tensor) -> torch.Tensor:
    return torch.zeros((2, *batch.shape[1:]), dtype=batch.dtype, device=batch.device)


def _nodes(graph: torch.fx.GraphModule) -> Iterator[torch.fx.Node]:
    """Yield the nodes of a graph and of those inside it."""
    for part in graph.modules():
        if isinstance(part, torch.fx.GraphModule):
            yield from part.graph.nodes


def _forget_places(model: Any) -> None:
    """Take from a graph in ONNX what it notes about source files."""
    model.metadata_props.clear()
    for graph in (model.graph, *model.functions.values()):
        graph.metadata_props.clear()
        for node in graph.all_nodes():
            node.metadata_props.clear()
            node.doc_string = None
            for value in node.outputs:
                value.metadata_props.clear()
        for value in (*graph.inputs, *getattr(graph, "initializers", {}).values()):
            value.metadata_props.clear()


def _refuse_pickles(path: Path) -> None:
    """Raise for a file that torch would unpickle parts of, and for one that unpacks to more than its size."""
    try:
        with zipfile.ZipFile(path) as archive:
            items = {item.filename.partition("/")[2]: item for item in archive.infolist()}
            if sum(item.file_size for item in items.values()) > path.stat().st_size:
                raise InputError(f"{path.name}: unpacks to more than its size; refused")
            for name, item in items.items():
                empty = (
                    name == _SAMPLES and item.file_size == 0
                )  # torch would unpickle samples beside a program
                if not (name.startswith(_PLAIN) or name in _CONFIGS or empty):
                    raise InputError(
                        f"{path.name}: holds '{name}', which may run code when it is read; refused"
                    )
            for name in _CONFIGS:
                payload = json.loads(archive.read(items[name])) if name in items else {"config": {}}
                if any(entry.get("use_pickle") is not False for entry in payload["config"].values()):
                    raise InputError(f"{path.name}: holds pickles, which are never read")
    except (zipfile.BadZipFile, ValueError, KeyError, AttributeError, NotImplementedError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path.name}: not an exported program ({one_line(error)})") from error


def _require_onnx() -> None:
    try:
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise InputError("onnx: needs onnx and onnxscript; pip install 'comitia[onnx]'") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what torch tells its own developers while it makes a graph off the terminal."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "torch.export", "torch._export", "torch")]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.ERROR)
    with warnings.catch_warnings(), io.StringIO():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            for one, level in zip(loggers, levels):
                one.setLevel(level)
