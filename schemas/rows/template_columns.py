"""Frames from natives' questions to localised ones; the others are in `blend.schemas.rows.frame_columns`."""

import polars as pl

from blend.schemas.base.arrow_types import frame_schema
from blend.schemas.rows.published_rows import QuestionTemplate

NATIVE_QUESTIONS = pl.Schema(
    {
        "template_id": pl.String(),
        "topic": pl.String(),
        "source_locale": pl.String(),
        "text": pl.String(),
        "source": pl.String(),
    }
)
"""One row per question as a native wrote it, in English; the locale is null where the author's is unknown."""

SHEET = pl.Schema(
    {
        "template_id": pl.String(),
        "topic": pl.String(),
        "source_locale": pl.String(),
        "question": pl.String(),
        "template": pl.String(),
        "reasons": pl.String(),
        "group": pl.String(),
        "nearest": pl.String(),
        "similarity": pl.Float64(),
        "decision": pl.String(),
        "merge_into": pl.String(),
        "source": pl.String(),
    }
)
"""One row per native's question, with a proposed template and room for the reviewer's decision.

``reasons`` says what to look at, separated by ``REASON_SEPARATOR``, and is empty where nothing was noticed.
``group`` is the smallest id of the near-duplicates it belongs to, ``nearest`` the most similar of them and
``similarity`` (0 to 1) how similar; all three are null for a question without near-duplicates. ``decision`` is
empty until a reviewer fills it.
"""

REASON_SEPARATOR = " | "
"""Between the reasons of one row."""

TEMPLATES = pl.Schema({**frame_schema(QuestionTemplate), "source": pl.String()})
"""One row per template."""

TRANSLATIONS = pl.Schema(
    {
        "template_id": pl.String(),
        "locale": pl.String(),
        "question": pl.String(),
        "source": pl.String(),
        "en_question": pl.String(),
    }
)
"""One row per translated question, in the local language with the country named.

``en_question`` is the English that was translated, its country named or as a slot; null where nobody wrote it
down.
"""

REWORDINGS = pl.Schema(
    {
        "template_id": pl.String(),
        "locale": pl.String(),
        "kind": pl.String(),
        "text": pl.String(),
        "template": pl.String(),
        "source": pl.String(),
    }
)
"""One row per question whose English text departs from its template's.

``kind`` is ``white space`` where only blanks differ, else ``wording``; both texts have slots.
"""
