"""Single answers: what a model answered to each item, whether it counts, and why; and as data of the page.

Where all of them would make the page too large, texts are shortened.
"""

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.eval.report.scored_runs import ScoredRun, region_name
from blend.eval.runs.answers import WRITTEN, split_answers
from blend.schemas.summaries import shortened

SINGLE_ANSWERS = pl.Schema(
    {
        "item_id": pl.String(),
        "correct": pl.Boolean(),
        "why": pl.String(),
        "answer": pl.String(),
        "reply": pl.String(),
        "thought": pl.String(),
        "matched": pl.String(),
    }
)
"""One row per item of a run, in the order of the items.

``correct`` is null without an answer; ``why`` is a word of `REASONS`, or an error as it was told; ``answer`` is
what the model answered, ``reply`` what it wrote where the answer was read from that, ``thought`` what it
thought before, ``matched`` the gold answer that it matched. What there is not is null.
"""

REASONS: Mapping[str, str] = {
    "likeliest": "the likeliest option",
    "strict": "read from the JSON that was asked for",
    "lenient": "read from the reply",
    "unparsable": "the reply names no option",
    "unanswered": "unanswered: nothing was said, a thought did not end, or the text was cut or filtered",
    "value": "the same number, time or date as a gold answer",
    "words": "the same words as a gold answer",
    "containment": "holds a gold answer",
    "lemmas": "the same base forms as a gold answer",
    "no match": "matches no gold answer",
    "hedged": "hedged: lists more answers than count",
    "refused": "refused: says that it does not answer",
    "not scored": "the question is not scored",
    "missing": "no answer was kept",
}
"""Why an answer is correct or not, by the word that decisions have for it."""


class Candidate(NamedTuple):
    """An answer that a question knows: gold, or a distractor."""

    text: str
    """The answer; variants of one are joined by `VARIANTS`."""
    is_gold: bool = True
    """Whether it counts as correct."""
    votes: int | None = None
    """Annotators behind it; null where they are not counted."""
    note: str = ""
    """Where it stands, or whose answer it is."""


VARIANTS = " / "
"""What stands between variants of one answer."""


class KnownQuestion(NamedTuple):
    """What is known of a question besides the prompt."""

    candidates: tuple[Candidate, ...]
    """Gold answers, most votes first, or options in their order."""
    title: str = ""
    """The question alone; empty where it is the first line of the prompt."""


_NOT_KNOWN = KnownQuestion(())

KnownQuestions = Mapping[str, KnownQuestion]
"""What is known of questions, by ``item_id``."""


def single_answers(run: ScoredRun) -> pl.DataFrame:
    """Read the answers of a run with their decisions.

    Returns:
        `SINGLE_ANSWERS`, and the other columns of the decisions. ``answer`` is what the model said.
    """
    written = split_answers(run.run.answers("item_id", *WRITTEN, "error"))
    decided = run.decisions().drop(set(SINGLE_ANSWERS) - {"item_id", "correct", "why", "matched"}, strict=False)
    absent = [name for name in ("why", "matched") if name not in decided.columns]
    reason = pl.col("error") if "why" in absent else pl.coalesce("error", "why")
    return (
        run.run.items("item_id")
        .join(decided, on="item_id", how="left", maintain_order="left")
        .with_columns(pl.lit(None, pl.String).alias(name) for name in absent)
        .join(written, on="item_id", how="left", maintain_order="left")
        .with_columns(
            why=pl.when(pl.col("correct").is_null())
            .then(pl.coalesce(reason, pl.lit("missing")))
            .otherwise("why"),
            answer="text",
            reply=pl.lit(None, pl.String),
        )
        .drop("text", "error", "finish_reason")
    )


def answer_groups(groups: Iterable[Mapping[str, Any]], column: str = "answers") -> tuple[Candidate, ...]:
    """Gold answers, most votes first, of groups of annotators' answers; in their order where votes are unknown.

    Args:
        groups: `published_rows.AnswerGroup`.
        column: ``answers`` or ``en_answers``; groups that have none are left out.
    """
    voted = sorted(groups, key=lambda group: -(group["count"] or 0))
    return tuple(
        Candidate(VARIANTS.join(dict.fromkeys(group[column])), votes=group["count"])
        for group in voted
        if group[column]
    )


