"""Multiple-choice questions in default mode: every region is asked about what its own people agree on.

`answers` says who is asked and who offers, `board` what may stand beside what, `matching` what would make the
right answer stand out, `choice` and `variants` which three options stand together, `positions` where the right
one stands; ``docs/mcq.md`` says why.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import comb

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.judges.bench import Bench
from blend.builders.judges.equivalence import Judge, LexicalJudge
from blend.builders.mcq import translations
from blend.builders.mcq.answers import TemplateAnswers, outcomes_frame, read_answers
from blend.builders.mcq.board import Board, Target, are_apart, share_words
from blend.builders.mcq.choice import Rules, pick
from blend.builders.mcq.coded import CodedRows, Numbers, Shown, numbers_of
from blend.builders.mcq.digests import digests, joined
from blend.builders.mcq.exclusions import Exclusions
from blend.builders.mcq.fillers import Fillers, FillerUse
from blend.builders.mcq.matching import Known
from blend.builders.mcq.options import Option
from blend.builders.mcq.positions import (
    Digests,
    LeftOver,
    arrangements,
    balanced,
    shared_out,
    shared_out_in_fours,
    split_off,
)
from blend.builders.mcq.result import DROPPED, FILLERS_USED, McqBuild, summarise
from blend.builders.mcq.together import N_DISTRACTORS
from blend.builders.mcq.variants import Picks
from blend.schemas.errors import InputError
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import Locale, Registry
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import LETTERS

Place = tuple[str, str]
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
) -> McqBuild:
    """Multiple-choice questions in default mode; see `builders.mcq.build_mcq` for the arguments."""
    if options.variants == "all":
        _check_sum(annotations)
    bench = Bench(judges)
    reviewed = Fillers(fillers, questions, locales)
    turned_down = Exclusions(exclusions, questions, locales, shipped=options.judge.shipped)
    rules = Rules(options, seed, Known.of(questions, annotations))
    outcomes: Counter[tuple[str, str]] = Counter()
    made: list[_Made] = []
    for answers in read_answers(
        questions, annotations, options=options, seed=seed, exclusions=turned_down, locales=locales
    ):
        outcomes.update(answers.outcomes)
        made.append(_make(answers, rules, bench, reviewed))
    rest = _positions_left(made, seed)
    uses = [use for one in made for use in one.fillers]
    plans = [DefaultPlan(one.template_id, one.blocks, seed, rest) for one in made if one.blocks]
    dropped = pl.DataFrame([row for one in made for row in one.dropped], DROPPED, orient="row")
    dropped = dropped.sort("template_id", "locale")
    present = set(annotations["locale"].unique())
    return McqBuild(
        plans=plans,
        questions=questions,
        locales=locales,
        dropped=dropped,
        summary=summarise(plans, dropped, [tag for tag in locales.tags if tag in present]),
        deciders=bench.deciders(),
        outcomes=outcomes_frame(outcomes, locales),
        fillers=pl.DataFrame([*uses, *reviewed.unneeded(uses)], FILLERS_USED, orient="row").sort(
            "template_id", "locale", "option", "region", "reviewer"
        ),
    )


_MOST_QUESTIONS = 10_000_000


def _check_sum(annotations: pl.DataFrame) -> None:
    """Refuse to make all questions where they are too many to be made, before any is.

    Raises:
        InputError: If so; says how many they would be with one right answer per region.
    """
    regions = annotations.group_by("template_id").agg(pl.col("locale").n_unique())["locale"].to_list()
    n_questions = sum(n * comb(n - 1, N_DISTRACTORS) for n in regions)
    if n_questions > _MOST_QUESTIONS:
        raise InputError(
            f'variants "all": every right answer with every three options of up to {max(regions)} regions are '
            f"some {n_questions:,} questions, and at most {_MOST_QUESTIONS:,} are made; give a number instead"
        )


@dataclass(frozen=True, slots=True)
class Block:
    """The questions of one template about one locale."""

    locale: Locale
    golds: tuple[str, ...]
    """Right answers."""
    distractors: tuple[Shown, ...]
    """Text and locale of every distractor that is used."""
    picks: npt.NDArray[np.uint16]
    """One row per question: right answer, then three distractors, by number."""
    digests: npt.NDArray[np.uint64]
    """What every question shows, in whatever order: the same options and right answer, the same digest."""

    def ids(self, template_id: str) -> list[str]:
        """The questions' ids: as many digits of their digests as tell them apart, at least eight."""
        digests = [f"{number:016x}" for number in self.digests.tolist()]
        width = next(width for width in _WIDTHS if len({one[:width] for one in digests}) == len(digests))
        return [f"{template_id}_{self.locale.split}_{one[:width]}" for one in digests]

    def shown(self) -> Iterator[Shown]:
        """All options of its questions, right and wrong."""
        yield from self.distractors
        yield from self.right()

    def right(self) -> list[Shown]:
        """The right answers as they are shown."""
        return [(gold, self.locale.tag) for gold in self.golds]


