"""The reply sheet: what natives say of models' replies to questions about their region, blind to the models."""

from typing import Final

import polars as pl

CORRECT: Final = "correct"
REPLY_VERDICTS: Final = (CORRECT, "partly", "wrong", "refused")
"""What people, and models that judge, say of a reply."""

REPLY_SHEET = pl.Schema(
    {
        "id": pl.String(),
        "locale": pl.String(),
        "region": pl.String(),
        "question": pl.String(),
        "reply": pl.String(),
        "verdict": pl.String(),
        "comment": pl.String(),
    }
)
"""One row per question and reply, in an order that says nothing: an id that names no model, the question in the
language of the region, what a model replied; and, to be filled in, ``verdict`` (`REPLY_VERDICTS`, empty where
somebody does not know) and a comment."""
