"""A bundle by its name on the Hub of Hugging Face (extra: hub); what lies in a folder needs nothing of it."""

import re
from pathlib import Path

from comitia._errors import InputError

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


def fetched(folder: str | Path, *, revision: str | None = None, token: str | bool | None = None) -> Path:
    """Return the folder itself, or the one into which the repository of that name was fetched."""
    place = Path(folder)
    if place.exists() or not _REPOSITORY.fullmatch(str(folder)):
        return place
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise InputError(
            f"{folder}: no such folder; a repository of the Hub needs huggingface_hub: pip install 'comitia[hub]'"
        ) from error
    try:
        return Path(snapshot_download(str(folder), revision=revision, token=token))
    except Exception as error:  # the network, the name, the rights: each has a class of its own
        said = " ".join(str(error).split())[:200]
        raise InputError(f"{folder}: no such folder, and not fetched from the Hub ({said})") from error