_WIDTHS = (8, 16)


@dataclass(frozen=True, slots=True)
class DefaultPlan:
    """One template's questions; see `builders.mcq.result.TemplatePlan`."""

    template_id: str
    blocks: tuple[Block, ...]
    """In registry order."""
    seed: int
    rest: Mapping[Place, tuple[int, ...]]
    """Positions of the right answers that stand in no full group of four."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Questions by locale."""
        return {block.locale.tag: len(block.picks) for block in self.blocks}

    def rows(self) -> CodedRows:
        """All questions."""
        shown = sorted({option for block in self.blocks for option in block.shown()})
        rank = {option: i for i, option in enumerate(shown)}
        ids = [mcq_id for block in self.blocks for mcq_id in block.ids(self.template_id)]
        keys = digests(joined(self.seed, mcq_id) for mcq_id in ids)
        golds = numbers_of((block.right() for block in self.blocks), rank)
        distractors = numbers_of((block.distractors for block in self.blocks), rank)
        right = [own[block.picks[:, 0]] for own, block in zip(golds, self.blocks, strict=True)]
        wrong = [own[block.picks[:, 1:]] for own, block in zip(distractors, self.blocks, strict=True)]
        in_turn = np.take_along_axis(np.sort(np.concatenate(wrong), axis=1), arrangements(keys), axis=1)
        positions = self._positions(keys)
        options = _inserted(np.concatenate(right), in_turn, positions)
        return CodedRows(self.template_id, ids, [*self.counts.items()], shown, options, positions)

    def _positions(self, keys: Digests) -> Numbers:
        """Where the right answers stand: full groups of four share positions out, the rest is balanced."""
        in_group = np.concatenate([np.arange(n) < split_off(n) for n in self.counts.values()])
        rest = [self.rest.get((self.template_id, tag), ()) for tag in self.counts]
        positions = np.empty(len(keys), np.int64)
        positions[in_group] = shared_out_in_fours(keys[in_group])
        positions[~in_group] = list(chain(*rest))
        return positions


def _inserted(right: Numbers, wrong: Numbers, positions: Numbers) -> Numbers:
    """The right answers at their positions among the wrong ones, which keep their order, shape ``(n, 4)``."""
    options = np.empty((len(right), len(LETTERS)), np.int64)
    is_right = np.arange(len(LETTERS)) == positions[:, None]
    options[is_right] = right
    options[~is_right] = wrong.ravel()
    return options


# Making the blocks of one template


@dataclass(frozen=True, slots=True)
class _Made:
    """What became of a template."""

    template_id: str
    blocks: tuple[Block, ...]
    dropped: tuple[tuple[str, str, str, str], ...]
    fillers: tuple[FillerUse, ...]


def _make(answers: TemplateAnswers, rules: Rules, bench: Bench, reviewed: Fillers) -> _Made:
    dropped = [
        (answers.template_id, one.locale.tag, *one.loss) for one in answers.locales if one.loss is not None
    ]
    blocks: list[Block] = []
    uses: list[FillerUse] = []
    # That numbers, times and dates differ needs no opinion.
    judging = bench.for_template() if answers.answer_format is AnswerFormat.TEXT else Bench(())
    board = _board(answers, judging)
    _count_rules(board, bench)
    picked = pick(board, answers, rules, judging)
    reserve = [option for one in answers.locales for option in one.reserve]
    of_targets = dict.fromkeys(picked.picks, picked)
    if reserve and (short := {tag for tag, picks in picked.picks.items() if not len(picks)}):
        with_reserve = pick(_board(answers, judging, reserve, only=short), answers, rules, judging)
        of_targets |= dict.fromkeys(short, with_reserve)
    for asked in (target.answers.locale for target in board.targets):
        found = of_targets[asked.tag]
        if not len(found.picks[asked.tag]) and reviewed.concern(answers, asked):
            more = [*reserve, *reviewed.options(answers, asked)]
            found = pick(_board(answers, judging, more, only={asked.tag}), answers, rules, judging)
            available = found.board.available(found.board.target(asked.tag), found.known)
            uses.extend(reviewed.uses(answers, found.board, available, found.picks[asked.tag]))
        target = found.board.target(asked.tag)
        if len(picks := found.picks[asked.tag]):
            blocks.append(_block(found.board, target, picks))
        else:
            left = len(found.board.available(target, found.known))
            dropped.append(
                (answers.template_id, asked.tag, "short", _shortage(found.board, target, answers, left))
            )
    return _Made(answers.template_id, tuple(blocks), tuple(dropped), tuple(uses))


