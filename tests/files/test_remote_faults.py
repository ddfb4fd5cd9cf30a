"""What goes wrong with URLs: one line each, and storage is left as it was."""

import sys

import pytest

from comitia._errors import InputError
from comitia.files.atomic import write_bytes, write_text
from comitia.files.remote import local, require_absent_remote
from storage import Bucket, cutting_server, http_server, pack

pytestmark = pytest.mark.usefixtures("no_copies_left")


def test_a_server_that_is_not_there() -> None:
    with http_server({}) as address:
        pass
    with pytest.raises(InputError, match="a.npz: the server cannot be reached"):
        local(f"{address}/a.npz")


def test_faults_of_s3(bucket: Bucket) -> None:
    bucket.put("folder/a.npz", pack())
    with pytest.raises(InputError, match=f"^s3://{bucket.name}/no.npz: no such object$"):
        local(f"s3://{bucket.name}/no.npz")
    with pytest.raises(InputError, match="folder: is a folder; name the files in it"):
        local(f"s3://{bucket.name}/folder")


@pytest.mark.parametrize("use", [local, lambda url: require_absent_remote(url, False)])
def test_absent_credentials(bucket: Bucket, monkeypatch: pytest.MonkeyPatch, use: object) -> None:
    url = bucket.put("a.npz", pack())
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(InputError, match=f"^{url}: no credentials were found; set those of the storage"):
        use(url)  # type: ignore[operator]


def test_unknown_schemes_and_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        InputError, match=r"s4://b/a.npz: unknown scheme 's4' \(did you mean 's3'\?\); one of s3"
    ):
        local("s4://b/a.npz")
    for scheme, package in (("gs", "gcsfs"), ("hf", "huggingface_hub")):
        monkeypatch.setitem(sys.modules, package, None)
        words = f"a package for {scheme}:// is missing; pip install 'comitia.remote.' {package}$"
        with pytest.raises(InputError, match=words):
            local(f"{scheme}://datasets/owner/name/a.npz")
        with pytest.raises(InputError, match=words):
            require_absent_remote(f"{scheme}://datasets/owner/name/e.json", False)
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(InputError, match="a package for s3:// is missing; pip install 'comitia.remote.'$"):
        local("s3://b/a.npz")


def test_a_bucket_that_is_not_there(bucket: Bucket) -> None:
    with pytest.raises(InputError, match="^s3://no-such/a.npz: there is no such bucket; check its name$"):
        local("s3://no-such/a.npz")
    with pytest.raises(InputError, match="^s3://no-such/a.txt: there is no such bucket; check its name$"):
        write_text("s3://no-such/a.txt", "1")


def test_credentials_that_are_set_after_a_failure_count(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = bucket.put("a.npz", pack())
    with monkeypatch.context() as without:
        without.delenv("AWS_ACCESS_KEY_ID")
        without.delenv("AWS_SECRET_ACCESS_KEY")
        with pytest.raises(InputError, match="no credentials were found"):
            local(url)
    assert local(url).read_bytes() == pack()


def test_a_cut_upload_leaves_what_was_there(
    bucket: Bucket, s3_endpoint: str, monkeypatch: pytest.MonkeyPatch, quick_tries: None
) -> None:
    """Bodies of uploads end half way; the bucket is looked at without the server between."""
    old, new = bucket.put("old.txt", b"old"), f"s3://{bucket.name}/new.txt"
    with cutting_server(s3_endpoint, "PUT") as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        for url in (old, new):
            with pytest.raises(InputError, match=f"^{url}: the connection was cut; try again$"):
                write_text(url, "n" * 100_000)
    assert bucket.keys() == ["old.txt"]
    assert bucket.get("old.txt") == b"old"


def test_a_cut_large_upload_leaves_no_parts(
    bucket: Bucket, s3_endpoint: str, monkeypatch: pytest.MonkeyPatch, quick_tries: None
) -> None:
    """A file sent in parts, of which none arrives: the parts are given up, not kept and paid for."""
    monkeypatch.setattr("s3fs.core.calculate_chunksize", lambda *_, **__: 5 * 2**20)
    with cutting_server(s3_endpoint, "PUT") as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        with pytest.raises(InputError, match="big.bin: the connection was cut; try again$"):
            write_bytes(f"s3://{bucket.name}/big.bin", bytes(11 * 2**20))
    assert bucket.keys() == []
    assert bucket.client.list_multipart_uploads(Bucket=bucket.name).get("Uploads", []) == []


@pytest.fixture
def quick_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """One try per request, as nothing gets better in these tests."""
    import s3fs

    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
