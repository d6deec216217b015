"""Who sent a mail: signatures, alignment, policy, expiry, chains, and the DNS answers that a verdict rests on."""

import json
from datetime import UTC, datetime

import dkim
import nacl.signing
import pytest
from nacl.encoding import Base64Encoder

from tests.shared_data import shared_data
from viska_assets.ingest.authentication import AuthenticationResult, authenticate_mail
from viska_assets.ingest.forwarding import ChainResult, check_chain
from viska_assets.ingest.mail_domains import DmarcPolicy, RecordedDns, dmarc_policy, is_aligned, organisational_domain
from viska_assets.ingest.signatures import signatures_of, why_no_signature

KEY = nacl.signing.SigningKey(b"\x07" * 32)
SEED = KEY.encode(Base64Encoder)
RECORD = f"v=DKIM1; k=ed25519; p={KEY.verify_key.encode(Base64Encoder).decode()}"
DNS = {"s1._domainkey.northbank.com": RECORD}
JULY = datetime(2025, 7, 1, tzinfo=UTC)


def mail(sender: str = "Jane Doe <jane@northbank.com>", body: str = "We raise our target to 900.") -> bytes:
    return (
        f"From: {sender}\r\nTo: desk@fund.com\r\nSubject: Acme\r\nDate: Tue, 01 Jul 2025 07:30:00 +0000\r\n"
        f"Message-ID: <1@northbank.com>\r\n\r\n{body}\r\n"
    ).encode()


def signed(message: bytes, domain: str = "northbank.com", **changes: object) -> bytes:
    header = dkim.DKIM(message, signature_algorithm=b"ed25519-sha256").sign(
        b"s1", domain.encode(), SEED, canonicalize=(b"relaxed", b"relaxed"), **changes
    )
    return header + message


def with_tag(message: bytes, tag: bytes, domain: bytes = b"northbank.com") -> bytes:
    """Signs with one more tag, as dkimpy itself cannot."""
    signer = dkim.DKIM(message, signature_algorithm=b"ed25519-sha256")
    fields = [
        (b"v", b"1"),
        (b"a", b"ed25519-sha256"),
        (b"c", b"relaxed/relaxed"),
        (b"d", domain),
        (b"s", b"s1"),
        (b"h", b"from:to:subject:date"),
        tuple(tag.split(b"=")),
        (b"bh", _body_hash(message)),
        (b"b", b"0" * 60),
    ]
    signer.hasher = dkim.HASH_ALGORITHMS[b"ed25519-sha256"]
    policy = dkim.CanonicalizationPolicy.from_c_value(b"relaxed/relaxed")
    value = signer.gen_header(fields, [b"from", b"to", b"subject", b"date"], policy, b"DKIM-Signature", KEY)
    return b"DKIM-Signature: " + value + message


def _body_hash(message: bytes) -> bytes:
    import base64
    import hashlib

    body = message.split(b"\r\n\r\n", 1)[1]
    return base64.b64encode(hashlib.sha256(body).digest())


def test_an_aligned_signature_passes_and_keeps_the_answers_it_rests_on() -> None:
    found = authenticate_mail(signed(mail()), DNS | {"unused.com": "x", "_dmarc.northbank.com": "v=DMARC1; p=reject"})
    assert found.result is AuthenticationResult.PASS
    assert (found.domain, found.wish) == ("northbank.com", "reject")
    assert set(found.answers) == {"s1._domainkey.northbank.com", "_dmarc.northbank.com"}
    again = authenticate_mail(signed(mail()), found.answers)
    assert again.result is AuthenticationResult.PASS


@pytest.mark.parametrize(
    ("message", "dns", "reason"),
    [
        (signed(mail()).replace(b"900", b"100"), DNS, "cannot be checked: body hash mismatch"),
        (signed(mail()).replace(b"Subject: Acme", b"Subject: Other"), DNS, "does not verify"),
        (signed(mail()), {}, "no DNS answer"),
        (signed(mail("Eve <eve@evil.com>")), DNS, "not aligned"),
        (signed(mail(), length=True) + b"PS: sell everything\r\n", DNS, "covers only"),
        (signed(mail(), length=True), DNS, "covers only"),
        (b"From: a@evil.com\r\n" + signed(mail()), DNS, "more than one sender"),
        (signed(mail("a@northbank.com, b@northbank.com")), DNS, "more than one sender"),
        (signed(mail()), {"s1._domainkey.northbank.com": RECORD + "; t=y"}, "testing"),
        (signed(mail(), identity=b"x@mail.northbank.com"), {**DNS, next(iter(DNS)): RECORD + "; t=s"}, "subdomain"),
        (signed(mail()), {"s1._domainkey.northbank.com": RECORD + "; h=sha1"}, "does not allow sha256"),
        (signed(mail()), {"s1._domainkey.northbank.com": "v=DKIM1; k=ed25519; p="}, "northbank.com"),
        (signed(mail()).replace(b"from", b"to"), DNS, "does not cover the From header"),
        (signed(mail()).replace(b"ed25519-sha256", b"rsa-sha1"), DNS, "RFC 8301"),
    ],
)
def test_what_is_not_proved_fails_with_its_reason(message: bytes, dns: dict[str, str], reason: str) -> None:
    found = authenticate_mail(message, dns)
    assert found.result is AuthenticationResult.FAIL
    assert reason in found.reason


