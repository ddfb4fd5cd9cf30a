"""Files behind URLs: copied whole to a local file before they are read, and put in one piece once they are written.

fsspec is imported when a URL is seen, and not before.
"""

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from comitia._errors import InputError, nearest
from comitia.files.remote_faults import fault

#: What to install per scheme.
NEEDS = {
    "s3": "'comitia[remote]'",
    "http": "'comitia[remote]'",
    "https": "'comitia[remote]'",
    "memory": "'comitia[remote]'",
    "gs": "'comitia[remote]' gcsfs",
    "hf": "'comitia[remote]' huggingface_hub",
}
#: Schemes whose first part is a bucket, which must be there before anything is written.
BUCKETS = ("s3", "gs")
#: Seconds. There is none for a whole transfer: files may be large.
CONNECT, SILENCE = 10, 60
# Two letters at least, so that a drive of Windows is no scheme.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class _Copies:
    """Local copies of URLs, by their paths; they are kept until the process ends, since arrays are mapped from them."""

    def __init__(self) -> None:
        self.urls: dict[Path, str] = {}
        self.folder: Path | None = None
        self.process = 0

    def place(self, url: str) -> Path:
        """Make a folder for the copy of that URL and return the path in it, which has the name of the object."""
        if self.folder is None or self.process != os.getpid():
            self.folder, self.process = Path(tempfile.mkdtemp(prefix="comitia-")), os.getpid()
        return Path(tempfile.mkdtemp(dir=self.folder)) / _name(url)

    def remove(self) -> None:
        """Remove all copies; a process that was forked leaves those of its parent alone."""
        if self.folder is not None and self.process == os.getpid():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None
            self.urls.clear()


_COPIES = _Copies()
#: The last file system that was opened, by all that it may depend on: making one for S3 takes a quarter of a second,
#: and members have a file each. A failure forgets it, so that new credentials count.
_KEPT: dict[tuple[Any, ...], Any] = {}
atexit.register(_COPIES.remove)


def is_url(text: object) -> bool:
    """Return whether an argument is a URL rather than a path.

    >>> is_url("s3://bucket/holdout.npz"), is_url("runs/holdout.npz"), is_url("C:\\\\holdout.npz")
    (True, False, False)
    """
    return isinstance(text, str) and _URL.match(text) is not None


def shown(path: str | Path) -> str:
    """Return how a path or URL is shown: a URL without query and user, a local copy as the URL it came from.

    >>> shown("https://me:secret@host/holdout.npz?token=1")
    'https://host/holdout.npz'
    """
    if isinstance(path, Path) or not is_url(path):
        return _COPIES.urls.get(Path(path), str(path))
    parts = _parts(path)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def plain(path: str | Path) -> str | Path:
    """Return the path that a file:// URL stands for, and anything else as it is."""
    if not isinstance(path, str) or not is_url(path) or _parts(path).scheme != "file":
        return path
    parts = _parts(path)
    if parts.netloc not in ("", "localhost") or not parts.path.strip("/"):
        raise InputError(f"{shown(path)}: file:// URLs have the form file:///folder/file")
    return Path(url2pathname(parts.path))


def local(path: str | Path) -> Path:
    """Return a path to read from: a URL is copied whole and its size checked, a path is returned as it is.

    Copies are removed when the process ends.
    """
    place = plain(path)
    if isinstance(place, Path) or not is_url(place):
        return Path(place)
    target = _COPIES.place(place)
    _copy(place, target)
    _COPIES.urls[target] = shown(place)
    return target


def local_copies(paths: Iterable[Any], labels: str | Path | None = None) -> tuple[list[Any], Path | None]:
    """Return paths to read predictions and labels from, as `local` does; one URL cannot be both.

    What is neither a path nor a URL (data frames, streams) is returned as it is.
    """
    given = list(paths)
    if (
        labels is not None
        and is_url(labels)
        and any(isinstance(item, str) and item == labels for item in given)
    ):
        raise InputError(
            f"{shown(labels)}: is given as labels and among the files; leave it out of the files"
        )
    places = [local(item) if isinstance(item, str | Path) else item for item in given]
    return places, None if labels is None else local(labels)


@contextmanager
def named() -> Iterator[None]:
    """Name URLs instead of their local copies in every `InputError` that is raised inside."""
    try:
        yield
    except InputError as error:
        text = str(error)
        for copy, url in _COPIES.urls.items():
            text = text.replace(str(copy), url)
        raise InputError(text) from None


@contextmanager
def whole_remote(url: str) -> Iterator[Path]:
    """Yield a local path; on success the file takes its place at the URL by a single put, which shows it whole."""
    _require_writable(url)
    with tempfile.TemporaryDirectory(prefix="comitia-", ignore_cleanup_errors=True) as folder:
        temporary = Path(folder) / _name(url)
        yield temporary
        with _explained(url):
            system, key = _opened(url)
            system.put_file(str(temporary), key)


