"""What `config.json` of a bundle says: which files there are, which member each holds, and how its network is made."""

import re
from dataclasses import dataclass, field
from typing import Any

from comitia._errors import InputError
from comitia._extensions import is_reference
from comitia._records import from_plain, parse_json, require_format, to_plain

FORMAT = "comitia-bundle-1"
CONFIG, ENSEMBLE, CARD, ANSWERS = "config.json", "ensemble.json", "README.md", "holdout.npz"
ONNX, PROGRAM = "model.onnx", "model.pt2"
#: Kinds of files that hold a member: a state, or a model that is a file of its own.
KINDS = ("safetensors", "huggingface", "onnx", "skops", "exported")
OUTPUTS = ("logits", "probabilities")
#: How samples become what a network sees: not at all, as the data sets of comitia are prepared, or by a module.
PREPARES = ("none", "image", "module")
#: Under this prefix lies the state of a module that prepares a member's inputs, beside the state of the member.
STATE_OF_PREPARE = "comitia.prepare."
# Names that are plain on every system: no folder, no device, nothing hidden, nothing that a shell would read.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Networks and samples have no number larger than this.
_LARGEST = 10**7


@dataclass(frozen=True)
class StoredFile:
    """A file of the bundle, known by its bytes."""

    name: str
    bytes: int
    sha256: str

    def fault(self) -> str | None:
        """Return what is wrong with it, or None."""
        if name_fault(self.name) or self.name == CONFIG:
            return f"'{self.name[:80]}' is not a name that a file of a bundle can have"
        if self.bytes < 0 or not _SHA256.fullmatch(self.sha256):
            return "must have a size and a sha256 of 64 hexadecimal digits"
        return None


@dataclass(frozen=True)
class StoredMember:
    """A member that votes: its name in `ensemble.json`, and the file that holds it.

    `origin` is the sha256 of the file that it was made from; `settings` names a second file, that of a Hugging Face
    network's settings.
    """

    name: str
    kind: str
    file: str
    outputs: str = "logits"
    run: int | None = None
    step: int | None = None
    origin: str | None = None
    settings: str | None = None

    def fault(self) -> str | None:
        """Return what is wrong with it, or None."""
        if self.kind not in KINDS:
            return f"kind must be one of {', '.join(KINDS)}, got '{self.kind[:40]}'"
        if self.outputs not in OUTPUTS:
            return f"outputs must be one of {', '.join(OUTPUTS)}, got '{self.outputs[:40]}'"
        return None

    @property
    def torch(self) -> bool:
        """Whether it is a network whose state lies in the bundle."""
        return self.kind in ("safetensors", "huggingface")


@dataclass(frozen=True)
class Network:
    """What makes the network of a state: a `module:function` of the user's, or a network of the library.

    One that a recipe names is called with the number of classes, the shape of a stored sample and options; a function
    without those is called with nothing, or with the name of the member.
    """

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    classes: int | None = None
    input_shape: tuple[int, ...] | None = None

    @property
    def code(self) -> bool:
        """Whether code from outside makes it."""
        return is_reference(self.name)

    def fault(self) -> str | None:
        """Return what is wrong with it, or None."""
        if self.classes is None or self.input_shape is None:
            own = self.code and not self.options and self.classes is None and self.input_shape is None
            return None if own else "classes and input_shape belong together"
        numbers = [self.classes, *self.input_shape, *(x for x in self.options.values() if isinstance(x, int))]
        if not all(0 <= number <= _LARGEST for number in numbers) or len(self.input_shape) > 8:
            return f"classes, input_shape and options must be numbers up to {_LARGEST:,}"
        return None


@dataclass(frozen=True)
class Input:
    """An input of the ensemble: its name, its type, and the shape of one sample."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    def fault(self) -> str | None:
        """Return what is wrong with it, or None."""
        return None if all(0 <= size <= _LARGEST for size in self.shape) else "shape: not that of a sample"


@dataclass(frozen=True)
class Exported:
    """A file that holds the whole vote as one graph, and how it compared with the vote that was certified.

    `differ` of `samples` hold-out samples were answered otherwise by it; None where it was not compared.
    """

    file: str
    samples: int | None = None
    differ: int | None = None

    def fault(self) -> str | None:
        """Return what is wrong with it, or None."""
        if self.file not in (ONNX, PROGRAM):
            return f"file must be {ONNX} or {PROGRAM}, got '{self.file[:40]}'"
        if (self.samples is None) != (self.differ is None):
            return "samples and differ belong together"
        return None if (self.differ or 0) <= (self.samples or 0) else "differ: more than there are samples"


@dataclass(frozen=True)
class Config:
    """All that is said of a bundle beside the ensemble itself.

    `names` says whether inputs go by name; `holdout` is the sha256 of the samples and labels that certify.
    """

    members: tuple[StoredMember, ...]
    files: tuple[StoredFile, ...]
    network: Network | None = None
    prepare: str = "none"
    stochastic: bool = False
    bytes_only: bool = False
    inputs: tuple[Input, ...] = ()
    named: bool = False
    exported: tuple[Exported, ...] = ()
    holdout: str | None = None
    versions: dict[str, str] = field(default_factory=dict)

    def fault(self) -> str | None:
        """Return what is wrong with it, or None."""
        if self.prepare not in PREPARES:
            return f"prepare must be one of {', '.join(PREPARES)}, got '{self.prepare[:40]}'"
        if not self.members:
            return "members: at least one member must vote"
        listed = [one.name.lower() for one in self.files]  # some systems take A.npz and a.npz for one file
        if len(set(listed)) < len(listed):
            return "files: a name occurs twice"
        needed = [ENSEMBLE, CARD, *(one.file for one in self.members), *(one.file for one in self.exported)]
        needed += [one.settings for one in self.members if one.settings is not None]
        names = {one.name for one in self.files}
        missing = next((name for name in needed if name not in names), None)
        if missing is not None:
            return f"files: '{missing[:80]}' is named and not listed"
        held = [one.file for one in self.members]
        return "members: two lie in one file" if len(set(held)) < len(held) else None

    @property
    def graph_of_all(self) -> bool:
        """Whether all members are one module: networks whose states lie in the bundle, with outputs of one kind."""
        return all(one.torch for one in self.members) and len({one.outputs for one in self.members}) == 1

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, which `read_config` reads back."""
        return {"format": FORMAT, **to_plain(self)}


def read_config(text: str, source: str) -> Config:
    """Return what a `config.json` says; anything that does not fit is one clear error."""
    plain = require_format(parse_json(text, source), FORMAT, source, "the config.json of a bundle")
    del plain["format"]
    return from_plain(Config, plain, f"{source}: ")


def name_fault(name: str) -> str | None:
    """Return why a file of a bundle cannot have that name, or None.

    >>> name_fault("model.onnx"), name_fault("../model.onnx")
    (None, 'not a plain name')
    """
    return None if len(name) <= 100 and _NAME.fullmatch(name) else "not a plain name"


def require_plain(argument: str, name: str) -> None:
    """Raise for a name that leaves the folder."""
    if name_fault(name):
        raise InputError(f"{argument}: '{name[:80]}' is not a plain name of a file")
