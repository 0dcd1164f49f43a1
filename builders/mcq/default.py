"""Multiple-choice questions in default mode: every region is asked about what its own people agree on.

`answers` says who is asked and who offers, `option_pool` what may stand beside what, `distractors` which three
options stand together, `variants` what changes from one question to the next, `positions` where the correct
answer stands; ``docs/mcq.md`` says why.
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.digests import digest
from blend.builders.judges.equivalence import Judge, LexicalJudge
from blend.builders.judges.panel import JudgePanel
from blend.builders.mcq.answer_spread import answer_spread, only_specific
from blend.builders.mcq.answers import TemplateAnswers, outcomes_frame, read_answers
from blend.builders.mcq.distractors import Elsewhere
from blend.builders.mcq.option_pool import OptionPool
from blend.builders.mcq.options import LOCAL_VARIANTS, LocaleText, Option
from blend.builders.mcq.overlap import share_words
from blend.builders.mcq.packed_questions import PackedQuestions, ids_of
from blend.builders.mcq.positions import arranged, positions_in_region
from blend.builders.mcq.published_mcqs import McqRow
from blend.builders.mcq.result import DROPPED, FILLERS_USED, FOUND, LEFT_OUT, SHORT, McqBuild, summarise
from blend.builders.mcq.unread.option_risk import OptionRisk
from blend.builders.mcq.unread.unread_options import UnreadOptions
from blend.builders.mcq.variants import Pick, Picked, Rules, available, check_sum, left_out_of, pick, shortage
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.mcq.verdicts.fillers import Fillers, FillerUse
from blend.builders.mcq.verdicts.idle_verdicts import IdleVerdicts
from blend.builders.mcq.verdicts.question_readings import QuestionReadings
from blend.builders.mcq.verdicts.reading import Reading, reading_frame
from blend.builders.mcq.verdicts.wordings import put_right
from blend.schemas.language.answer_formats import AnswerFormat
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.rows.published_rows import AnswerSpread

if TYPE_CHECKING:
    from blend.builders.mcq.further.hard_questions import HardSplit
    from blend.builders.mcq.further.region_questions import RungQuestions
QuestionKey = tuple[str, str]
"""Template and locale."""


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
    risk: OptionRisk | None = None,
) -> McqBuild:
    """Make multiple-choice questions in default mode; see `builders.mcq.build_mcq` for the arguments.

    ``risk`` estimates how likely options are refused; `OptionRisk` with the package's coefficients when absent.
    """
    if options.variants == "all":
        check_sum(annotations)
    readers = _readers(questions, annotations, exclusions, options, locales)
    unread = _unread_options(questions, annotations, readers, options, risk)
    panel, reviewed = JudgePanel(judges), Fillers(fillers, questions, locales)
    rules = Rules(options, seed, Elsewhere.of(questions, annotations))
    hard = _hard_split(rules) if options.hard else None
    rungs = _rung_questions(rules, readers.questions, locales) if options.rungs else None
    idle = IdleVerdicts(readers.exclusions.own, questions, fillers)
    outcomes: Counter[tuple[str, str]] = Counter()
    dates: list[tuple[str, str, str, str]] = []
    made: list[TemplateQuestions] = []
    for answers in read_answers(
        questions,
        annotations,
        options=options,
        seed=seed,
        exclusions=readers.exclusions,
        locales=locales,
        reading=readers.reading if options.unread == "drop" else None,
        left_out_by=None if unread is None else unread.left_out_by,
        outcomes=outcomes,
    ):
        dates.extend(answers.dates)
        idle.look(answers)
        kept = only_specific(answers) if options.specific_only else answers
        made.append(make_questions(kept, rules, panel, reviewed, hard, rungs))
    plans, dropped, uses = _plans(made, seed), _dropped(made), [use for one in made for use in one.fillers]
    hard_plans = [] if hard is None else hard.plans()
    regions = None if rungs is None else rungs.chosen()
    present = set(annotations["locale"].unique())
    found = [pl.DataFrame(dates, FOUND, orient="row"), readers.slips, readers.exclusions.void, idle.found()]
    return McqBuild(
        plans=plans,
        hard=hard_plans,
        questions=readers.questions,
        locales=locales,
        dropped=dropped,
        summary=summarise(plans, dropped, [tag for tag in locales.tags if tag in present]),
        deciders=panel.deciders(),
        outcomes=outcomes_frame(outcomes, locales),
        found=pl.concat([*found, *(one.found() for one in (unread, rungs) if one is not None)]),
        left_out=pl.DataFrame([row for one in made for row in one.left_out], LEFT_OUT, orient="row"),
        reading=reading_frame([*made, *hard_plans], readers.reading, uses, locales.tags),
        fillers=_fillers_used(uses, reviewed),
        beside_models=readers.exclusions.beside_models(),
        regions=regions,
        true_false=frozenset() if rungs is None else frozenset(rungs.true_false),
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


def _unread_options(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    readers: _Readers,
    options: McqOptions,
    risk: OptionRisk | None,
) -> UnreadOptions | None:
    """Estimate what nobody has read; null where the recipe shows it at any risk."""
    if risk is None and options.max_risk is None and options.max_silly is None:
        return None
    risk = OptionRisk(questions, annotations, shipped=options.judge.shipped) if risk is None else risk
    return UnreadOptions(risk, readers.reading, options)


def _plans(made: Sequence["TemplateQuestions"], seed: int) -> list["DefaultPlan"]:
    """Place the correct answers of all templates, and plan those that have questions."""
    positions = place_answers(made, seed)
    return [DefaultPlan(one.template_id, one.asked, seed, positions) for one in made if one.asked]


def _dropped(made: Iterable["TemplateQuestions"]) -> pl.DataFrame:
    rows = [row for one in made for row in one.dropped]
    return pl.DataFrame(rows, DROPPED, orient="row").sort("template_id", "locale")


def _fillers_used(uses: Sequence[FillerUse], reviewed: Fillers) -> pl.DataFrame:
    """List what became of every filler."""
    rows = [*uses, *reviewed.unneeded(uses)]
    order = ("template_id", "locale", "option", "region", "reviewer")
    return pl.DataFrame(rows, FILLERS_USED, orient="row").sort(order)


def _hard_split(rules: Rules) -> "HardSplit":
    # It is made of what stands in this module.
    from blend.builders.mcq.further.hard_questions import HardSplit

    return HardSplit(rules)


def _rung_questions(rules: Rules, questions: pl.DataFrame, locales: Registry) -> "RungQuestions":
    # They, too, are made of what stands in this module.
    from blend.builders.mcq.further.region_questions import RungQuestions

    return RungQuestions(rules, questions, locales)


@dataclass(frozen=True, slots=True)
class LocaleQuestions:
    """Questions of one template about one locale, kept as numbers: there can be millions."""

    locale: Locale
    golds: tuple[str, ...]
    """Correct answers."""
    spreads: tuple[AnswerSpread, ...]
    """In how many other regions people gave each of them as well."""
    distractors: tuple[LocaleText, ...]
    """Every distractor that is used."""
    picks: npt.NDArray[np.uint16]
    """One row per question, shape ``(n_questions, 4)``: correct answer, then three distractors, by number."""
    digests: npt.NDArray[np.uint64]
    """What every question shows, in whatever order: the same options and correct answer, the same digest."""

    def ids(self, template_id: str) -> list[str]:
        """Make the questions' ids: as many digits of their digests as tell them apart, at least eight."""
        return ids_of(template_id, self.locale, self.digests)

    def rows(self, template_id: str, seed: int, positions: Sequence[int]) -> Iterator[McqRow]:
        """Write the questions out, the correct answers at some positions."""
        for mcq_id, position, (gold, *wrong) in zip(
            self.ids(template_id), positions, self.picks.tolist(), strict=True
        ):
            options = arranged([self.distractors[i] for i in wrong], digest(seed, mcq_id))
            options.insert(position, (self.golds[gold], self.locale.tag))
            yield McqRow(mcq_id, template_id, self.locale.tag, options, position, self.spreads[gold])


