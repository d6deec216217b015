"""Raw documents by content hash, behind any fsspec URL. A blob is written once and never changed."""

import hashlib

import fsspec

from viska_assets.store.settings import SettingError


class BlobError(OSError):
    """A blob could not be written or read; the message names the place and the mend."""


def content_hash(data: bytes) -> str:
    """The document id of these bytes: their sha256 in hex."""
    return hashlib.sha256(data).hexdigest()


class RawBlobs:
    """A content-addressed store of bytes.

    Args:
        url: where blobs live, e.g. ``file:///srv/viska/raw`` or ``s3://bucket/raw``.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            self._files, self._root = fsspec.core.url_to_fs(url)
        except (ValueError, ImportError) as error:
            raise SettingError(f"VISKA_RAW_URL: {url!r} is no address that fsspec can open ({error})") from error

    def put(self, data: bytes) -> str:
        """Stores the bytes and returns their hash; bytes that are there already are not written again.

        Raises:
            BlobError: where the store refuses the write (disk full, no permission); nothing partial stays.
        """
        digest = content_hash(data)
        path = self._path(digest)
        if self._files.exists(path):
            return digest
        partial = f"{path}.partial"
        try:
            self._files.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
            with self._files.open(partial, "wb") as stream:
                stream.write(data)
            self._files.mv(partial, path)
        except OSError as error:
            self._discard(partial)
            raise BlobError(
                f"{path}: the blob could not be written ({error}); free space or mend the access"
            ) from error
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes with this hash.

        Raises:
            BlobError: where the blob is missing, or its bytes no longer have this hash.
        """
        path = self._path(digest)
        try:
            with self._files.open(path, "rb") as stream:
                data = bytes(stream.read())
        except FileNotFoundError as error:
            raise BlobError(f"{path}: the blob is missing; deliver the document again") from error
        if content_hash(data) != digest:
            raise BlobError(f"{path}: the blob's bytes have changed; restore it from a backup")
        return data

    def has(self, digest: str) -> bool:
        """Whether the blob is stored."""
        return bool(self._files.exists(self._path(digest)))

    def _path(self, digest: str) -> str:
        return f"{self._root}/{digest[:2]}/{digest}"

    def _discard(self, partial: str) -> None:
        try:
            if self._files.exists(partial):
                self._files.rm(partial)
        except OSError:
            # The write's own error is the one to report; a leftover ``.partial`` is never read.
            return
