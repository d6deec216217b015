"""Who may ask over HTTP: bearer tokens by their hash, each with a client's name and the namespaces it may see."""

import hashlib
import hmac
import json
import os
from pathlib import Path

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl

from viska_assets.query.access import Caller
from viska_assets.store.settings import SettingError, Settings

READ = "viska:read"
_NAMESPACE, _PRIVATE = "namespace:", "private:"
# Read from the environment alone and no setting, so that it is printed nowhere and is part of no engine version.
TOKEN_VARIABLE = "VISKA_MCP_TOKEN"  # noqa: S105


class FixedTokens:
    """Verifies tokens that were given out beforehand.

    Args:
        grants: by the sha256 of a token, whose it is and what it may see.
    """

    def __init__(self, grants: dict[str, Caller]) -> None:
        self._grants = grants

    async def verify_token(self, token: str) -> AccessToken | None:
        """The access that a token gives, or None; every grant is compared, in constant time."""
        digest = token_hash(token)
        found = None
        for known, caller in self._grants.items():
            if hmac.compare_digest(known, digest):
                scopes = [READ, *(f"{_NAMESPACE}{name}" for name in caller.namespaces or ())]
                scopes += [f"{_PRIVATE}{name}" for name in caller.granted]
                found = AccessToken(token=token, client_id=caller.name, scopes=scopes)
        return found


def token_hash(token: str) -> str:
    """The sha256 of a token, in hex."""
    return hashlib.sha256(token.encode()).hexdigest()


def load_tokens(settings: Settings) -> FixedTokens:
    """The tokens of ``mcp_tokens.json`` in the home and of ``VISKA_MCP_TOKEN``.

    The file holds an object: sha256 of a token → ``{"client": "…", "namespaces": ["…"],
    "private": ["…"]}``: the public namespaces that the client sees (all where none is named), and the private ones that
    it may open by naming them with a reason.

    Raises:
        SettingError: where there is none, or the file cannot be read.
    """
    grants: dict[str, Caller] = {}
    path = settings.home_path / "mcp_tokens.json"
    if path.exists():
        grants.update(_read(path))
    token = os.environ.get(TOKEN_VARIABLE, "")
    if token:
        if len(token) < 16:
            raise SettingError(f"{TOKEN_VARIABLE}: a token of less than 16 characters can be guessed")
        grants[token_hash(token)] = Caller("environment")
    if not grants:
        raise SettingError(f"over HTTP every caller needs a token: set {TOKEN_VARIABLE}, or write {path}")
    return FixedTokens(grants)


def _read(path: Path) -> dict[str, Caller]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {
            str(digest): Caller(
                str(grant["client"]),
                tuple(map(str, grant.get("namespaces", ()))) or None,
                tuple(map(str, grant.get("private", ()))),
            )
            for digest, grant in content.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingError(f'{path}: it must hold {{"<sha256 of a token>": {{"client": "…"}}}} ({error})') from error


def auth_settings(address: str) -> AuthSettings:
    """What the server says of itself to those who come without a token (RFC 9728)."""
    url = AnyHttpUrl(address)
    return AuthSettings(issuer_url=url, resource_server_url=url, required_scopes=[READ])


def caller_of_token() -> Caller | None:
    """Whose token a call came with, and what it may see; None over stdio, where there is no token."""
    token = get_access_token()
    if token is None:
        return None

    def named(prefix: str) -> tuple[str, ...]:
        return tuple(scope.removeprefix(prefix) for scope in token.scopes if scope.startswith(prefix))

    return Caller(token.client_id, named(_NAMESPACE) or None, named(_PRIVATE))
