"""`.safetensors` files, and folders that hold a state in several of them by an index."""

import json
from pathlib import Path, PurePosixPath
from typing import Any

from comitia._errors import InputError
from comitia.members.limits import array_bytes, require_memory

#: A header larger than this is none (the format's own limit).
HEADER = 100_000_000
#: How the index of a folder ends.
INDEX = ".safetensors.index.json"
# Bytes per number, for types that are whole bytes.
WIDTHS = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"), 1),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 2),
    **dict.fromkeys(("U32", "I32", "F32"), 4),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 8),
}


def state_files(place: Path) -> list[Path]:
    """Return the files of a state: the file itself; of a folder those that its index names, and the index."""
    if not place.is_dir():
        return [place]
    indices = sorted(place.glob(f"*{INDEX}"))
    if len(indices) > 1:
        raise InputError(
            f"{place}: has {len(indices)} files *{INDEX}, and one is required; name another folder"
        )
    if indices:
        return [indices[0], *_shards(indices[0])]
    files = sorted(place.glob("*.safetensors"))
    if not files and (pickles := sorted(place.glob("*.bin"))):
        raise InputError(
            f"{place}: holds {pickles[0].name}, a pickle, and no .safetensors; load and save it again with "
            "save_pretrained"
        )
    if len(files) != 1:
        raise InputError(
            f"{place}: {len(files)} .safetensors and no index (*{INDEX}); name the files one by one"
        )
    return files


def _shards(index: Path) -> list[Path]:
    """The files that an index names; names that leave its folder are refused."""
    try:
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise InputError(f"{index}: not an index of safetensors ({error})") from None
    for name in names:
        parts = PurePosixPath(name).parts if isinstance(name, str) else ()
        if len(parts) != 1 or parts[0] in ("..", "/") or "\\" in name or not name.endswith(".safetensors"):
            raise InputError(
                f"{index}: names {name!r}, which is no .safetensors file of this folder; refused"
            )
        if not (index.parent / name).is_file():
            raise InputError(f"{index}: names {name!r}, which is missing; download or copy the folder again")
    return [index.parent / name for name in names]


def read_header(path: Path) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return type and shape of each tensor of a file; raise where it does not hold what it claims."""
    try:
        with path.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            if not 2 <= size <= min(HEADER, path.stat().st_size):
                raise ValueError("no header")
            header: dict[str, Any] = json.loads(stream.read(size))
        header.pop("__metadata__", None)
        found = {key: (one["dtype"], tuple(one["shape"])) for key, one in header.items()}
        claimed = {key: array_bytes(shape, WIDTHS.get(kind, 0)) for key, (kind, shape) in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: not a whole .safetensors file ({error}); copy or save it again") from None
    require_memory(str(path), sum(claimed.values()))
    held = path.stat().st_size - 8 - size
    if sum(claimed.values()) > held:
        raise InputError(
            f"{path}: its tensors take {sum(claimed.values()):,} bytes and it holds {held:,}; it was cut short: "
            "copy or save it again"
        )
    return found


def read_safetensors(place: Path) -> dict[str, Any]:
    """Return the tensors of a file, or of a folder, as torch tensors."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    found: dict[str, Any] = {}
    for path in state_files(place):
        if path.name.endswith(INDEX):
            continue
        read_header(path)
        try:
            tensors = load_file(path)
        except (SafetensorError, OSError) as error:
            raise InputError(f"{path}: not a whole .safetensors file ({error}); copy it again") from None
        if twice := found.keys() & tensors.keys():
            raise InputError(f"{path}: holds {min(twice)}, which another file of the folder holds too")
        found |= tensors
    return found
