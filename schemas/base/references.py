"""References: rows about questions and answers that are not there, or decided twice, in one wording.

Readers of files and builders of frames both check them: a caller can bring frames that no file was read for.
Every function gives what is wrong and what to do about it.
"""

import re
from collections.abc import Collection, Iterable

from blend.schemas.errors import did_you_mean


def not_asked(kind: str, template_id: str, locale: str, asked: Collection[tuple[str, str]]) -> tuple[str, str]:
    """A row about a question that its locale is not asked.

    Args:
        kind: What the row is, for example ``review of``.
        template_id: The question's template.
        locale: Where it would be asked.
        asked: Template and locale of the questions that are asked.
    """
    there = {name for name, tag in asked if tag == locale}
    # An id that other locales have is spelled as it is meant.
    hint = "" if any(name == template_id for name, _ in asked) else close_to(template_id, there)
    what = f"{kind} question {template_id!r}, which is not asked in {locale}{hint}"
    fix = "add the question to the questions, or correct the id"
    return what, f"{fix}; if it is not asked any more, delete the row, or run `blend annotate sync`"


def not_answered(answer: str, template_id: str, answers: Iterable[str]) -> tuple[str, str]:
    """A decision on an answer that is not among those to its question."""
    there = list(answers)
    what = f"nobody answered {answer!r} to {template_id!r}"
    if spoilt := next((one for one in there if _is_spoilt(one, answer)), None):
        fix = "save them again as .xlsx or 'CSV UTF-8', or say their encoding (`encoding` of the source)"
        return f"{what}, but the responses, changed since the review, have {spoilt!r} in a wrong encoding", fix
    restored = "restore rows of responses that are gone since the review"
    corrected = (
        "if the answer was corrected there, have `blend reviews propose` take up its question again, or write "
        "it in the review exactly as typed"
    )
    close = close_to(answer, there)
    # What is close to an answer that is gone is most likely its correction.
    fix = f"{corrected}; else {restored}" if close else f"{restored}; {corrected}"
    return f"{what}{close}, but a review decides on it", fix


def _is_spoilt(text: str, original: str) -> bool:
    """Whether a text is what a wrong encoding makes of another: ``larinÄ¡`` or ``larin?`` of ``larinġ``."""
    as_bytes = (original.encode().decode(encoding, "replace") for encoding in ("cp1252", "latin-1"))
    lost = (re.sub(r"[^\x00-\x7f]", mark, original) for mark in ("?", "\ufffd"))
    return text != original and text in (*as_bytes, *lost)


def decided_twice(answers: Iterable[str]) -> tuple[str, str]:
    """Answers on which one review decides more than once."""
    what = f"decided twice: {', '.join(map(repr, answers))}"
    return what, "name each answer once, as invalid or in one group"


def close_to(name: str, valid: Iterable[str]) -> str:
    """A hint at the valid name that is closest, in brackets after a blank; empty if none is close.

    Names that differ in their numbers alone are never meant: ``food-02`` is another question than ``food-04``.
    """
    letters, numbers = _split(name)
    others = [one for one in valid if (split := _split(one))[0] != letters or split[1] == numbers]
    hint = did_you_mean(name, others).rstrip()
    return f" ({hint})" if hint else ""


def _split(name: str) -> tuple[list[str], list[int]]:
    """The letters of a name between its numbers, and the numbers."""
    return re.split(r"[0-9]+", name), [int(number) for number in re.findall(r"[0-9]+", name)]
