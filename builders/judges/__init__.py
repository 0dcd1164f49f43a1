"""Judges of equivalence: whether two answers mean the same, or one contains the other.

A judge has an opinion on a pair of answers or none. Judges are asked in order and the first opinion counts, so
that a reviewer's decision spares a model the question; only about pairs that decide something, many at a time,
and about each pair once per template. A verdict may depend on the two strings alone, never on the question, the
order or earlier verdicts: what a model says is cached by pair.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from itertools import product
from typing import NamedTuple, Protocol, TypeVar

import polars as pl
from rapidfuzz.distance import Levenshtein

from blend.loaders.responses.verdicts import Decision
from blend.schemas.errors import RowError
from blend.schemas.personal_data import MODEL_PREFIX
from blend.schemas.texts import pair_key, words

Choice = TypeVar("Choice")
Pair = tuple[str, str]


class Verdict(NamedTuple):
    """Whether two answers may not stand side by side as right and wrong, and who says so."""

    same: bool
    """True when they mean the same or one contains the other (football/soccer, fruit/apple)."""
    by: str
    """Name of the judge, for example ``decisions:mina`` or ``chat:gpt-5``."""


class Judge(Protocol):
    """Has an opinion on pairs of answers, or none."""

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        """One verdict per pair, in order; ``None`` where the judge has no opinion."""
        ...


DECIDERS = pl.Schema({"judge": pl.String(), "same": pl.Int64(), "different": pl.Int64()})
"""One row per judge: pairs of answers on which it had the deciding opinion, by verdict."""


class DecisionsJudge:
    """Judge that repeats earlier decisions, of people or a model; no opinion on other pairs."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._decided: dict[Pair, Decision] = {}
        for decision in decisions:
            earlier = self._decided.setdefault(pair_key(decision.answer_a, decision.answer_b), decision)
            if earlier.same != decision.same:
                here, there = ("the same", "not") if decision.same else ("not the same", "are")
                raise RowError(
                    f"{decision.answer_a!r} and {decision.answer_b!r} are {here} here, but {there} in "
                    f"{earlier.location}",
                    where=f"{decision.location}, column verdict",
                    fix="delete one of the two rows",
                )
        self.pairs = self._decided.keys()
        """Pairs that are decided, as `texts.pair_key` compares them."""

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        """See `Judge.verdicts`; a verdict names who decided: ``decisions:mina``, ``chat:gpt-5``."""
        decided = (self._decided.get(pair_key(a, b)) for a, b in pairs)
        return [None if one is None else Verdict(one.same, _decider(one.who)) for one in decided]


def _decider(who: str) -> str:
    # A model's verdict keeps the model's name: the rebuild that finds it here must record the same decider as
    # the build that asked, or the two releases would differ.
    return who if who.startswith(MODEL_PREFIX) else f"decisions:{who}"


class JudgePanel:
    """The judges of a build, in order, and a count of what they decided.

    They are asked about pairs that the lexical rules let through: answers that share a word never stand side by
    side.
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        self.judges = tuple(judges)
        self.partners: dict[str, set[str]] | None = None
        """By answer, those beside which any judge has an opinion on it, as `texts.answer_key` compares them.

        Null where a judge may have one on any pair. Of tens of millions of pairs that could meet, those who
        keep to decisions on file know a few thousand: nobody needs to list the others.
        """
        recording = [judge for judge in judges if isinstance(judge, DecisionsJudge)]
        if len(recording) == len(judges):
            self.partners = {}
            for a, b in (key for judge in recording for key in judge.pairs):
                self.partners.setdefault(a, set()).add(b)
                self.partners.setdefault(b, set()).add(a)
        self.counts: Counter[tuple[str, bool]] = Counter()
        """Pairs decided, by name of the judge and verdict (true: the same)."""
        self._known: dict[Pair, bool] = {}

    def for_template(self) -> "JudgePanel":
        """The same judges and count, who are asked about no pair of a template again."""
        panel = copy(self)
        panel._known = {}
        return panel

    def same(self, pairs: Collection[Pair]) -> dict[Pair, bool]:
        """Ask the judges about every pair, see `pair`, in one go: whether it counts as the same."""
        asked = sorted(set(pairs) - self._known.keys())
        for judge in self.judges:
            open_pairs = [one for one in asked if one not in self._known]
            for one, verdict in zip(open_pairs, judge.verdicts(open_pairs), strict=True):
                if verdict is not None:  # the first opinion counts
                    self.counts[verdict.by, verdict.same] += 1
                    self._known[one] = verdict.same
        # Where nobody has an opinion, the lexical rules have: the two share no word.
        self._known.update((one, False) for one in asked if one not in self._known)
        return {one: self._known[one] for one in pairs}

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
) -> Choice:
    """The choice that the judges' verdicts lead to, asking about no pair that it does not rest on.

    A choice is made as if all pairs not yet judged were different; those that it rests on are judged together,
    and with the new verdicts it is made again, until it rests on judged pairs only. The result is the same as
    if every pair had been judged beforehand, provided that ``choose`` turns nothing down except for a verdict.

    Args:
        panel: The judges.
        choose: Makes the choice from the verdicts known so far.
        relied_on: Pairs, let through by the lexical rules, that must be different for the choice to stand.
    """
    known: dict[Pair, bool] = {}
    while True:
        choice = choose(known)
        unknown = [] if not panel.judges else [asked for asked in relied_on(choice) if asked not in known]
        if not unknown:
            return choice
        verdicts = panel.same(unknown)
        known.update(verdicts)
        if not any(verdicts.values()):
            # All are different, as the choice took them to be: with them it would be made the same way.
            return choice


# Why people are asked about a pair.


_ONE_SPELLING = 0.75
"""Share of letters in common from which two answers may be one in two spellings: nezāmi and nizami."""
_SHORTEST = 4
"""Letters of the shortest word whose parts or spellings say anything."""


def why_suspected(a: str, b: str) -> str:
    """Say in a few words why two answers may mean the same; empty if nothing speaks for it.

    Errs towards suspicion: a reader turns a wrong one down in a second, and never sees a pair that is missing.
    """
    for one, other in product(words(a), words(b)):
        short, long = sorted((one, other), key=len)
        # A word with which another begins or ends: ball and basketball.
        if len(short) >= _SHORTEST and long != short and (long.startswith(short) or long.endswith(short)):
            return f"{short} is part of {long}"
    one, other = "".join(words(a)), "".join(words(b))
    is_long = min(len(one), len(other)) >= _SHORTEST
    is_alike = is_long and Levenshtein.normalized_similarity(one, other, score_cutoff=_ONE_SPELLING) > 0
    return "spelling" if is_alike else ""
