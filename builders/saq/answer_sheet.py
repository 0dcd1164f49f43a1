"""The answer sheet: what people typed, as the rules group it, for a reviewer to correct in a spreadsheet.

And reviews without answers that nobody gives any more.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import Any, NamedTuple

import polars as pl

from blend.builders.saq.ballots import cast_ballots
from blend.builders.saq.grouping import answer_groups, grouped, grouping_key, several_answers
from blend.schemas.formats import AnswerFormat, asked_unit, lacks_format, understood
from blend.schemas.frames import KEY, REVIEWS
from blend.schemas.sheets import ANSWER_SHEET, INVALID, Mark, joined
from blend.schemas.texts import clean

_Key = tuple[str, str]
_Row = dict[str, str | None]


class Lost(NamedTuple):
    """Answers on which a review decides and that nobody gives."""

    template_id: str
    locale: str
    answers: list[str]
    source: str
    """Place of the review."""
    is_all: bool
    """Whether the review decides on nothing else."""


def without_lost(reviews: pl.DataFrame, responses: pl.DataFrame) -> tuple[pl.DataFrame, list[Lost]]:
    """Reviews as far as their answers are given, and what was left out of them.

    Args:
        reviews: `frames.REVIEWS`.
        responses: `frames.RESPONSES`.
    """
    given = defaultdict[_Key, set[str]](set)
    for template_id, locale, answers in responses.select(*KEY, "answers").iter_rows():
        given[template_id, locale].update(map(clean, answers or ()))
    kept, lost = [], []
    for review in reviews.iter_rows(named=True):
        key = review["template_id"], review["locale"]
        left, answers = given_part(review, given[key])
        if answers:
            lost.append(Lost(*key, answers, review["source"], left is None))
        if left is not None:
            kept.append({"invalid": [], "reasons": [], **left})
    return pl.DataFrame(kept, schema=REVIEWS), lost


def given_part(review: dict[str, Any], given: Collection[str]) -> tuple[dict[str, Any] | None, list[str]]:
    """A review of the given answers, null if it has none, and the others; groups that become empty go."""
    invalid, groups = review.get("invalid") or [], review.get("groups") or []
    decided = [*invalid, *(answer for group in groups for answer in group["answers"])]
    lost = [answer for answer in decided if clean(answer) not in given]
    if not lost:
        return review, []
    still = [answer for answer in invalid if answer not in lost]
    reasons = dict(zip(invalid, review.get("reasons") or (), strict=False))
    groups = [
        {**group, "answers": answers}
        for group in groups
        if (answers := [answer for answer in group["answers"] if answer not in lost])
    ]
    if not still and not groups:
        return None, lost
    of_invalid = {"invalid": still, "reasons": [reasons[answer] for answer in still if reasons]}
    left = {**review, **of_invalid, "groups": groups}
    return {name: value for name, value in left.items() if value or name not in of_invalid}, lost


def answer_sheet(
    questions: pl.DataFrame,
    responses: pl.DataFrame,
    reviews: pl.DataFrame,
    *,
    everything: bool = False,
    lost: Iterable[Lost] = (),
) -> pl.DataFrame:
    """A row for every answer, filled in as a build without further review would have it.

    What a review has decided stays decided. A group has the English of its review; without one, what it says in
    itself (`grouping.answer_groups`); else what reviewers wrote for the same answer to another question in
    this language, most often first. The notes say where such English comes from.

    Args:
        questions: `frames.QUESTIONS`.
        responses: `frames.RESPONSES`.
        reviews: `frames.REVIEWS`.
        everything: Whether questions are there as well on whose every answer a review has decided. Those at
            whose answers a build would stop are always there.
        lost: What was left out of the reviews; its questions are there as well, with a note.

    Returns:
        `sheets.ANSWER_SHEET`: by locale and template, groups in published order, after them what the review
        calls invalid. Questions without an answer have no row. Turned into reviews as it is
        (`reviews.reviews_of`), it gives the groups that it shows.
    """
    ballots = cast_ballots(questions, responses, reviews)
    votes = grouped(ballots)
    undecided = votes.filter(~pl.col("reviewed"))
    shown = set((ballots.answers if everything else undecided).select(KEY).iter_rows())
    listed = answer_groups(votes, reviews, questions).rows_by_key(KEY, named=True)
    gone = {(one.template_id, one.locale): ", ".join(map(repr, one.answers)) for one in lost}
    known, struck = _known_english(reviews, questions), _struck(reviews)
    counts = Counter(ballots.answers.select(*KEY, "answer").iter_rows())
    lines = {row[:-1]: row[-1] for row in ballots.answers.select(*KEY, "answer", "lines").iter_rows()}
    rows: list[_Row] = []
    for question in questions.sort(KEY[::-1]).iter_rows(named=True):
        key = question["template_id"], question["locale"]
        if key in shown or key in gone or _stops_a_build(question, listed.get(key, ())):
            own = [*_valid(question, listed.get(key, ()), known, lines), *struck.get(key, [])]
            if own and key in gone:
                note = f"reviewed before, with {gone[key]}, which nobody answers any more"
                own[0]["notes"] = "; ".join(filter(None, (note, own[0].get("notes"))))
            rows += _complete(question, own, counts)
    return pl.DataFrame(rows, schema=ANSWER_SHEET.columns).fill_null("")


def groups_without_english(sheet: pl.DataFrame) -> int:
    """Count the groups of a sheet that have no English in any of their rows."""
    valid = sheet.filter(pl.col("invalid") == "")
    groups = valid.group_by(*KEY, "group").agg(english=(pl.col("english") != "").any())
    return len(groups.filter(~pl.col("english")))


def _stops_a_build(question: dict[str, Any], groups: Sequence[dict[str, Any]]) -> bool:
    """Whether a group lacks the format that the question asks for."""
    form, unit = AnswerFormat(question["answer_format"]), asked_unit(question["en_question"])
    return form is not AnswerFormat.TEXT and any(
        lacks_format([*group["answers"], *group["en_answers"]], form, question["locale"], unit=unit)
        for group in groups
    )


def _valid(
    question: dict[str, Any],
    groups: Sequence[dict[str, Any]],
    known: Mapping[tuple[str, str], tuple[str, str]],
    lines: Mapping[tuple[str, ...], Sequence[str]],
) -> Iterator[_Row]:
    """The rows of the answers in groups."""
    form, language = AnswerFormat(question["answer_format"]), question["language"]
    unit = asked_unit(question["en_question"])
    for number, group in enumerate(groups, start=1):
        answers, english, whence = group["answers"], group["en_answers"], ""
        keys = ((language, grouping_key(answer, language)) for answer in answers if not english)
        if written := next((known[key] for key in keys if key in known), None):
            english, whence = [written[0]], f"English as of {written[1]}"
        # English that is the answers is each beside the answer that it is.
        cells = [joined([text]) for text in english] if english == answers else [joined(english)]
        for answer, cell, note in zip_longest(answers, cells[: len(answers)], [whence], fillvalue=""):
            notes = [note]
            if form is not AnswerFormat.TEXT and understood(answer, form, language, unit=unit) is None:
                notes.append(f"not {form}: put it into the group of one that is, or mark it invalid")
            typed = lines.get((question["template_id"], question["locale"], answer), ())
            if form is AnswerFormat.TEXT and len(parts := several_answers(answer, typed)) > 1:
                listed = ", ".join(map(repr, parts))
                notes.append(f"may be {len(parts)} answers, {listed}, and counts for none of them")
            text = "; ".join(filter(None, notes))
            yield {"answer": answer, "group": str(number), "english": cell, "notes": text}


def _struck(reviews: pl.DataFrame) -> dict[_Key, list[_Row]]:
    """The rows of the answers that reviews call invalid."""
    found: dict[_Key, list[_Row]] = {}
    for review in reviews.iter_rows(named=True):
        answers = [clean(answer) for answer in review["invalid"] or []]
        # A review without any reason has no list of them.
        reasons = review["reasons"] or [""] * len(answers)
        found[review["template_id"], review["locale"]] = [
            {"answer": answer, "invalid": INVALID, "reason": reason}
            for answer, reason in dict(zip(answers, reasons, strict=True)).items()
        ]
    return found


def _complete(
    question: dict[str, Any], rows: Sequence[_Row], counts: Counter[tuple[str, ...]]
) -> Iterator[_Row]:
    """The rows with what they have in common, and their marks."""
    key = question["template_id"], question["locale"]
    for number, row in enumerate(rows, start=1):
        answer = row["answer"] or ""
        yield {
            "template_id": key[0],
            "locale": key[1],
            "question": clean(question["en_question"]),
            "format": "" if question["answer_format"] == AnswerFormat.TEXT else question["answer_format"],
            "annotators": str(counts[*key, answer]),
            **row,
            "check": str(Mark(number, len(rows), ANSWER_SHEET.mark(*key, answer))),
        }


def _known_english(reviews: pl.DataFrame, questions: pl.DataFrame) -> Mapping[tuple[str, str], tuple[str, str]]:
    """By language and key of an answer, the English that reviewers wrote most often, and the first template."""
    written = defaultdict[tuple[str, str], Counter[str]](Counter)
    where: dict[tuple[str, str, str], str] = {}
    for review in reviews.join(questions.select(*KEY, "language"), on=KEY).sort(KEY).iter_rows(named=True):
        for group in review["groups"] or []:
            for english, answer in product(map(clean, group["en_answers"][:1]), map(clean, group["answers"])):
                key = review["language"], grouping_key(answer, review["language"])
                written[key][english] += 1
                where.setdefault((*key, english), review["template_id"])
    most = {key: min(texts, key=lambda text: (-texts[text], text)) for key, texts in written.items()}
    return {key: (english, where[*key, english]) for key, english in most.items()}
