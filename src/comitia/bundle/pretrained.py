"""The networks of a bundle in torch: made, filled with their states, and put together as one module; and back."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._extensions import name_of, resolve
from comitia._predictions import Predictions
from comitia.bundle.config import Network, StoredMember
from comitia.bundle.reading import Bundle, read_bundle
from comitia.bundle.writing import Contents, write_contents

if TYPE_CHECKING:
    from torch import nn

    from comitia.bundle.runtimes import Trust
    from comitia.deep.ensemble import WeightedEnsemble

# Under this prefix lies the state of a module that prepares a member's inputs.
PREPARE = "comitia.prepare."


def load(
    folder: str | Path,
    model: Any = None,
    *,
    allow_code: bool = False,
    device: str = "auto",
    prepare: Any = None,
    revision: str | None = None,
    token: str | bool | None = None,
) -> "WeightedEnsemble":
    """Return the ensemble of a bundle: a folder, or a repository of the Hub; see `WeightedEnsemble.from_pretrained`."""
    from comitia.bundle.hub import fetched

    place = fetched(folder, revision=revision, token=token)
    return module_of(read_bundle(place), model, allow_code=allow_code, device=device, prepare=prepare)


def module_of(
    bundle: Bundle, model: Any, *, allow_code: bool, device: str, prepare: Any = None
) -> "WeightedEnsemble":
    """Return the ensemble of a bundle whose members are all networks."""
    from comitia.deep.ensemble import WeightedEnsemble
    from comitia.deep.networks import choose_device

    config, where = bundle.config, choose_device(device)
    odd = next((one for one in config.members if not one.torch), None)
    if odd is not None:
        raise InputError(
            f"{bundle.path}: member '{odd.name}' is a {odd.kind} file, no network whose state lies in the bundle; "
            "predict_bundle runs such members one by one"
        )
    if len({one.outputs for one in config.members}) > 1:
        raise InputError(
            f"{bundle.path}: some members return logits and some probabilities; predict_bundle runs them one by one"
        )
    makes = maker(bundle, model, allow_code)
    loaded = [load_network(bundle, one, makes) for one in config.members]
    ensemble = bundle.ensemble
    made = WeightedEnsemble(
        [network for network, _ in loaded],
        ensemble.weights[ensemble.active],
        vote=ensemble.vote,
        prepare=_prepares(bundle, [rest for _, rest in loaded], prepare),
        outputs=config.members[0].outputs,
        stochastic=config.stochastic,
        trained_on_bytes=config.bytes_only,
        decision=ensemble.decision,
    ).to(where)
    made.ensemble, made.network = ensemble, config.network
    return made


def maker(bundle: Bundle, model: Any, allow_code: bool) -> "Callable[[str], nn.Module] | None":
    """Return what makes the network of a member by its name; code is imported only if the user named or allowed it."""
    from comitia.members.opening import make_network

    network = bundle.config.network
    if model is None and network is not None and (allow_code or not network.code):
        return lambda name: _built(network, name)
    if model is not None:
        return lambda name: make_network(resolve("model", model, {}), name)
    if all(one.kind == "huggingface" for one in bundle.config.members):
        return None
    said = "say what makes them" if network is None else f"they are made by code, '{network.name}'"
    raise InputError(
        f"{bundle.path}: its networks need a function, and {said}: model= names it, allow_code=True runs what the "
        "bundle names"
    )


def load_network(
    bundle: Bundle, member: StoredMember, makes: "Callable[[str], nn.Module] | None"
) -> "tuple[nn.Module, dict[str, Any]]":
    """Return the network of a member with its state, and the tensors beside it, which prepare its inputs."""
    import torch
    from safetensors.torch import load as tensors_of

    from comitia.deep.models import one_line
    from comitia.deep.states import MEAN_IMAGE

    try:
        tensors = tensors_of(bundle.content(member.file))
    except Exception as error:  # safetensors has an error class of its own
        raise InputError(f"{bundle.path / member.file}: not a state ({one_line(error)})") from error
    rest = {key: tensors.pop(key) for key in [*tensors] if key == MEAN_IMAGE or key.startswith(PREPARE)}
    if member.kind == "huggingface" or makes is None:
        return _hugging_face(bundle, member), {}
    network = makes(member.name)
    try:
        network.load_state_dict(tensors, assign=any(one.is_meta for one in network.parameters()))
    except RuntimeError as error:
        raise InputError(
            f"{bundle.path / member.file}: does not fit the network of '{member.name}' ({one_line(error)})"
        ) from error
    if any(one.is_meta for one in (*network.parameters(), *network.buffers())):
        raise InputError(f"{bundle.path / member.file}: lacks tensors of the network of '{member.name}'")
    return network.to(torch.device("cpu")).eval(), rest


def open_all(bundle: Bundle, trust: "Trust") -> list[Callable[[Any], Any]]:
    """Return, for each member, what maps a batch to its probabilities (n, C) in float32: members of mixed kinds."""
    from comitia.deep.networks import choose_device
    from comitia.members.opening import open_member
    from comitia.members.record import MemberFile

    where = choose_device(trust.device)
    networks = any(one.kind == "safetensors" for one in bundle.config.members)
    makes = maker(bundle, trust.model, trust.allow_code) if networks else None
    found: list[Callable[[Any], Any]] = []
    for one in bundle.config.members:
        if one.torch:
            found.append(answers_of(load_network(bundle, one, makes)[0].to(where), one.outputs))
            continue
        mark = bundle.files[one.file].sha256
        file = MemberFile(one.file, one.kind, one.name, one.run, one.step, mark, outputs=one.outputs)
        opened = open_member(
            file, None, where, root=bundle.path, allow_code=trust.allow_code, trust=trust.types
        )
        found.append(opened.probabilities)
    return found


def answers_of(network: "nn.Module", outputs: str) -> Callable[[Any], Any]:
    """Return what maps a batch of arrays to the probabilities (n, C) of a network."""
    from comitia.deep.batches import probabilities

    return lambda batch: probabilities(network, batch, outputs)


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
            found |= {f"{PREPARE}{key}": value for key, value in own.items()}
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


def _built(network: Network, name: str) -> "nn.Module":
    """Return the network of the library, without memory for its numbers: those are the file's."""
    import torch

    from comitia._extensions import load as load_code
    from comitia.deep.models import build
    from comitia.members.opening import make_network

    if network.classes is None or network.input_shape is None:
        return make_network(load_code("model", network.name), name)
    options = {"classes": network.classes, "input_shape": network.input_shape, **network.options}
    if network.code:
        return build(network.name, **options)
    with torch.device("meta"):
        return build(network.name, **options)