@dataclass(frozen=True, slots=True)
class DefaultPlan:
    """Questions of one template; see `builders.mcq.result.TemplatePlan`."""

    template_id: str
    asked: PackedQuestions
    """In registry order."""
    seed: int
    positions: Mapping[QuestionKey, Sequence[int]]
    """Positions of the correct answers."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Count the questions by locale."""
        return self.asked.counts

    def rows(self) -> list[McqRow]:
        """Write all questions out."""
        return [
            row
            for one in self.asked
            for row in one.rows(self.template_id, self.seed, self.positions[self.template_id, one.locale.tag])
        ]


# Making the questions of one template


@dataclass(frozen=True, slots=True)
class TemplateQuestions:
    """Questions of a template, and what became of the others."""

    template_id: str
    asked: PackedQuestions
    dropped: tuple[tuple[str, str, str, str], ...]
    """Rows of `DROPPED`."""
    fillers: tuple[FillerUse, ...]
    left_out: tuple[tuple[str, str, str, int], ...] = ()
    """Rows of `LEFT_OUT`."""


def make_questions(
    answers: TemplateAnswers,
    rules: Rules,
    panel: JudgePanel,
    reviewed: Fillers,
    hard: "HardSplit | None" = None,
    rungs: "RungQuestions | None" = None,
) -> TemplateQuestions:
    """Make the questions of a template: of its own options, then of the reserve, then of reviewed fillers.

    A hard split looks for its own among the same options, and the rungs ask about the same correct answers.
    """
    dropped = [
        (answers.template_id, one.locale.tag, *one.loss) for one in answers.locales if one.loss is not None
    ]
    made: list[LocaleQuestions] = []
    uses: list[FillerUse] = []
    left_out: list[tuple[str, str, str, int]] = []
    # That numbers, times and dates differ needs no opinion.
    judging = panel.for_template() if answers.answer_format is AnswerFormat.TEXT else JudgePanel(())
    pool = judged_pool(answers, judging)
    _count_rules(pool, panel)
    picked = pick(pool, answers, rules, judging)
    by_target = dict.fromkeys(picked.picks, picked)
    with_reserve = reserve_pool(answers, judging, picked.short)
    if with_reserve is not None:
        by_target |= dict.fromkeys(picked.short, pick(with_reserve, answers, rules, judging))
    for asked in (target.answers.locale for target in pool.targets):
        found = by_target[asked.tag]
        if not found.picks[asked.tag] and reviewed.concern(answers, asked):
            more = [*answers.reserve, *reviewed.options(answers, asked)]
            found = pick(judged_pool(answers, judging, more, only={asked.tag}), answers, rules, judging)
            left = available(found, asked)
            uses.extend(reviewed.uses(answers, found.pool, left, _used(found.picks[asked.tag])))
        if found.picks[asked.tag]:
            made.append(kept_questions(found, answers, asked))
        else:
            key, causes = (answers.template_id, asked.tag), left_out_of(found, answers, asked)
            dropped.append((*key, SHORT, shortage(found, answers, asked, causes)))
            left_out += [(*key, cause, len(texts)) for cause, texts in causes.items()]
    if hard is not None:
        hard.add(answers, pool, judging)
    if rungs is not None:
        rungs.add(answers, pool, judging, made)
    packed = PackedQuestions(made)
    return TemplateQuestions(answers.template_id, packed, tuple(dropped), tuple(uses), tuple(left_out))


