"""Multiple-choice questions: one correct answer among answers that people of other regions gave.

In default mode every region is asked about what its own people agree on: `answers` says who is asked and who
offers, `offers` what may be shown about whom, `choice` which three options stand together; ``docs/mcq.md`` says
why. `paper` repeats published figures.
"""

from collections.abc import Iterator, Sequence

import polars as pl

from blend.builders.judges import Judge, JudgePanel
from blend.builders.judges.chat import recorded_judges
from blend.builders.mcq.answers import (
    LocaleAnswers,
    Rules,
    TemplateAnswers,
    answer_spread,
    read_answers,
    template_formats,
)
from blend.builders.mcq.choice import N_DISTRACTORS, Choice, Chosen
from blend.builders.mcq.offers import Keyness, Target, answer_index
from blend.builders.mcq.options import LocaleText
from blend.builders.mcq.published_mcqs import MORE_VOTES, McqRow, balanced_positions, mcq_frame, unsure
from blend.builders.mcq.result import DROPPED, SHORT, McqBuild, reading_frame, summarise
from blend.builders.mcq.verdicts import FOUND, Verdicts
from blend.schemas.errors import InputError
from blend.schemas.frames import votes_known
from blend.schemas.locales import Registry, registry
from blend.schemas.recipe import McqOptions
from blend.schemas.texts import digest


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
            `chat.recorded_judges` when absent: the decisions that come with the package, unless
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
    if options.mode == "paper":
        from blend.builders.mcq.paper import build_paper

        return build_paper(questions, annotations, locales=known)
    return _build_default(
        questions,
        annotations,
        options=options,
        seed=seed,
        judges=recorded_judges(options.judge) if judges is None else judges,
        verdicts=verdicts,
        locales=known,
    )


def _build_default(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    *,
    options: McqOptions,
    seed: int,
    judges: Sequence[Judge],
    verdicts: pl.DataFrame | None,
    locales: Registry,
) -> McqBuild:
    """Make multiple-choice questions in default mode; see `builders.mcq.build_mcq` for the arguments."""
    read = Verdicts(
        verdicts,
        questions,
        locales,
        shipped=options.judge.shipped,
        annotations=annotations,
        model_confidence=options.model_confidence,
    )
    rules = Rules(options, seed, read, locales)
    index = answer_index(annotations)
    keyness, panel = Keyness(index), JudgePanel(judges)
    made_rows: list[McqRow] = []
    dropped: list[tuple[str, str, str, str]] = []
    not_sure: list[tuple[str, str, str, str]] = []
    sure_at: list[int] = []
    for answers in read_answers(questions, annotations, rules):
        dropped += [(answers.template_id, one.locale.tag, *one.loss) for one in answers.locales if one.loss]
        choice = Choice(answers, rules, keyness, panel)
        made = choice.made()
        for target in choice.targets:
            key = answers.template_id, target.answers.locale.tag
            chosen = made[key[1]]
            if chosen is None:
                dropped.append((*key, SHORT, _shortage(target, answers)))
                continue
            if options.rungs:
                least = options.target_min_votes + MORE_VOTES
                reason = unsure(chosen.gold, chosen.distractors, answers.answer_format, least=least)
                if reason is None:
                    # Of the first question alone, so that no statement is asked twice.
                    sure_at.append(len(made_rows))
                else:
                    not_sure.append((*key, *reason))
            made_rows += _chosen_rows(chosen, target.answers, answers)
    rows = _placed(made_rows, seed, locales)
    mcqs = mcq_frame(rows)
    losses = pl.DataFrame(dropped, DROPPED, orient="row").sort("template_id", "locale")
    present = set(annotations["locale"].unique())
    found = (
        read.slips,
        read.void,
        read.on_nothing(index, template_formats(questions)),
        pl.DataFrame(not_sure, FOUND, orient="row"),
    )
    return McqBuild(
        mcqs=mcqs,
        questions=read.questions,
        locales=locales,
        dropped=losses,
        summary=summarise(mcqs, losses, [tag for tag in locales.tags if tag in present]),
        deciders=panel.deciders(),
        found=pl.concat(found),
        reading=reading_frame(rows, read, locales.tags),
        beside_models=read.beside_models(),
        # Placed, questions have other ids, in the same order.
        true_false=frozenset(rows[at].mcq_id for at in sure_at) if options.rungs else None,
    )


def _chosen_rows(chosen: Chosen, asked: LocaleAnswers, answers: TemplateAnswers) -> Iterator[McqRow]:
    """Questions that are not placed yet: the correct answer first, and an id of what each can choose from."""
    spread = answer_spread(chosen.gold.text, asked, answers)
    for distractors in chosen.triples():
        options = [(one.text, one.locale.tag) for one in (chosen.gold, *distractors)]
        name = _id(answers.template_id, asked.locale.split, chosen.gold.text, sorted(options))
        yield McqRow(name, answers.template_id, asked.locale.tag, options, 0, spread)


def _placed(rows: Sequence[McqRow], seed: int, locales: Registry) -> list[McqRow]:
    """Place the correct answers, each position equally often in every region; a digest orders the others.

    A question is then named by what it shows in its order, since letters that were recorded mean that order:
    the same options elsewhere are another question.
    """
    named = [(locales.get(row.locale).region, row.mcq_id) for row in rows]
    positions = balanced_positions(named, seed)
    placed = []
    for row, name in zip(rows, named, strict=True):
        correct, *wrong = row.options
        # A digest of each option: which others stand beside it makes no difference to its place among them.
        options = sorted(wrong, key=lambda option: digest(seed, row.mcq_id, *option))
        options.insert(positions[name], correct)
        shown_as = _id(row.template_id, locales.get(row.locale).split, correct[0], options)
        placed.append(row._replace(mcq_id=shown_as, options=options, answer=positions[name]))
    return placed


def _id(template_id: str, split: str, correct: str, options: Sequence[LocaleText]) -> str:
    """The id of a question by its correct answer and its options, in the order in which they are given."""
    shown = digest(correct, *(part for option in options for part in option))
    return f"{template_id}_{split}_{shown >> 32:08x}"


def _shortage(target: Target, answers: TemplateAnswers) -> str:
    """Say how many options are left for a target, and what recipe and readers leave out."""
    asked = target.answers.locale
    others = answers.others(asked)
    # What reviewers propose can be of a region that answered nothing here, and is none of the others.
    left = {one.option.locale.region for one in target.offered} & others
    causes = ", ".join(
        f"{len(texts):,} by {cause} ({', '.join(map(repr, sorted(texts)))})"
        for cause, texts in sorted(target.left_out.items())
    )
    side_by_side = " that may stand side by side" if len(left) >= N_DISTRACTORS else ""
    left_out = f"; options left out: {causes}" if causes else ""
    return (
        f"{len(left)} of {len(others)} other regions have an option left, {N_DISTRACTORS} are "
        f"needed{side_by_side}{left_out}"
    )
