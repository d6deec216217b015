"""The ``viska`` command: where each command stands, and what becomes of what the environment does wrong."""

from importlib import import_module

import click
import psycopg
from pydantic import ValidationError

from viska_assets.cli.output import refuse
from viska_assets.engines.protocols import EngineError
from viska_assets.loading import without_collection
from viska_assets.store.server import ServerError
from viska_assets.store.settings import SettingError
from viska_assets.store.supervised.errors import RolesError

# Each command's module is loaded when it is called: an agent that starts ``viska mcp`` waits for nothing else.
LAZY = {
    "up": "up_command:up",
    "status": "up_command:status",
    "search": "asking_commands:search",
    "research": "asking_commands:research",
    "route": "asking_commands:route",
    "open": "asking_commands:open_",
    "find-pattern": "hermes_commands:find_pattern",
    "audit-coverage": "hermes_commands:audit_coverage",
    "find-contradiction": "hermes_commands:find_contradiction",
    "sources": "hermes_commands:sources",
    "source-check": "asking_commands:source_check",
    "trace": "trace_command:trace",
    "trace-provenance": "trace_command:trace_provenance",
    "mcp": "mcp_command:mcp",
    "ingest": "ingest_commands:ingest",
    "inspect": "ingest_commands:inspect",
    "feeds": "feed_commands:feeds",
    "quarantine": "quarantine_commands:quarantine",
    "issuers": "issuer_commands:issuers",
    "graph": "graph_commands:graph",
    "vaults": "vault_commands:vaults",
    "gate": "bundle_commands:gate",
    "doctor": "bundle_commands:doctor",
    "incidents": "bundle_commands:incidents",
    "lint": "lint_command:lint",
    "db": "database_commands:db",
    "embeddings": "embedding_commands:embeddings",
    "parity": "parity_commands:parity",
    "backtest": "backtest_commands:backtest",
    "roles": "supervise_commands:roles",
    "pause": "supervise_commands:pause",
    "resume": "supervise_commands:resume",
    "kill": "supervise_commands:kill",
    "revive": "supervise_commands:revive",
    "audit": "supervise_commands:audit",
    "nous": "loop_commands:nous",
    "review": "loop_commands:review",
    "drill": "drill_command:drill",
    "governance": "governance_commands:governance",
    "slack": "outside_commands:slack",
    "spool": "outside_commands:spool",
}


class Commands(click.Group):
    """All commands; what the environment does wrong ends one with a message and exit code 3, not a traceback."""

    def list_commands(self, context: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted({*super().list_commands(context), *LAZY})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A command by name, its module loaded now."""
        place = LAZY.get(name)
        if place is None:
            return super().get_command(context, name)
        module, _, attribute = place.partition(":")
        with without_collection():
            found = getattr(import_module(f"viska_assets.cli.{module}"), attribute)
        assert isinstance(found, click.Command)
        return found

    def invoke(self, context: click.Context) -> object:
        """Runs the command that was named."""
        try:
            return super().invoke(context)
        except ValidationError as error:
            said = "; ".join(f"VISKA_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors() if e["loc"])
            refuse(f"a setting cannot be read: {said or error}")
        except psycopg.OperationalError as error:
            refuse(
                f"the database cannot be reached: {str(error).strip()}; see VISKA_DATABASE_URL, or `viska db status`"
            )
        except (ServerError, EngineError, SettingError, RolesError) as error:
            refuse(str(error))
        except OSError as error:
            refuse(f"{error.filename or 'a file'}: {error.strerror or error}")


@click.group(cls=Commands)
@click.version_option(package_name="viska")
def main() -> None:
    """Viska: two tiers of knowledge with a deterministic gate between them.

    Exit codes: 0 done; 1 something was refused (a document, a page, a draft); 2 wrong usage; 3 the environment is
    broken (no database, no model). State lives under VISKA_HOME.
    """
