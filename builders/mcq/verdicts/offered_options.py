"""Offered options: every answer that questions may show, to be read before a build shows them."""

from collections.abc import Iterator, Sequence

import polars as pl

from blend.builders.judges.equivalence import Judge
from blend.builders.judges.panel import JudgePanel
from blend.builders.mcq.answer_spread import only_specific
from blend.builders.mcq.answers import TemplateAnswers, read_answers
from blend.builders.mcq.default import judged_pool, reserve_pool
from blend.builders.mcq.distractors import N_DISTRACTORS, Elsewhere
from blend.builders.mcq.option_pool import OptionPool, Target
from blend.builders.mcq.variants import Rules, pick
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.mcq.verdicts.fillers import Fillers
from blend.schemas.language.answer_formats import AnswerFormat
from blend.schemas.language.locales import Registry
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.rows.frame_columns import KEY
from blend.schemas.sheets.option_sheets import DISTRACTOR_ROLE, KEY_ROLE

OFFERED_OPTIONS = pl.Schema(
    {
        "template_id": pl.String(),
        "locale": pl.String(),
        "question": pl.String(),
        "option": pl.String(),
        "role": pl.String(),
        "regions": pl.List(pl.String()),
        "votes": pl.Int64(),
    }
)
"""One row per question and option; see `schemas.sheets.option_sheets.OPTION_SHEET`."""

_Row = tuple[str, str, list[str], int]
"""Option, role, locales and votes."""


def offered_options(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    *,
    options: McqOptions,
    seed: int,
    judges: Sequence[Judge],
    fillers: pl.DataFrame | None = None,
    exclusions: Exclusions | None = None,
    locales: Registry,
) -> pl.DataFrame:
    """List what questions in default mode may show; see `builders.mcq.build_mcq` for most arguments.

    These are the top answers of every locale that can be asked about, and of each other region the answers
    that a question can choose from: the reserve only where it is short without, as verdicts stand. Options
    that ``exclusions`` leave out are not there (null leaves none out), nor reviewed fillers, which somebody
    has read already.

    Returns:
        `OFFERED_OPTIONS`, by template, locale in registry order, role, votes (most first) and option.
    """
    panel = JudgePanel(judges)
    reviewed = Fillers(fillers, questions, locales)
    excluded = exclusions or Exclusions(None, questions, locales, shipped=False)
    # Whether there is a question at all does not depend on how many there may be.
    rules = Rules(options.model_copy(update={"variants": 1}), seed, Elsewhere.of(questions, annotations))
    wordings = {(one, tag): text for one, tag, text in questions.select(*KEY, "en_question").iter_rows()}
    rows = []
    for answers in read_answers(
        questions, annotations, options=options, seed=seed, exclusions=excluded, locales=locales
    ):
        judging = panel.for_template() if answers.answer_format is AnswerFormat.TEXT else JudgePanel(())
        kept = only_specific(answers) if options.specific_only else answers
        for pool, target in _targets(kept, rules, judging):
            asked = target.answers.locale
            key = answers.template_id, asked.tag
            needed = N_DISTRACTORS - len({one.locale.region for one in reviewed.options(answers, asked)})
            rows += [(*key, wordings[key], *row) for row in _options(pool, target, judging, needed)]
    return pl.DataFrame(rows, OFFERED_OPTIONS, orient="row")


def _targets(
    answers: TemplateAnswers, rules: Rules, judging: JudgePanel
) -> Iterator[tuple[OptionPool, Target]]:
    """List the locales asked about, each with the options that it can choose from: as `make_questions` does."""
    pool = judged_pool(answers, judging)
    short = pick(pool, answers, rules, judging).short
    with_reserve = reserve_pool(answers, judging, short)
    for target in pool.targets:
        tag = target.answers.locale.tag
        chosen = pool if with_reserve is None or tag not in short else with_reserve
        yield chosen, chosen.target(tag)


def _options(pool: OptionPool, target: Target, judging: JudgePanel, needed: int) -> Iterator[_Row]:
    """List the options of a question; none where so few regions offer any that it cannot be made."""
    by_rules = pool.offered(target, {})
    verdicts = judging.same(pool.relied_on(target, ([i] for i in by_rules)), overlapping=False)
    offered = [pool.options[i] for i in pool.offered(target, pool.judged_same(verdicts))]
    if len({option.locale.region for option in offered}) < needed:
        return
    for gold in target.answers.golds:
        yield gold.text, KEY_ROLE, [target.answers.locale.tag], gold.votes
    found: dict[str, tuple[list[str], int]] = {}
    for option in offered:
        tags, votes = found.get(option.text, ([], 0))
        found[option.text] = [*tags, option.locale.tag], votes + option.votes
    for text in sorted(found, key=lambda text: (-found[text][1], text)):
        yield text, DISTRACTOR_ROLE, *found[text]
