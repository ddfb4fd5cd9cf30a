"""What runs the vote of a bundle: torch with the networks' states, one graph by onnxruntime or torch, or each member.

A runtime maps a batch of inputs to the totals (n, C) of the vote, in float64. The decision (ties, a threshold, where
the vote declines) is taken of the totals by `comitia._predict.decide`, whatever computed them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, require_choice
from comitia._extensions import has
from comitia._predictions import Predictions
from comitia._votes import ensemble_probabilities
from comitia.bundle.config import ONNX, PROGRAM, Config
from comitia.bundle.inputs import Arrays
from comitia.bundle.reading import Bundle

Totals = NDArray[np.float64]
Run = Callable[[Arrays], Totals]
RUNTIMES = ("auto", "torch", "onnx")
# How far totals may be from a sum of one before they are none of a vote.
_SUM_AGREES = 1e-3


@dataclass(frozen=True)
class Trust:
    """What the user allows: a function that makes the networks, or to run what a bundle names.

    `types` are those of scikit-learn models that may be made beyond those that skops trusts.
    """

    model: Any = None
    allow_code: bool = False
    device: str = "auto"
    types: tuple[str, ...] = ()


@dataclass(frozen=True)
class Runtime:
    """One way to run a bundle: what is run, and what must be there for it.

    `why_not` says why it cannot run here, None where it can.
    """

    name: str
    what: str
    why_not: str | None
    start: Callable[[], Run]


def runtimes(bundle: Bundle, trust: Trust) -> tuple[Runtime, ...]:
    """Return all ways to run a bundle, the one that was certified first."""
    exported = {one.file for one in bundle.config.exported}
    found = [_members(bundle, trust)]
    if ONNX in exported:
        why = None if has("onnxruntime") else "needs onnxruntime; pip install 'comitia[onnx]'"
        found.append(Runtime("onnx", ONNX, why, lambda: onnx_run(bundle.content(ONNX), bundle.config)))
    if PROGRAM in exported:
        found.append(Runtime("torch", PROGRAM, _no_program(trust), lambda: _program(bundle)))
    return tuple(found)


def choose_runtime(bundle: Bundle, name: str, trust: Trust) -> Runtime:
    """Return the first way to run a bundle that is possible here, of that name unless it is "auto"."""
    require_choice("runtime", name, RUNTIMES)
    ways = [one for one in runtimes(bundle, trust) if name in ("auto", one.name)]
    if not ways:
        raise InputError(f"runtime: the bundle holds no {ONNX}; use torch, or build it again with --onnx")
    for way in ways:
        if way.why_not is None:
            return way
    reasons = "; ".join(f"{way.what}: {way.why_not}" for way in ways)
    raise InputError(f"{bundle.path}: cannot be run here: {reasons}")


def totals_of(run: Run, batch: Arrays, classes: int) -> Totals:
    """Return the totals (n, C) of a batch; each row must be that of a vote for one of so many classes."""
    found = np.asarray(run(batch), dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != classes:
        raise InputError(
            f"members: must answer {classes} classes, as the ensemble was weighed, got totals of shape {found.shape}"
        )
    if not np.isfinite(found).all() or (np.abs(found.sum(axis=1) - 1) > _SUM_AGREES).any():
        raise InputError(
            "inputs: what the bundle returns for them are no shares that sum to 1; are they such as it was built with?"
        )
    return found


def onnx_run(content: bytes, config: Config) -> Run:
    """Return what a graph in ONNX computes, by onnxruntime on the processor."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4  # it speaks of its own parts on standard error
    try:
        session = onnxruntime.InferenceSession(content, settings, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common class
        raise InputError(f"{ONNX}: onnxruntime cannot read it ({_line(error)})") from error
    names = [one.name for one in session.get_inputs()]

    def run(batch: Arrays) -> Totals:
        given = fitted(batch, config, strict=True)
        try:
            found: Totals = session.run(None, dict(zip(names, given.values(), strict=True)))[0]
        except Exception as error:
            raise InputError(f"{ONNX}: onnxruntime cannot run it on these inputs ({_line(error)})") from error
        return found

    return run


def fitted(batch: Arrays, config: Config, *, strict: bool) -> Arrays:
    """Return the batch in the types, and if strict in the shapes, that the bundle was built with."""
    found: Arrays = {}
    for one in config.inputs:
        array = batch[one.name]
        if not np.can_cast(array.dtype, one.dtype, "same_kind"):
            raise InputError(f"inputs: {one.name} must be {one.dtype}, got {array.dtype}")
        if strict and array.shape[1:] != one.shape:
            raise InputError(
                f"inputs: a sample of {one.name} must have shape {one.shape}, got {array.shape[1:]}"
            )
        found[one.name] = np.ascontiguousarray(array, dtype=one.dtype)
    return found or batch


def _members(bundle: Bundle, trust: Trust) -> Runtime:
    config = bundle.config
    if config.graph_of_all:
        why = None if has("torch") else "needs torch; pip install 'comitia[torch]'"
        return Runtime(
            "torch", "the networks", why or _no_code(bundle, trust), lambda: _module(bundle, trust)
        )
    kinds = {one.kind for one in config.members}
    name = "onnx" if kinds == {"onnx"} else "torch"
    return Runtime(name, "member by member", _no_kinds(bundle, trust, kinds), lambda: _each(bundle, trust))


def _no_code(bundle: Bundle, trust: Trust) -> str | None:
    """Why the networks of a bundle cannot be made: that takes code which nobody allowed."""
    if bundle.config.prepare == "module":
        return "its inputs are prepared by a module of your own, which only from_pretrained(prepare=) takes"
    if trust.model is not None or trust.allow_code:
        return None
    if all(one.kind == "huggingface" for one in bundle.config.members):
        return None
    network = bundle.config.network
    if network is None:
        return "does not say what makes its networks; give it as --model module:function"
    if network.code:
        return (
            f"its networks are made by code, '{network.name}'; --model {network.name} or --allow-code runs it"
        )
    return None


def _no_kinds(bundle: Bundle, trust: Trust, kinds: set[str]) -> str | None:
    needs = {"onnx": "onnxruntime", "skops": "skops", "huggingface": "transformers"}
    if not has("torch"):
        return "needs torch; pip install 'comitia[torch]'"
    for kind in sorted(kinds):
        if kind in needs and not has(needs[kind]):
            return f"needs {needs[kind]}"
    if "exported" in kinds and not trust.allow_code:
        return "an exported program (.pt2) can run code when it is read; --allow-code reads it"
    return _no_code(bundle, trust) if "safetensors" in kinds else None


def _no_program(trust: Trust) -> str | None:
    if not has("torch"):
        return "needs torch; pip install 'comitia[torch]'"
    if not trust.allow_code:
        return "an exported program can run code when torch reads it; --allow-code reads it"
    return None


def _module(bundle: Bundle, trust: Trust) -> Run:
    module = bundle.module(trust.model, allow_code=trust.allow_code, device=trust.device)
    return module_run(module, bundle.config)


def module_run(module: Any, config: Config, *, by_place: bool = False) -> Run:
    """Return what a module computes; a graph takes its inputs by place."""
    from comitia.deep.batches import totals

    named = config.named and not by_place
    return lambda batch: totals(module, fitted(batch, config, strict=by_place), named)


def _program(bundle: Bundle) -> Run:
    from comitia.deep.exporting import open_program

    bundle.content(PROGRAM)
    return module_run(open_program(bundle.path / PROGRAM), bundle.config, by_place=True)


def _each(bundle: Bundle, trust: Trust) -> Run:
    """Return the vote of members that are no one graph: each answers, and the votes are weighed as those in files."""
    from comitia.bundle.pretrained import open_all

    members = open_all(bundle, trust)
    ensemble, config = bundle.ensemble, bundle.config
    weights = ensemble.weights[ensemble.active]

    def run(batch: Arrays) -> Totals:
        given = fitted(batch, config, strict=False)
        several = given if config.named else tuple(given.values())
        inputs = several if config.named or len(several) > 1 else next(iter(given.values()))
        rows = [member(inputs) for member in members]
        return ensemble_probabilities(Predictions.from_arrays(probs=np.stack(rows)), weights, ensemble.vote)

    return run


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
