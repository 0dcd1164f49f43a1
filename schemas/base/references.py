"""References: rows about questions and answers that are not there, or decided twice, in one wording.

Readers of files and builders of frames both check them: a caller can bring frames that no file was read for.
Every function gives what is wrong and what to do about it.
"""

from collections.abc import Iterable

from blend.schemas.errors import did_you_mean


def not_asked(kind: str, template_id: str, locale: str, asked: Iterable[str]) -> tuple[str, str]:
    """A row about a question that its locale is not asked.

    Args:
        kind: What the row is, for example ``review of``.
        template_id: The question's template.
        locale: Where it would be asked.
        asked: Templates of the questions that are asked there.
    """
    what = f"{kind} question {template_id!r}, which is not asked in {locale}{close_to(template_id, asked)}"
    fix = "add the question to the questions, or correct the id"
    return what, f"{fix}; if it is not asked any more, delete the row, or run `blend annotate pull`"


def not_answered(answer: str, template_id: str, answers: Iterable[str]) -> tuple[str, str]:
    """A decision on an answer that is not among those to its question."""
    what = f"nobody answered {answer!r} to {template_id!r}{close_to(answer, answers)}"
    fix = "write the answer exactly as typed, or remove it"
    return what, f"{fix}; or have `blend reviews propose` take up its question again"


def decided_twice(answers: Iterable[str]) -> tuple[str, str]:
    """Answers on which one review decides more than once."""
    what = f"decided twice: {', '.join(map(repr, answers))}"
    return what, "name each answer once, as invalid or in one group"


def close_to(name: str, valid: Iterable[str]) -> str:
    """A hint at the valid name that is closest, in brackets after a blank; empty if none is close."""
    hint = did_you_mean(name, valid).rstrip()
    return f" ({hint})" if hint else ""