def require_absent_remote(url: str, force: bool) -> None:
    """Raise unless an output may be written to that URL: its bucket is there, and no object or `--force`."""
    _require_writable(url)
    with _explained(url):
        system, key = _opened(url)
        found = _info(system, key)
        if found is None and _parts(url).scheme in BUCKETS:
            _require_bucket(url, system)
    if found is not None and found.get("type") == "directory":
        raise InputError(f"{shown(url)}: is a folder; the name of a file is required")
    if found is not None and not force:
        raise InputError(f"{shown(url)}: already exists; --force overwrites it")


def remove_copies() -> None:
    """Remove all local copies now, for a process that ends without its exit handlers."""
    _COPIES.remove()


def _copy(url: str, target: Path) -> None:
    with _explained(url):
        system, key = _opened(url)
        stated = system.info(key)
        if stated.get("type") == "directory":
            raise InputError(f"{shown(url)}: is a folder; name the files in it")
        system.get_file(key, str(target))
        size, got = stated.get("size"), target.stat().st_size
        if size is not None and got != size:
            raise InputError(f"{shown(url)}: {got:,} of {size:,} bytes arrived; try again")


def _opened(url: str) -> tuple[Any, str]:
    """The file system of a URL and the key in it."""
    scheme = _scheme(url)
    asked = (scheme, os.getpid(), tuple(sorted(os.environ.items())))
    if asked in _KEPT and not set("?#@") & set(url):  # those may carry settings of the file system
        _KEPT[asked].invalidate_cache()
        return _KEPT[asked], _KEPT[asked]._strip_protocol(url)
    try:
        from fsspec.core import url_to_fs

        # one that fsspec kept would answer with credentials and listings of before
        system, key = url_to_fs(url, skip_instance_cache=True, **_options(scheme))
    except ImportError:
        raise InputError(
            f"{shown(url)}: a package for {scheme}:// is missing; pip install {NEEDS[scheme]}"
        ) from None
    _KEPT.clear()
    if not set("?#@") & set(url):
        _KEPT[asked] = system
    return system, key


def _options(scheme: str) -> dict[str, Any]:
    """Time limits, for a server that does not answer; for S3 one stream, since several are held in memory whole."""
    if scheme == "s3":
        return {
            "config_kwargs": {"connect_timeout": CONNECT, "read_timeout": SILENCE},
            "max_concurrency": 1,
        }
    if scheme in ("http", "https"):
        from aiohttp import ClientTimeout

        return {"client_kwargs": {"timeout": ClientTimeout(sock_connect=CONNECT, sock_read=SILENCE)}}
    return {}


def _scheme(url: str) -> str:
    scheme = str(_parts(url).scheme)
    if scheme not in NEEDS:
        hint = nearest(scheme, NEEDS)
        raise InputError(
            f"{shown(url)}: unknown scheme '{scheme}'{hint}; one of {', '.join(NEEDS)} and file is required"
        )
    return scheme


def _info(system: Any, key: str) -> Any:
    try:
        return system.info(key)
    except FileNotFoundError:
        return None


def _require_bucket(url: str, system: Any) -> None:
    bucket = _parts(url).netloc
    try:
        system.info(bucket)
    except FileNotFoundError:
        raise InputError(f"{shown(url)}: there is no bucket '{bucket}'; make it first") from None
    except PermissionError:
        return  # one may be allowed to write objects and not to look at the bucket


def _require_writable(url: str) -> None:
    scheme = _scheme(url)
    if scheme in ("http", "https"):
        raise InputError(
            f"{shown(url)}: nothing can be written to {scheme}://; give a path or s3://, gs://, hf://"
        )
    if (not _parts(url).path.strip("/") and scheme != "memory") or url.endswith("/"):
        raise InputError(f"{shown(url)}: is a folder; the name of a file is required")


@contextmanager
def _explained(url: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # every file system has exceptions of its own
        _KEPT.clear()
        raise InputError(f"{shown(url)}: {fault(error)}") from None


def _name(url: str) -> str:
    """The name of the object, made safe for a local file: members are named by it, formats known by its ending."""
    parts = _parts(url)
    name = PurePosixPath(unquote(parts.path) or parts.netloc).name
    if name in ("", "..") or url.endswith("/"):
        raise InputError(f"{shown(url)}: the URL must name a file")
    return re.sub(r"[^\w.,+=@ -]", "_", name)


def _parts(url: str) -> Any:
    try:
        return urlsplit(url)
    except ValueError:
        raise InputError("files: one of the URLs is not well formed; check its brackets and host") from None
