"""Checks on zip-packed office files before anything unpacks them."""

import io
import zipfile

from viska_assets.ingest.errors import ReadingError

MAX_UNPACKED = 1 << 30
MAX_RATIO = 200
_RATIO_FLOOR = 16 << 20


def check_archive(data: bytes, name: str, *, max_unpacked: int = MAX_UNPACKED) -> tuple[str, ...]:
    """The member names of an office file; refuses archives that are broken, encrypted or unpack beyond reason."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile as error:
        raise ReadingError(
            name, f"the file is not a whole office file ({error})", "ask the sender for it again"
        ) from error
    if any(member.flag_bits & 1 for member in members):
        raise ReadingError(name, "a part of the file is encrypted", "save it again without a password")
    unpacked = sum(member.file_size for member in members)
    if unpacked > max_unpacked or (unpacked > _RATIO_FLOOR and unpacked > MAX_RATIO * max(1, len(data))):
        raise ReadingError(
            name, f"unpacks to {unpacked} bytes from {len(data)} (a zip bomb)", "do not open it; ask the sender"
        )
    return tuple(member.filename for member in members)
