"""What is said where a Ray cluster cannot be reached; the cases that need a cluster are in `test_ray`."""

import os
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from comitia import InputError
from comitia.engines import reaching

pytest.importorskip("ray")


def test_nobody_at_the_address() -> None:
    with pytest.raises(InputError, match=r"no Ray cluster at 127.0.0.1:1 \(.*refused.*\); set RAY_ADDRESS"):
        reaching.reach("127.0.0.1:1")


@pytest.mark.parametrize("address", ["head", "head:", ":6379", "head:port"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(InputError, match="RAY_ADDRESS must be HOST:PORT of the head node"):
        reaching.reach(address)


def test_another_program_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "ANSWER", 0.2)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with pytest.raises(InputError, match="gave no answer as a Ray cluster does within 0.2 s"):
            reaching.reach(f"127.0.0.1:{listener.getsockname()[1]}")


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        ({"ray_version": "1.0.0", "python_version": "3.11.1"}, r"runs Ray 1.0.0, this process .*ray==1.0.0"),
        ({"ray_version": version("ray"), "python_version": "3.4.1"}, "runs Python 3.4.1, this process"),
    ],
)
def test_versions_that_do_not_fit(cluster: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        reaching._require_fit(cluster, "head:6379")


def test_the_cluster_of_the_environment_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    for given, found in (("head:6379", "head:6379"), ("local", None), ("", None)):
        monkeypatch.setenv("RAY_ADDRESS", given)
        assert reaching.known_cluster() == found
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    with pytest.raises(InputError, match="no Ray cluster runs on this machine"):
        reaching.known_cluster()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        (tmp_path / "ray").mkdir()
        (tmp_path / "ray" / "ray_current_cluster").write_text(address)
        assert reaching.known_cluster() == address


def test_a_private_cluster_has_a_token_of_its_own_that_goes_with_the_process() -> None:
    code = (
        "import os; from comitia.engines.reaching import stay_private; stay_private(); "
        "p = os.environ['RAY_AUTH_TOKEN_PATH']; "
        "print(p, os.environ['RAY_AUTH_MODE'], len(open(p).read()), oct(os.stat(p).st_mode & 0o777))"
    )
    clean = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")}
    clean["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run([sys.executable, "-c", code], env=clean, capture_output=True, text=True, check=True)
    path, *rest = done.stdout.split()
    assert rest == ["token", "64", "0o600"]
    assert not Path(path).exists()


def test_a_token_that_is_set_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", "mine")
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    reaching.stay_private()
    assert os.environ["RAY_AUTH_TOKEN_PATH"] == "mine"
