"""The blob store: content-addressed, whole or not at all, and loud where bytes have changed."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from viska_assets.store.blobs import BlobError, RawBlobs, content_hash


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(data=st.binary(max_size=4096))
def test_what_is_put_is_got(tmp_path: Path, data: bytes) -> None:
    blobs = RawBlobs(tmp_path.as_uri())
    assert blobs.get(blobs.put(data)) == data


def test_the_same_bytes_are_one_blob(tmp_path: Path) -> None:
    blobs = RawBlobs(tmp_path.as_uri())
    assert blobs.put(b"a filing") == blobs.put(b"a filing") == content_hash(b"a filing")
    assert len([p for p in tmp_path.rglob("*") if p.is_file()]) == 1


def test_changed_bytes_are_reported_by_name(tmp_path: Path) -> None:
    blobs = RawBlobs(tmp_path.as_uri())
    digest = blobs.put(b"a filing")
    next(p for p in tmp_path.rglob(digest)).write_bytes(b"another")
    with pytest.raises(BlobError, match=r"bytes have changed; restore"):
        blobs.get(digest)


def test_a_missing_blob_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BlobError, match="deliver the document again"):
        RawBlobs(tmp_path.as_uri()).get("0" * 64)


def test_a_full_disk_leaves_nothing_partial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = RawBlobs(tmp_path.as_uri())

    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_: object) -> None:
            return None

        def write(self, _: bytes) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(blobs._files, "open", lambda *_, **__: Full())
    with pytest.raises(BlobError, match=r"No space left on device.*free space"):
        blobs.put(b"a filing")
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]
