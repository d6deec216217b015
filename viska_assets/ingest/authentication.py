"""Who really sent a mail: DKIM (RFC 6376) with DMARC's alignment rule (RFC 7489 §3.1), from recorded DNS answers.

Nothing is asked of the network: the DNS answers are an input, so that the verdict of today can be proved tomorrow.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes
from email.policy import default
from email.utils import parseaddr
from enum import StrEnum
from pathlib import Path

import dkim
from authheaders.dmarc_lookup import get_org_domain


class AuthenticationResult(StrEnum):
    """What is known of a sender: only ``pass`` is authenticated, ``not applicable`` is no mail."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    NONE = "none"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class Authentication:
    """The result, the domain of the From header, and the reason in words."""

    result: AuthenticationResult
    domain: str
    reason: str


def recorded_dns(path: Path) -> dict[str, str]:
    """The DNS answers of a JSON file, name to TXT record; none where there is no such file.

    Raises:
        ValueError: where the file is no JSON object of texts, naming it.
    """
    if not path.exists():
        return {}
    answers = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(answers, dict) or not all(isinstance(value, str) for value in answers.values()):
        raise ValueError(f"{path}: must be one JSON object of names and TXT records")
    return {str(name).rstrip("."): value for name, value in answers.items()}


def authenticate_mail(message: bytes, dns: Mapping[str, str]) -> Authentication:
    """Checks the signatures of a mail against recorded DNS answers.

    Args:
        message: the mail as delivered.
        dns: TXT records by name (``selector._domainkey.example.com``), without the trailing dot.

    Returns:
        ``pass`` if one signature verifies and its domain is aligned with the From header; ``none`` if there is no
        signature; ``fail`` otherwise. A signature over a part of the body only (``l=``) never passes.
    """
    headers = message_from_bytes(message, policy=default)
    domain = parseaddr(str(headers.get("From", "")))[1].rpartition("@")[2].lower()
    signatures = headers.get_all("DKIM-Signature") or []
    if not signatures:
        return Authentication(AuthenticationResult.NONE, domain, "the mail carries no DKIM signature")
    reasons = []
    for at, signature in enumerate(signatures):
        reason = _why_not(message, at, str(signature), domain, dns)
        if reason is None:
            return Authentication(AuthenticationResult.PASS, domain, f"DKIM signature of {domain} verifies")
        reasons.append(reason)
    return Authentication(AuthenticationResult.FAIL, domain, "; ".join(reasons))


def _why_not(message: bytes, at: int, signature: str, domain: str, dns: Mapping[str, str]) -> str | None:
    tags = dict(part.strip().split("=", 1) for part in "".join(signature.split()).split(";") if "=" in part)
    signer = tags.get("d", "").lower()
    if "l" in tags:
        return f"the signature of {signer} covers only {tags['l']} bytes of the body (l=)"
    if not domain or get_org_domain(signer) != get_org_domain(domain):
        return f"the signing domain {signer or '?'} is not aligned with the From domain {domain or '?'}"

    def recorded(name: bytes | str, timeout: int = 5) -> bytes | None:
        asked = (name.decode() if isinstance(name, bytes) else name).rstrip(".")
        answer = dns.get(asked)
        return answer.encode() if answer is not None else None

    name = f"{tags.get('s', '')}._domainkey.{signer}"
    if name not in dns:
        return f"no DNS answer for {name} is recorded"
    try:
        verified = dkim.DKIM(message).verify(idx=at, dnsfunc=recorded)
    except dkim.DKIMException as error:
        return f"the signature of {signer} cannot be checked: {error}"
    return None if verified else f"the signature of {signer} does not verify"
