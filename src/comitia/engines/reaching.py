"""The way to a Ray cluster: one clear line where it cannot be reached, or one of its own for this machine alone.

Ray itself retries for half a minute, or without end, and prints the attempts. So a process of its own asks the cluster
first, and is ended after a few seconds.
"""

import atexit
import json
import os
import platform
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from comitia._errors import InputError

# Seconds for a connection to open, and for the cluster to say what it is: together below 20.
OPEN, ANSWER = 4.0, 14.0
WORKED = "the worked example is in the page 'Resume, and use a cluster'"
# What is asked in the process of its own: the versions that the head node wrote down when it started.
ASK = """
import json, sys
from ray._raylet import GcsClient
try:
    client = GcsClient(address=sys.argv[1])
    found = client.internal_kv_get(b"CLUSTER_METADATA", b"cluster", timeout=10)
    print(json.dumps({"cluster": json.loads(found)}))
except Exception as error:
    print(json.dumps({"kind": type(error).__name__, "error": str(error)}))
"""


def reach(address: str) -> None:
    """Raise `InputError` with what to set if no cluster that this process fits to answers at `host:port`."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise InputError(
            f"engine: RAY_ADDRESS must be HOST:PORT of the head node (port 6379 unless set), got '{address}'"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=OPEN).close()
    except (OSError, OverflowError) as error:
        why = (
            "no answer" if isinstance(error, TimeoutError) else getattr(error, "strerror", None) or str(error)
        )
        raise InputError(
            f"engine: no Ray cluster at {address} ({why}); set RAY_ADDRESS to HOST:PORT of its head node, or unset it "
            f"to use this machine alone; {WORKED}"
        ) from None
    _require_fit(_ask(address), address)


def _ask(address: str) -> dict[str, str]:
    """What the cluster says of itself; a refusal or silence is an `InputError`."""
    command = [sys.executable, "-P", "-c", ASK, address]
    quiet = {**os.environ, "RAY_BACKEND_LOG_LEVEL": "fatal"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER, env=quiet, check=False)
    except subprocess.TimeoutExpired:
        raise InputError(
            f"engine: something listens at {address}, but gave no answer as a Ray cluster does within {ANSWER:g} s; "
            f"set RAY_ADDRESS to HOST:PORT of the head node; {WORKED}"
        ) from None
    lines = done.stdout.strip().splitlines()
    said = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}
    if "cluster" in said:
        return dict(said["cluster"])
    if said.get("kind") == "AuthenticationError" or "uthentication" in done.stderr + said.get("error", ""):
        raise InputError(_refused(address))
    why = " ".join(said.get("error", done.stderr[-200:]).split())
    raise InputError(f"engine: the Ray cluster at {address} cannot be used ({why}); {WORKED}")


def _refused(address: str) -> str:
    """What to set where the token is missing or wrong."""
    mode, path = os.environ.get("RAY_AUTH_MODE"), os.environ.get("RAY_AUTH_TOKEN_PATH")
    ours = "no token" if mode != "token" else f"the token in {path}" if path else "a token"
    return (
        f"engine: the Ray cluster at {address} refused {ours}; set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN_PATH to a "
        f"file with the token that its nodes were started with; {WORKED}"
    )


def _require_fit(cluster: dict[str, str], address: str) -> None:
    """Raise where the versions of the cluster are not those of this process: Ray refuses to mix them."""
    for what, theirs, ours in (
        ("Ray", cluster.get("ray_version"), version("ray")),
        ("Python", cluster.get("python_version"), platform.python_version()),
    ):
        # of Python, Ray takes other patch versions
        same = theirs == ours or (what == "Python" and str(theirs).split(".")[:2] == ours.split(".")[:2])
        if theirs is not None and not same:
            raise InputError(
                f"engine: the Ray cluster at {address} runs {what} {theirs}, this process {ours}; install the same "
                f"version on both sides (pip install ray=={cluster.get('ray_version')}), or start the nodes anew"
            )


def known_cluster() -> str | None:
    """Return the address of the cluster to use: that of RAY_ADDRESS, else one that runs on this machine; or None."""
    given = os.environ.get("RAY_ADDRESS", "").strip()
    if given and given != "auto":
        return None if given == "local" else given
    folder = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()) / "ray"
    with suppress(OSError, ValueError):
        address = (folder / "ray_current_cluster").read_text(encoding="utf-8").strip()
        host, _, port = address.rpartition(":")
        socket.create_connection((host, int(port)), timeout=OPEN).close()
        return address
    if given:
        raise InputError("engine: RAY_ADDRESS is auto, and no Ray cluster runs on this machine; unset it")
    return None


def stay_private() -> None:
    """Let a cluster that this process will start be out of reach: loopback alone, and a token unless one is set.

    Ray reads both when it is imported.
    """
    # as Ray does it by default on Windows and macOS; an address given to `ray.init` it would replace by a public one
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    if os.environ.get("RAY_AUTH_MODE"):
        return
    folder = Path(tempfile.mkdtemp(prefix="comitia-ray-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    token = folder / "token"
    token.touch(mode=0o600)
    token.write_text(secrets.token_hex(32), encoding="ascii")
    os.environ["RAY_AUTH_MODE"] = "token"
    os.environ["RAY_AUTH_TOKEN_PATH"] = str(token)
