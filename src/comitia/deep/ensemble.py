"""A weighed ensemble of networks as one torch module: the members that have weight, and their vote."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from comitia import _votes
from comitia._ensemble import Ensemble
from comitia._errors import InputError, require_choice
from comitia._predict import decide
from comitia._predictions import Predictions
from comitia._simplex import as_weights
from comitia.bundle.config import Network
from comitia.deep.networks import wake_dropout
from comitia.deep.prediction import batch_size
from comitia.deep.preparing import Prepare
from comitia.deep.voting import OUTPUTS, decided, probabilities_of, shares_of, widest
from comitia.promises import Decision

Batches = NDArray[Any] | Iterable[Any]
# How far beyond 0..1 an image may reach, as resampled ones do, before it is taken for one of another scale.
OVERSHOOT = 0.5
# Names under which loaders of named inputs give labels.
LABELS = ("label", "labels")


class WeightedEnsemble(nn.Module):
    """Networks that vote with their weights: a batch in, probabilities out, all in torch.

    `forward` returns, as (n, C) in float64, the weighted mean probabilities, or for the majority vote the weight of
    the votes for each class. It can be differentiated (average vote), compiled, exported and traced. `classes`
    returns the winners by the tie rule of the certificates. The weights are a buffer, so a state dict holds all.

    `train()` and `eval()` mean what they mean in torch; a new ensemble is in `eval` mode, in which it was certified.
    `predict` and `predict_proba` take arrays or a `DataLoader` and vote as in `eval` mode, whatever the mode is.

    Parameters
    ----------
    members : networks that map a batch to (n, C) logits, or an object with `.logits`; one column is the second of two
        classes. Several inputs per sample are passed on to every member as they are given.
    weights : (M,) on the simplex, as `comitia.weigh` gives them.
    vote : "average" or "majority", the vote that was certified.
    prepare : a module per member that makes its inputs of the samples, or one for all (shared, run once).
    outputs : what members return, "logits" or "probabilities".
    stochastic : whether dropout stays awake in `eval` mode, as in MC dropout.
    decision : how the vote answers, as `comitia.weigh` found it: a threshold, and where it declines.
    trained_on_bytes : images that are not uint8 must lie in 0..1; told where Python runs, not in an exported graph.

    Examples
    --------
    >>> pair = WeightedEnsemble([nn.Linear(4, 3), nn.Linear(4, 3)], [0.75, 0.25])
    >>> pair(torch.zeros(5, 4)).shape, sorted(pair.state_dict())[-1]
    (torch.Size([5, 3]), 'weights')
    """

    weights: torch.Tensor

    def __init__(
        self,
        members: Sequence[nn.Module],
        weights: ArrayLike,
        *,
        vote: str = "average",
        prepare: nn.Module | Sequence[nn.Module] | None = None,
        outputs: str = "logits",
        stochastic: bool = False,
        trained_on_bytes: bool = False,
        decision: Decision | None = None,
    ) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        self.prepare = _modules(prepare, len(self.members))
        checked = as_weights(weights, len(self.members))
        self.register_buffer("weights", torch.from_numpy(np.array(checked)))
        self.vote = require_choice("vote", vote, _votes.VOTES)
        self.outputs = require_choice("outputs", outputs, OUTPUTS)
        self.stochastic, self.trained_on_bytes = stochastic, trained_on_bytes
        self.decision = Decision() if decision is None else decision
        self.ensemble: Ensemble | None = None  # what `weigh` found, where the module was loaded with it
        self.network: Network | None = None  # what makes the members, where that is known
        self.eval()

    @classmethod
    def load(
        cls,
        directory: str | Path,
        ensemble: str | Path | Ensemble,
        *,
        device: str = "auto",
        predictions: str | Path | None = None,
        allow_code: bool = False,
    ) -> "WeightedEnsemble":
        """Load the ensemble of `comitia weigh` with its networks from the directory of `comitia train`.

        Every state must have the checksum that its run recorded, and the ensemble must have been weighed on the
        directory's own predictions; `predictions` names the file that was weighed where it was another
        (`comitia collect`). Where there is nothing to compare with, a warning says so. Members that average over
        augmented copies are refused: these networks look at the plain sample alone. A recipe in the directory that
        names code (`module:function`) is refused unless `allow_code` is given.
        """
        from comitia.deep.loading import load_trained

        how: dict[str, Any] = {"device": device, "predictions": predictions, "allow_code": allow_code}
        found = load_trained(directory, ensemble, **how)
        made = cls(
            found.networks,
            found.weights,
            vote=found.vote,
            prepare=[Prepare(one.kind, one.mean) for one in found.inputs],
            stochastic=found.stochastic,
            trained_on_bytes=found.trained_on_bytes,
            decision=found.decision,
        )
        made.ensemble, made.network = found.ensemble, found.network
        return made

    @classmethod
    def from_pretrained(
        cls,
        folder: str | Path,
        model: Any = None,
        *,
        allow_code: bool = False,
        device: str = "auto",
        prepare: Any = None,
        revision: str | None = None,
        token: str | bool | None = None,
    ) -> "WeightedEnsemble":
        """Load the ensemble of a bundle: a folder, or the name of a repository of the Hub (extra: hub).

        Every file must have its checksum. `model` is the function that makes the network of a state, of nothing or of
        the member's name, or its `module:function`. Without it, code that the bundle names is imported only with
        `allow_code`. `prepare` is the module that prepares the inputs, where the bundle was saved with one of your own.
        """
        from comitia.bundle.pretrained import load

        options = {"device": device, "prepare": prepare, "revision": revision, "token": token}
        return load(folder, model, allow_code=allow_code, **options)

    def save_pretrained(
        self,
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
        """Write a bundle: the states of the members that vote, the ensemble with its promise, and a model card.

        Parameters
        ----------
        folder : where; written whole or not at all
        ensemble : what `weigh` returned, or its file; not needed after `load` and `from_pretrained`
        model : the function that makes the networks, or its `module:function`; `config.json` names it
        example : a batch of inputs: a tensor, several in a tuple, or by name; its values are not kept
        onnx, program : also write the vote as one graph, `model.onnx` or `model.pt2`; both need an example
        holdout : (inputs, labels) that certified, or batches of them; their checksum is kept, and graphs are compared
        predictions : those of the members on the hold-out; the answers of the vote are kept to compare with
        force : replace a bundle that lies there
        """
        from comitia.bundle.saving import save

        options = {"example": example, "onnx": onnx, "program": program, "holdout": holdout}
        save(self, folder, ensemble=ensemble, model=model, predictions=predictions, force=force, **options)

    def train(self, mode: bool = True) -> "WeightedEnsemble":
        """Set the mode of all members; stochastic ones keep their dropout awake in `eval` mode."""
        super().train(mode)
        if self.stochastic and not mode:
            wake_dropout(self.members)
        return self

    def forward(self, *samples: torch.Tensor, **named: torch.Tensor) -> torch.Tensor:
        """Return, as (n, C), the weighted mean probabilities, or the weight of the votes for each class."""
        if self.trained_on_bytes and not _in_a_graph():
            _require_scale(samples[0])
        shared = self._prepared(0, samples) if len(self.prepare) == 1 else samples
        totals = None
        for place, member in enumerate(self.members):
            inputs = self._prepared(place, samples) if len(self.prepare) > 1 else shared
            probs = probabilities_of(member(*inputs, **named), self.outputs)
            added = self.weights[place] * shares_of(probs, self.vote)
            totals = added if totals is None else totals + added
        assert totals is not None
        return totals

    def classes(self, *samples: torch.Tensor, **named: torch.Tensor) -> torch.Tensor:
        """Return, as (n,), the classes that the ensemble votes for, -1 where it declines; the lowest wins a tie."""
        return decided(self(*samples, **named), self.decision.threshold, self.decision.least_share)

    def predict(self, samples: Batches) -> NDArray[np.int64]:
        """Return, as (n,), the classes that the ensemble votes for, -1 where it declines; the lowest wins a tie."""
        return decide(self.predict_proba(samples), self.decision)[0]

    def predict_proba(self, samples: Batches) -> NDArray[np.float64]:
        """Return, as (n, C), what `forward` returns in `eval` mode for samples as the data set stores them.

        They are an array, or batches such as a `DataLoader` gives: a tensor; (inputs, labels), where inputs may be
        several; or named inputs. Labels are not looked at.
        """
        was, device = self.training, self.weights.device
        self.eval()
        try:
            with torch.inference_mode():
                rows = [
                    self(
                        *(one.to(device) for one in given),
                        **{key: one.to(device) for key, one in named.items()},
                    )
                    for given, named in _batches(samples)
                ]
                return np.concatenate([row.to(torch.float64).numpy(force=True) for row in rows])
        finally:
            self.train(was)

    def _prepared(self, place: int, samples: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        found = self.prepare[place](*samples)
        return found if isinstance(found, tuple) else (found,)

    def _apply(self, fn: Any, recurse: bool = True) -> "WeightedEnsemble":
        """Move or convert the module; the weights stay as wide as the device allows, for they were certified."""
        weights = self.weights
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        place = self.weights.device
        self.weights = weights.to(place, widest(place))
        return self


def _modules(given: nn.Module | Sequence[nn.Module] | None, members: int) -> nn.ModuleList:
    if given is None:
        return nn.ModuleList()
    listed = [given] if isinstance(given, nn.Module) else list(given)
    if len(listed) not in (1, members):
        raise InputError(f"prepare: must be one module, or one per member ({members}), got {len(listed)}")
    return nn.ModuleList(listed)


def _in_a_graph() -> bool:
    """Whether a graph is being made, in which values of samples cannot be looked at."""
    traced: bool = torch._C._get_tracing_state() is not None  # torch.jit.is_tracing, which has no types
    return traced or torch.compiler.is_compiling() or torch.compiler.is_exporting()


def _require_scale(images: torch.Tensor) -> None:
    if images.dtype == torch.uint8 or not images.numel():
        return
    low, high = float(images.min()), float(images.max())
    if not (low >= -OVERSHOOT and high <= 1 + OVERSHOOT):
        raise InputError(
            f"samples: images that are not uint8 must lie in 0 to 1, as those of the training do after division by "
            f"255, got {low:g} to {high:g}; give uint8, or bring them to that scale"
        )


def _batches(samples: Batches) -> Iterator[tuple[tuple[torch.Tensor, ...], dict[str, torch.Tensor]]]:
    """Yield the inputs of each batch, by place and by name: parts of an array, or what a loader gives."""
    if isinstance(samples, np.ndarray):
        size = batch_size(samples.shape[1:])
        for start in range(0, len(samples), size):
            yield (_tensor(samples[start : start + size]),), {}
        return
    for batch in samples:
        yield _inputs(batch[0] if isinstance(batch, tuple | list) else batch)


def _inputs(batch: Any) -> tuple[tuple[torch.Tensor, ...], dict[str, torch.Tensor]]:
    """Return one input, several by place, or several by name; labels are none."""
    if isinstance(batch, Mapping):
        return (), {name: _tensor(one) for name, one in batch.items() if name not in LABELS}
    return tuple(_tensor(one) for one in batch) if isinstance(batch, tuple | list) else (_tensor(batch),), {}


def _tensor(values: Any) -> torch.Tensor:
    return values if isinstance(values, torch.Tensor) else torch.from_numpy(np.ascontiguousarray(values))
