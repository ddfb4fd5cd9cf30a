"""Files behind URLs: read whole, written whole, and every failure is one line without secrets."""

import doctest
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import comitia.files.remote as remote
import comitia.files.remote_faults
from comitia import read_ensemble, read_predictions, weigh
from comitia._errors import InputError
from comitia.files import write_predictions
from comitia.files.atomic import whole, write_bytes, write_text
from comitia.files.remote import is_url, local, require_absent_remote, shown
from storage import Bucket, http_server, pack

pytestmark = pytest.mark.usefixtures("no_copies_left")


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    table = b"one,two,label\n" + b"0,1,0\n1,1,1\n" * 50
    with http_server({"holdout.npz": pack(), "holdout.csv": table, "bad.npz": b"no archive"}) as address:
        yield address


def test_examples() -> None:
    assert doctest.testmod(remote).failed == 0
    assert doctest.testmod(comitia.files.remote_faults).failed == 0


@pytest.mark.parametrize(
    "text", ["holdout.npz", "C:/a.npz", "C://a.npz", "-", "", "a/b://c", Path("s3:/b/a")]
)
def test_paths_are_no_urls(text: object) -> None:
    assert not is_url(text)


def test_a_path_is_passed_through_untouched(tmp_path: Path) -> None:
    assert local(tmp_path / "a.npz") == tmp_path / "a.npz"
    assert local("a.npz") == Path("a.npz")


def test_s3_gives_what_was_put(bucket: Bucket, tmp_path: Path) -> None:
    url = bucket.put("folder/holdout.npz", pack())
    (tmp_path / "holdout.npz").write_bytes(pack())
    assert local(url).read_bytes() == pack()
    assert local(url).name == "holdout.npz"
    assert read_predictions(url).fingerprint() == read_predictions(tmp_path / "holdout.npz").fingerprint()


def test_http_gives_what_is_served(web: str) -> None:
    assert local(f"{web}/holdout.npz").read_bytes() == pack()
    assert read_predictions(f"{web}/holdout.csv?token=secret").names == ("one", "two")


def test_an_object_that_was_replaced_is_read_anew(bucket: Bucket) -> None:
    url = bucket.put("a.npz", pack(0))
    before = read_predictions(url).fingerprint()
    bucket.put("a.npz", pack(1))
    assert read_predictions(url).fingerprint() != before


def test_members_of_equal_stems_are_named_by_their_urls(bucket: Bucket) -> None:
    urls = []
    for run in "ab":
        buffer = io.BytesIO()
        np.save(buffer, np.array([0, 1, int(run == "a")]))
        urls.append(bucket.put(f"{run}/last.npy", buffer.getvalue()))
    assert read_predictions(urls).names == tuple(f"s3://{bucket.name}/{run}/last" for run in "ab")


def test_memory_and_file_urls(tmp_path: Path) -> None:
    import fsspec

    fsspec.filesystem("memory").pipe_file("/comitia/a.npz", pack())
    (tmp_path / "a b.npz").write_bytes(pack())
    own = (tmp_path / "a b.npz").as_uri()
    assert "%20" in own
    assert local(own) == tmp_path / "a b.npz"
    assert read_predictions("memory://comitia/a.npz").fingerprint() == read_predictions(own).fingerprint()
    with pytest.raises(InputError, match="file://host/a.npz: file:// URLs have the form file:///folder/file"):
        local("file://host/a.npz")


