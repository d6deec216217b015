"""Whether a request comes from Slack: signed with the app's secret, not older or newer than five minutes.

Source: https://docs.slack.dev/authentication/verifying-requests-from-slack.
"""

import hashlib
import hmac
import re

TOLERANCE_SECONDS = 300
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)


def is_from_slack(secret: str, body: bytes, timestamp: str | None, signature: str | None, now: float) -> bool:
    """Whether the signature is Slack's; a timestamp that is no number, or an empty secret, is never.

    Args:
        secret: the app's signing secret.
        body: the body as it came.
        timestamp: the header ``X-Slack-Request-Timestamp``.
        signature: the header ``X-Slack-Signature``.
        now: seconds since the epoch.
    """
    if not secret or not timestamp or not signature or not _SECONDS.fullmatch(timestamp):
        return False
    if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    return hmac.compare_digest(sign(secret, body, timestamp).encode(), signature.encode("utf-8", "replace"))


def sign(secret: str, body: bytes, timestamp: str) -> str:
    """The signature of a body."""
    return "v0=" + hmac.new(secret.encode(), b"v0:%b:%b" % (timestamp.encode(), body), hashlib.sha256).hexdigest()