def gold_of_labels(labels: Iterable[tuple[str, Sequence[str]]]) -> KnownQuestions:
    """Gold answers without votes, of pairs of ``item_id`` and texts."""
    return {item_id: KnownQuestion(tuple(map(Candidate, texts))) for item_id, texts in labels}


PAGE_BYTES = 6_000_000
"""Bytes that the single questions of a page may take; with charts and the library that draws them it stays
below 8 MB, which mail and browsers take."""

_FACETS = {"region": "Region", "topic": "Topic", "language": "Language", "prompt_id": "Prompt"}
"""Columns of items by which a reader filters, and what they are called."""

_CHARACTERS = 500
"""Characters of a text that are kept where all of them would not fit; then questions are left out."""


class EmbeddedQuestions(NamedTuple):
    """Single questions of a task."""

    data: str
    """`packed` questions, as ``questions.js`` reads them."""
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
    items = runs[0].run.items("item_id", *_FACETS, "prompt")
    facets = [name for name in _FACETS if items[name].n_unique() > 1]
    questions = _questions(items, facets, answers, known)
    about = {"facets": [_FACETS[name] for name in facets], "models": [run.name for run in runs]}
    left_out: list[str] = []
    kept = questions
    data = packed({**about, "questions": questions})
    if len(data) > page_bytes:
        left_out.append(f"Texts are cut at {_CHARACTERS:,} characters.")
        kept = questions = _cut(questions)
        data = packed({**about, "questions": kept})
    while len(data) > page_bytes and len(kept) > 1:
        n_kept = max(1, int(len(kept) * 0.95 * page_bytes / len(data)))
        kept = [questions[i * len(questions) // n_kept] for i in range(n_kept)]
        data = packed({**about, "questions": kept})
    if len(kept) < len(questions):
        left_out.append(f"{len(kept):,} of {len(questions):,} questions are here, taken evenly from all.")
    return EmbeddedQuestions(data, tuple(left_out))


def _questions(
    items: pl.DataFrame, facets: Sequence[str], answers: Sequence[pl.DataFrame], known: KnownQuestions
) -> list[dict[str, Any]]:
    """A row for each item: its values of the facets, what is known of it, and the answer of each model."""
    ids = items["item_id"]
    by_model = [
        items.select("item_id")
        .join(of_run, on="item_id", how="left", maintain_order="left")
        .select(
            pl.col("correct").cast(pl.Int8).fill_null(2),  # 2 without an answer
            pl.col("why").replace(dict(REASONS)),
            *("answer", "reply", "thought", "matched"),
        )
        .with_columns(pl.col(pl.String).fill_null(""))
        .rows()
        for of_run in answers
    ]
    values = [map(region_name, items[name]) if name == "region" else items[name] for name in facets]
    return [
        {
            "id": item_id,
            "facets": of_facets,
            "title": known.get(item_id, _NOT_KNOWN).title,
            "prompt": prompt,
            "candidates": known.get(item_id, _NOT_KNOWN).candidates,
            "answers": of_models,
        }
        for item_id, of_facets, prompt, of_models in zip(
            ids, _transposed(values, len(ids)), items["prompt"], _transposed(by_model, len(ids)), strict=True
        )
    ]


def _transposed(columns: Sequence[Iterable[Any]], n_rows: int) -> list[tuple[Any, ...]]:
    return list(zip(*columns, strict=True)) if columns else [()] * n_rows


_RAW_DEFLATE = -15
"""zlib's parameter for a stream without header, which browsers call ``deflate-raw``."""


def packed(data: Any) -> str:
    """Data as a page holds it: JSON, compressed (RFC 1951), in base64, which needs no escaping in HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9, wbits=_RAW_DEFLATE)).decode("ascii")


def _cut(value: Any) -> Any:
    """Data with its long texts cut."""
    if isinstance(value, str):
        return shortened(value, _CHARACTERS)
    if isinstance(value, dict):
        return {name: _cut(one) for name, one in value.items()}
    return [_cut(one) for one in value] if isinstance(value, list | tuple) else value
