"""Domains of mail: the organisational domain, alignment and the DMARC policy, from recorded DNS answers (RFC 7489)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from authheaders.dmarc_lookup import get_org_domain


class RecordedDns:
    """DNS answers from a record, which remembers the ones that were used, so that a verdict can be proved later.

    Args:
        answers: TXT records by name; names are compared without case and the trailing dot.
    """

    def __init__(self, answers: Mapping[str, str]) -> None:
        self._answers = {name.rstrip(".").lower(): text for name, text in answers.items()}
        self.used: dict[str, str] = {}

    def text(self, name: str) -> str | None:
        """The TXT record of a name; None where none is recorded."""
        asked = name.rstrip(".").lower()
        answer = self._answers.get(asked)
        if answer is not None:
            self.used[asked] = answer
        return answer

    def for_dkim(self, name: bytes | str, timeout: int = 5) -> bytes | None:
        """The same in the form that dkimpy asks for."""
        answer = self.text(name.decode("ascii", "replace") if isinstance(name, bytes) else name)
        return answer.encode() if answer is not None else None


@dataclass(frozen=True)
class DmarcPolicy:
    """What the owner of a From domain publishes; without a record ``wish`` is empty and alignment relaxed."""

    wish: str = ""
    strict: bool = False

    @property
    def refuses(self) -> bool:
        """Whether the owner asks that mail which does not authenticate be turned away or set aside."""
        return self.wish in ("reject", "quarantine")


@lru_cache(maxsize=4096)
def organisational_domain(domain: str) -> str:
    """The domain that was registered: one label below the public suffix.

    A suffix that the list does not know counts as one label, so that two strangers below it are never one house.
    """
    found = str(get_org_domain(domain) or "")
    return found if "." in found else ".".join(domain.split(".")[-2:])


def dmarc_policy(domain: str, dns: RecordedDns) -> DmarcPolicy:
    """The policy of a From domain: its own record, otherwise its organisational domain's (RFC 7489 §6.6.3)."""
    own = _tags(dns.text(f"_dmarc.{domain}"))
    if own:
        return DmarcPolicy(own.get("p", ""), own.get("adkim") == "s")
    house = organisational_domain(domain)
    inherited = _tags(dns.text(f"_dmarc.{house}")) if house != domain else {}
    return DmarcPolicy(inherited.get("sp") or inherited.get("p", ""), inherited.get("adkim") == "s")


def is_aligned(signer: str, sender: str, policy: DmarcPolicy) -> bool:
    """Whether a signing domain may speak for a From domain."""
    if not signer or not sender:
        return False
    if policy.strict:
        return signer == sender
    return organisational_domain(signer) == organisational_domain(sender)


def _tags(record: str | None) -> dict[str, str]:
    pairs = [part.split("=", 1) for part in (record or "").split(";") if "=" in part]
    tags = {name.strip().lower(): value.strip().lower() for name, value in pairs}
    # RFC 7489 §6.3: the version must stand first, otherwise the record is none.
    return tags if pairs and (pairs[0][0].strip(), pairs[0][1].strip()) == ("v", "DMARC1") else {}
