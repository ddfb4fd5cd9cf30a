"""Predictions of networks as a file: of a training's folder, or of checkpoints of any origin."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comitia._errors import InputError, require_choice
from comitia._extensions import load
from comitia.deep.directory import Directory
from comitia.deep.events import Listener
from comitia.engines import collection
from comitia.engines.training import require_packages
from comitia.files import write_predictions
from comitia.members.finding import Tell, find_members

if TYPE_CHECKING:
    from comitia.data.augmentation import Augmentation
    from comitia.members.collecting import Collected
    from comitia.members.holdout import Data

Places = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class Origin:
    """Where members come from and how they are read, beside their files.

    Parameters
    ----------
    model : `module:function`, or a function, that makes the network of a state; it takes no argument, or the
        member's name where members have several architectures
    entry : where in a file the state lies ("state_dict", "ema"), where it holds several
    pattern : where run and step stand in names, such as "{run}/net-{step}.pt"
    outputs : "logits" or "probabilities"; by default the first batch of each member shows it
    device : "auto", "cpu", "cuda" or "mps"
    skip_bad : leave out what cannot be used, in place of an error that names it
    allow_code : read exported programs (.pt2), and of a training run what its recipe names: both can run code
    trust : types of scikit-learn models beyond those that skops trusts
    """

    model: str | Callable[..., Any] | None = None
    entry: str | None = None
    pattern: str | None = None
    outputs: str | None = None
    device: str = "auto"
    skip_bad: bool = False
    allow_code: bool = False
    trust: Sequence[str] = ()


def collect(
    checkpoints: Places,
    data: Any = None,
    out: str | Path | None = None,
    *,
    augment: "str | Augmentation | None" = None,
    copies: int | None = None,
    device: str = "auto",
    listen: Listener | None = None,
    tell: Tell | None = None,
    **origin: Any,
) -> dict[str, Path]:
    """Compute the predictions of members and return the files written, by part.

    `collect("demo")` takes the folder of a training and writes `demo/holdout.npz` and `demo/test.npz`, as "holdout"
    and "test". `collect(["run1", "run2"], "mine:data", "holdout.npz", model="mine:network")` takes checkpoints of
    any origin and writes "holdout". The same call again resumes: each member's row lies in `holdout.npz.rows`.

    Parameters
    ----------
    checkpoints : the folder that was trained into; or checkpoints, or folders of them
    data : of a training, an `.npz` with new samples `x` and, where known, their classes `y`; without it its own
        predictions are computed again. Of checkpoints, the hold-out: a `.npz`, `module:function`, a `DataLoader` that
        does not shuffle, a dataset, or arrays (x, y)
    out : where the predictions go; required with `data`, and only then
    augment, copies : of a training: average over augmented copies, see `comitia collect --help`
    device : "auto", "cpu", "cuda" or "mps"
    listen : of a training, called with a `Member` event for each state that has predicted again
    tell : of checkpoints, called with a line for each step
    origin : of checkpoints: model, entry, pattern, outputs, skip_bad, allow_code, trust, as in `build`
    """
    given = [name for name, value in origin.items() if value and name != "allow_code"]
    if isinstance(checkpoints, str | Path) and (is_training(checkpoints) or not (given or data or out)):
        if given:
            raise InputError(f"{given[0]}: is for checkpoints, and {checkpoints} is a training; leave it out")
        allow_code = bool(origin.get("allow_code"))
        how: dict[str, Any] = {
            "augment": augment,
            "copies": copies,
            "device": device,
            "allow_code": allow_code,
        }
        return collection.collect(checkpoints, data, out, **how, listen=listen)
    if augment is not None or copies is not None:
        raise InputError("augment: takes the folder of a training (comitia train); leave it out")
    return {"holdout": _write(checkpoints, data, out, Origin(device=device, **origin), tell or _silent)}


def is_training(place: str | Path) -> bool:
    """Return whether that is the folder of a training."""
    return Directory(Path(place)).recipe.exists()


def _silent(line: str) -> None:
    pass


def _write(checkpoints: Places, data: Any, out: str | Path | None, origin: Origin, tell: Tell) -> Path:
    if data is None or out is None:
        raise InputError(
            "data: data and out must be given together: the hold-out, and the file that predictions go to"
        )
    target = Path(out)
    if target.suffix.lower() != ".npz":
        raise InputError(f"out: predictions are written as .npz, got {out}; end the name in .npz")
    if not target.absolute().parent.is_dir():
        raise InputError(f"out: the folder {target.absolute().parent} does not exist; make it first")
    found, _ = predictions_of(checkpoints, data, rows_beside(target), origin, tell)
    write_predictions(target, found.predictions)
    return target


def rows_beside(out: Path) -> Path:
    """Return the folder beside an output in which the rows of its members lie.

    >>> rows_beside(Path("a/holdout.npz")).as_posix()
    'a/holdout.npz.rows'
    """
    return out.with_name(f"{out.name}.rows")


def predictions_of(
    checkpoints: Places, data: Any, work: Path, origin: Origin, tell: Tell
) -> "tuple[Collected, Data]":
    """Return what the members in those files predict on the data, and the data."""
    require_packages("build", ("torch", "safetensors"), extra="torch")
    from comitia.members.collecting import collect_rows, way_of
    from comitia.members.holdout import open_data

    if origin.outputs is not None:
        require_choice("outputs", origin.outputs, ("logits", "probabilities"))
    way = way_of(resolved_model(origin.model), origin.device, origin.allow_code, origin.trust)
    places = [checkpoints] if isinstance(checkpoints, str | Path) else list(checkpoints)
    members = find_members(
        places, entry=origin.entry, pattern=origin.pattern, skip_bad=origin.skip_bad, tell=tell
    )
    members = tuple(replace(one, outputs=origin.outputs) for one in members)
    held = open_data(data)
    tell(f"{len(members)} members, {held.samples:,} samples")
    found = collect_rows(
        members, held, work, way, pattern=origin.pattern, skip_bad=origin.skip_bad, tell=tell
    )
    return found, held


def resolved_model(model: "str | Callable[..., Any] | None") -> Callable[..., Any] | None:
    """Return the function that makes networks; None where none was named."""
    if model is None or callable(model):
        return model
    if ":" not in str(model):
        raise InputError(f"model: must be module:function, got '{model}'")
    return load("model", model)