def _prepares(bundle: Bundle, rests: list[dict[str, Any]], given: Any) -> Any:
    """Return what prepares the inputs of members."""
    from torch import nn

    from comitia.deep.preparing import Prepare
    from comitia.deep.states import MEAN_IMAGE

    how = bundle.config.prepare
    if (how == "module") != (given is not None):
        raise InputError(
            f"{bundle.path}: its inputs are prepared by a module of your own; give it as prepare="
            if given is None
            else "prepare: the bundle needs none; leave it out"
        )
    if how == "none":
        return None
    if how == "image":
        means = [rest.get(MEAN_IMAGE) for rest in rests]
        return Prepare("image") if all(one is None for one in means) else [Prepare("image", x) for x in means]
    modules = [given] if isinstance(given, nn.Module) else list(given)
    for module, rest in zip(modules, rests):
        module.load_state_dict({key.removeprefix(PREPARE): one for key, one in rest.items()})
    return given


def _hugging_face(bundle: Bundle, member: StoredMember) -> "nn.Module":
    """Return a Hugging Face network, read from a folder such as transformers saves."""
    from comitia.members.huggingface import open_folder

    if member.settings is None:
        raise InputError(f"{bundle.path}: member '{member.name}' has no settings of its network")
    with TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_bytes(bundle.content(member.settings))
        (Path(folder) / "model.safetensors").write_bytes(bundle.content(member.file))
        network: nn.Module = open_folder(Path(folder)).eval()
        return network