def _board(
    answers: TemplateAnswers,
    judging: Bench,
    fillers: Sequence[Option] = (),
    *,
    only: Collection[str] | None = None,
) -> Board:
    """The board, once the judges before the lexical rules were asked about every pair that these refuse."""
    board = Board(answers, fillers, only=only, concerns=judging.concerns)
    if not judging.before:
        return board
    contested = board.contested()
    by_words = {asked for asked in contested if share_words(*asked)}
    return board.cleared(judging.same(by_words, overlapping=True) | judging.overruled(contested - by_words))


def _block(board: Board, target: Target, picks: Picks) -> Block:
    used, places = np.unique(picks[:, 1:], return_inverse=True)
    golds = tuple(gold.text for gold in target.answers.golds)
    distractors = tuple(board.shown[i] for i in used.tolist())
    numbers = np.column_stack([picks[:, 0], places.reshape(-1, N_DISTRACTORS)])
    return Block(
        locale=target.answers.locale,
        golds=golds,
        distractors=distractors,
        picks=numbers.astype(np.uint16),
        digests=_digests(golds, target.answers.locale.tag, distractors, numbers),
    )


def _digests(golds: Sequence[str], tag: str, distractors: Sequence[Shown], picks: Numbers) -> Digests:
    """What every question shows: ``digest(right answer, *options by text and locale)``, for all at once."""
    right = [(gold, tag) for gold in golds]
    shown = sorted({*right, *distractors})
    rank = {option: i for i, option in enumerate(shown)}
    of_right, of_wrong = numbers_of([right, distractors], rank)
    options = np.sort(np.column_stack([of_right[picks[:, 0]], of_wrong[picks[:, 1:]]]), axis=1)
    said = [joined(*option) for option in shown]
    asked = zip((golds[gold] for gold in picks[:, 0].tolist()), options.tolist(), strict=True)
    return digests(joined(gold, *(said[i] for i in some)) for gold, some in asked)


def _count_rules(board: Board, bench: Bench) -> None:
    """Count what the lexical rules refuse and let through, and what of that local variants refuse."""
    for target in board.targets:
        refused = target.overlapping.bit_count()
        offered = board.foreign(target.answers.locale).bit_count()
        bench.count_rules(LexicalJudge.name, same=refused, different=offered - refused)
        if target.alike:
            bench.count_rules(translations.NAME, same=target.alike.bit_count())


def _shortage(board: Board, target: Target, answers: TemplateAnswers, left: int) -> str:
    """How many options are left for a target, and what became of the other regions' answers."""
    asked = target.answers.locale
    answering = {one.locale.region for one in answers.locales if are_apart(one.locale, asked)}
    offering = {option.locale.region for option in board.options if are_apart(option.locale, asked)}
    brought = len(offering - answering)
    others, none = len(answering | offering), len(answering - offering)
    said = f"{left} of {others} other regions{f' ({brought} only by fillers)' if brought else ''}"
    side_by_side = " that may stand side by side and hide the right one" if left >= N_DISTRACTORS else ""
    return (
        f"{said} have an option left, {N_DISTRACTORS} are needed{side_by_side}; "
        f"{none} offer{'s' if none == 1 else ''} none, "
        f"{len(offering) - left} only what an acceptable answer rules out"
    )


def _positions_left(made: Iterable[_Made], seed: int) -> dict[Place, tuple[int, ...]]:
    """Positions of the right answers that stand in no full group of four, balanced over every region."""
    regions: dict[str, dict[Place, list[LeftOver]]] = {}
    for one in made:
        for block in one.blocks:
            left_ids = block.ids(one.template_id)[split_off(len(block.picks)) :]
            keys = digests(joined(seed, mcq_id) for mcq_id in left_ids).tolist()
            left = [LeftOver(*pair) for pair in zip(keys, shared_out(keys), strict=True)]
            regions.setdefault(block.locale.region, {})[one.template_id, block.locale.tag] = left
    return {place: ps for left in regions.values() for place, ps in balanced(left).items()}
