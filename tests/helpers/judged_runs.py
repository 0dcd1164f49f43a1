"""A run whose replies are of known kinds, and judges that say what a test wants."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl

import blend
from blend.eval.release_items import read_items
from blend.eval.tasks import task_of
from helpers.asking import recorded

KINDS = ("exact", "sentence", "other", "blank")
"""Kinds of replies, in turn: the most common answer, a sentence with it, another word, nothing."""


def reply(kind: str, answer: str) -> str:
    return {"exact": answer, "sentence": f"I think that it is {answer}.", "other": "zzz", "blank": ""}[kind]


def answered_run(release: Path, folder: Path, *, limit: int = 4, model: str = "echo-7b") -> blend.Run:
    """A run of recorded answers, the kinds of `KINDS` in turn over its items."""
    asked = read_items(release, task_of("short-answer"), limit=limit).asked
    first = {
        (row["template_id"], row["locale"], is_english): row["annotations"][0][column][0]
        for row in asked.gold.iter_rows(named=True)
        for is_english, column in ((False, "answers"), (True, "en_answers"))
    }
    items = asked.items.select("item_id", "template_id", "locale", pl.col("language") == "en")
    rows = [
        {"item_id": item_id, "response": reply(KINDS[number % len(KINDS)], first[tuple(key)])}
        for number, (item_id, *key) in enumerate(items.iter_rows())
    ]
    return recorded(release, "short-answer", pl.DataFrame(rows), folder / "run", model=model, limit=limit)


def filled(sheet: Path, name: str, say: Callable[[Mapping[str, str]], str | None]) -> Path:
    """A copy of a sheet of replies that somebody has filled in."""
    rows = pl.read_csv(sheet, infer_schema=False)
    said = pl.Series("verdict", [say(row) for row in rows.iter_rows(named=True)], pl.String)
    rows.with_columns(said).write_csv(sheet.with_name(name))
    return sheet.with_name(name)


class OwnJudge:
    """A judge of a test's own, which counts what it is asked."""

    def __init__(self, name: str, says: Callable[[str], str]) -> None:
        self.name = name
        self.says = says
        self.prompts: list[str] = []

    def generate(self, prompts: list[str]) -> Sequence[str]:
        self.prompts += prompts
        return [self.says(prompt) for prompt in prompts]


def says(verdict: str, **more: object) -> str:
    return json.dumps({"verdict": verdict, "answer": 1, "reason": "so", **more})


def finds_the_answer(prompt: str) -> str:
    """What a judge says that knows how `reply` makes sentences."""
    return says("correct" if "I think that it is" in prompt else "wrong")
