"""A small IMAP server over TLS that speaks just enough of the protocol, with faults on demand."""

import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


@dataclass
class Mailbox:
    """What the server holds, how it misbehaves, and what it was told."""

    mails: dict[int, bytes] = field(default_factory=dict)
    validity: int = 7
    password: str = "right"
    cut_at: int | None = None
    port: int = 0
    ca_file: Path | None = None
    commands: list[str] = field(default_factory=list)


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and its key, as files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mailbox")])
    now = datetime.now(tz=UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(built.public_bytes(Encoding.PEM))
    paths[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()))
    return paths


@contextmanager
def serving_mailbox(folder: Path) -> Iterator[Mailbox]:
    mailbox = Mailbox()
    cert, key = certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    mailbox.ca_file = cert
    listener = socket.create_server(("127.0.0.1", 0))
    mailbox.port = listener.getsockname()[1]

    def accept() -> None:
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_session, args=(plain, context, mailbox), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield mailbox
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _session(plain: socket.socket, context: ssl.SSLContext, mailbox: Mailbox) -> None:
    try:
        with context.wrap_socket(plain, server_side=True) as connection, connection.makefile("rwb") as stream:
            stream.write(b"* OK ready\r\n")
            stream.flush()
            for line in stream:
                tag, _, command = line.decode().rstrip().partition(" ")
                mailbox.commands.append(command)
                if not _answer(stream, tag.encode(), command, mailbox):
                    return
                stream.flush()
    except OSError:
        return


def _answer(stream, tag: bytes, command: str, mailbox: Mailbox) -> bool:
    if command.startswith("CAPABILITY"):
        stream.write(b"* CAPABILITY IMAP4rev1\r\n")
    elif command.startswith("LOGIN"):
        if not command.endswith(f'"{mailbox.password}"'):
            stream.write(tag + b" NO refused: " + command.encode() + b"\r\n")
            return True
    elif command.startswith(("EXAMINE", "SELECT")):
        if '"INBOX"' not in command:
            stream.write(tag + b" NO no such folder\r\n")
            return True
        stream.write(b"* %d EXISTS\r\n* OK [UIDVALIDITY %d] valid\r\n" % (len(mailbox.mails), mailbox.validity))
    elif command.startswith("UID SEARCH"):
        first = int(re.search(r"UID (\d+):\*", command).group(1))
        found = [uid for uid in sorted(mailbox.mails) if uid >= first] or sorted(mailbox.mails)[-1:]
        stream.write(b"* SEARCH " + " ".join(map(str, found)).encode() + b"\r\n")
    elif command.startswith("UID FETCH"):
        uid = int(command.split()[2])
        if uid in mailbox.mails:
            data = mailbox.mails[uid]
            if "RFC822.SIZE" in command:
                stream.write(b"* 1 FETCH (UID %d RFC822.SIZE %d)\r\n" % (uid, len(data)))
            else:
                stream.write(b"* 1 FETCH (UID %d BODY[] {%d}\r\n" % (uid, len(data)))
                if mailbox.cut_at == uid:
                    stream.write(data[: len(data) // 2])
                    stream.flush()
                    return False
                stream.write(data + b")\r\n")
    elif command.startswith("LOGOUT"):
        stream.write(b"* BYE\r\n" + tag + b" OK bye\r\n")
        stream.flush()
        return False
    stream.write(tag + b" OK done\r\n")
    return True