def judged_pool(
    answers: TemplateAnswers,
    judging: JudgePanel,
    fillers: Sequence[Option] = (),
    *,
    only: Collection[str] | None = None,
) -> OptionPool:
    """Make the pool, once the judges before the lexical rules were asked about every pair that these refuse."""
    pool = OptionPool(answers, fillers, only=only, partners=judging.partners)
    if not judging.before:
        return pool
    overridable = pool.overridable()
    by_words = {asked for asked in overridable if share_words(*asked)}
    return pool.overridden(judging.same(by_words, overlapping=True) | judging.overruled(overridable - by_words))


def reserve_pool(answers: TemplateAnswers, judging: JudgePanel, short: Collection[str]) -> OptionPool | None:
    """Make the pool of locales that came out short, with the reserve; null where none did, or there is none.

    Only theirs: what a reserve adds must not change the questions of the others.
    """
    reserve = answers.reserve
    return judged_pool(answers, judging, reserve, only=short) if reserve and short else None


def _used(picks: Iterable[Pick]) -> list[int]:
    """List the numbers of the options that are distractors."""
    return sorted({i for one in picks for i in one.triple})


def kept_questions(found: Picked, answers: TemplateAnswers, asked: Locale) -> LocaleQuestions:
    """Keep what was picked about a locale."""
    picks = found.picks[asked.tag]
    of_locale = found.pool.target(asked.tag).answers
    golds = tuple(gold.text for gold in of_locale.golds)
    numbers = {option: number for number, option in enumerate(_used(picks))}
    texts = found.pool.texts
    return LocaleQuestions(
        locale=asked,
        golds=golds,
        spreads=tuple(answer_spread(gold, of_locale, answers) for gold in golds),
        distractors=tuple(texts[i] for i in numbers),
        picks=np.array([(gold, *(numbers[i] for i in triple)) for gold, triple in picks], np.uint16),
        digests=np.array(
            [_digest((golds[gold], asked.tag), [texts[i] for i in triple]) for gold, triple in picks], np.uint64
        ),
    )


def _digest(correct: LocaleText, distractors: Sequence[LocaleText]) -> int:
    """Compute the digest of what a question shows: its correct answer, and all options by text and locale."""
    return digest(correct[0], *chain(*sorted([correct, *distractors])))


def _count_rules(pool: OptionPool, panel: JudgePanel) -> None:
    """Count what the lexical rules refuse and let through, and what of that local variants refuse."""
    for target in pool.targets:
        refused, n_others = target.overlapping.bit_count(), target.other_regions.bit_count()
        panel.count_rules(LexicalJudge.name, same=refused, different=n_others - refused)
        if target.same_local_answer:
            panel.count_rules(LOCAL_VARIANTS, same=target.same_local_answer.bit_count())


def place_answers(made: Iterable[TemplateQuestions], seed: int) -> dict[QuestionKey, list[int]]:
    """Place the correct answers, balanced over every region."""
    digests: dict[str, dict[QuestionKey, Sequence[int]]] = {}
    for template in made:
        for locale, ids in template.asked.ids(template.template_id):
            # As Python's integers, those of all questions would take five times the memory.
            of_ids = array("Q", (digest(seed, mcq_id) for mcq_id in ids))
            digests.setdefault(locale.region, {})[template.template_id, locale.tag] = of_ids
    return {
        key: found for in_region in digests.values() for key, found in positions_in_region(in_region).items()
    }
