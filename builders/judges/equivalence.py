"""Equivalence: whether two answers mean the same, or one contains the other.

A judge has an opinion on a pair of answers or none. Judges are asked in order and the first opinion counts, so
that a reviewer's decision spares a model the question. A verdict may depend on the two strings alone, never on
the question, the order or earlier verdicts: what a model says is cached by pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two answers may not stand side by side as right and wrong, and who says so."""

    same: bool
    """True when they mean the same or one contains the other (football/soccer, fruit/apple)."""
    by: str
    """Name of the judge, for example ``lexical``, ``decisions:mina`` or ``chat:gpt-5``."""


class Judge(Protocol):
    """Has an opinion on pairs of answers, or none."""

    @property
    def name(self) -> str:
        """Short name for the record, with the model's name and version where there is one."""
        ...

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        """One verdict per pair, in order; ``None`` where the judge has no opinion."""
        ...


LEXICAL = "lexical"
"""Who decides about pairs on which no judge has an opinion: the rules, by which they share no word."""


def decide(judges: Sequence[Judge], pairs: Sequence[Pair]) -> list[Verdict]:
    """The first opinion on each pair; a pair on which nobody has one is different, by the lexical rules."""
    decided: dict[int, Verdict] = {}
    for judge in judges:
        open_pairs = [i for i in range(len(pairs)) if i not in decided]
        for i, verdict in zip(open_pairs, judge.verdicts([pairs[i] for i in open_pairs]), strict=True):
            if verdict is not None:
                decided[i] = verdict
    return [decided.get(i, Verdict(False, LEXICAL)) for i in range(len(pairs))]
