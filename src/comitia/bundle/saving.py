"""An ensemble of networks in memory as a bundle."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._extensions import name_of
from comitia._predictions import Predictions
from comitia.bundle.config import STATE_OF_PREPARE, Network, StoredMember
from comitia.bundle.writing import Contents, write_contents

if TYPE_CHECKING:
    from torch import nn

    from comitia.deep.ensemble import WeightedEnsemble


def save(
    module: "WeightedEnsemble",
    folder: str | Path,
    *,
    ensemble: Ensemble | str | Path | None = None,
    model: Any = None,
    example: Any = None,
    onnx: bool = False,
    program: bool = False,
    holdout: Any = None,
    predictions: Predictions | None = None,
    force: bool = False,
) -> None:
    """Write the ensemble as a bundle; see `WeightedEnsemble.save_pretrained`."""
    from comitia.files import read_ensemble

    weighed = module.ensemble if ensemble is None else ensemble
    if weighed is None:
        raise InputError("ensemble: is required, for a bundle holds its promise; give what weigh returned")
    weighed = weighed if isinstance(weighed, Ensemble) else read_ensemble(weighed)
    if (weighed.vote, weighed.decision) != (module.vote, module.decision):
        raise InputError(
            f"ensemble: was certified for the {weighed.vote} vote and its own decision, and this module votes "
            "otherwise; make the module with vote=ensemble.vote and decision=ensemble.decision"
        )
    places = active_members(module, weighed)
    write_contents(
        folder,
        Contents(
            weighed,
            [(_stored(weighed, k, module.outputs), _writer(module, place)) for k, place in enumerate(places)],
            network=module.network if model is None else Network(name_of(model)),
            prepare=describe_prepare(list(module.prepare)),
            stochastic=module.stochastic,
            bytes_only=module.trained_on_bytes,
            module=lambda: module,
            example=example,
            onnx=onnx,
            program=program,
            holdout=holdout,
            predictions=predictions,
        ),
        force=force,
    )


def active_members(module: "WeightedEnsemble", ensemble: Ensemble) -> list[int]:
    """Return the places in the module of the members that vote, in the ensemble's order; weights must be its own."""
    weights = module.weights.numpy(force=True)
    voting, own = ensemble.weights[ensemble.active], [int(i) for i in ensemble.active]
    if len(weights) == len(ensemble.names) and np.array_equal(weights, ensemble.weights):
        return own
    if len(weights) == len(own) and np.array_equal(weights, voting):
        return list(range(len(own)))
    raise InputError(
        "ensemble: its weights are not those of this module, whose promise would be another's; give the ensemble that "
        "the module was made with"
    )


def describe_prepare(prepare: "Sequence[nn.Module]") -> str:
    """Return how the inputs of members are prepared, one of `PREPARES`."""
    from comitia.deep.preparing import Prepare

    kinds = {one.kind if isinstance(one, Prepare) else "module" for one in prepare}
    if "module" in kinds or len(kinds) > 1:
        return "module"
    return "image" if kinds == {"image"} else "none"


def state_of(module: "WeightedEnsemble", place: int) -> dict[str, Any]:
    """Return the state of a member, with that of what prepares its inputs beside it."""
    from comitia.deep.states import MEAN_IMAGE, module_tensors

    found = distinct(module_tensors(module.members[place]))
    if len(module.prepare):
        before = module.prepare[0 if len(module.prepare) == 1 else place]
        kind = describe_prepare([before])
        own = module_tensors(before)
        if kind == "image" and "mean" in own:
            found[MEAN_IMAGE] = own["mean"]
        elif kind == "module":
            found |= {f"{STATE_OF_PREPARE}{key}": value for key, value in own.items()}
    return found


def distinct(tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tensors, each with memory of its own: a file of states holds no shared ones."""
    seen: set[tuple[int, int]] = set()
    found = {}
    for key, one in tensors.items():
        mark = (one.untyped_storage().data_ptr(), one.storage_offset())
        found[key] = one.clone() if mark in seen and one.numel() else one
        seen.add(mark)
    return found


def _stored(ensemble: Ensemble, rank: int, outputs: str) -> StoredMember:
    """Return how the voting member of that rank is stored."""
    i = int(ensemble.active[rank])
    run = None if ensemble.run is None else ensemble.run[i]
    step = None if ensemble.step is None else ensemble.step[i]
    return StoredMember(
        ensemble.names[i], "safetensors", f"member-{rank:04d}.safetensors", outputs, run, step
    )


def _writer(module: "WeightedEnsemble", place: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        from comitia.deep.states import write_state

        write_state(path, state_of(module, place), {})

    return write
