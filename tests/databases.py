"""Databases of a moment on the server under test."""

import uuid

import psycopg


def create_database(server_url: str, template: str = "template1") -> tuple[str, str]:
    """Makes a database like another one, to which nobody may be connected; returns its name and its address."""
    name = f"viska_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    base, _, rest = server_url.rpartition("/")
    query = f"?{rest.split('?', 1)[1]}" if "?" in rest else ""
    return name, f"{base}/{name}{query}"


def drop_database(server_url: str, name: str) -> None:
    """Removes it with whoever is connected."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
