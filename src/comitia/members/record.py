"""One member as it lies on disk: which file, of which kind, known by its checksum."""

from dataclasses import dataclass

#: Kinds of files, and what each is in words.
KINDS = {
    "state": "state dict (.pt, .pth, .ckpt)",
    "safetensors": "safetensors",
    "huggingface": "Hugging Face folder",
    "onnx": "ONNX",
    "skops": "scikit-learn (.skops)",
    "exported": "exported program (.pt2)",
}
#: Kinds whose network the user's function makes.
NEED_MODEL = ("state", "safetensors")


@dataclass(frozen=True)
class MemberFile:
    """One member as it lies on disk.

    Parameters
    ----------
    path : file or folder, as the user named it, or inside a bundle relative to it
    kind : one of `KINDS`
    name : what it is called in tables, unique among the members
    run, step : which training run, which checkpoint of it; None where its name does not say
    sha256 : of its bytes; of a folder, of the names and bytes of the files that are taken
    entry : where in the file its state lies ("state_dict", "ema"); None where the file holds nothing else
    outputs : "logits" or "probabilities", once known
    """

    path: str
    kind: str
    name: str
    run: int | None
    step: int | None
    sha256: str
    entry: str | None = None
    outputs: str | None = None
