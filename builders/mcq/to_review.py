"""Offered options: every answer that questions may show, to be read before a build shows them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import polars as pl

from blend.builders.judges import Judge, JudgePanel, Pair, pair
from blend.builders.mcq.answers import Rules, TemplateAnswers, read_answers
from blend.builders.mcq.choice import N_DISTRACTORS, Choice
from blend.builders.mcq.offers import Keyness, Target, answer_index, offers, proposed_options
from blend.builders.mcq.options import Option
from blend.builders.mcq.verdicts import Verdicts
from blend.schemas.formats import AnswerFormat
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
    verdicts: Verdicts,
    everything: bool = False,
    locales: Registry,
) -> pl.DataFrame:
    """List what questions in default mode may show; see `builders.mcq.build_mcq` for most arguments.

    These are the top answers of every locale that can be asked about, and of each other region the answers
    that a question can choose from: the reserve only where it is short without, as verdicts stand. Options
    that ``verdicts`` leave out are there if ``everything`` is asked for; reviewed fillers, which somebody has
    read already, never.

    Returns:
        `OFFERED_OPTIONS`, by template, locale in registry order, role, votes (most first) and option.
    """
    panel, keyness = JudgePanel(judges), Keyness(answer_index(annotations))
    # What nobody has read is here to be read.
    rules = Rules(options.model_copy(update={"unread": "keep"}), seed, verdicts, locales)
    none = Verdicts(None, questions, locales, shipped=False)
    shown = replace(rules, verdicts=none) if everything else rules
    wordings = {(one, tag): text for one, tag, text in questions.select(*KEY, "en_question").iter_rows()}
    rows = []
    for answers in read_answers(questions, annotations, shown):
        choice = Choice(answers, shown, keyness, panel, with_proposed=False)
        made = choice.made()
        for target in choice.targets:
            asked = target.answers.locale
            key = answers.template_id, asked.tag
            proposed = {one.locale.region for one in proposed_options(answers, asked, rules)}
            offered = choice.may_show(target, made[asked.tag])
            # Reviewers' proposals fill the places for which too few regions have an answer.
            if len({option.locale.region for option in offered}) >= N_DISTRACTORS - len(proposed):
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


# Candidate pairs: answers that questions would show side by side

CANDIDATE_PAIRS = pl.Schema(
    {"answer_a": pl.String(), "answer_b": pl.String(), "questions": pl.Int64(), "template_id": pl.String()}
)
"""One row per pair of answers, in code-point order, most frequent first.

``questions`` counts those, by template and locale, in which one may be shown beside the other, or as a
distractor where the other is acceptable; ``template_id`` is the first of their templates.
"""


def candidate_pairs(
    questions: pl.DataFrame, annotations: pl.DataFrame, *, options: McqOptions, locales: Registry
) -> pl.DataFrame:
    """List the pairs of free-text answers that the lexical rules let through.

    Args:
        questions: `QUESTIONS`.
        annotations: `ANNOTATIONS`.
        options: Thresholds of default mode.
        locales: Known locales.

    Returns:
        `CANDIDATE_PAIRS`.
    """
    verdicts = Verdicts(None, questions, locales, shipped=options.judge.shipped)
    counts: Counter[Pair] = Counter()
    first: dict[Pair, str] = {}
    rules = Rules(options.model_copy(update={"unread": "keep"}), 0, verdicts, locales)
    for answers in read_answers(questions, annotations, rules):
        if answers.answer_format is AnswerFormat.TEXT:
            for found in _candidates(answers, rules):
                counts[found] += 1
                first.setdefault(found, answers.template_id)
    rows = [(*one, counts[one], first[one]) for one in sorted(counts, key=lambda one: (-counts[one], one))]
    return pl.DataFrame(rows, CANDIDATE_PAIRS, orient="row")


def _candidates(answers: TemplateAnswers, rules: Rules) -> Iterator[Pair]:
    """List for every locale asked about the pairs that its question may rest on, each once."""
    for target in offers(answers, rules, with_proposed=False):
        options = [one.option for one in target.offered]
        found = {pair(option.text, text) for option in options for text in target.acceptable}
        found |= {
            pair(one.text, other.text)
            for one, other in combinations(options, 2)
            if one.locale.region != other.locale.region and one.values.isdisjoint(other.values)
        }
        yield from (one for one in found if one[0] != one[1])