def test_a_bare_comma_in_a_name_is_no_second_sender() -> None:
    found = authenticate_mail(signed(mail("Jane Doe, Northbank Research <jane@northbank.com>")), DNS)
    assert (found.result, found.domain) == (AuthenticationResult.PASS, "northbank.com")


def test_one_good_signature_among_broken_ones_is_enough() -> None:
    message = signed(mail())
    assert authenticate_mail(signed(message, "listserv.com"), DNS).result is AuthenticationResult.PASS


def test_no_signature_is_none_unless_the_domain_asks_to_refuse_such_mail() -> None:
    assert authenticate_mail(mail(), {}).result is AuthenticationResult.NONE
    assert authenticate_mail(mail(), {"_dmarc.northbank.com": "v=DMARC1; p=none"}).result is AuthenticationResult.NONE
    refused = authenticate_mail(mail(), {"_dmarc.northbank.com": "v=DMARC1; p=quarantine"})
    assert refused.result is AuthenticationResult.FAIL
    assert "publishes p=quarantine" in refused.reason


def test_a_subdomain_is_aligned_unless_the_policy_is_strict() -> None:
    message = signed(mail("Jane <jane@research.northbank.com>"))
    assert authenticate_mail(message, DNS).result is AuthenticationResult.PASS
    strict = DNS | {"_dmarc.northbank.com": "v=DMARC1; p=reject; adkim=s"}
    assert authenticate_mail(message, strict).result is AuthenticationResult.FAIL


def test_the_policy_of_a_subdomain_is_its_own_or_the_houses() -> None:
    dns = {"_dmarc.northbank.com": "v=DMARC1; p=reject; sp=none", "_dmarc.own.northbank.com": "v=DMARC1; p=quarantine"}
    assert dmarc_policy("northbank.com", RecordedDns(dns)).wish == "reject"
    assert dmarc_policy("x.northbank.com", RecordedDns(dns)).wish == "none"
    assert dmarc_policy("own.northbank.com", RecordedDns(dns)).wish == "quarantine"
    assert dmarc_policy("northbank.com", RecordedDns({"_dmarc.northbank.com": "p=reject; v=DMARC1"})).wish == ""


@pytest.mark.parametrize(
    ("domain", "house"),
    [("a.b.co.uk", "b.co.uk"), ("x.y.example", "y.example"), ("b.com", "b.com"), ("localhost", "localhost")],
)
def test_organisational_domains(domain: str, house: str) -> None:
    assert organisational_domain(domain) == house


def test_strangers_below_one_suffix_are_not_aligned() -> None:
    assert not is_aligned("evil.example", "good.example", DmarcPolicy())
    assert not is_aligned("evil.co.uk", "good.co.uk", DmarcPolicy())
    assert not is_aligned("", "", DmarcPolicy())


def test_expiry_is_judged_by_the_moment_of_receipt_and_not_by_today() -> None:
    expires_in_july = with_tag(mail(), b"x=1751500000")  # 2025-07-02
    assert authenticate_mail(expires_in_july, DNS).result is AuthenticationResult.PASS
    assert authenticate_mail(expires_in_july, DNS, received_at=JULY).result is AuthenticationResult.PASS
    late = authenticate_mail(expires_in_july, DNS, received_at=datetime(2025, 8, 1, tzinfo=UTC))
    assert late.result is AuthenticationResult.FAIL
    assert "had expired" in late.reason


def test_the_topmost_received_line_says_when_it_came() -> None:
    line = b"Received: from a by b; Fri, 01 Aug 2025 10:00:00 +0000\r\n"
    found = authenticate_mail(line + with_tag(mail(), b"x=1751500000"), DNS)
    assert found.received_at == datetime(2025, 8, 1, 10, tzinfo=UTC)
    assert "had expired" in found.reason


@pytest.mark.parametrize("raw", [b"", b"\r\n", b"From:\r\n\r\n", b"DKIM-Signature: ;;;=\r\nFrom: a@b.com\r\n\r\nx"])
def test_malformed_mail_is_judged_and_never_passes(raw: bytes) -> None:
    assert authenticate_mail(raw, DNS).result is not AuthenticationResult.PASS


