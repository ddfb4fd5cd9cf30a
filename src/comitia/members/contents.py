"""The files that a member consists of, and their checksum."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from comitia.members.safetensors_files import state_files


def member_files(place: Path, kind: str) -> list[Path]:
    """Return the files of a member: itself, or of a folder its state and configuration, of ONNX its large tensors."""
    if kind == "huggingface":
        return [*state_files(place), place / "config.json"]
    if kind == "onnx":
        from comitia.members.onnx_files import external_files

        return [place, *external_files(place)]
    return state_files(place) if kind == "safetensors" else [place]


def checksum(files: Sequence[Path]) -> str:
    """Return the sha256 of one file's bytes, or of the names and bytes of several.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as empty:
    ...     checksum([Path(empty.name)])[:12]
    'e3b0c44298fc'
    """
    if len(files) == 1:
        return _of_file(files[0])
    listed = "".join(f"{_of_file(path)} {path.name}\n" for path in sorted(files))
    return sha256(listed.encode()).hexdigest()


def _of_file(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as stream:
        while piece := stream.read(2**20):
            digest.update(piece)
    return digest.hexdigest()
