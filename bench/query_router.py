"""The router on its labelled questions: macro-F1 with an interval, the confusion matrix, what errors cost."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

from viska_assets.query.shapes import shape_of

SHAPES = ("synthesis", "retrieval", "mixed")
QUESTIONS = Path(__file__).parents[1] / "eval_sets" / "router" / "questions.jsonl"
ROUNDS = 2_000
# A question for something exact that only a page answers is worse than one that asks both tiers in vain.
COSTLY, NEEDLESS = 5, 1

Pairs = list[tuple[str, str]]


def macro_f1(pairs: Pairs) -> float:
    counts = Counter(pairs)
    scores = []
    for shape in SHAPES:
        right = counts[shape, shape]
        wrong = sum(n for (gold, said), n in counts.items() if (gold == shape) != (said == shape))
        scores.append(2 * right / (2 * right + wrong) if right + wrong else 1.0)
    return sum(scores) / len(scores)


def interval(pairs: Pairs) -> tuple[float, float]:
    """95 % of bootstrap resamples."""
    draw = random.Random(11)
    scores = sorted(macro_f1(draw.choices(pairs, k=len(pairs))) for _ in range(ROUNDS))
    return round(scores[int(0.025 * ROUNDS)], 4), round(scores[int(0.975 * ROUNDS)], 4)


def cost(pairs: Pairs) -> int:
    return sum(
        COSTLY if said == "synthesis" and gold != "synthesis" else NEEDLESS for gold, said in pairs if gold != said
    )


def router(pack_questions: list[str]) -> dict[str, Any]:
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    pairs: dict[str, Pairs] = {"dev": [], "held-out": []}
    errors = []
    for row in rows:
        said = shape_of(row["question"]).tier.value
        pairs[row["split"]].append((row["shape"], said))
        if said != row["shape"]:
            errors.append({"id": row["id"], "question": row["question"], "gold": row["shape"], "said": said})
    held = pairs["held-out"]
    counts = Counter(held)
    return {
        "macro_f1": round(macro_f1(held), 4),
        "interval": interval(held),
        "macro_f1_dev": round(macro_f1(pairs["dev"]), 4),
        "confusion": {gold: {said: counts[gold, said] for said in SHAPES} for gold in SHAPES},
        "costly_errors": sum(1 for p in pairs.values() for gold, said in p if said == "synthesis" != gold),
        "cost": cost(held),
        "questions": {split: len(found) for split, found in pairs.items()},
        "pack_questions": len(pack_questions),
        "pack_questions_to_synthesis": sum(1 for q in pack_questions if shape_of(q).tier.value == "synthesis"),
        "errors": errors,
    }
