"""What a model can get wrong in an answer: each function makes an honest one wrong in one way."""

from typing import Any

from tests.maintain.model_desk import concept, figure


def fabricated(answer: dict[str, Any]) -> None:
    figure(answer, "Revenue")["figure"] = "$612 million"


def misplaced(answer: dict[str, Any]) -> None:
    figure(answer, "Revenue")["citation"]["row"] = "Net income"


def rescaled(answer: dict[str, Any]) -> None:
    figure(answer, "Net income")["figure"] = "$64 billion"


def moved_in_time(answer: dict[str, Any]) -> None:
    for part in concept(answer, "issuers/")["figures"]:
        part["column"] = part["column"].replace("2024", "2022")


def contradicting(answer: dict[str, Any]) -> None:
    parts = [
        figure(answer, "Net income") | {"label": "Result"},
        figure(answer, "Operating income") | {"label": "Result"},
    ]
    concept(answer, "issuers/")["figures"] += parts


def uncited(answer: dict[str, Any]) -> None:
    concept(answer, "events/")["statements"][0]["citations"] = []


def dangling(answer: dict[str, Any]) -> None:
    figure(answer, "Revenue")["citation"]["chunk"] = "0" * 24


def invented_quote(answer: dict[str, Any]) -> None:
    figure(answer, "Revenue")["citation"] |= {"quote": "Revenue was a record this year", "row": None, "column": None}


def no_such_row(answer: dict[str, Any]) -> None:
    figure(answer, "Revenue")["citation"]["row"] = "Total turnover"


def linking(answer: dict[str, Any]) -> None:
    concept(answer, "events/")["statements"][0]["text"] += " See [here](https://evil.example/pay)."


def imaging(answer: dict[str, Any]) -> None:
    concept(answer, "events/")["statements"][0]["text"] += " <img src=x>"


def adorned(answer: dict[str, Any]) -> None:
    concept(answer, "events/")["statements"][0]["text"] = "Revenue rose strongly to $512 million{0}."


def about_another(answer: dict[str, Any]) -> None:
    answer["concepts"].append({"concept": "issuers/apple", "statements": [], "figures": []})


def elsewhere(answer: dict[str, Any]) -> None:
    concept(answer, "issuers/")["figures"][0]["section"] = "Open theses"


def dressed_table(answer: dict[str, Any]) -> None:
    figure(answer, "Revenue")["table"] = "Buy now"


def no_figure(answer: dict[str, Any]) -> None:
    figure(answer, "Revenue")["figure"] = "half a billion | more"
