"""Prompts: the published ones, and the slots of questions."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from blend.schemas.models import packaged_tables

if TYPE_CHECKING:
    import polars as pl

Causal = Literal["conditional", "published-greedy", "statement"]
"""How a causal model is asked: each token of a candidate after the prompt and the candidate's own tokens before
it (``conditional``); after the model's own greedy continuation, as Zhou et al. (2025) did
(``published-greedy``); or the log-probability of the whole statement, with what follows the gap
(``statement``, Wiland et al. 2024)."""

MAX_MASKS = 10
"""Tokens that a candidate may have with a masked model unless the caller says otherwise, as published."""


INSTRUCTION = (
    "Without any explanation, choose only one from the given alphabet choices(e.g., A, B, C). "
    'Provide as JSON format: {"answer_choice":""}'
)
"""The sentence after the question in the published prompts, letter by letter."""

PUBLISHED_PROMPT = f"{{question}} {INSTRUCTION}\n\nA. {{A}}\nB. {{B}}\nC. {{C}}\nD. {{D}}\n\nAnswer:"
"""The published prompt, with slots for the question and its four options."""

ANSWER_KEY = "answer_choice"
"""The key under which the published prompt asks for the letter."""


ENGLISH = "en"


class _ListingPrompts(NamedTuple):
    """Prompts and joining words for lists in a language."""

    prompts: Mapping[str, str]
    """``hasParts``, and ``country`` with the country named."""
    joins: tuple[str, ...]
    """Words that stand before the last entry of a list; in Chinese and Japanese without blanks."""


@lru_cache(maxsize=1)
def listing_prompts() -> Mapping[str, _ListingPrompts]:
    """The packaged prompts about dishes, by language."""
    return {
        language: _ListingPrompts(
            {name: table[name] for name in ("hasParts", "country")}, tuple(table["joins"])
        )
        for language, table in packaged_tables("listing_prompts.toml").items()
    }


def domain_prompts(parts: str) -> dict[str, str]:
    """The English prompts about another domain, in the word for its parts."""
    ask = f"Answer with a list of {parts}, separated by commas, and nothing else."
    return {
        "hasParts": f"Which {parts} does “[X]” have? {ask}",
        "country": f"Which {parts} does “[X]” from [C] have? {ask}",
    }


COUNTRY = "{country}"
"""Stands for the name of the country, with its article."""

NATIONALITY = "{nationality}"
"""Stands for the adjective of nationality, without article."""

SLOTS = (COUNTRY, NATIONALITY)
"""All slots that a template may have."""

ANY_SLOT = re.compile(r"\{[^{}]*\}")
"""Anything that looks like a slot, known or not."""


def slots_of(text: str) -> tuple[str, ...]:
    """The slots in a text, known and unknown, in order."""
    return tuple(ANY_SLOT.findall(text))


def slot_problems(text: str) -> list[tuple[str, str]]:
    """List what keeps a template's text from being asked in every country, each with what to do about it.

    A text needs at least one slot, whichever; an unknown one is named once.
    """
    found = slots_of(text)
    known = " and ".join(SLOTS)
    problems = [(f"unknown slot {slot}", f"the slots are {known}") for slot in sorted({*found} - {*SLOTS})]
    if not found:
        fix = f"write {COUNTRY} where the country is named, or {NATIONALITY} where its people are"
        problems.append(("no slot, so that every country would be asked the same", fix))
    return problems


def filled(prompt: str, values: "Mapping[str, pl.Expr]") -> "pl.Expr":
    """A prompt with an expression in each slot.

    Args:
        prompt: Text with slots ``{name}``. Other braces are text.
        values: Expression by name of the slot. What it yields is never read as a slot itself.
    """
    import polars as pl

    slots = {f"{{{name}}}": value for name, value in values.items()}
    parts = re.split(f"({'|'.join(map(re.escape, slots))})", prompt)
    return pl.concat_str([slots.get(part, pl.lit(part)) for part in parts if part])


TRUE_FALSE_PROMPT = (
    '{question}\n\nIs "{option}" among the first things that people in {region} would say? '
    "Answer only with yes or no.\n\nAnswer:"
)
"""A question, the region it names and an option, all in slots."""

FORMAT_REQUEST = r"\?\s*\(?(?:Provide|Write) .*$"
"""What stands behind a question about the form of an answer, ``? (Provide in HH:MM format (e.g., 18:00).)``, as
a pattern with the question mark: where answers are shown nobody writes one."""
