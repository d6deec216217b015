"""Slack's web API, as far as it is needed: whether it answers, posting, and looking for what was posted."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from viska_assets.store.outside_settings import OutsideSettings
from viska_assets.store.policy_governance import OutsideSection

if TYPE_CHECKING:
    from slack_sdk import WebClient

MOST_RATE_LIMITS = 2
SECTION = 2900
EVENT = "viska_message"
# What Slack says of a token that lets nobody post anything.
NO_ENTRY = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"})


class SlackAway(RuntimeError):
    """Slack does not answer, or lets us in no longer; whether a post arrived is not known."""


class SlackBusy(RuntimeError):
    """Slack asks to come again later; nothing was posted."""


class SlackRefused(RuntimeError):
    """Slack refuses this message; the text is Slack's word for why."""


class Slack:
    """A bot in one workspace.

    Args:
        settings: token and address.
        policy: how long is waited.
    """

    def __init__(self, settings: OutsideSettings, policy: OutsideSection) -> None:
        self._settings, self._policy = settings, policy

    def check(self) -> None:
        """Asks whether Slack knows the bot.

        Raises:
            SlackAway: where it does not, or there is no answer.
        """
        try:
            self._call("auth_test")
        except (SlackRefused, SlackBusy) as error:
            raise SlackAway(str(error)) from error

    def post(self, channel: str, text: str, key: str) -> str:
        """Posts a message and returns its timestamp; links are not unfurled, nobody is linked by name.

        A broken connection is not tried again here: the message may have arrived.
        """
        parts = _sections(text)
        answer = self._call(
            "chat_postMessage",
            channel=channel,
            text=parts[0],
            blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": p, "verbatim": True}} for p in parts],
            metadata={"event_type": EVENT, "event_payload": {"message_key": key}},
            unfurl_links=False,
            unfurl_media=False,
            link_names=False,
        )
        return str(answer["ts"])

    def find(self, channel: str, key: str, since: datetime) -> str:
        """The timestamp of a message that was posted with this key, or an empty string."""
        answer = self._call(
            "conversations_history",
            channel=channel,
            oldest=f"{since.timestamp() - 60:.6f}",
            include_all_metadata=True,
            limit=200,
        )
        for message in answer.get("messages") or []:
            payload = (message.get("metadata") or {}).get("event_payload") or {}
            if payload.get("message_key") == key:
                return str(message["ts"])
        return ""

    def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        from slack_sdk.errors import SlackApiError, SlackClientError

        try:
            answer = getattr(self._client(), method)(**arguments)
        except SlackApiError as error:
            data = error.response.data if isinstance(error.response.data, dict) else {}
            said = str(data.get("error", ""))[:200]
            status = error.response.status_code
            if status == 429:
                raise SlackBusy("rate limited") from error
            if status >= 500 or said in NO_ENTRY or status != 200:
                raise SlackAway(said or f"HTTP {status}") from error
            raise SlackRefused(said) from error
        except (SlackClientError, OSError, ValueError) as error:
            raise SlackAway(f"{type(error).__name__}: {error}") from error
        return dict(answer.data) if isinstance(answer.data, dict) else {}

    def _client(self) -> "WebClient":
        from slack_sdk import WebClient

        return WebClient(
            token=self._settings.slack_token.get_secret_value(),
            base_url=self._settings.slack_api.rstrip("/") + "/",
            timeout=self._policy.timeout_seconds,
            retry_handlers=[_patient(self._policy.most_wait_seconds)],
        )


def _patient(most_seconds: int) -> Any:
    """Waits as long as Slack asks, where that is not too long."""
    from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler

    class Patient(RateLimitErrorRetryHandler):
        def _can_retry(self, *, state: Any, request: Any, response: Any = None, error: Any = None) -> bool:
            if not super()._can_retry(state=state, request=request, response=response, error=error):
                return False
            asked = {name.lower(): value for name, value in response.headers.items()}.get("retry-after", ["1"])
            return str(asked[0]).isdecimal() and int(asked[0]) <= most_seconds

    return Patient(max_retry_count=MOST_RATE_LIMITS)


def _sections(text: str) -> list[str]:
    """A text in pieces that fit into Slack's blocks, cut at lines where possible."""
    pieces: list[str] = []
    for line in text.splitlines() or [""]:
        while len(line) > SECTION:
            pieces.append(line[:SECTION])
            line = line[SECTION:]
        if pieces and len(pieces[-1]) + len(line) + 1 <= SECTION:
            pieces[-1] += f"\n{line}"
        else:
            pieces.append(line)
    return [piece for piece in pieces if piece.strip()][:50] or ["(no text)"]
