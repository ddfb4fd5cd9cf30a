"""Loading one member: whatever its kind, batches in, probabilities out."""

from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comitia._errors import InputError
from comitia.deep.voting import probabilities_of, tensor_of
from comitia.members.batches import to_module
from comitia.members.contents import checksum, member_files
from comitia.members.entries import state_at
from comitia.members.fitting import fit_state
from comitia.members.outputs import recognised, require_probabilities
from comitia.members.record import NEED_MODEL, MemberFile
from comitia.members.safetensors_files import read_safetensors
from comitia.members.torch_files import read_torch, require_states

#: The user's function that makes a network: of no argument, or of the member's name.
Model = Callable[..., nn.Module]


class Member:
    """A loaded member: batches in as the data give them, probabilities out.

    `module` is its network (None for kinds that torch does not run). `outputs` says what it returns, "logits" or
    "probabilities"; where nobody said, the first batch shows it. `said` tells how its file was read.
    """

    def __init__(
        self,
        file: MemberFile,
        answer: Callable[[Any], Any],
        module: nn.Module | None = None,
        said: str | None = None,
    ) -> None:
        self.file, self.module, self.said = file, module, said
        self.outputs = file.outputs
        self._answer = answer

    def probabilities(self, batch: Any) -> NDArray[np.float32]:
        """Return, as (n, C), the probabilities of one batch of inputs: a tensor, several, or several by name."""
        with torch.inference_mode():
            values = tensor_of(self._answer(batch)).to(torch.float32)
            if not bool(torch.isfinite(values).all()):
                raise InputError(f"{self.file.path}: its outputs hold NaN or infinity; drop that checkpoint")
            if self.outputs is None:
                self.outputs = recognised(values, self.file.path)
            if self.outputs == "probabilities":
                require_probabilities(values, self.file.path)
            return probabilities_of(values, self.outputs).numpy(force=True)


def open_member(
    member: MemberFile,
    model: Model | None = None,
    device: str | torch.device = "cpu",
    *,
    root: str | Path | None = None,
    allow_code: bool = False,
    trust: tuple[str, ...] = (),
) -> Member:
    """Load one member, ready to predict.

    Parameters
    ----------
    member : as `find_members` returned it; its bytes must still have that checksum
    model : the user's function that makes the network of a state, of no argument or of the member's name
    device : where it computes
    root : the folder that `member.path` is relative to
    allow_code : exported programs (.pt2) may be read, which can run code
    trust : types of scikit-learn models that may be made beyond those that skops trusts
    """
    place = Path(member.path) if root is None else Path(root) / member.path
    opened = _opened(member, place, model, torch.device(device), allow_code, trust)
    if checksum(member_files(place, member.kind)) != member.sha256:
        raise InputError(f"{member.path}: has changed since it was found; start again")
    return opened


def _opened(
    member: MemberFile,
    place: Path,
    model: Model | None,
    device: torch.device,
    allow_code: bool,
    trust: tuple[str, ...],
) -> Member:
    if member.kind in NEED_MODEL:
        network, said = _network_of_state(member, place, model)
        return _torch_member(member, network, device, said)
    if member.kind == "huggingface":
        from comitia.members.huggingface import open_folder

        return _torch_member(member, open_folder(place), device)
    if member.kind == "exported":
        from comitia.members.exported import open_program

        return _torch_member(member, open_program(place, allow_code), device)
    if member.kind == "onnx":
        from comitia.members.onnx_files import open_onnx

        return Member(member, open_onnx(place, device))
    from comitia.members.skops_files import open_skops

    return Member(member, open_skops(place, trust))


def _torch_member(
    member: MemberFile, network: nn.Module, device: torch.device, said: str | None = None
) -> Member:
    network = network.to(device)
    if member.kind != "exported":  # its mode is part of the program
        network.eval()
    return Member(member, lambda batch: _call(network, batch, device), network, said)


def _call(network: nn.Module, batch: Any, device: torch.device) -> Any:
    given, named = to_module(batch, network, device)
    return network(*given, **named)


def _network_of_state(member: MemberFile, place: Path, model: Model | None) -> tuple[nn.Module, str | None]:
    network = make_network(_required(member, model), member.name)
    fit = fit_state(member.path, _state(member, place), network.state_dict())
    network.load_state_dict(fit.tensors)
    return network, fit.said()


def check_fit(member: MemberFile, network: nn.Module) -> None:
    """Raise unless the state of a member fits the network, by names and shapes alone."""
    fit_state(member.path, _state(member, Path(member.path)), network.state_dict())


def _required(member: MemberFile, model: Model | None) -> Model:
    if model is None:
        raise InputError(
            f"{member.path}: holds a state without its network; --model module:function names what makes it"
        )
    return model


def _state(member: MemberFile, place: Path) -> Any:
    if member.kind == "safetensors":
        return state_at({"": read_safetensors(place)}, member.entry)
    return state_at(require_states(place, read_torch(place)), member.entry)


def make_network(model: Model, name: str) -> nn.Module:
    """Return the network that the user's function makes, with the same initial values each time.

    It takes no argument, or the member's name, where members have several architectures.

    >>> make_network(lambda name: nn.Linear(2, 5 if "wide" in name else 3), "wide/run1").out_features
    5
    """
    arguments = (name,) if takes_name(model) else ()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = model(*arguments)
    if not isinstance(network, nn.Module):
        raise InputError(f"model: must return a torch.nn.Module, got {type(network).__name__}")
    return network


def takes_name(model: Model) -> bool:
    """Return whether the function requires one argument, which is then the member's name."""
    try:
        parameters = signature(model).parameters.values()
    except (TypeError, ValueError):
        return False
    required = [
        one
        for one in parameters
        if one.default is Parameter.empty
        and one.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    if len(required) > 1:
        raise InputError(
            f"model: must take no argument, or one (the member's name), got {', '.join(one.name for one in required)}"
        )
    return len(required) == 1
