"""Multiple-choice questions: one correct answer among answers that people of other regions gave."""

from collections.abc import Sequence

import polars as pl

from blend.builders.judges import Judge
from blend.builders.judges.chat import default_judges
from blend.builders.mcq.result import McqBuild
from blend.schemas.errors import InputError
from blend.schemas.frames import votes_known
from blend.schemas.locales import Registry, registry
from blend.schemas.recipe import McqOptions


def build_mcq(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    *,
    options: McqOptions,
    seed: int,
    judges: Sequence[Judge] | None = None,
    verdicts: pl.DataFrame | None = None,
    locales: Registry | None = None,
) -> McqBuild:
    """Make multiple-choice questions of aggregated answers; ``docs/mcq.md`` explains the rules.

    Args:
        questions: `frames.QUESTIONS`; every annotated question must be there.
        annotations: `frames.ANNOTATIONS`. Paper mode repeats published figures on texts exactly as
            published (``read_blend(…, clean=False)``).
        options: Mode and thresholds.
        seed: Seed of every choice; without effect in paper mode, which chooses nothing.
        judges: Who decides whether two answers are the same; asked in order, the first opinion counts.
            `judges.default_judges` when absent: the decisions that come with the package, unless
            ``options.judge.shipped`` is false. Paper mode asks nobody.
        verdicts: `frames.VERDICTS`: what people or models said of options and questions; default mode
            only.
        locales: Known locales; the packaged registry when absent.

    Returns:
        The questions, ordered by template, locale in registry order, and variant, whatever the order of the
        input rows; and frames that account for every question that yields none.

    Raises:
        InputError: If votes are unknown (null): options are chosen by votes.
        UnknownNameError: If a locale is not registered.
        RowError, RowErrors: If a verdict is about what is not known.
    """
    if not annotations.select(votes_known().all()).item():
        raise InputError(
            "annotations: votes are unknown (null), and multiple-choice questions are made by votes; leave "
            "such rows out"
        )
    known = registry() if locales is None else locales
    # A build needs one of the two, each with modules of its own.
    if options.mode == "paper":
        from blend.builders.mcq.paper import build_paper

        return build_paper(questions, annotations, locales=known)
    from blend.builders.mcq.default import build_default

    return build_default(
        questions,
        annotations,
        options=options,
        seed=seed,
        judges=default_judges(options) if judges is None else judges,
        verdicts=verdicts,
        locales=known,
    )
