"""Choice: the questions about the locales of a board that stand whatever the judges say.

Options are chosen as if everything that no judge was asked about were different; what the choice rests on is
judged, and the choice made again, see `builders.judges.bench.settle`.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from blend.builders.judges.bench import Bench, settle
from blend.builders.judges.equivalence import Pair
from blend.builders.mcq.answers import TemplateAnswers
from blend.builders.mcq.board import Board
from blend.builders.mcq.flags import Flags
from blend.builders.mcq.matching import Known, matches
from blend.builders.mcq.offers import Offered
from blend.builders.mcq.orders import Orders
from blend.builders.mcq.together import N_DISTRACTORS, Numbers
from blend.builders.mcq.variants import Asked, Picks, pick_variants
from blend.schemas.recipe import McqOptions


class Rules(NamedTuple):
    """What decides which questions are made."""

    options: McqOptions
    seed: int
    known: Known


class Picked(NamedTuple):
    """Questions chosen on a board."""

    board: Board
    picks: Mapping[str, Picks]
    """By tag of the target."""
    known: Mapping[Pair, bool]
    """The verdicts that they rest on."""


def pick(board: Board, answers: TemplateAnswers, rules: Rules, judging: Bench) -> Picked:
    """The questions about every target of the board."""
    choice = _Choice(board, answers, rules)

    def relied_on(picks: Sequence[Picks]) -> Iterator[Pair]:
        for target, own in zip(board.targets, picks, strict=True):
            yield from board.relied_on(target, own[:, 1:].tolist())

    picks, known = settle(judging, choice.made, relied_on)
    tags = (target.answers.locale.tag for target in board.targets)
    return Picked(board, dict(zip(tags, picks, strict=True)), known)


class _Choice:
    """The questions about every target of a board, made again only where verdicts concern them."""

    def __init__(self, board: Board, answers: TemplateAnswers, rules: Rules) -> None:
        self._board, self._limit = board, rules.options.variants
        golds = [target.answers.golds for target in board.targets]
        tags = [target.answers.locale.tag for target in board.targets]
        self._asked = Asked(
            targets=np.arange(len(tags)),
            orders=Orders(rules.seed, answers.template_id, tags, board.regions),
            golds=matches(answers, board.options, list(chain(*golds)), rules.known, seed=rules.seed),
            n_golds=np.array([len(own) for own in golds], np.int64),
            regions=board.region_numbers,
            fillers=board.is_filler,
            reserve=board.is_filler & np.array([option.votes > 0 for option in board.options], np.bool_),
        )
        self._rests_on: tuple[Offered, Flags] | None = None
        self._picks: list[Picks] = [np.empty((0, 1 + N_DISTRACTORS), np.int64) for _ in tags]

    def made(self, known: Mapping[Pair, bool]) -> list[Picks]:
        """The questions by target, given the verdicts known so far."""
        offered, apart = self._board.offered(known), self._board.apart(known)
        rows = self._concerned(offered, apart)
        picked = pick_variants(offered.at(rows), apart, self._asked.at(rows), limit=self._limit)
        for row, picks in zip(rows.tolist(), picked, strict=True):
            self._picks[row] = picks
        self._rests_on = offered, apart
        return list(self._picks)

    def _concerned(self, offered: Offered, apart: Flags) -> Numbers:
        """The targets whose questions do not rest on what they rested on before."""
        if self._rests_on is None:
            return np.arange(len(self._picks))
        before, apart_before = self._rests_on
        moved = (offered.shown != before.shown) | (offered.place != before.place)
        return np.flatnonzero((moved | offered.shown & (apart != apart_before).any(axis=0)).any(axis=1))
