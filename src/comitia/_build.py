"""From checkpoints to one certified folder: predictions, weights, certificates, bundle, page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from comitia._ensemble import Ensemble
from comitia._weigh import weigh
from comitia.bundle.building import write_bundle
from comitia.bundle.writing import require_place
from comitia.members.collection import Origin, Places, predictions_of, resolved_model, rows_beside
from comitia.pages import page_text

#: The page in a bundle.
PAGE = "report.html"


def build(
    checkpoints: Places,
    data: Any,
    out: str | Path,
    *,
    model: str | Callable[..., Any] | None = None,
    method: str | Callable[..., Any] | None = None,
    vote: str | None = None,
    delta: float = 0.05,
    certify_fraction: float | None = None,
    seed: int = 0,
    onnx: bool = False,
    force: bool = False,
    tell: Callable[[str], None] | None = None,
    **origin: Any,
) -> Ensemble:
    """Write a bundle of checkpoints of any origin, with weights, promise and page; return the ensemble.

    The same call again resumes: what each member predicts lies in `OUT.rows` as soon as it is known.

    Parameters
    ----------
    checkpoints : `.pt`, `.pth`, `.ckpt`, `.safetensors`, `.onnx`, `.skops` and `.pt2` files, Hugging Face folders, or
        folders of these; kinds may be mixed
    data : the hold-out, samples that no member was trained on or chosen by: a `.npz` (x, y), `module:function`, a
        `DataLoader` that does not shuffle, a dataset, arrays (x, y), or several inputs by name with "labels"
    out : the folder that is written, whole or not at all
    model : `module:function`, or a function, that makes the network of a state; it takes no argument, or the member's
        name where members have several architectures
    method, vote, delta, certify_fraction, seed : as in `weigh`
    onnx : also write the vote as `model.onnx`
    force : replace a bundle that lies there
    tell : called with a line for each step
    origin : how files are read: `entry` (where in a file the state lies), `pattern` (where run and step stand in
        names, "{run}/net-{step}.pt"), `outputs` ("logits" or "probabilities"), `device`, `skip_bad` (leave out what
        cannot be used), `allow_code` (read `.pt2`), `trust` (types in `.skops`)
    """
    require_place(out, force=force)
    read, tell = Origin(model=model, **origin), tell or _silent
    found, held = predictions_of(checkpoints, data, rows_beside(Path(out)), read, tell)
    tell("weighing")
    ensemble = weigh(
        found.predictions,
        method=method,
        vote=vote,
        delta=delta,
        certify_fraction=certify_fraction,
        seed=seed,
    )
    tell(f"writing {out}")
    write_bundle(
        out,
        ensemble,
        found.members,
        resolved_model(model),
        model_spec=model if isinstance(model, str) else None,
        onnx=onnx,
        example_inputs=held.example,
        holdout=held,
        predictions=found.predictions,
        device=read.device,
        allow_code=read.allow_code,
        trust=read.trust,
        further={PAGE: page_text(ensemble)},
        force=force,
    )
    return ensemble


def _silent(line: str) -> None:
    pass
