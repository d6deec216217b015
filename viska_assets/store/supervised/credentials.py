"""The names, passwords and addresses of the writers' roles.

Passwords that Viska made stand in ``roles.json`` of the home, readable by its owner alone; an address from the
environment (``VISKA_NOUS_URL`` …) goes before them.
"""

import json
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from filelock import FileLock

from viska_assets.store.settings import Settings
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.matrix import Writer


@dataclass(frozen=True)
class Login:
    """A role with its password."""

    role: str
    password: str


def role_name(writer: Writer, database_name: str, prefix: str = "") -> str:
    """The role of a writer. Roles are known to a whole server, so that the database's name is part of it.

    Args:
        writer: whose role.
        database_name: the database that the role is for.
        prefix: what the operator set as ``VISKA_ROLE_PREFIX``; empty for a prefix made from the database's name.
    """
    made = f"viska_{re.sub('[^a-z0-9]+', '_', database_name.lower())[:40]}_"
    return f"{prefix or made}{writer.value}"


def logins(settings: Settings, url: str, *, rotate: bool = False) -> dict[Writer, Login]:
    """Every writer's login, passwords made and kept where there are none yet, or anew where they are rotated."""
    found: dict[Writer, Login] = {}
    with FileLock(_file(settings).with_suffix(".lock")):
        kept = _kept(settings)
        for writer in Writer:
            own = settings.writers.url_of(writer)
            if own:
                found[writer] = _login_of(own, writer)
                continue
            role = role_name(writer, database_of(url), settings.role_prefix)
            if rotate or role not in kept:
                kept[role] = secrets.token_urlsafe(24)
            found[writer] = Login(role, kept[role])
        _keep(settings, kept)
    return found


def wanted_roles(settings: Settings, url: str) -> dict[Writer, str]:
    """Every writer's role by name, whether it exists or not."""
    found: dict[Writer, str] = {}
    for writer in Writer:
        own = settings.writers.url_of(writer)
        made = role_name(writer, database_of(url), settings.role_prefix)
        found[writer] = _login_of(own, writer).role if own else made
    return found


def forget(settings: Settings, roles: list[str]) -> None:
    """Removes the passwords of roles that are gone."""
    with FileLock(_file(settings).with_suffix(".lock")):
        kept = _kept(settings)
        _keep(settings, {role: password for role, password in kept.items() if role not in roles})


def address_of(settings: Settings, url: str, writer: Writer) -> str:
    """The address under which a writer connects.

    Args:
        settings: where the home is, and the addresses from the environment.
        url: the database's own address, which may be empty where the environment has the writer's.
        writer: who connects.

    Raises:
        RolesError: where nothing is known of the writer's password.
    """
    own = settings.writers.url_of(writer)
    if own:
        _login_of(own, writer)
        return own
    role = role_name(writer, database_of(url), settings.role_prefix)
    password = _kept(settings).get(role)
    if password is None:
        raise RolesError(
            f"no password is known for the writer {writer.value} (role {role}): run `viska roles apply`, "
            f"or set VISKA_{writer.value.upper()}_URL"
        )
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{role}:{quote(password, safe='')}@{parts.netloc.rpartition('@')[2]}"))


def database_of(url: str) -> str:
    """The name of the database in an address."""
    return unquote(urlsplit(url).path.lstrip("/")) or "postgres"


def _login_of(url: str, writer: Writer) -> Login:
    parts = urlsplit(url)
    if parts.scheme != "postgresql" or not parts.username or not parts.password:
        raise RolesError(f"VISKA_{writer.value.upper()}_URL must read postgresql://ROLE:PASSWORD@HOST/DATABASE")
    return Login(unquote(parts.username), unquote(parts.password))


def _file(settings: Settings) -> Path:
    settings.home_path.mkdir(parents=True, exist_ok=True)
    return settings.home_path / "roles.json"


def _kept(settings: Settings) -> dict[str, str]:
    file = _file(settings)
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def _keep(settings: Settings, passwords: dict[str, str]) -> None:
    scratch = _file(settings).with_suffix(".partial")
    scratch.unlink(missing_ok=True)
    scratch.touch(mode=0o600)
    scratch.write_text(json.dumps(passwords, indent=1, sort_keys=True), encoding="utf-8")
    scratch.replace(_file(settings))
