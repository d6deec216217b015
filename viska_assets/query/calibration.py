"""How likely a passage holds what answers: a logistic model whose coefficients were fitted on labelled questions."""

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).with_name("confidence.json")


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a passage for a question, each between 0 and 1.

    Attributes:
        covered: The share of the question's terms that it holds.
        near: The cosine of question and passage; 0 where the dense leg did not find it.
        place: One over its rank among the passages found with it.
    """

    covered: float
    near: float
    place: float

    @property
    def features(self) -> tuple[float, ...]:
        """The numbers that are weighed; more of any signal never makes one smaller.

        A rank counts only as far as words are shared: the first of a nonsense search is first among nothing.
        """
        return (self.covered, self.covered**2, self.near, self.covered * self.near, self.covered * self.place)


@dataclass(frozen=True, slots=True)
class Model:
    """An intercept and a weight for each feature; no weight is negative, so that more never lowers a confidence."""

    intercept: float
    weights: tuple[float, ...]
    fitted_on: str

    def probability(self, signals: Signals) -> float:
        """The chance that a passage with these signals holds evidence of the answer."""
        z = self.intercept + sum(w * x for w, x in zip(self.weights, signals.features, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))


@cache
def fitted_model() -> Model:
    """The model of the repository, as ``bench/calibration.py`` wrote it."""
    content = json.loads(DATA.read_text(encoding="utf-8"))
    return Model(float(content["intercept"]), tuple(map(float, content["weights"])), str(content["fitted_on"]))
