import csv
import email
import io
import json
import re
from email import policy
from pathlib import Path

import dkim
import pytest
from lxml import etree

import samples
from samples.broker_notes import HIDDEN_INSTRUCTION
from samples.build_feed import FEED, build_feed
from tests.shared_data import shared_data

FOLDER = Path(samples.__file__).parent
XBRL = {"ix": "http://www.xbrl.org/2013/inlineXBRL", "xbrli": "http://www.xbrl.org/2003/instance"}
SIGNED = [name for name in FEED if name.endswith(".eml") and not name.startswith("hostile")]


def committed(name: str) -> bytes:
    return (FOLDER / "feed" / name).read_bytes()


def verify(message: bytes) -> bool:
    answers = json.loads((FOLDER / "dns.json").read_text("utf-8"))

    def lookup(name: bytes, timeout: int = 5) -> bytes | None:
        answer = answers.get(name.decode().rstrip("."))
        return answer.encode() if answer else None

    return bool(dkim.verify(message, dnsfunc=lookup))


@pytest.mark.parametrize("name", [*FEED, "../dns.json"])
def test_the_builder_reproduces_the_committed_bytes(name: str) -> None:
    assert build_feed()[name] == committed(name)


def test_nothing_else_lies_in_the_feed() -> None:
    assert {path.name for path in (FOLDER / "feed").iterdir()} == set(FEED)


@pytest.mark.parametrize("name", SIGNED)
def test_signatures_verify_without_the_network(name: str) -> None:
    assert verify(committed(name))


@pytest.mark.parametrize("name", SIGNED)
def test_an_altered_note_does_not_verify(name: str) -> None:
    assert not verify(committed(name).replace(b"$2", b"$9", 1))


def test_the_two_notes_of_one_house_differ_only_in_their_view() -> None:
    first, second = (email.message_from_bytes(committed(name), policy=policy.default) for name in SIGNED[:2])
    assert first["From"] == second["From"]
    assert first["Date"].datetime.date() == second["Date"].datetime.date()
    assert "Rating: Buy" in first.get_content() and "Rating: Hold" in second.get_content()
    assert not re.search(r"revis|supersed|correct|previous|update", second.get_content(), re.IGNORECASE)


class TestAnnualReport:
    tree = etree.fromstring(committed("aapl-10-k-2024-11-01.html"))

    def test_every_fact_has_its_context_and_unit(self) -> None:
        contexts = {node.get("id") for node in self.tree.iterfind(".//xbrli:context", XBRL)}
        units = {node.get("id") for node in self.tree.iterfind(".//xbrli:unit", XBRL)}
        facts = self.tree.findall(".//ix:nonFraction", XBRL)
        assert len(facts) > 70
        assert {fact.get("contextRef") for fact in facts} <= contexts
        assert {fact.get("unitRef") for fact in facts} <= units

    def test_identifiers_are_unique(self) -> None:
        found = self.tree.xpath("//@id")
        assert len(found) == len(set(found))

    def test_brackets_are_a_negative_sign_outside_of_the_tag(self) -> None:
        losses = [fact for fact in self.tree.iterfind(".//ix:nonFraction", XBRL) if fact.get("sign") == "-"]
        assert {fact.text for fact in losses} == {"565", "19,154", "214"}

    @pytest.mark.parametrize("table", ["PRODUCTS", "REGIONS"])
    def test_parts_add_up_to_their_total(self, table: str) -> None:
        from samples import annual_report

        rows = [[int(figure.replace(",", "")) for figure in row.figures] for row in getattr(annual_report, table)]
        assert [sum(column) for column in zip(*rows[:-1], strict=True)] == rows[-1]

    def test_its_figures_are_those_of_the_filing(self) -> None:
        facts = shared_data("open", "ixbrl_facts.jsonl")
        filed = set()
        for line in facts.open(encoding="utf-8"):
            fact = json.loads(line)
            if fact["doc_id"] == "html-aapl-10-k-2024-11-01":
                filed.add((fact["concept"], fact["display"], fact["negative"]))
        ours = {
            (fact.get("name"), fact.text, fact.get("sign") == "-")
            for fact in self.tree.iterfind(".//ix:nonFraction", XBRL)
        }
        assert ours - filed == set()


def test_the_hostile_note_is_unsigned_hides_an_instruction_and_makes_a_number_up() -> None:
    message = email.message_from_bytes(committed("hostile-aapl-2024-11-21.eml"), policy=policy.default)
    assert "DKIM-Signature" not in message
    text = message.get_content()
    visible = "".join(character for character in text if character not in "\u200b\u2060")
    assert HIDDEN_INSTRUCTION not in text and HIDDEN_INSTRUCTION in visible
    hidden = "".join(chr(ord(character) - 0xE0000) for character in text if ord(character) >= 0xE0000)
    assert hidden == HIDDEN_INSTRUCTION
    (invented,) = re.findall(r"reported Services net sales of \$([\d,]+) million", text)
    assert invented.encode() not in committed("aapl-10-k-2024-11-01.html")


def test_every_held_ticker_has_illustrative_prices() -> None:
    holdings = list(csv.DictReader(io.StringIO(committed("holdings.csv").decode())))
    prices = list(csv.DictReader(io.StringIO(committed("prices.csv").decode())))
    assert {row["ticker"] for row in holdings} == {row["ticker"] for row in prices}
    assert {row["source"] for row in prices} == {"illustrative"}
    assert all(re.fullmatch(r"US\w{10}", row["isin"]) for row in holdings)