class TestChains:
    """A broken signature is lifted by trusted forwarders only."""

    @pytest.fixture(scope="class")
    @classmethod
    def key(cls) -> tuple[bytes, str]:
        from cryptography.hazmat.primitives.asymmetric import rsa
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

        private = rsa.generate_private_key(65537, 2048)
        pem = private.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
        public = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        import base64

        return pem, f"v=DKIM1; k=rsa; p={base64.b64encode(public).decode()}"

    def forwarded(self, key: tuple[bytes, str], results: str, *, sealer: str = "lists.com") -> tuple[bytes, dict]:
        broken = signed(mail()).replace(b"900.", b"900.\r\n-- \r\nthe list's footer")
        message = f"Authentication-Results: {sealer}; {results}\r\n".encode() + broken
        lines = dkim.arc_sign(
            message, b"a1", sealer.encode(), key[0], sealer.encode(), include_headers=[b"from", b"subject"]
        )
        return b"".join(lines) + message, DNS | {f"a1._domainkey.{sealer}": key[1]}

    SAW = "dkim=pass header.d=northbank.com"

    def test_a_trusted_forwarder_lifts_the_broken_signature(self, key: tuple[bytes, str]) -> None:
        message, dns = self.forwarded(key, self.SAW)
        found = authenticate_mail(message, dns, trusted_forwarders=["Lists.com"])
        assert (found.result, found.chain) == (AuthenticationResult.PASS, ChainResult.PASS)
        assert "a1._domainkey.lists.com" in found.answers

    @pytest.mark.parametrize(
        ("results", "trusted", "reason"),
        [
            (SAW, [], "does not trust"),
            (SAW, ["others.com"], "does not trust"),
            ("dkim=fail header.d=northbank.com", ["lists.com"], "does not say"),
            ("dkim=pass header.d=evil.com", ["lists.com"], "does not say"),
            ("spf=pass smtp.mailfrom=northbank.com", ["lists.com"], "does not say"),
        ],
    )
    def test_nobody_else_does(self, key: tuple[bytes, str], results: str, trusted: list[str], reason: str) -> None:
        message, dns = self.forwarded(key, results)
        found = authenticate_mail(message, dns, trusted_forwarders=trusted)
        assert found.result is AuthenticationResult.FAIL
        assert reason in found.reason

    def test_a_chain_whose_mail_was_changed_afterwards_is_no_proof(self, key: tuple[bytes, str]) -> None:
        message, dns = self.forwarded(key, self.SAW)
        found = authenticate_mail(message.replace(b"900", b"100"), dns, trusted_forwarders=["lists.com"])
        assert (found.result, found.chain) == (AuthenticationResult.FAIL, ChainResult.FAIL)

    def test_a_chain_does_not_lift_mail_that_was_never_signed(self, key: tuple[bytes, str]) -> None:
        message = f"Authentication-Results: lists.com; {self.SAW}\r\n".encode() + mail()
        lines = dkim.arc_sign(message, b"a1", b"lists.com", key[0], b"lists.com", include_headers=[b"from"])
        dns = {"a1._domainkey.lists.com": key[1]}
        found = authenticate_mail(b"".join(lines) + message, dns, trusted_forwarders=["lists.com"])
        assert found.result is AuthenticationResult.NONE


@pytest.mark.pack
def test_labelled_chains_agree() -> None:
    labels = {"pass": ChainResult.PASS, "fail": ChainResult.FAIL, "none": ChainResult.NONE, "": ChainResult.ENDED}
    wrong = []
    cases = 0
    for suite in json.loads(shared_data("mail", "arc", "arc-draft-validation-tests.json").read_text()):
        for name, case in suite["tests"].items():
            cases += 1
            found = check_chain(case["message"].encode(), RecordedDns(suite["txt-records"] or {}))
            if found.result is not labels[case["cv"].lower()]:
                wrong.append((name, found))
    assert cases == 171
    assert wrong == []


@pytest.mark.pack
def test_labelled_signatures_verify_with_the_answers_of_their_day() -> None:
    verified = 0
    for path in sorted(shared_data("mail", "dkim").glob("*.txt")):
        head, _, message = path.read_bytes().partition(b"\n\n")
        dns = RecordedDns(dict(line.split(" ", 1) for line in head.decode().splitlines()))
        headers, _ = dkim.rfc822_parse(message)
        values = [value.decode() for name, value in headers if name.lower() == b"dkim-signature"]
        for signature in signatures_of(values):
            assert why_no_signature(message, signature, dns, datetime(2022, 11, 7, 18, tzinfo=UTC)) is None, path.name
            verified += 1
    assert verified == 8
