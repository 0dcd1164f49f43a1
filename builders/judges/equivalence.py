"""Equivalence: whether two answers mean the same, or one contains the other.

A judge has an opinion on a pair of answers or none. Judges are asked in order and the first opinion counts, so
that a reviewer's decision overrides a rule and a rule spares a model the question. A verdict may depend on the
two strings alone, never on the question, the order or earlier verdicts: what a model says is cached by pair.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from blend.schemas.texts import words

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two answers may not stand side by side as right and wrong, and who says so."""

    same: bool
    """True when they mean the same or one contains the other (football/soccer, fruit/apple)."""
    by: str
    """Name of the judge, for example ``lexical``, ``decisions`` or ``chat:gpt-5``."""


class Judge(Protocol):
    """Has an opinion on pairs of answers, or none."""

    @property
    def name(self) -> str:
        """Short name for the record, with the model's name and version where there is one."""
        ...

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        """One verdict per pair, in order; ``None`` where the judge has no opinion."""
        ...


@runtime_checkable
class RecordingJudge(Judge, Protocol):
    """A judge that has opinions on certain pairs only and can tell which, so that none asks it about others."""

    def partners(self, text: str) -> Set[str]:
        """The answers on which it has an opinion beside this one, as `texts.answer_key` compares them."""
        ...


def overlaps(a: str, b: str) -> bool:
    """Whether two answers share a word, after Unicode, case, accent, hyphen and punctuation folding.

    ``football`` and ``American Football`` overlap, ``pan`` and ``saucepan`` do not, ``1`` and ``10`` do not.
    Sharing one word is enough: it covers equality and containment at word boundaries, and an option that
    shares a word with the right answer gives itself away or is arguably right. An answer without any letter or
    digit overlaps with everything, since nothing can be said about it.
    """
    words_a, words_b = words(a), words(b)
    return not words_a or not words_b or not set(words_a).isdisjoint(words_b)


class LexicalJudge:
    """The lexical rules: overlapping answers are the same, on others it has no opinion."""

    name = "lexical"

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        """See `Judge.verdicts`."""
        return [Verdict(True, self.name) if overlaps(a, b) else None for a, b in pairs]


def decide(judges: Sequence[Judge], pairs: Sequence[Pair]) -> list[Verdict]:
    """The first opinion on each pair; a pair on which nobody has one is different, by the lexical rules."""
    decided: dict[int, Verdict] = {}
    for judge in judges:
        open_pairs = [i for i in range(len(pairs)) if i not in decided]
        for i, verdict in zip(open_pairs, judge.verdicts([pairs[i] for i in open_pairs]), strict=True):
            if verdict is not None:
                decided[i] = verdict
    return [decided.get(i, Verdict(False, LexicalJudge.name)) for i in range(len(pairs))]
