"""Single questions of a report as data of the page, shortened where all of them would make it too large."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.eval.report.embedded_data import TextTable, packed, shortened
from blend.eval.report.report_sections import region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import NOT_KNOWN, REASONS, Candidate, KnownQuestions

PAGE_BYTES = 6_000_000
"""Bytes that the single questions of a page may take; with charts and the library that draws them it stays
below 8 MB, which mail and browsers take."""

FACETS = {"region": "Region", "topic": "Topic", "language": "Language", "prompt_id": "Prompt"}
"""Columns of items by which a reader filters, and what they are called."""


class Shortening(NamedTuple):
    """What is left out to save space."""

    thought: int | None = None
    """Characters of a thought that are kept; null for all."""
    text: int | None = None
    """Characters of any other text that are kept; null for all."""


LEVELS = (
    *(Shortening(thought) for thought in (None, 2_000, 500, 100, 0)),
    *(Shortening(0, text) for text in (2_000, 500, 200)),
)
"""Tried one after the other; below the last one, questions are left out."""


class EmbeddedQuestions(NamedTuple):
    """Single questions of a task."""

    data: str
    """`embedded_data.packed`."""
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
        page_bytes: Bytes that they may take. Where they take more, thoughts are shortened, then all texts, then
            questions are left out, evenly over the items.
    """
    items = runs[0].run.items("item_id", *FACETS, "prompt")
    models = [run.name for run in runs]
    longest = max(of_run.select(pl.col("thought").str.len_chars().max()).item() or 0 for of_run in answers)
    levels = [
        level for level in LEVELS if level.text is not None or level.thought is None or level.thought < longest
    ]
    for level in levels:
        data, n_cut = _packed(items, models, answers, known, level)
        if len(data) <= page_bytes:
            return EmbeddedQuestions(data, _left_out(level, longest, n_cut, (items.height, items.height)))
    kept = items
    while len(data) > page_bytes and kept.height > 1:
        n_kept = max(1, int(kept.height * 0.95 * page_bytes / len(data)))
        kept = items[[i * items.height // n_kept for i in range(n_kept)]]
        data, n_cut = _packed(kept, models, answers, known, LEVELS[-1])
    return EmbeddedQuestions(data, _left_out(LEVELS[-1], longest, n_cut, (kept.height, items.height)))


def _left_out(level: Shortening, longest: int, n_cut: int, kept: tuple[int, int]) -> tuple[str, ...]:
    """Say what is not on the page: ``longest`` is the longest thought, ``kept`` the questions of how many."""
    found = []
    if level.thought is not None and level.thought < longest:
        found.append(
            f"Thoughts are cut at {level.thought:,} characters." if level.thought else "Thoughts are left out."
        )
    if level.text is not None and n_cut:
        found.append(f"{n_cut:,} texts are cut at {level.text:,} characters.")
    n_kept, n_items = kept
    if n_kept < n_items:
        found.append(f"{n_kept:,} of {n_items:,} questions are here, taken evenly from all.")
    return tuple(found)


def _packed(
    items: pl.DataFrame,
    models: Sequence[str],
    answers: Sequence[pl.DataFrame],
    known: KnownQuestions,
    level: Shortening,
) -> tuple[str, int]:
    """The data as ``questions.js`` reads it, and the number of texts that were cut."""
    table = TextTable(level.text)
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
                **_answers(kept.join(of_run, on="item_id", how="left", maintain_order="left"), table, level),
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


def _answers(rows: pl.DataFrame, table: TextTable, level: Shortening) -> dict[str, Any]:
    """The answers of a model: texts, and whether each is correct, 1 or 0, or 2 without an answer."""
    why = [REASONS.get(reason, reason) for reason in rows["why"].fill_null("")]
    return {
        "correct": rows["correct"].cast(pl.Int8).fill_null(2).to_list(),
        "why": table.numbers(why),
        "thought": table.numbers(_cut(rows["thought"], level.thought)),
        **{name: table.numbers(rows[name]) for name in ("answer", "reply", "matched")},
    }


def _cut(thoughts: pl.Series, characters: int | None) -> list[str | None]:
    if characters is None:
        return thoughts.to_list()
    return [None if text is None or not characters else shortened(text, characters) for text in thoughts]
