from datetime import UTC, datetime
from itertools import permutations
from math import log2

from hypothesis import given
from hypothesis import strategies as st

from viska_assets.hermes.coverage import Evidence, Rating, rate
from viska_assets.hermes.merging import merge_hits
from viska_assets.query.results import Confidence, Dated, Factors, FoundIn, Hit, HitKind, Where

WHEN = Dated(datetime(2026, 1, 1, tzinfo=UTC))
TEXT = "The net sales of the services segment rose to 96.2 billion dollars in the fiscal year that ended in September"


def hit(identity: str, text: str, who: str, where: FoundIn = FoundIn.VAULT, authority: float = 1.0) -> Hit:
    return Hit(
        id=identity,
        kind=HitKind.PASSAGE,
        found_in=where,
        where=Where(f"viska://{identity}", "health" if who == "private" else "default", identity),
        text=text,
        date=WHEN,
        contributor=who,
        confidence=Confidence(0.5, "the test"),
        factors=Factors(0.8, 0.9, authority),
    )


def test_the_same_text_is_one_hit_of_the_highest_authority_with_the_others_beside_it() -> None:
    merged = merge_hits(
        [
            hit("web:1", TEXT, "blog", FoundIn.WEB, 0.4),
            hit("chunk:1", TEXT.upper() + " ", "issuer"),
            hit("x", "Else", "y"),
        ]
    )
    (one,) = [found for found in merged if found.hit.where.uri == "viska://chunk:1"]
    assert [place.uri for place in one.hit.also_at] == ["viska://web:1"]
    assert one.origins == ("vault:issuer", "web:blog")
    assert len(merged) == 2


def test_other_numbers_are_no_duplicate() -> None:
    assert len(merge_hits([hit("a", TEXT, "x"), hit("b", TEXT.replace("96.2", "96.3"), "y")])) == 2


def test_one_sender_in_several_places_corroborates_nothing_and_neither_does_a_private_note() -> None:
    (one,) = merge_hits([hit("a", TEXT, "x"), hit("b", TEXT, "X "), hit("c", TEXT, "private")], private=("health",))
    assert one.origins == ("vault:x",)
    assert one.hit.factors.corroboration == 1


def test_a_merged_score_can_be_computed_again() -> None:
    (one,) = merge_hits([hit("a", TEXT, "x"), hit("b", TEXT, "y"), hit("c", TEXT, "z")])
    f = one.hit.factors
    again = f.relevance * f.recency**f.recency_weight * f.confidence**f.confidence_weight * (1 + 0.25 * log2(3))
    assert abs(one.score - again) < 1e-9


def test_the_order_in_which_sources_answer_has_no_influence() -> None:
    hits = [
        hit("a", TEXT, "x"),
        hit("b", TEXT, "y", FoundIn.REPOSITORY, 0.7),
        hit("c", "Other words", "z"),
        hit("d", "Else", "z"),
    ]
    assert len({repr(merge_hits(order)) for order in permutations(hits)}) == 1


PIECES = st.lists(
    st.builds(Evidence, st.sampled_from("abcdefghijkl"), st.sampled_from("uvwxyz"), st.booleans(), st.booleans()),
    max_size=20,
)


@given(PIECES, PIECES)
def test_more_evidence_never_lowers_a_rating(some: list[Evidence], more: list[Evidence]) -> None:
    assert rate(some + more) >= rate(some)


def test_each_rating_can_be_reached() -> None:
    documents = [Evidence(f"d{n}", f"who{n % 3}", fresh=True) for n in range(8)]
    ratings = [rate(documents[:count]) for count in (1, 2, 4)] + [rate([*documents, Evidence("p", "", is_page=True)])]
    assert ratings == list(Rating)
