"""Offered options: every answer that questions may show, to be read before a build shows them."""

from collections.abc import Iterator, Sequence

import polars as pl

from blend.builders.judges.equivalence import Judge
from blend.builders.judges.panel import JudgePanel
from blend.builders.mcq.answer_spread import only_specific
from blend.builders.mcq.answers import read_answers
from blend.builders.mcq.choice import N_DISTRACTORS, Choice, Rules
from blend.builders.mcq.keyness import GivenElsewhere, Keyness, answer_index
from blend.builders.mcq.offers import Target
from blend.builders.mcq.options import Option
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.mcq.verdicts.fillers import Fillers
from blend.schemas.frames import KEY
from blend.schemas.locales import Registry
from blend.schemas.recipe import McqOptions
from blend.schemas.sheets import DISTRACTOR_ROLE, KEY_ROLE

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
"""One row per question and option; see `schemas.sheets.OPTION_SHEET`."""

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
    panel, index = JudgePanel(judges), answer_index(annotations)
    reviewed = Fillers(fillers, questions, locales)
    excluded = exclusions or Exclusions(None, questions, locales, shipped=False)
    rules = Rules(seed, Keyness(index), GivenElsewhere(questions, index), was_read=lambda *_: True)
    wordings = {(one, tag): text for one, tag, text in questions.select(*KEY, "en_question").iter_rows()}
    rows = []
    for answers in read_answers(
        questions, annotations, options=options, seed=seed, exclusions=excluded, locales=locales
    ):
        kept = only_specific(answers) if options.specific_only else answers
        choice = Choice(kept, rules, panel)
        made = choice.made()
        for target in choice.targets:
            asked = target.answers.locale
            key = answers.template_id, asked.tag
            needed = N_DISTRACTORS - len({one.locale.region for one in reviewed.options(answers, asked)})
            offered = choice.may_show(target, made[asked.tag])
            if len({option.locale.region for option in offered}) >= needed:
                rows += [(*key, wordings[key], *row) for row in _options(target, offered)]
    return pl.DataFrame(rows, OFFERED_OPTIONS, orient="row")


def _options(target: Target, offered: Sequence[Option]) -> Iterator[_Row]:
    """List the options of a question, top answers first."""
    for gold in target.answers.golds:
        yield gold.text, KEY_ROLE, [target.answers.locale.tag], gold.votes
    found: dict[str, tuple[list[str], int]] = {}
    for option in offered:
        tags, votes = found.get(option.text, ([], 0))
        found[option.text] = [*tags, option.locale.tag], votes + option.votes
    for text in sorted(found, key=lambda text: (-found[text][1], text)):
        tags, votes = found[text]
        yield text, DISTRACTOR_ROLE, sorted(tags), votes
