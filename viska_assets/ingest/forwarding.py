"""The Authenticated Received Chain of a forwarded mail (RFC 8617), and what a trusted forwarder says of its origin."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

import authres
import dkim

from viska_assets.ingest.mail_domains import DmarcPolicy, RecordedDns, is_aligned

_INSTANCE = re.compile(r"^\s*i\s*=\s*\d+\s*;\s*", re.IGNORECASE)
_SIGNED = re.compile(r"(?:^|;)\s*h\s*=\s*([^;]*)", re.IGNORECASE)


class ChainResult(StrEnum):
    """The chain validation status; ``ended`` is a chain that one of its own seals says has failed before."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    NONE = "none"
    ENDED = "ended"


@dataclass(frozen=True)
class Hop:
    """One set of a chain: who sealed it, and what it says it saw."""

    instance: int
    sealers: frozenset[str]
    results: str


@dataclass(frozen=True)
class Chain:
    """The status of a chain, the reason in words, and its hops from the first to the last."""

    result: ChainResult
    reason: str
    hops: tuple[Hop, ...] = ()


def check_chain(message: bytes, dns: RecordedDns) -> Chain:
    """Validates the chain of a mail against recorded DNS answers."""
    try:
        status, sets, reason = dkim.ARC(message).verify(dnsfunc=dns.for_dkim)
    except (dkim.DKIMException, ValueError, IndexError, KeyError) as error:
        # dkimpy lets these out of sets whose headers it cannot take apart.
        return Chain(ChainResult.FAIL, f"the chain cannot be taken apart: {error or type(error).__name__}")
    hops = tuple(
        Hop(
            found["instance"],
            frozenset(found[field].decode("ascii", "replace").lower() for field in ("as-domain", "ams-domain")),
            found["aar-value"].decode("utf-8", "replace"),
        )
        for found in reversed(sets)
    )
    return Chain(ChainResult(status.decode()) if status else ChainResult.ENDED, str(reason), hops)


def why_no_lift(
    chain: Chain,
    message_signatures: list[str],
    sender: str,
    policy: DmarcPolicy,
    trusted: Collection[str],
) -> str | None:
    """Why a chain does not vouch for a mail whose own signature is broken; None if it does.

    Every hop must be trusted: one stranger among them could have written what the later ones sealed.

    Args:
        chain: as validated.
        message_signatures: the ARC-Message-Signature headers.
        sender: the domain of the From header.
        policy: what that domain publishes.
        trusted: the domains of forwarders that the desk trusts.
    """
    if chain.result is not ChainResult.PASS:
        return f"the ARC chain is no proof ({chain.result.value}: {chain.reason})"
    strangers = sorted({sealer for hop in chain.hops for sealer in hop.sealers} - {name.lower() for name in trusted})
    if strangers:
        return f"the ARC chain is sealed by {', '.join(strangers)}, which the policy does not trust"
    if not all("from" in _signed_headers(value) for value in message_signatures):
        return "the ARC chain does not cover the From header"
    if not _saw_origin(chain.hops[0].results, sender, policy):
        return f"the first forwarder does not say that {sender} authenticated"
    return None


def _signed_headers(value: str) -> set[str]:
    found = _SIGNED.search("".join(value.split()))
    return {name.lower() for name in found.group(1).split(":")} if found else set()


def _saw_origin(results: str, sender: str, policy: DmarcPolicy) -> bool:
    text = "Authentication-Results: " + _INSTANCE.sub("", results)
    try:
        said = authres.AuthenticationResultsHeader.parse(text).results
    except authres.AuthResError:
        return False
    return any(one.method == "dkim" and one.result == "pass" and _speaks_for(one, sender, policy) for one in said)


def _speaks_for(result: authres.AuthenticationResult, sender: str, policy: DmarcPolicy) -> bool:
    named = {
        prop.name: str(prop.value).rpartition("@")[2].lower()
        for prop in result.properties
        if prop.type == "header" and prop.name in ("d", "i")
    }
    return bool(named) and all(is_aligned(domain, sender, policy) for domain in named.values())
