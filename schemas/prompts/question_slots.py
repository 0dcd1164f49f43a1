"""Slots of a question: where a template's text names the country or its people."""

import re

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
