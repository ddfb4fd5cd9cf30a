"""A bundle from members that lie in files: each is opened once, and the states of networks are written one by one."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._extensions import name_of, resolve
from comitia._predictions import Predictions
from comitia.bundle.config import Network, StoredMember
from comitia.bundle.writing import Contents, write_contents

if TYPE_CHECKING:
    from comitia.deep.ensemble import WeightedEnsemble
    from comitia.members.opening import Member
    from comitia.members.record import MemberFile

# How a member's file ends in a bundle, by the kind of the file that it came from.
_STORED = {
    "state": ("safetensors", "safetensors"),
    "safetensors": ("safetensors", "safetensors"),
    "huggingface": ("huggingface", "safetensors"),
    "onnx": ("onnx", "onnx"),
    "skops": ("skops", "skops"),
    "exported": ("exported", "pt2"),
}


def write_bundle(
    out: str | Path,
    ensemble: Ensemble,
    members: "Sequence[MemberFile]",
    model: Any = None,
    *,
    model_spec: str | None = None,
    onnx: bool = False,
    program: bool = False,
    example_inputs: Any = None,
    holdout: Any = None,
    predictions: Predictions | None = None,
    device: str = "cpu",
    allow_code: bool = False,
    trust: Sequence[str] = (),
    further: Mapping[str, str] | None = None,
    force: bool = False,
) -> None:
    """Write the bundle of an ensemble whose members lie in files, whole or not at all.

    Parameters
    ----------
    out : the folder
    ensemble : what `weigh` found of these members
    members : one per member of the ensemble, in its order and by its names; those of weight zero are not opened
    model : the function that makes the network of a state, or its `module:function`
    model_spec : what `config.json` names as that function; by default its own module and name
    onnx, program : also write the vote as one graph; all voting members must be networks in torch then
    example_inputs : a batch of inputs as the data give it; its values are not kept
    holdout : the hold-out samples that certified, with labels: batches, or what `open_data` returned
    predictions : those of the members on them
    device, allow_code, trust : as in `comitia.members.open_member`
    further : texts to lie in the bundle too, by name, such as its page
    force : replace a bundle that lies there
    """
    opener = _Opener(model, device, allow_code, tuple(trust), example_inputs)
    voting = _voting(ensemble, members)
    stored = [opener.stored(file, rank) for rank, file in enumerate(voting)]
    whole = all(one.torch for one in stored) and len({one.outputs for one in stored}) == 1
    code = any(one.kind == "safetensors" for one in stored) and model is not None
    write_contents(
        out,
        Contents(
            ensemble,
            [(one, opener.writer(file, one)) for file, one in zip(voting, stored)],
            network=Network(model_spec or name_of(model)) if code else None,
            module=(lambda: opener.module(ensemble, voting, stored[0].outputs)) if whole else None,
            example=_narrow(example_inputs),
            onnx=onnx,
            program=program,
            holdout=holdout,
            predictions=predictions,
            further=dict(further or {}),
        ),
        force=force,
    )


def _narrow(example: Any) -> Any:
    """Return the example in tensors, floats as members take them: float32."""
    if example is None:
        return None
    from comitia.deep.batches import narrow

    if isinstance(example, Mapping):
        return {str(name): narrow(one) for name, one in example.items()}
    if isinstance(example, tuple | list):
        return tuple(map(narrow, example)) if len(example) > 1 else narrow(example[0])
    return narrow(example)


def _voting(ensemble: Ensemble, members: "Sequence[MemberFile]") -> "list[MemberFile]":
    """Return the files of the members that vote, in the ensemble's order."""
    by_name = {one.name: one for one in members}
    missing = [name for name in ensemble.names if name not in by_name]
    if missing or len(members) != len(ensemble.names):
        raise InputError(
            f"members: must be those that were weighed ({len(ensemble.names)}), got {len(members)}"
            + (f" without '{missing[0]}'" if missing else "")
        )
    return [by_name[ensemble.names[i]] for i in ensemble.active]


class _Opener:
    """Opens members, one at a time."""

    def __init__(
        self, model: Any, device: str, allow_code: bool, trust: tuple[str, ...], example: Any
    ) -> None:
        self._model = None if model is None else resolve("model", model, {})
        self._device, self._allow_code, self._trust, self._example = device, allow_code, trust, example

    def open(self, file: "MemberFile") -> "Member":
        """Return the member, its outputs known."""
        from comitia.deep.networks import choose_device
        from comitia.members.opening import open_member

        where = choose_device(self._device)
        found = open_member(file, self._model, where, allow_code=self._allow_code, trust=self._trust)
        if found.outputs is None:
            if self._example is None:
                raise InputError("outputs: are not known, logits or probabilities; give example_inputs")
            found.probabilities(self._example)
        return found

    def stored(self, file: "MemberFile", rank: int) -> StoredMember:
        """Return how a member is stored; one whose outputs nobody said is opened to see them."""
        kind, ending = _STORED[file.kind]
        outputs = file.outputs or self.open(file).outputs or "logits"
        name = f"member-{rank:04d}"
        settings = f"{name}.json" if kind == "huggingface" else None
        return StoredMember(
            file.name, kind, f"{name}.{ending}", outputs, file.run, file.step, file.sha256, settings
        )

    def writer(self, file: "MemberFile", stored: StoredMember) -> Callable[[Path], None]:
        """Return what writes the member: the state of a network, or the file as it is."""

        def write(path: Path) -> None:
            if not stored.torch:
                _copy(file, path)
                return
            from comitia.bundle.saving import distinct
            from comitia.deep.states import module_tensors, write_state

            module = self.open(file).module
            assert module is not None
            write_state(path, distinct(module_tensors(module)), {})
            if stored.settings is not None:
                shutil.copyfile(Path(file.path) / "config.json", path.with_name(stored.settings))

        return write

    def module(self, ensemble: Ensemble, files: "Sequence[MemberFile]", outputs: str) -> "WeightedEnsemble":
        """Return all voting members as one module."""
        from comitia.deep.ensemble import WeightedEnsemble

        opened = [self.open(replace(file, outputs=outputs)).module for file in files]
        return WeightedEnsemble(
            [one for one in opened if one is not None],
            ensemble.weights[ensemble.active],
            vote=ensemble.vote,
            outputs=outputs,
            decision=ensemble.decision,
        )


def _copy(file: "MemberFile", path: Path) -> None:
    """Copy a member as it is; one that lies in several files would lose some."""
    from comitia.members.contents import checksum, member_files

    files = member_files(Path(file.path), file.kind)
    if len(files) > 1:
        raise InputError(
            f"{file.path}: lies in {len(files)} files, and a bundle holds a member in one; save its tensors inside it"
        )
    shutil.copyfile(files[0], path)
    if checksum([path]) != file.sha256:
        raise InputError(f"{file.path}: has changed since it was found; start again")
