"""Equivalence: how opinions are put together."""

from collections.abc import Sequence

from blend.builders.judges.equivalence import Pair, Verdict, decide


class Says:
    """Has the given opinions and no others, and remembers what it was asked."""

    def __init__(self, name: str, opinions: dict[Pair, bool]) -> None:
        self.name = name
        self.opinions = opinions
        self.asked: list[Pair] = []

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        self.asked += pairs
        return [Verdict(self.opinions[pair], self.name) if pair in self.opinions else None for pair in pairs]


def test_the_first_opinion_counts_and_nobody_is_asked_after_it():
    a, b, c, d = pairs = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]
    first = Says("first", {a: True, c: False})
    second = Says("second", {a: False, b: True, c: True})
    assert decide([first, second], pairs) == [
        Verdict(True, "first"),
        Verdict(True, "second"),
        Verdict(False, "first"),
        Verdict(False, "lexical"),
    ]
    assert first.asked == pairs
    assert second.asked == [b, d]
