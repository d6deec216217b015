"""The policy that is in force, kept once in ``governance.policy`` under its hash."""

import hashlib
import json

from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection
from viska_assets.store.policy import Policy


def policy_hash(policy: Policy) -> str:
    """SHA-256 of the policy as JSON with sorted keys, whatever the file's layout is."""
    text = json.dumps(policy.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def keep_policy(connection: Connection, policy: Policy) -> str:
    """Keeps the policy where it is new, and returns its hash."""
    digest = policy_hash(policy)
    connection.execute(
        "INSERT INTO governance.policy (policy_sha256, policy) VALUES (%s, %s) ON CONFLICT (policy_sha256) DO NOTHING",
        (digest, Jsonb(policy.model_dump(mode="json"))),
    )
    return digest
