"""Templates: from questions that natives wrote to a sheet that a person reviews.

A native writes about the own country, in English and in the own words. Asked everywhere, the question needs a
slot where the country stands, must not be asked twice, and must not be about something that only one country
has. `review_sheet` proposes the first and tells the other two; it decides and deletes nothing. `accept_sheet`
makes templates of the reviewed sheet:

==========  ================================================================================================
decision    what happens
==========  ================================================================================================
``keep``    the text in ``template``, edited or as proposed, becomes a template
``drop``    the question is left out
==========  ================================================================================================

References:
    Myung et al. (2024), BLEnD, section 3, https://arxiv.org/abs/2406.09948: duplicates and culture-specific
    questions are taken out, country names replaced.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from rapidfuzz import fuzz, process

from blend.builders.templates.country_names import IN_PARENTHESES, Proposal, one_country_reasons, propose
from blend.schemas.errors import RowError, raise_all
from blend.schemas.formats import format_of
from blend.schemas.frames import TEMPLATES
from blend.schemas.locales import Registry, registry
from blend.schemas.prompts import ANY_SLOT, slot_problems
from blend.schemas.rows import QuestionTemplate
from blend.schemas.sheets import DECISIONS, KEEP, PROPOSED_TEMPLATES, REASON_SEPARATOR
from blend.schemas.texts import clean, words

_THRESHOLD = 0.85
"""Similarity from which two questions are told as near-duplicates.

