"""The networks of a bundle in torch: made, filled with their states, and put together as one module."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from comitia._errors import InputError
from comitia._extensions import resolve
from comitia.bundle.config import STATE_OF_PREPARE, Network, StoredMember
from comitia.bundle.reading import Bundle, read_bundle

if TYPE_CHECKING:
    from torch import nn

    from comitia.bundle.runtimes import Trust
    from comitia.deep.ensemble import WeightedEnsemble


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
    rest = {
        key: tensors.pop(key) for key in [*tensors] if key == MEAN_IMAGE or key.startswith(STATE_OF_PREPARE)
    }
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
        module.load_state_dict({key.removeprefix(STATE_OF_PREPARE): one for key, one in rest.items()})
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
