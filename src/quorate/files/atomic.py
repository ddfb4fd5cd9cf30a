"""Files written whole or not at all: to a temporary name, synced, then renamed."""

import os
from pathlib import Path


def write_bytes(path: Path, content: bytes) -> None:
    """Write the bytes to the path; killed at any moment, the path holds the old contents or the new."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write the text, in UTF-8, to the path, whole or not at all."""
    write_bytes(path, text.encode())


def _sync_folder(folder: Path) -> None:
    # Without it a power cut may forget the renaming though the contents are on the disk.
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
