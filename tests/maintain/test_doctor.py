"""Damage done behind Viska's back: the doctor names it, mends what is derived, and says what is left."""

import json
from collections.abc import Callable

import psycopg
import pytest

from tests.disposable import Disposable

pytestmark = pytest.mark.database


def sql(statement: str) -> Callable[[Disposable], None]:
    def damage(home: Disposable) -> None:
        with psycopg.connect(home.url) as connection:
            connection.execute(statement)

    return damage


def edit_a_page(home: Disposable) -> None:
    page = home.root / "bundle" / "issuers" / "nvidia.md"
    page.write_text(page.read_text() + "\nedited\n")


def change_a_blob(home: Disposable) -> None:
    blob = next(p for p in sorted((home.root / "raw").rglob("*")) if p.is_file())
    blob.write_bytes(blob.read_bytes() + b" ")


# In this order: each damage stays, and the next must be named beside it.
DAMAGE = {
    "a changed frequency": (sql("UPDATE retrieval.term SET df = df + 1 WHERE term = 'apple'"), "df"),
    "a changed number": (
        sql("UPDATE retrieval.evidence SET value = value + 1 WHERE ctid = (SELECT min(ctid) FROM retrieval.evidence)"),
        "differs from its record",
    ),
    "a lost number": (
        sql("DELETE FROM retrieval.evidence WHERE ctid = (SELECT max(ctid) FROM retrieval.evidence)"),
        "was read with",
    ),
    "a changed chunk": (
        sql("UPDATE retrieval.chunk SET text = text || '.' WHERE ordinal = 0 AND kind = 'paragraph'"),
        "has changed since it was read",
    ),
    "lost citations": (sql("DELETE FROM registry.citation"), "citations that the registry does not have"),
    "an edited page": (edit_a_page, "edited in the working tree"),
    "a changed blob": (change_a_blob, "bytes have changed"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_named(what: str, module_sample: Disposable) -> None:
    damage, said = DAMAGE[what]
    damage(module_sample)
    report = module_sample.viska("doctor", "--json")
    assert report.returncode == 1
    assert any(said in problem for problem in json.loads(report.stdout)["problems"]), report.stdout


def test_what_is_derived_is_mended_and_the_rest_keeps_the_exit_code(module_sample: Disposable) -> None:
    report = module_sample.viska("doctor", "--repair", "--json")
    assert report.returncode == 1
    assert "search statistics" in json.loads(report.stdout)["repaired"]
    left = json.loads(module_sample.viska("doctor", "--json").stdout)["problems"]
    assert not any("of default: df" in problem for problem in left)
    assert any("bytes have changed" in problem for problem in left)
