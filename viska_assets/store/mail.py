"""Rows about mail: what the authentication of a sender rests on, so that it can be proved again offline."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection


@dataclass(frozen=True)
class MailAuthentication:
    """The verdict on a mail's sender with the DNS answers that it was reached by."""

    result: str
    domain: str
    reason: str
    chain: str
    policy: str
    received_at: datetime
    dns: Mapping[str, str]


def record_authentication(connection: Connection, document_id: str, found: MailAuthentication) -> None:
    """Stores the verdict on a mail; reading the mail again replaces it."""
    connection.execute(
        """
        INSERT INTO raw.mail_authentication (document_id, result, domain, reason, chain, policy, received_at, dns)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (document_id) DO UPDATE SET result = EXCLUDED.result, domain = EXCLUDED.domain,
            reason = EXCLUDED.reason, chain = EXCLUDED.chain, policy = EXCLUDED.policy,
            received_at = EXCLUDED.received_at, dns = EXCLUDED.dns
        """,
        (
            document_id,
            found.result,
            found.domain,
            found.reason,
            found.chain,
            found.policy,
            found.received_at,
            Jsonb(dict(found.dns)),
        ),
    )


def authentication_of(connection: Connection, document_id: str) -> MailAuthentication | None:
    """The stored verdict on a mail; None for what is no mail."""
    row = connection.execute(
        """
        SELECT result, domain, reason, chain, policy, received_at, dns
        FROM raw.mail_authentication WHERE document_id = %s
        """,
        (document_id,),
    ).fetchone()
    return MailAuthentication(*row) if row else None
