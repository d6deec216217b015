"""Who really sent a mail: DKIM with DMARC's alignment rule, or a chain of trusted forwarders, from recorded DNS.

Nothing is asked of the network: the DNS answers are an input, and those that were used are part of the verdict, so
that the verdict of today can be proved tomorrow. The signatures are in ``signatures``, the chains in ``forwarding``.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import getaddresses, parsedate_to_datetime
from enum import StrEnum
from pathlib import Path

from viska_assets.ingest.forwarding import Chain, ChainResult, check_chain, why_no_lift
from viska_assets.ingest.mail_domains import DmarcPolicy, RecordedDns, dmarc_policy, is_aligned
from viska_assets.ingest.signatures import signatures_of, why_no_signature


class AuthenticationResult(StrEnum):
    """What is known of a sender: only ``pass`` is authenticated, ``not applicable`` is no mail."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    NONE = "none"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class Authentication:
    """The result, the domain of the From header, the reason in words, and what the result rests on.

    ``answers`` are the DNS records that were used, ``chain`` the status of the ARC chain, ``wish`` the DMARC policy of
    the From domain (empty where none is recorded) and ``received_at`` the moment by which expiry was judged.
    """

    result: AuthenticationResult
    domain: str
    reason: str
    answers: Mapping[str, str] = field(default_factory=dict)
    chain: ChainResult = ChainResult.NONE
    wish: str = ""
    received_at: datetime | None = None


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


def authenticate_mail(
    message: bytes,
    dns: Mapping[str, str],
    *,
    received_at: datetime | None = None,
    trusted_forwarders: Collection[str] = (),
) -> Authentication:
    """Checks the signatures of a mail against recorded DNS answers.

    Args:
        message: the mail as delivered.
        dns: TXT records by name (``selector._domainkey.example.com``), without the trailing dot.
        received_at: when it came, by which expiry is judged; what the mail itself says where not given.
        trusted_forwarders: domains whose ARC chain may vouch for a mail that they broke the signature of.

    Returns:
        ``pass`` if one signature verifies and its domain is aligned with the From header, or if a chain of trusted
        forwarders says that one did; ``none`` if there is no signature and the domain's owner publishes no policy
        against that; ``fail`` otherwise. A signature over a part of the body only (``l=``) never passes.
    """
    answers = RecordedDns(dns)
    headers = message_from_bytes(message, policy=default)
    senders = _values(headers, "From")
    # A name with a bare comma ("Doe, Northbank <x@y>") reads as two addresses, of which one has no domain.
    addresses = [address for _, address in getaddresses(senders) if "@" in address]
    domain = addresses[0].rpartition("@")[2].lower().rstrip(".") if addresses else ""
    policy = dmarc_policy(domain, answers) if domain else DmarcPolicy()
    moment = received_at or receipt_time(headers) or datetime.now(tz=UTC)
    chain = check_chain(message, answers)
    if len(senders) > 1 or len(addresses) > 1:
        result, reason = AuthenticationResult.FAIL, "the mail names more than one sender in From"
    else:
        result, reason = _judge(message, headers, domain, policy, chain, moment, trusted_forwarders, answers)
    return Authentication(result, domain, reason, dict(sorted(answers.used.items())), chain.result, policy.wish, moment)


def receipt_time(headers: EmailMessage) -> datetime | None:
    """When the last server took the mail: the topmost Received header's time, otherwise the Date; None without either.

    The mail itself says this, and only its receiver's own line can be relied on: a feed that knows better passes it.
    """
    received = _values(headers, "Received")
    for text in [received[0].rpartition(";")[2] if received else "", *_values(headers, "Date")[:1]]:
        try:
            moment = parsedate_to_datetime(text.strip())
        except (ValueError, TypeError, IndexError):
            continue
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _judge(
    message: bytes,
    headers: EmailMessage,
    domain: str,
    policy: DmarcPolicy,
    chain: Chain,
    moment: datetime,
    trusted: Collection[str],
    answers: RecordedDns,
) -> tuple[AuthenticationResult, str]:
    signatures = signatures_of(_values(headers, "DKIM-Signature"))
    reasons = []
    for signature in signatures:
        if not is_aligned(signature.signer, domain, policy):
            signer = signature.signer or "?"
            reason: str | None = f"the signing domain {signer} is not aligned with the From domain {domain or '?'}"
        else:
            reason = why_no_signature(message, signature, answers, moment)
        if reason is None:
            return AuthenticationResult.PASS, f"DKIM signature of {signature.signer} verifies"
        reasons.append(reason)
    if not signatures:
        reasons.append("the mail carries no DKIM signature")
    if policy.refuses:
        reasons.append(f"{domain} publishes p={policy.wish}")
    if signatures and chain.result is not ChainResult.NONE:
        refused = why_no_lift(chain, _values(headers, "ARC-Message-Signature"), domain, policy, trusted)
        if refused is None:
            sealer = ", ".join(sorted(chain.hops[-1].sealers))
            return AuthenticationResult.PASS, f"the ARC chain sealed by {sealer} vouches for {domain}"
        reasons.append(refused)
    unsigned = not signatures and not policy.refuses
    return AuthenticationResult.NONE if unsigned else AuthenticationResult.FAIL, "; ".join(reasons)


def _values(headers: EmailMessage, name: str) -> list[str]:
    # raw_items, because the structured parser of a hostile header may raise.
    return [str(value) for key, value in headers.raw_items() if key.lower() == name.lower()]
