"""Single answers: what a model answered to each item, whether it counts, and why; and as data of the page.

Where all of them would make the page too large, texts are shortened.
"""

import base64
import itertools
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.eval.report.report_sections import region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.answers import WRITTEN, split_answers

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


NOT_KNOWN = KnownQuestion(())

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
    """`single_answers.packed`."""
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
