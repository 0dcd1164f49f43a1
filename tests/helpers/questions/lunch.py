"""A recipe of four regions and a few questions, and a server that reads its options as a test says."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from blend.schemas.locales import registry
from helpers.models.chat_server import Chat, ChatReply

ANSWERS = {
    "en-GB": ("sandwich", "crisps"),
    "en-US": ("pizza", "salad"),
    "en-AU": ("meat pie", "homework"),
    "es-MX": ("tacos", "soup"),
}
"""By locale, what three people said, and what two others did."""

Opinion = tuple[str, float]
"""Verdict and confidence."""

FINE = ("ok", 0.95)


def question(tag: str, number: int = 0) -> str:
    """A question in English."""
    return f"What is meal {number} in {registry().get(tag).prompt_name}?"


def _in_own_words(tag: str, number: int) -> str:
    return (
        question(tag, number) if tag.startswith("en-") else f"¿{number} en {registry().get(tag).native_name}?"
    )


def lunch(
    folder: Path, n_templates: int = 1, answers: Mapping[str, tuple[str, str]] = ANSWERS, **mcq: Any
) -> Path:
    """Write a recipe whose sources ask each region what lunch is, and have its path; answers are English."""
    ids = [f"food-{number:02}" for number in range(n_templates)]
    templates = [(one, "Food", "", f"What is meal {n} in {{country}}?") for n, one in enumerate(ids)]
    _table(folder / "templates.csv", "template_id topic source_locale text", templates)
    asked = [
        (one, tag, _in_own_words(tag, n), question(tag, n)) for n, one in enumerate(ids) for tag in answers
    ]
    _table(folder / "questions.csv", "template_id locale question en_question", asked)
    for tag, (most, few) in answers.items():
        people = [(one, f"a{n}", most if n < 3 else few) for one in ids for n in range(5)]
        _table(folder / "responses" / f"{tag}.csv", "template_id annotator answer_1", people)
    (folder / "reviews").mkdir()
    for tag in (tag for tag in answers if not tag.startswith("en-")):
        groups = [{"answers": [text], "en_answers": [text]} for text in dict.fromkeys(answers[tag])]
        reviews = [{"template_id": one, "reviewer": "r02", "invalid": [], "groups": groups} for one in ids]
        lines = "".join(json.dumps(one) + "\n" for one in reviews)
        (folder / "reviews" / f"{tag}.jsonl").write_text(lines, "utf-8")
    options = "".join(f"{name} = {json.dumps(value)}\n" for name, value in mcq.items())
    (folder / "recipe.toml").write_text(
        'name = "lunch"\nversion = "0.1.0"\nlicense = "cc-by-4.0"\n\n'
        f'[[sources]]\nkind = "responses"\nlocation = "."\n\n[mcq]\n{options}',
        "utf-8",
    )
    return folder / "recipe.toml"


def _table(path: Path, columns: str, rows: Sequence[tuple[str, ...]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns.split(), *rows])


def asked_in(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a request asks about: question, region and options."""
    asked: dict[str, Any] = json.loads(body["messages"][1]["content"])
    return asked


def options_in(bodies: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Question and option of all that requests ask about."""
    every = map(asked_in, bodies)
    return [(asked["question"], one["option"]) for asked in every for one in asked["options"].values()]


def reads(chat: Chat, opinions: Mapping[str, Opinion]) -> Callable[[dict[str, Any]], ChatReply]:
    """Have a server give these opinions on distractors, and be sure of all else that it is fine."""

    def say(body: dict[str, Any]) -> ChatReply:
        said = {}
        for number, one in asked_in(body)["options"].items():
            verdict, confidence = opinions.get(one["option"], FINE) if one["role"] == "distractor" else FINE
            said[number] = {"verdict": verdict, "confidence": confidence}
        return ChatReply(json.dumps(said))

    chat.say = say
    return say
