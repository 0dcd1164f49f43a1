"""Shortage: why a question has too few options, and which the recipe or readers leave out."""

from collections.abc import Mapping, Sequence

from blend.builders.mcq.answers import TemplateAnswers
from blend.builders.mcq.distractors import N_DISTRACTORS
from blend.builders.mcq.option_pool import VERDICTS
from blend.builders.mcq.options import are_apart
from blend.builders.mcq.variants import Picked
from blend.schemas.language.locales import Locale


def left_out_of(found: Picked, answers: TemplateAnswers, asked: Locale) -> Mapping[str, Sequence[str]]:
    """List by cause the options that the recipe or readers leave out about a locale, at home as well."""
    causes = found.pool.left_out(found.pool.target(asked.tag))
    for one in answers.locales:
        if one.refused and are_apart(one.locale, asked):
            causes.setdefault(VERDICTS, set()).update(one.refused)
    return {cause: sorted(causes[cause]) for cause in sorted(causes)}


def shortage(
    found: Picked, answers: TemplateAnswers, asked: Locale, left_out: Mapping[str, Sequence[str]]
) -> str:
    """Say how many options are left for a target, and what became of the other regions' answers."""
    left = len(available(found, asked))
    answering = {one.locale.region for one in answers.locales if are_apart(one.locale, asked)}
    offering = {option.locale.region for option in found.pool.options if are_apart(option.locale, asked)}
    brought = len(offering - answering)
    others, none = len(answering | offering), len(answering - offering)
    count = f"{left} of {others} other regions{f' ({brought} only by fillers)' if brought else ''}"
    side_by_side = " that may stand side by side and hide the right one" if left >= N_DISTRACTORS else ""
    return (
        f"{count} have an option left, {N_DISTRACTORS} are needed{side_by_side}; "
        f"{none} offer{'s' if none == 1 else ''} none, "
        f"{len(offering) - left} only what an acceptable answer rules out{_listed(left_out)}"
    )


def _listed(left_out: Mapping[str, Sequence[str]]) -> str:
    causes = [f"{len(texts):,} by {cause} ({', '.join(map(repr, texts))})" for cause, texts in left_out.items()]
    return f" or is left out; options left out: {', '.join(causes)}" if causes else ""


def available(found: Picked, asked: Locale) -> Mapping[str, Sequence[int]]:
    """List by region the options that it offers to a locale."""
    return found.pool.available(found.pool.target(asked.tag), found.pool.judged_same(found.known))
