"""Asking judges: only about pairs that decide something, many at a time, and each pair once per template."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from copy import copy
from typing import TypeVar

import polars as pl

from blend.builders.judges.equivalence import (
    Judge,
    LexicalJudge,
    Pair,
    RecordingJudge,
    Verdict,
    decide,
)

Choice = TypeVar("Choice")

DECIDERS = pl.Schema({"judge": pl.String(), "same": pl.Int64(), "different": pl.Int64()})
"""One row per judge: pairs of answers on which it had the deciding opinion, by verdict; without the lexical
rules, which are applied in bulk."""


class JudgePanel:
    """The judges of a build, in order, and a count of what they decided.

    The lexical rules are applied in bulk by whoever chooses options; here they only have their place in the
    order: judges before them may overrule them, judges after them are asked about pairs that the rules let
    through. Where the judges do not name them, the rules come last.
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        location = next((i for i, judge in enumerate(judges) if isinstance(judge, LexicalJudge)), len(judges))
        self.before = tuple(judges[:location])
        """Judges that may overrule the lexical rules."""
        self.after = tuple(judge for judge in judges[location:] if not isinstance(judge, LexicalJudge))
        """Judges that are asked when the lexical rules have nothing to say."""
        others = (*self.before, *self.after)
        recording = tuple(judge for judge in others if isinstance(judge, RecordingJudge))
        self.partners = _Partners(recording) if len(recording) == len(others) else None
        """By text, the answers beside which any judge but the rules may have an opinion on it; null: all.

        They are written as `texts.answer_key` compares them. Of tens of millions of pairs that could meet,
        those who keep to decisions on file know a few thousand: nobody needs to list the others.
        """
        self.counts: Counter[tuple[str, bool]] = Counter()
        """Pairs decided, by name of the judge and verdict (true: the same)."""
        self._verdicts: dict[bool, dict[Pair, bool]] = {True: {}, False: {}}

    def for_template(self) -> "JudgePanel":
        """The same judges and count, who are asked about no pair again, on however many boards it meets."""
        panel = copy(self)
        panel._verdicts = {True: {}, False: {}}
        return panel

    @property
    def lexical_only(self) -> bool:
        """Whether nobody but the lexical rules has a say."""
        return not self.before and not self.after

    def same(self, pairs: Iterable[Pair], *, overlapping: bool) -> dict[Pair, bool]:
        """Ask the judges about every pair, in one go.

        Args:
            pairs: Pairs of answers as shown, see `pair`.
            overlapping: Whether these are pairs that the lexical rules hold for the same. Then only judges
                before the rules are asked, and without an opinion the rules stand.

        Returns:
            For every pair whether it counts as the same.
        """
        judges: tuple[Judge, ...] = (*self.before, _Rules()) if overlapping else (*self.before, *self.after)
        return self._decided(judges, set(pairs), self._verdicts[overlapping])

    def _decided(self, judges: Sequence[Judge], pairs: set[Pair], known: dict[Pair, bool]) -> dict[Pair, bool]:
        """Whether pairs are the same; judges are asked about those that are not known yet."""
        asked = sorted(pairs - known.keys())
        verdicts = decide(judges, asked) if asked else []
        self.counts.update((one.by, one.same) for one in verdicts if one.by != LexicalJudge.name)
        known.update(zip(asked, (one.same for one in verdicts), strict=True))
        return {asked_pair: known[asked_pair] for asked_pair in pairs}

    def deciders(self) -> pl.DataFrame:
        """`DECIDERS`, by name of the judge."""
        names = sorted({name for name, _ in self.counts})
        rows = [(name, self.counts[name, True], self.counts[name, False]) for name in names]
        return pl.DataFrame(rows, DECIDERS, orient="row")


def pair(a: str, b: str) -> Pair:
    """The two answers in code-point order: a verdict does not depend on which of them is the right one."""
    return (a, b) if a <= b else (b, a)


def settle(
    panel: JudgePanel,
    choose: Callable[[Mapping[Pair, bool]], Choice],
    relied_on: Callable[[Choice], Iterable[Pair]],
) -> tuple[Choice, Mapping[Pair, bool]]:
    """The choice that the judges' verdicts lead to, asking about no pair that it does not rest on.

    A choice is made as if all pairs not yet judged were different; those that it rests on are judged together,
    and with the new verdicts it is made again, until it rests on judged pairs only. The result is the same as
    if every pair had been judged beforehand, provided that ``choose`` turns nothing down except for a verdict.

    Args:
        panel: The judges.
        choose: Makes the choice from the verdicts known so far.
        relied_on: Pairs, let through by the lexical rules, that must be different for the choice to stand.

    Returns:
        The choice, and the verdicts that it was made from.
    """
    known: dict[Pair, bool] = {}
    while True:
        choice = choose(known)
        unknown = [] if panel.lexical_only else [asked for asked in relied_on(choice) if asked not in known]
        if not unknown:
            return choice, known
        verdicts = panel.same(unknown, overlapping=False)
        known.update(verdicts)
        if not any(verdicts.values()):
            # All are different, as the choice took them to be: with them it would be made the same way.
            return choice, known


class _Partners(dict[str, Set[str]]):
    """What judges list as `RecordingJudge.partners`, by text; each text is looked up once."""

    def __init__(self, judges: Sequence[RecordingJudge]) -> None:
        super().__init__()
        self._judges = judges

    def __missing__(self, text: str) -> Set[str]:
        # Of most texts nobody has an opinion: these share one empty set.
        found = frozenset[str]().union(*(judge.partners(text) for judge in self._judges)) or _NOBODY
        self[text] = found
        return found


_NOBODY: frozenset[str] = frozenset()


class _Rules:
    """The lexical rules on pairs that are known to overlap."""

    name = LexicalJudge.name

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        return [Verdict(True, self.name) for _ in pairs]
