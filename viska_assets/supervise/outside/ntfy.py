"""Word by another way than the database and Slack. It says that something is wrong and where to look, never what."""

import logging
import urllib.error
import urllib.request

from viska_assets.store.outside_settings import OutsideSettings

TIMEOUT_SECONDS = 10
log = logging.getLogger(__name__)


def send_word(settings: OutsideSettings, text: str, *, urgent: bool = True) -> bool:
    """Posts one line to the ntfy topic, where there is one; whether it was taken.

    The topic may be public, so that the text must hold nothing of a client: an incident's number and kind at most.
    A failure is logged as an error and not raised: what it speaks of is on record already.

    Source: https://docs.ntfy.sh/publish/.
    """
    if not settings.ntfy_url:
        log.error("no ntfy topic is set (VISKA_NTFY_URL); not sent: %s", text)
        return False
    headers = {"Title": "Viska", "Priority": "high" if urgent else "default", "Tags": "warning"}
    if token := settings.ntfy_token.get_secret_value():
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(settings.ntfy_url, text.encode(), headers, method="POST")  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError) as error:
        log.error("ntfy took no word (%s): %s", error, text)
        return False
