"""Verdicts on options, and the option sheet, in which people who read options write them."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Final

import polars as pl

KEY_ROLE: Final = "key"
"""Role of a top answer, which a question shows as correct."""
DISTRACTOR_ROLE: Final = "distractor"
"""Role of an answer from elsewhere, which a question shows as wrong."""

OK: Final = "ok"
"""Verdict on an option that may stand as it is: a key that is correct, a distractor that is plainly wrong."""
ALSO_CORRECT: Final = "also_correct"
SILLY: Final = "silly"
WRONG: Final = "wrong"
"""On a key; the two before it on a distractor."""
SILLY_ANYWHERE: Final = "silly_anywhere"
SAME_AS: Final = "same_as"
DIFFERS_FROM: Final = "differs_from"
SLIP: Final = "slip"
REWORDED: Final = "reworded"
READ: Final = "read"
PROPOSED: Final = "proposed"

_ON_OPTION = ("template_id", "locale", "option")
MEANINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        OK: _ON_OPTION,
        ALSO_CORRECT: _ON_OPTION,
        SILLY: _ON_OPTION,
        WRONG: _ON_OPTION,
        SILLY_ANYWHERE: ("template_id", "option"),
        SAME_AS: ("option", "with"),
        DIFFERS_FROM: ("option", "with"),
        SLIP: ("template_id", "with"),
        REWORDED: ("template_id", "question"),
        READ: ("template_id", "locale", "question"),
        PROPOSED: ("template_id", "option", "with"),
    }
)
"""Verdicts of a table, each with the columns that it fills.

The first four are on an option of a question about a locale. ``silly_anywhere``: no answer of the kind asked
for, in any region. ``same_as``, ``differs_from``: whether two answers mean the same, to any question.
``slip``: an option, or without one the part of questions in ``question``, is shown as in ``with``.
``reworded``: questions that said ``question`` say ``with`` now, and verdicts that quote them count still.
``read``: a model has read all options of the question that published answers offer. ``proposed``: an option for
questions that are short of them, from the region in ``with``.
"""

VERDICTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        KEY_ROLE: {OK: "it is a correct answer", WRONG: "it is not correct"},
        DISTRACTOR_ROLE: {
            OK: "it is plainly not correct there, as it should be",
            ALSO_CORRECT: "it is correct as well, or a fair person might say so",
            SILLY: "it is no answer to the question",
        },
    }
)
"""By role, the verdicts that can be given, and what each of them says of the option."""
ALL_VERDICTS = (OK, ALSO_CORRECT, SILLY, WRONG)
"""Those on an option of a question about a locale, which readers give."""


def stands_by_natives(kinds: Sequence[str]) -> bool:
    """Whether most of three or more natives accept an option: then it stands, whoever refuses it.

    Args:
        kinds: The natives' verdicts on it.
    """
    return len(kinds) > 2 and 2 * kinds.count(OK) > len(kinds)


OPTION_SHEET = pl.Schema(
    {
        "template_id": pl.String(),
        "locale": pl.String(),
        "question": pl.String(),
        "option": pl.String(),
        "role": pl.String(),
        "regions": pl.String(),
        "votes": pl.Int64(),
        "verdict": pl.String(),
        "why": pl.String(),
        "read": pl.String(),
        "check": pl.String(),
    }
)
"""One row per question and option, by template and locale, the key first, then most votes first; the reader
fills in ``verdict`` and perhaps ``why``.

``locale`` is the one asked about, ``question`` is in English, ``role`` is ``key`` or ``distractor``,
``regions`` the locales that gave the option, ``votes`` the annotators there who did, ``read`` who has given
which verdict before, and ``check`` is `option_mark`.
"""


def option_mark(template_id: str, locale: str, question: str, option: str, role: str) -> str:
    """Eight digits that tell whether a row came back as it was proposed: spreadsheets rewrite ``1/2``."""
    row = f"{template_id}\x1f{locale}\x1f{question}\x1f{option}\x1f{role}"
    return sha256(row.encode()).hexdigest()[:8]
