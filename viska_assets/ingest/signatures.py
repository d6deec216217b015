"""One DKIM signature of a mail (RFC 6376) checked against recorded DNS answers, as of the moment it was received."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import dkim

from viska_assets.ingest.mail_domains import RecordedDns

# Leeway for clocks that differ, as dkimpy allows it for t=. A t= after the receipt is let pass, as RFC 6376 §3.5 leaves
# open: what the mail says of its receipt is often older than the signature (the RFC's own examples are).
_CLOCK_LEEWAY = 36_000
_FIELDS = re.compile(rb"\s*:\s*")


@dataclass(frozen=True)
class Signature:
    """A DKIM-Signature header taken apart."""

    at: int
    tags: Mapping[str, str]

    @property
    def signer(self) -> str:
        """The signing domain."""
        return self.tags.get("d", "").lower()

    @property
    def key_name(self) -> str:
        """Where the key is published."""
        return f"{self.tags.get('s', '')}._domainkey.{self.signer}"

    @property
    def signed_headers(self) -> frozenset[str]:
        """The names of the headers that are covered."""
        return frozenset(name.lower() for name in self.tags.get("h", "").split(":"))


def signatures_of(values: list[str]) -> tuple[Signature, ...]:
    """The signatures of a mail, in the order of its headers."""
    found = []
    for at, value in enumerate(values):
        pairs = (part.split("=", 1) for part in "".join(value.split()).split(";") if "=" in part)
        found.append(Signature(at, {name: text for name, text in pairs}))
    return tuple(found)


def why_no_signature(message: bytes, signature: Signature, dns: RecordedDns, received: datetime) -> str | None:
    """Why a signature proves nothing; None if it verifies.

    Args:
        message: the mail.
        signature: the one to check.
        dns: the answers to check it against.
        received: when the mail came, by which its expiry (``x=``) is judged.
    """
    tags, signer = signature.tags, signature.signer or "?"
    if "l" in tags:
        return f"the signature of {signer} covers only {tags['l']} bytes of the body (l=)"
    if "from" not in signature.signed_headers:
        return f"the signature of {signer} does not cover the From header"
    if tags.get("a", "").lower() == "rsa-sha1":
        return f"the signature of {signer} uses rsa-sha1, which RFC 8301 retired"
    refused = _why_not_in_time(tags, signer, received) or _why_not_this_key(signature, dns)
    if refused is not None:
        return refused
    try:
        verified = _UndatedDkim(message).verify(idx=signature.at, dnsfunc=dns.for_dkim)
    except (dkim.DKIMException, ValueError) as error:
        return f"the signature of {signer} cannot be checked: {error}"
    return None if verified else f"the signature of {signer} does not verify"


def _why_not_in_time(tags: Mapping[str, str], signer: str, received: datetime) -> str | None:
    moment = received.timestamp()
    signed, expires = tags.get("t", ""), tags.get("x", "")
    if (signed and not _is_seconds(signed)) or (expires and not _is_seconds(expires)):
        return f"the signature of {signer} has a time that is no number (t=, x=)"
    if expires and int(expires) < moment - _CLOCK_LEEWAY:
        return f"the signature of {signer} had expired when the mail was received (x={expires})"
    if signed and expires and int(expires) < int(signed):
        return f"the signature of {signer} expires before it was made (t={signed}, x={expires})"
    return None


def _is_seconds(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 12


def _why_not_this_key(signature: Signature, dns: RecordedDns) -> str | None:
    record = dns.text(signature.key_name)
    if record is None:
        return f"no DNS answer for {signature.key_name} is recorded"
    pairs = (part.split("=", 1) for part in record.split(";") if "=" in part)
    key = {name.strip(): value.strip() for name, value in pairs}
    flags = {flag.strip() for flag in key.get("t", "").split(":")}
    if "y" in flags:
        return f"{signature.signer} is only testing its key (t=y)"
    agent = signature.tags.get("i", "").rpartition("@")[2].lower()
    if "s" in flags and agent and agent != signature.signer:
        return f"the key of {signature.signer} may not sign for the subdomain {agent} (t=s)"
    if "h" in key and "sha256" not in {name.strip() for name in key["h"].split(":")}:
        return f"the key of {signature.signer} does not allow sha256 (h=)"
    return None


class _UndatedDkim(dkim.DKIM):  # type: ignore[misc]
    """dkimpy's check without its clock: it judges ``t=`` and ``x=`` by today, which makes old mail invalid."""

    def verify_headerprep(self, idx: int = 0) -> object:
        """As dkimpy prepares a check, the two times left out; they are judged by the moment of receipt."""
        headers = [(name, value) for name, value in self.headers if name.lower() == b"dkim-signature"]
        if len(headers) <= idx:
            return False
        try:
            fields = dkim.parse_tag_value(headers[idx][1])
        except dkim.InvalidTagValueList as error:
            raise dkim.MessageFormatError(error) from error
        self.signature_fields = fields
        dkim.validate_signature_fields({name: value for name, value in fields.items() if name not in (b"t", b"x")})
        self.domain, self.selector = fields[b"d"], fields[b"s"]
        signed = [name.lower() for name in _FIELDS.split(fields[b"h"])]
        self.include_headers = tuple(signed)
        return fields, signed, headers
