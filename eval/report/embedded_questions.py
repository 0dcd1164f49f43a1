"""Single questions of a report as data of the page, shortened where all of them would make it too large."""

import base64
import itertools
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.eval.report.report_sections import region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import NOT_KNOWN, REASONS, Candidate, KnownQuestions

_RAW_DEFLATE = -15
"""zlib's parameter for a stream without header, which browsers call ``deflate-raw``."""


class TextTable:
    """Texts, each held once, with a number that stands for it; 0 is the empty text, and null."""

    def __init__(self, characters: int | None = None) -> None:
        """Begin a table.

        Args:
            characters: Characters from which on a text is cut, and says how long it was; never when absent.
        """
        self._numbers: dict[str, int] = {"": 0}
        self._characters = characters
        self.n_cut = 0
        """Distinct texts that were cut."""

    def number(self, text: str | None) -> int:
        """The number of a text, a new one if it is not held yet."""
        return self._numbers.setdefault(text or "", len(self._numbers))

    def numbers(self, texts: Iterable[str | None]) -> list[int]:
        """The numbers of texts as `steps`."""
        return steps([self.number(text) for text in texts])

    def texts(self) -> list[str]:
        """The texts in the order of their numbers, those that are too long cut."""
        limit = self._characters
        if limit is None:
            return list(self._numbers)
        self.n_cut = sum(len(text) > limit for text in self._numbers)
        return [shortened(text, limit) for text in self._numbers]


def shortened(text: str, characters: int) -> str:
    """A text, or its beginning and how long it was."""
    return text if len(text) <= characters else f"{text[:characters]}… ({len(text):,} characters)"


def steps(numbers: Sequence[int]) -> list[int]:
    """The first number, and by how much every other one is above the one before it.

    Numbers of texts rise by one where every text is a new one: thousands of equal steps take no space.
    """
    return [here - before for before, here in itertools.pairwise([0, *numbers])]


def packed(data: Any) -> str:
    """Data as a page holds it: JSON, compressed (RFC 1951), in base64, which needs no escaping in HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9, wbits=_RAW_DEFLATE)).decode("ascii")


PAGE_BYTES = 6_000_000
"""Bytes that the single questions of a page may take; with charts and the library that draws them it stays
below 8 MB, which mail and browsers take."""

FACETS = {"region": "Region", "topic": "Topic", "language": "Language", "prompt_id": "Prompt"}
"""Columns of items by which a reader filters, and what they are called."""


LEVELS = (None, 2_000, 500, 200)
"""Characters of a text that are kept, null for all: tried one after the other. Below the last one, questions
are left out."""


class EmbeddedQuestions(NamedTuple):
    """Single questions of a task."""

    data: str
    """`embedded_questions.packed`."""
    left_out: tuple[str, ...]
    """What is not on the page, in words for a reader."""


def embed_questions(
    runs: Sequence[ScoredRun],
    answers: Sequence[pl.DataFrame],
    known: KnownQuestions,
    *,
    page_bytes: int = PAGE_BYTES,
) -> EmbeddedQuestions:
    """Pack the questions of comparable runs with every answer.

    Args:
        runs: Comparable runs.
        answers: `SINGLE_ANSWERS` of each.
        known: Their gold answers and distractors.
        page_bytes: Bytes that they may take. Where they take more, texts are shortened, then questions are left
            out, evenly over the items.
    """
    kept = items = runs[0].run.items("item_id", *FACETS, "prompt")
    models = [run.name for run in runs]
    for characters in LEVELS:
        data, n_cut = _packed(items, models, answers, known, characters)
        if len(data) <= page_bytes:
            break
    while len(data) > page_bytes and kept.height > 1:
        n_kept = max(1, int(kept.height * 0.95 * page_bytes / len(data)))
        kept = items[[i * items.height // n_kept for i in range(n_kept)]]
        data, n_cut = _packed(kept, models, answers, known, characters)
    left_out = []
    if n_cut:
        left_out.append(f"{n_cut:,} texts are cut at {characters:,} characters.")
    if kept.height < items.height:
        left_out.append(f"{kept.height:,} of {items.height:,} questions are here, taken evenly from all.")
    return EmbeddedQuestions(data, tuple(left_out))


def _packed(
    items: pl.DataFrame,
    models: Sequence[str],
    answers: Sequence[pl.DataFrame],
    known: KnownQuestions,
    characters: int | None,
) -> tuple[str, int]:
    """The data as ``questions.js`` reads it, and the number of texts that were cut."""
    table = TextTable(characters)
    facets = [
        {"name": name, "label": label, "of": table.numbers(_shown(items[name]))}
        for name, label in FACETS.items()
        if items[name].n_unique() > 1
    ]
    kept = items.select("item_id")
    questions = [known.get(item_id, NOT_KNOWN) for item_id in items["item_id"]]
    data = {
        "ids": table.numbers(items["item_id"]),
        "facets": facets,
        "titles": table.numbers(question.title for question in questions),
        "prompts": table.numbers(items["prompt"]),
        **candidate_lists([question.candidates for question in questions], table),
        "models": [
            {
                "name": model,
                **_answers(kept.join(of_run, on="item_id", how="left", maintain_order="left"), table),
            }
            for model, of_run in zip(models, answers, strict=True)
        ],
    }
    data["texts"] = table.texts()
    return packed(data), table.n_cut


def _shown(column: pl.Series) -> list[str]:
    values = column.fill_null("").to_list()
    return [region_name(code) for code in values] if column.name == "region" else values


def candidate_lists(lists: Sequence[tuple[Candidate, ...]], table: TextTable) -> dict[str, Any]:
    """Lists of `Candidate` by number, equal ones once: four numbers each, text, gold, votes and note."""
    numbers: dict[tuple[Candidate, ...], int] = {}
    found = [numbers.setdefault(one, len(numbers)) for one in lists]
    return {
        "candidates": found,
        "candidate_lists": [
            [
                [table.number(text), int(is_gold), votes, table.number(note)]
                for text, is_gold, votes, note in one
            ]
            for one in numbers
        ],
    }


def _answers(rows: pl.DataFrame, table: TextTable) -> dict[str, Any]:
    """The answers of a model: texts, and whether each is correct, 1 or 0, or 2 without an answer."""
    why = [REASONS.get(reason, reason) for reason in rows["why"].fill_null("")]
    return {
        "correct": rows["correct"].cast(pl.Int8).fill_null(2).to_list(),
        "why": table.numbers(why),
        **{name: table.numbers(rows[name]) for name in ("thought", "answer", "reply", "matched")},
    }