Of BLEnD's 500 published templates, from which duplicates had been taken out, 21 have another one that is this
similar (the same activity of men and of women, for instance); at 0.75 it would be 116.
"""


def review_sheet(questions: pl.DataFrame, *, locales: Registry | None = None) -> pl.DataFrame:
    """The sheet on which a person turns natives' questions into templates.

    Args:
        questions: `frames.NATIVE_QUESTIONS`, one row per question, each id once.
        locales: Whose country names are known; the packaged registry when absent.

    Returns:
        `sheets.PROPOSED_TEMPLATES`, one row per question: a proposed template, the reasons to look at it, its
        group of near-duplicates, and an empty decision. Groups stand together at the place of their first id,
        else rows are ordered by id.

    Raises:
        UnknownNameError: If a question's locale is not known.
    """
    known = registry() if locales is None else locales
    rows = questions.sort("template_id", "source").to_dicts()
    proposals = [
        propose(row["text"], known.get(row["source_locale"]) if row["source_locale"] else None, known)
        for row in rows
    ]
    groups = _near_duplicates([proposal.text for proposal in proposals])
    sheet = [
        {
            **{name: row[name] for name in ("template_id", "topic", "source_locale", "source")},
            "question": row["text"],
            "template": proposal.text,
            "reasons": REASON_SEPARATOR.join(_reasons(proposal)),
            "group": None if group is None else rows[group]["template_id"],
            "decision": "",
        }
        for row, proposal, group in zip(rows, proposals, groups, strict=True)
    ]
    by_group = pl.coalesce("group", "template_id")
    return pl.DataFrame(sheet, schema=PROPOSED_TEMPLATES).sort(by_group, "template_id", "source")


def _reasons(proposal: Proposal) -> list[str]:
    """All reasons to look at a proposal; a country that is told as such is not told as a name again."""
    named = {_detail(reason) for reason in proposal.reasons}
    one_country = one_country_reasons(proposal.text)
    return [*proposal.reasons, *(reason for reason in one_country if _detail(reason) not in named)]


def _detail(reason: str) -> str:
    return reason.partition(": ")[2]


# Questions of a benchmark share their frame ("What is the most popular … in …?"); compared with it, all of
# them look alike, and only what they ask for tells them apart.
_FRAME = """
a an and any are as at be been by can common commonly country did do does during for from generally has have
if in is it its like many most much name nation normally of often on one or our people popular popularly s
that the their there they things to typical typically us usual usually was we were what which with would you
your
"""
_FRAME_WORDS = frozenset(_FRAME.split())


def _near_duplicates(texts: Sequence[str]) -> list[int | None]:
    """For every question the position, from 0, of the first one of its group; null where nothing is like it.

    The similarity of two questions is ``2 m / (a + b)``: ``a`` and ``b`` are the lengths in characters of their
    content words, folded and sorted, and ``m`` is the length of the longest common subsequence of the two (the
    normalised indel similarity; rapidfuzz's ``token_sort_ratio`` over 100). Slots, hints in parentheses and the
    words that most questions share do not count; where nothing else is left, all words do. 1 means the same
    content words, in whatever order. A group holds all that are joined directly or through others.

    Args:
        texts: Questions or templates in English.
    """
    contents = [content(text) for text in texts]
    groups = list(range(len(texts)))
    for text in contents:
        # One question after the other: all of them at once would take memory that grows with their square.
        [similarities] = process.cdist(
            [text], contents, scorer=fuzz.ratio, score_cutoff=100 * _THRESHOLD, dtype=np.float32
        )
        joined = {groups[other] for other in np.flatnonzero(similarities)}
        groups = [min(joined) if group in joined else group for group in groups]
    sizes = Counter(groups)
    return [group if sizes[group] > 1 else None for group in groups]


def content(text: str) -> str:
    """The content words of a question, folded and sorted, with single blanks."""
    bare = words(ANY_SLOT.sub(" ", IN_PARENTHESES.sub(" ", text)))
    return " ".join(sorted([word for word in bare if word not in _FRAME_WORDS] or bare))


_Row = dict[str, Any]


def accept_sheet(sheet: pl.DataFrame) -> pl.DataFrame:
    """The templates that a reviewed sheet keeps.

    Args:
        sheet: `sheets.PROPOSED_TEMPLATES` with a decision in every row; ``template`` may have been edited.

    Returns:
        `frames.TEMPLATES`, ordered by id: one per kept question, its answer format decided by the hint in its
        text.

    Raises:
        RowError, RowErrors: If a row has no decision or an unknown one, keeps a text without slot or with an
            unknown one, or has the id of another; names the place and column of each.
    """
    rows = sheet.select(PROPOSED_TEMPLATES.names()).sort("template_id", "source").to_dicts()
    raise_all([*_undecided(rows)])
    kept = [row for row in rows if _decision(row) == KEEP]
    raise_all([*_unfit(kept)])
    return pl.DataFrame([_template(row) for row in kept], schema=TEMPLATES)


def _decision(row: _Row) -> str:
    return clean(row["decision"] or "").lower()


def _wrong(row: _Row, column: str, what: str, fix: str) -> RowError:
    return RowError(what, where=f"{row['source']}, column {column}", fix=fix)


def _undecided(rows: list[_Row]) -> Iterator[RowError]:
    """Rows without id, topic or a decision that there is, and those with the id of another."""
    first: dict[str, str] = {}
    for row in rows:
        for column in ("template_id", "topic"):
            if not clean(row[column] or ""):
                yield _wrong(row, column, "the cell is blank", "fill it in")
        earlier = first.setdefault(row["template_id"], row["source"])
        if earlier != row["source"]:
            what = f"{row['template_id']!r} is the id of {earlier} as well"
            yield _wrong(row, "template_id", what, "delete one of the rows or give it an id of its own")
        if (decision := _decision(row)) not in DECISIONS:
            what = (
                f"unknown decision {row['decision']!r}" if decision else f"{row['template_id']} is not reviewed"
            )
            yield _wrong(row, "decision", what, f"write one of: {', '.join(DECISIONS)}")


def _unfit(kept: list[_Row]) -> Iterator[RowError]:
    """Kept texts that cannot be localised."""
    for row in kept:
        for what, fix in slot_problems(row["template"] or ""):
            yield _wrong(row, "template", what, fix)


def _template(row: _Row) -> dict[str, Any]:
    text = clean(row["template"])
    template = QuestionTemplate(
        template_id=row["template_id"],
        topic=row["topic"],
        source_locale=row["source_locale"] or None,
        text=text,
        answer_format=format_of(text),
    )
    return {**template.model_dump(mode="json"), "source": row["source"]}
