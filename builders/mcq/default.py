"""Multiple-choice questions in default mode: every region is asked about what its own people agree on.

`answers` says who is asked and who offers, `offers` what may be shown about whom, `choice` which three options
stand together; ``docs/mcq.md`` says why.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple

import polars as pl

from blend.builders.digests import digest
from blend.builders.judges.equivalence import Judge
from blend.builders.judges.panel import JudgePanel
from blend.builders.mcq.answer_spread import answer_spread, only_specific
from blend.builders.mcq.answers import LocaleAnswers, TemplateAnswers, outcomes_frame, read_answers
from blend.builders.mcq.choice import N_DISTRACTORS, Choice, Chosen, Rules
from blend.builders.mcq.keyness import GivenElsewhere, Keyness, answer_index
from blend.builders.mcq.offers import Target
from blend.builders.mcq.options import LocaleText, are_apart
from blend.builders.mcq.published_mcqs import McqRow, balanced_positions
from blend.builders.mcq.result import DROPPED, FILLERS_USED, FOUND, SHORT, McqBuild, summarise
from blend.builders.mcq.true_false import MORE_VOTES, SureQuestions
from blend.builders.mcq.unread_options import UnreadOptions
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.mcq.verdicts.fillers import Fillers, FillerUse
from blend.builders.mcq.verdicts.reading import QuestionReadings, Reading, reading_frame
from blend.builders.mcq.verdicts.wordings import put_right
from blend.schemas.locales import Locale, Registry
from blend.schemas.recipe import McqOptions


def build_default(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    *,
    options: McqOptions,
    seed: int,
    judges: Sequence[Judge],
    fillers: pl.DataFrame | None,
    exclusions: pl.DataFrame | None,
    locales: Registry,
) -> McqBuild:
    """Make multiple-choice questions in default mode; see `builders.mcq.build_mcq` for the arguments."""
    readers = _readers(questions, annotations, exclusions, options, locales)
    unread = UnreadOptions.of(questions, annotations, readers.reading, options)
    index = answer_index(annotations)
    rules = Rules(seed, Keyness(index), GivenElsewhere(questions, index), readers.reading.has_read)
    panel, reviewed = JudgePanel(judges), Fillers(fillers, questions, locales)
    outcomes: Counter[tuple[str, str]] = Counter()
    asked: list[NewQuestion] = []
    dropped: list[tuple[str, str, str, str]] = []
    uses: list[FillerUse] = []
    sure = SureQuestions(options.target_min_votes + MORE_VOTES)
    for answers in read_answers(
        questions,
        annotations,
        options=options,
        seed=seed,
        exclusions=readers.exclusions,
        locales=locales,
        left_out_by=unread.left_out_by,
        outcomes=outcomes,
    ):
        kept = only_specific(answers) if options.specific_only else answers
        dropped += [(kept.template_id, one.locale.tag, *one.loss) for one in kept.locales if one.loss]
        choice = Choice(kept, rules, panel, partial(reviewed.options, kept))
        made = choice.made()
        for target in choice.targets:
            chosen = made[target.answers.locale.tag]
            uses += reviewed.uses(kept, target, chosen)
            if chosen is None:
                key = kept.template_id, target.answers.locale.tag
                dropped.append((*key, SHORT, _shortage(target, kept)))
            else:
                asked.append(NewQuestion.of(chosen, target.answers, kept))
                sure.look(asked[-1].mcq_id, kept.template_id, kept.answer_format, *chosen)
    plans = _plans(asked, seed)
    rows = chain.from_iterable(plan.made for plan in plans)
    losses = pl.DataFrame(dropped, DROPPED, orient="row").sort("template_id", "locale")
    present = set(annotations["locale"].unique())
    not_sure = [pl.DataFrame(sure.found, FOUND, orient="row")] if options.rungs else []
    return McqBuild(
        plans=plans,
        questions=readers.questions,
        locales=locales,
        dropped=losses,
        summary=summarise(plans, losses, [tag for tag in locales.tags if tag in present]),
        deciders=panel.deciders(),
        outcomes=outcomes_frame(outcomes, locales),
        found=pl.concat([readers.slips, readers.exclusions.void, *not_sure]),
        reading=reading_frame(rows, readers.reading, uses, locales.tags),
        fillers=_fillers_used(uses, reviewed),
        beside_models=readers.exclusions.beside_models(),
        true_false=frozenset(sure.ids) if options.rungs else None,
    )


class _Readers(NamedTuple):
    """What readers said, and the questions as they are asked since."""

    exclusions: Exclusions
    reading: Reading
    questions: pl.DataFrame
    """`frame_columns.QUESTIONS`."""
    slips: pl.DataFrame
    """`FOUND`: questions that are asked in other words than before."""


def _readers(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    exclusions: pl.DataFrame | None,
    options: McqOptions,
    locales: Registry,
) -> _Readers:
    """Bring together what readers said of questions and options, those of the package if they count."""
    shipped = options.judge.shipped
    asked, slips = put_right(questions)
    excluded = Exclusions(
        exclusions,
        questions,
        locales,
        shipped=shipped,
        model_confidence=options.model_confidence,
        asked=asked,
    )
    reading = Reading(excluded, QuestionReadings(questions, annotations, shipped=shipped))
    return _Readers(excluded, reading, *((asked, slips) if shipped else (questions, slips.clear())))


class NewQuestion(NamedTuple):
    """A multiple-choice question, before its options have their order."""

    mcq_id: str
    template_id: str
    locale: Locale
    gold: str
    distractors: tuple[LocaleText, ...]
    answer_spread: str

    @classmethod
    def of(cls, chosen: Chosen, asked: LocaleAnswers, answers: TemplateAnswers) -> "NewQuestion":
        """Name a question by what it shows: the same options and correct answer, the same id."""
        correct = chosen.gold.text, asked.locale.tag
        distractors = [(one.text, one.locale.tag) for one in chosen.distractors]
        shown = digest(correct[0], *(part for option in sorted([correct, *distractors]) for part in option))
        return cls(
            f"{answers.template_id}_{asked.locale.split}_{shown >> 32:08x}",
            answers.template_id,
            asked.locale,
            correct[0],
            tuple(distractors),
            answer_spread(correct[0], asked, answers),
        )

    def row(self, position: int, seed: int) -> McqRow:
        """Write the question out, its correct answer at a position and the others ordered by digest."""
        options = sorted(self.distractors, key=lambda option: digest(seed, self.mcq_id, *option))
        options.insert(position, (self.gold, self.locale.tag))
        return McqRow(self.mcq_id, self.template_id, self.locale.tag, options, position, self.answer_spread)


@dataclass(frozen=True, slots=True)
class DefaultPlan:
    """Questions of one template; see `builders.mcq.result.TemplatePlan`."""

    made: tuple[McqRow, ...]
    """In registry order."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Count the questions by locale."""
        return Counter(row.locale for row in self.made)

    def rows(self) -> Sequence[McqRow]:
        """List all questions."""
        return self.made