def test_copies_are_removed(bucket: Bucket, temporary: Path) -> None:
    copy = local(bucket.put("a.npz", pack()))
    assert temporary in copy.parents
    remote.remove_copies()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("absent.npz", "no such object"),
        ("refused/holdout.npz", r"access was refused \(403\); check the credentials and what they allow"),
        ("broken/holdout.npz", "the connection was cut; try again"),
        ("bad.npz", "is not a whole .npz file"),
        ("", "the URL must name a file"),
    ],
)
def test_faults_of_http_name_the_url_without_its_secrets(web: str, path: str, message: str) -> None:
    host = web.removeprefix("http://")
    with pytest.raises(InputError, match=f"^http://{host}/{path}: {message}") as caught:
        read_predictions(f"http://me:secret@{host}/{path}?token=secret")
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_fewer_bytes_than_stated_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ends early without an error is found by the size that it stated."""
    import fsspec

    system = fsspec.filesystem("memory")
    system.pipe_file("/cut/a.npz", pack())
    info = type(system).info
    monkeypatch.setattr(
        type(system), "info", lambda *words, **rest: {**info(*words, **rest), "size": len(pack()) + 5}
    )
    with pytest.raises(
        InputError, match=f"^memory://cut/a.npz: {len(pack()):,} of {len(pack()) + 5:,} bytes"
    ):
        local("memory://cut/a.npz")


def test_labels_cannot_be_one_of_the_files(bucket: Bucket) -> None:
    url = f"s3://{bucket.name}/a.npy"
    with pytest.raises(InputError, match="a.npy: is given as labels and among the files"):
        read_predictions([url], labels=url)


def test_outputs_are_put_whole(bucket: Bucket) -> None:
    base = f"s3://{bucket.name}"
    write_text(f"{base}/deep/a.txt", "ρ\r\n")
    write_bytes(f"{base}/b.bin", b"\0\1")
    predictions = read_predictions(bucket.put("holdout.npz", pack()))
    write_predictions(f"{base}/copy.npz", predictions)
    write_text(f"{base}/ensemble.json", json.dumps(weigh(predictions).to_json()))
    assert bucket.get("deep/a.txt") == "ρ\r\n".encode()
    assert bucket.get("b.bin") == b"\0\1"
    assert read_predictions(f"{base}/copy.npz").fingerprint() == predictions.fingerprint()
    assert len(read_ensemble(f"{base}/ensemble.json").names) == 3


def test_a_failure_leaves_the_old_object(bucket: Bucket) -> None:
    url = bucket.put("a.txt", b"old")

    def fail_half_way() -> None:
        with whole(url) as place:
            place.write_text("half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert bucket.get("a.txt") == b"old"
    assert bucket.keys() == ["a.txt"]


def test_where_nothing_can_be_written(bucket: Bucket, web: str) -> None:
    for place, message in [
        (f"{web}/a.json?token=secret", "a.json: nothing can be written to http://; give a path or s3://"),
        (f"s3://{bucket.name}", "is a folder; the name of a file is required"),
        (f"s3://{bucket.name}/a/", "is a folder; the name of a file is required"),
        ("s3://no-such-bucket/a.json", "there is no bucket 'no-such-bucket'; make it first"),
    ]:
        with pytest.raises(InputError, match=message):
            require_absent_remote(place, True)
    with pytest.raises(InputError, match="nothing can be written to http"):
        write_text(f"{web}/a.json", "1")


def test_an_existing_object_needs_force(bucket: Bucket) -> None:
    url = bucket.put("a.json", b"1")
    with pytest.raises(InputError, match=f"^{url}: already exists; --force overwrites it$"):
        require_absent_remote(url, False)
    require_absent_remote(url, True)
    require_absent_remote(f"s3://{bucket.name}/new.json", False)


def test_hostile_names_stay_in_the_folder_of_copies() -> None:
    assert remote._name("https://host/%2e%2e%2f%2e%2e%2fpasswd") == "passwd"
    assert remote._name("https://host/a%5Cb:c.npz") == "a_b_c.npz"
    with pytest.raises(InputError, match="the URL must name a file"):
        remote._name("https://host/a/%2e%2e")
    assert shown("s3://bucket/a.npz?versionId=1") == "s3://bucket/a.npz"


TABLE = [("cat", "dog", "cat"), ("dog", "dog", "dog"), ("cat", "cat", "dog")] * 40


def table_bytes(ending: str) -> bytes:
    """The same table of two members in a format."""
    lines = ["one,two,label", *(",".join(row) for row in TABLE)]
    if ending in ("csv", "csv.gz", "tsv"):
        text = ("\n".join(lines) + "\n").replace(",", "\t" if ending == "tsv" else ",").encode()
        return gzip.compress(text) if ending.endswith(".gz") else text
    rows = [dict(zip(("one", "two", "label"), row)) for row in TABLE]
    if ending == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    pa = pytest.importorskip("pyarrow")
    sink, table = io.BytesIO(), pa.Table.from_pylist(rows)
    if ending == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, sink)
    else:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    return sink.getvalue()


ENDINGS = ("csv", "csv.gz", "tsv", "jsonl", "parquet", "arrow")


def test_tables_of_every_kind_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_bytes(table_bytes("csv"))
    own, asked = read_predictions(tmp_path / "own.csv"), []
    with http_server({f"t.{ending}": table_bytes(ending) for ending in ENDINGS}, asked) as address:
        for ending in ENDINGS:
            assert read_predictions(f"{address}/t.{ending}").fingerprint() == own.fingerprint(), ending
    assert asked == [f"/t.{ending}" for ending in ENDINGS]


def test_a_pack_is_sent_once_whatever_is_done_with_it() -> None:
    asked: list[str] = []
    with http_server({"a.npz": pack()}, asked) as address:
        predictions = read_predictions(f"{address}/a.npz")
        weigh(predictions, method="auto")
        predictions.fingerprint()
    assert asked == ["/a.npz"]


def test_labels_behind_a_url(bucket: Bucket, tmp_path: Path) -> None:
    rows = [",".join(row[:2]) for row in TABLE]
    table = bucket.put("t.csv", "\n".join(["one,two", *rows]).encode())
    labels = bucket.put("labels.txt", "\n".join(row[2] for row in TABLE).encode())
    (tmp_path / "own.csv").write_bytes(table_bytes("csv"))
    found = read_predictions(table, labels=labels)
    assert found.fingerprint() == read_predictions(tmp_path / "own.csv").fingerprint()
    with pytest.raises(InputError, match=f"^s3://{bucket.name}/no.txt: no such object$"):
        read_predictions(table, labels=f"s3://{bucket.name}/no.txt")


def test_faults_in_a_table_name_its_url(bucket: Bucket) -> None:
    url = bucket.put("t.csv", b"one,two,label\ncat,,cat\n" * 2)
    with pytest.raises(InputError, match=f"^{url}: ") as caught:
        read_predictions(url)
    assert "comitia-" not in str(caught.value)


def test_many_members_open_the_storage_once(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    made: list[object] = []
    start = s3fs.S3FileSystem.__init__
    monkeypatch.setattr(
        s3fs.S3FileSystem, "__init__", lambda self, *w, **k: (made.append(self), start(self, *w, **k))[1]
    )
    buffer = io.BytesIO()
    np.save(buffer, np.array([0, 1, 1]))
    read_predictions([bucket.put(f"{run}.npy", buffer.getvalue()) for run in "abc"])
    assert len(made) == 1
