"""An operator's word on a draft above the class that the review may pass alone."""

from viska_assets.store.database import Database
from viska_assets.store.supervised.review_rows import add_sign_off, artifact_exists


class SignOffError(ValueError):
    """There is nothing to sign."""


def sign_off(database: Database, artifact_id: int, *, signed_by: str, reason: str) -> bool:
    """Signs the content as it stands; the next review may then approve it. Returns False where it was signed before.

    Args:
        database: governance's.
        artifact_id: the draft.
        signed_by: who, such as ``human:ana``.
        reason: why.

    Raises:
        SignOffError: for an unknown artifact, or without a name or reason.
    """
    if not signed_by.strip() or not reason.strip():
        raise SignOffError("a sign-off needs a name and a reason")
    with database.transaction() as connection:
        if not artifact_exists(connection, artifact_id):
            raise SignOffError(f"there is no artifact {artifact_id}; `viska review pending` lists what waits")
        return add_sign_off(connection, artifact_id, signed_by, reason)