def _plans(asked: Sequence[NewQuestion], seed: int) -> list[DefaultPlan]:
    """Place the correct answers, each position equally often in every region, and group by template."""
    by_region: dict[str, list[str]] = {}
    for one in asked:
        by_region.setdefault(one.locale.region, []).append(one.mcq_id)
    positions: dict[str, int] = {}
    for ids in by_region.values():
        positions |= balanced_positions(ids, seed)
    by_template: dict[str, list[McqRow]] = {}
    for one in asked:
        by_template.setdefault(one.template_id, []).append(one.row(positions[one.mcq_id], seed))
    return [DefaultPlan(tuple(rows)) for rows in by_template.values()]


def _shortage(target: Target, answers: TemplateAnswers) -> str:
    """Say how many options are left for a target, and what recipe and readers leave out."""
    asked = target.answers.locale
    others = {one.locale.region for one in answers.locales if are_apart(one.locale, asked)}
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


def _fillers_used(uses: Sequence[FillerUse], reviewed: Fillers) -> pl.DataFrame:
    """List what became of every filler."""
    rows = [*uses, *reviewed.unneeded(uses)]
    order = ("template_id", "locale", "option", "region", "reviewer")
    return pl.DataFrame(rows, FILLERS_USED, orient="row").sort(order)
