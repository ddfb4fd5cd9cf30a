"""Writing a bundle: beside its place first, and moved there when it is whole."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predict import decide
from comitia._predictions import Predictions
from comitia.bundle.answers import Known
from comitia.bundle.card import card
from comitia.bundle.config import (
    ANSWERS,
    CARD,
    CONFIG,
    ENSEMBLE,
    ONNX,
    PROGRAM,
    Config,
    Exported,
    Input,
    Network,
    StoredFile,
    StoredMember,
)
from comitia.bundle.inputs import Digest, as_array, codes_of, walk_samples
from comitia.bundle.runtimes import Run, module_run, onnx_run, totals_of
from comitia.files.atomic import write_bytes, write_text

if TYPE_CHECKING:
    from comitia.deep.ensemble import WeightedEnsemble

Write = Callable[[Path], None]


@dataclass(frozen=True)
class Contents:
    """What is to be written: the ensemble, a way to write each voting member, and what `config.json` says of them.

    `module` returns the vote as one module, for graphs of it (`onnx`, `program`). `example` is a batch of inputs.
    `holdout` are the samples that certified, with labels, and `predictions` those of the members on them.
    `further` are texts that lie in the folder too, by name.
    """

    ensemble: Ensemble
    members: Sequence[tuple[StoredMember, Write]]
    network: Network | None = None
    prepare: str = "none"
    stochastic: bool = False
    bytes_only: bool = False
    module: "Callable[[], WeightedEnsemble] | None" = None
    example: Any = None
    onnx: bool = False
    program: bool = False
    holdout: Any = None
    predictions: Predictions | None = None
    further: Mapping[str, str] = field(default_factory=dict)


def write_contents(out: str | Path, contents: Contents, *, force: bool = False) -> None:
    """Write the bundle as a folder, whole or not at all."""
    _require_graph(contents)
    if contents.holdout is not None and contents.predictions is not None:
        _require_measured(contents.ensemble, contents.predictions)
    with whole_folder(out, force=force) as folder:
        for stored, write in contents.members:
            write(folder / stored.file)
        write_text(folder / ENSEMBLE, json.dumps(contents.ensemble.record, indent=1, allow_nan=False) + "\n")
        inputs, named = _inputs(contents.example)
        config = Config(
            members=tuple(stored for stored, _ in contents.members),
            files=(),
            network=contents.network,
            prepare=contents.prepare,
            stochastic=contents.stochastic,
            bytes_only=contents.bytes_only,
            inputs=inputs,
            named=named,
            versions=_versions(),
        )
        config = _checked(folder, replace(config, exported=_graphs(folder, contents)), contents)
        for name, text in contents.further.items():
            write_text(folder / name, text)
        write_text(folder / CARD, card(contents.ensemble, config, (folder / ANSWERS).exists()))
        config = replace(config, files=tuple(_listed(path) for path in sorted(folder.iterdir())))
        write_text(folder / CONFIG, json.dumps(config.to_json(), indent=1, allow_nan=False) + "\n")


@contextmanager
def whole_folder(out: str | Path, *, force: bool = False) -> Iterator[Path]:
    """Yield a temporary folder; it takes the place of `out` on success and is removed on failure.

    With `force` a bundle that lies there is replaced; anything else never is.
    """
    target = Path(os.path.abspath(out))
    require_place(out, force=force)
    temporary = Path(mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    old = temporary.with_name(f"{temporary.name}.old")
    try:
        made = temporary / "bundle"
        made.mkdir()
        yield made
        if target.exists():
            os.replace(target, old)
        os.replace(made, target)
    except BaseException:
        if old.exists() and not target.exists():
            os.replace(old, target)
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def require_place(out: str | Path, *, force: bool = False) -> None:
    """Raise unless a bundle may be written there."""
    target = Path(os.path.abspath(out))
    if not target.parent.is_dir():
        raise InputError(f"{out}: the folder {target.parent} does not exist; make it first")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"{out}: the folder {target.parent} cannot be written to; choose another")
    if not os.path.lexists(target):
        return
    if target.is_dir() and not target.is_symlink() and not any(target.iterdir()):
        return
    if not (target.is_dir() and not target.is_symlink() and (target / CONFIG).is_file()):
        raise InputError(f"{out}: is there already and is no bundle; refusing to replace it")
    if not force:
        raise InputError(f"{out}: already exists; --force replaces it")


def _require_graph(contents: Contents) -> None:
    """Raise where a graph was asked for, and there can be none."""
    if not (contents.onnx or contents.program):
        return
    if contents.stochastic:
        raise InputError("onnx: members that drop units at random cannot be one graph; leave it out")
    if contents.module is None:
        raise InputError(
            "onnx: needs networks in torch for all voting members; others are copied and predict one by one"
        )
    if contents.example is None:
        raise InputError("onnx: needs an example batch of inputs (example=)")


def _require_measured(ensemble: Ensemble, predictions: Predictions) -> None:
    data = ensemble.data
    wanted = data.sha256 if data.certify_sha256 is None else data.certify_sha256
    if predictions.fingerprint() != wanted:
        raise InputError("predictions: must be those that the ensemble was certified on, by sha256")


def _inputs(example: Any) -> tuple[tuple[Input, ...], bool]:
    """Return name, type and shape of each input, and whether they go by name."""
    if example is None:
        return (), False
    from comitia.deep.exporting import input_names

    named = isinstance(example, dict)
    given = list(example.values()) if named else list(example) if isinstance(example, tuple) else [example]
    arrays = [as_array(one) for one in given]
    names = input_names(example)
    return tuple(
        Input(name, str(array.dtype), tuple(array.shape[1:])) for name, array in zip(names, arrays)
    ), named


def _graphs(folder: Path, contents: Contents) -> tuple[Exported, ...]:
    """Write the graphs that were asked for."""
    if not (contents.onnx or contents.program) or contents.module is None:
        return ()
    from comitia.deep.exporting import export_program, input_names, write_onnx, write_program

    module = contents.module()
    program = export_program(module, contents.example)
    output = "probabilities" if contents.ensemble.vote == "average" else "shares"
    if contents.onnx:
        write_onnx(folder / ONNX, program, input_names(contents.example), output)
    if contents.program:
        write_program(folder / PROGRAM, program)
    asked = ((ONNX, contents.onnx), (PROGRAM, contents.program))
    return tuple(Exported(name) for name, wanted in asked if wanted)


def _checked(folder: Path, config: Config, contents: Contents) -> Config:
    """Return the configuration with the checksum of the hold-out, and each graph compared with the certified vote."""
    known = Known() if contents.predictions is None else Known.of(contents.ensemble, contents.predictions)
    if known.answers is not None:
        write_bytes(folder / ANSWERS, known.to_bytes())
    if contents.holdout is None:
        return config
    runs = [_run(folder, one, config) for one in config.exported if known.answers is not None]
    ensemble, digest, n = contents.ensemble, Digest(), 0
    answers: list[list[Any]] = [[] for _ in runs]
    for part in walk_samples(contents.holdout, config):
        if part.labels is None:
            raise InputError("holdout: must have labels; give (inputs, labels)")
        digest.add(part.inputs, codes_of(part.labels, ensemble.class_names, ensemble.declared))
        n += len(part)
        for batch in part.batches() if runs else ():
            for found, run in zip(answers, runs):
                found.append(decide(totals_of(run, batch, ensemble.classes), ensemble.decision)[0])
    config = replace(config, holdout=digest.hexdigest())
    if not runs or known.answers is None:
        return config
    if n != len(known.answers):
        raise InputError(f"holdout: must be the {len(known.answers):,} samples that certified, got {n:,}")
    differ = [int((np.concatenate(found) != known.answers).sum()) for found in answers]
    compared = tuple(Exported(one.file, n, count) for one, count in zip(config.exported, differ))
    return replace(config, exported=compared)


def _run(folder: Path, one: Exported, config: Config) -> Run:
    if one.file == ONNX:
        return onnx_run((folder / ONNX).read_bytes(), config)
    from comitia.deep.exporting import open_program

    return module_run(open_program(folder / one.file), config, by_place=True)


def _listed(path: Path) -> StoredFile:
    content = path.read_bytes()
    return StoredFile(path.name, len(content), sha256(content).hexdigest())


def _versions() -> dict[str, str]:
    """Return with what the bundle was made."""
    found = {}
    for name in ("comitia", "numpy", "torch", "onnx", "onnxruntime"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
