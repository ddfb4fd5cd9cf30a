"""Folders that transformers saved: classifiers of texts and images, without code from the folder (extra: hf)."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import nn

from comitia._errors import InputError
from comitia.deep.models import one_line
from comitia.members.safetensors_files import state_files

#: What the name of an architecture ends in, and the class of transformers that reads it.
TASKS = {
    "ForSequenceClassification": "AutoModelForSequenceClassification",
    "ForImageClassification": "AutoModelForImageClassification",
}


def open_folder(place: Path) -> nn.Module:
    """Return the classifier in a folder, in float32; nothing is downloaded and no code of the folder is run."""
    state_files(place)
    reader = _reader(place)
    try:
        with _quiet():
            network, told = reader.from_pretrained(
                str(place),
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                output_loading_info=True,
                ignore_mismatched_sizes=True,  # they are told, and refused below
                dtype=torch.float32,
            )
    except Exception as error:  # transformers raises whatever a broken configuration leads to
        raise InputError(f"{place}: transformers cannot read it ({one_line(error)})") from None
    _require_complete(place, told)
    return network  # type: ignore[no-any-return]


def _reader(place: Path) -> Any:
    """The class of transformers for what the folder says it holds."""
    config: dict[str, Any] = json.loads((place / "config.json").read_text(encoding="utf-8"))
    if "auto_map" in config:
        raise InputError(f"{place}: needs Python code of its own (auto_map in config.json), which is refused")
    listed = config.get("architectures")
    name = str(listed[0]) if isinstance(listed, list) and listed else ""
    task = next((task for ending, task in TASKS.items() if name.endswith(ending)), None)
    if task is None:
        raise InputError(
            f"{place}: must be a classifier of texts or images (architectures …ForSequenceClassification or "
            f"…ForImageClassification in config.json), got {name or 'none'}"
        )
    if config.get("problem_type") in ("regression", "multi_label_classification"):
        raise InputError(
            f"{place}: is trained for {config['problem_type']}, and one class per sample is required"
        )
    try:
        import transformers
    except ImportError:
        raise InputError(
            f"{place}: Hugging Face folders need transformers: pip install 'comitia[hf]'"
        ) from None
    return getattr(transformers, task)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers from printing bars and reports: what matters is said by us."""
    talk: Any = import_module("transformers.utils.logging")  # only some of it has types
    level, bars = talk.get_verbosity(), talk.is_progress_bar_enabled()
    talk.set_verbosity(logging.CRITICAL)
    talk.disable_progress_bar()
    try:
        yield
    finally:
        talk.set_verbosity(level)
        if bars:
            talk.enable_progress_bar()


def _require_complete(place: Path, told: Any) -> None:
    """Raise if some parameters would start at random, as a classifier's head does when it was never trained."""
    missing = sorted(map(str, told["missing_keys"]))
    wrong = sorted(str(one[0] if isinstance(one, tuple | list) else one) for one in told["mismatched_keys"])
    if missing or wrong:
        what = (
            f"lacks {len(missing)} tensors ({missing[0]})" if missing else f"has another shape for {wrong[0]}"
        )
        raise InputError(f"{place}: is no whole classifier: it {what}, so that part would be random")
