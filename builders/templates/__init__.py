"""Templates: from questions that natives wrote to a sheet that a person reviews.

A native writes about the own country, in English and in the own words. Asked everywhere, the question needs a
slot where the country stands, must not be asked twice, and must not be about something that only one country
has. This module proposes the first and tells the other two; it decides and deletes nothing. The reviewed sheet
becomes templates in `blend.builders.templates.sheet`.

References:
    Myung et al. (2024), BLEnD, section 3, https://arxiv.org/abs/2406.09948: duplicates and culture-specific
    questions are taken out, country names replaced.
"""

import polars as pl

from blend.builders.templates.country_names import Proposal, propose
from blend.builders.templates.near_duplicates import near_duplicates
from blend.builders.templates.one_country import one_country_reasons
from blend.schemas.locales import Registry, registry
from blend.schemas.sheets import PROPOSED_TEMPLATES, REASON_SEPARATOR

THRESHOLD = 0.85
"""Similarity from which two questions are told as near-duplicates.

Of BLEnD's 500 published templates, from which duplicates had been taken out, 21 have another one that is this
similar (the same activity of men and of women, for instance); at 0.75 it would be 116.
"""


def review_sheet(
    questions: pl.DataFrame, *, locales: Registry | None = None, threshold: float = THRESHOLD
) -> pl.DataFrame:
    """The sheet on which a person turns natives' questions into templates.

    Args:
        questions: `frames.NATIVE_QUESTIONS`, one row per question, each id once.
        locales: Whose country names are known; the packaged registry when absent.
        threshold: Similarity, in (0, 1], from which two questions are near-duplicates; see
            `near_duplicates.near_duplicates` for what the number is.

    Returns:
        `sheets.PROPOSED_TEMPLATES`, one row per question: a proposed template, the reasons to look at it, its
        near-duplicates, and an empty decision. Groups stand together at the place of their first id, else
        rows are ordered by id.

    Raises:
        UnknownNameError: If a question's locale is not known.
    """
    known = registry() if locales is None else locales
    rows = questions.sort("template_id", "source").to_dicts()
    proposals = [
        propose(row["text"], known.get(row["source_locale"]) if row["source_locale"] else None, known)
        for row in rows
    ]
    matches = near_duplicates([proposal.text for proposal in proposals], threshold=threshold)
    sheet = [
        {
            **{name: row[name] for name in ("template_id", "topic", "source_locale", "source")},
            "question": row["text"],
            "template": proposal.text,
            "reasons": REASON_SEPARATOR.join(_reasons(proposal)),
            "group": None if match is None else rows[match.group]["template_id"],
            "nearest": None if match is None else rows[match.nearest]["template_id"],
            "similarity": None if match is None else round(match.similarity, 3),
            "decision": "",
            "merge_into": "",
        }
        for row, proposal, match in zip(rows, proposals, matches, strict=True)
    ]
    by_group = pl.coalesce("group", "template_id")
    return pl.DataFrame(sheet, schema=PROPOSED_TEMPLATES).sort(by_group, "template_id", "source")


def _reasons(proposal: Proposal) -> list[str]:
    """All reasons to look at a proposal; a country that is told as such is not told as a proper noun again."""
    named = {_detail(reason) for reason in proposal.reasons}
    one_country = one_country_reasons(proposal.text)
    return [*proposal.reasons, *(reason for reason in one_country if _detail(reason) not in named)]


def _detail(reason: str) -> str:
    return reason.partition(": ")[2]
