"""The pair sheet: pairs of answers about which nobody has decided yet, for a person with a spreadsheet."""

from hashlib import sha256

import polars as pl

PAIR_SHEET = pl.Schema(
    {
        "answer_a": pl.String(),
        "answer_b": pl.String(),
        "verdict": pl.String(),
        "why": pl.String(),
        "questions": pl.Int64(),
        "suspected": pl.String(),
        "template_id": pl.String(),
        "question": pl.String(),
        "check": pl.String(),
    }
)
"""One row per pair, the most frequent first; the reviewer fills in ``verdict`` and perhaps ``why``.

``questions`` counts those, by template and locale, in which one may stand beside the other; ``template_id`` and
``question`` are the first of their templates. ``suspected`` says why the two may be the same, and is empty for
pairs about which nothing is suspected. ``check`` is `pair_mark`.
"""


def pair_mark(a: str, b: str) -> str:
    """Eight digits that tell whether a pair came back as it was proposed: spreadsheets rewrite ``1/2``."""
    return sha256(f"{a}\x1f{b}".encode()).hexdigest()[:8]
