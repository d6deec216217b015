"""Words of a model's sentence that no cited place has: the gate judges the figures, this the words beside them."""

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Words that state nothing by themselves. None of them negates, compares or gives a direction.
_NEUTRAL_WORDS = (
    "a an the and of in on at to for from by with as was were is are be been has have had it its this that which "
    "year years quarter quarters month months week weeks day two three six nine twelve ended ending end period "
    "fiscal full first second third fourth half reported stated amounted totalled totaled came company group "
    "thousand million billion trillion per share shares percent percentage point points basis "
    "january february march april may june july august september october november december "
    "usd eur gbp jpy chf dkk sek nok cad aud rating target price recommendation"
)
NEUTRAL = frozenset(_NEUTRAL_WORDS.split())


def words_of(text: str) -> list[str]:
    """The words of a text, folded: case, compatibility forms and possessives apart."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return [word.removesuffix("'s") for word in _WORD.findall(plain)]


def unfounded_words(text: str, said: Iterable[str]) -> list[str]:
    """The words of a sentence that none of the texts in ``said`` has, each once; plain words are free."""
    allowed = set(NEUTRAL)
    for part in said:
        allowed.update(words_of(part))
    return list(dict.fromkeys(word for word in words_of(text) if word not in allowed))
