"""Suspects: pairs of answers that may mean the same though no rule says so, for a person to decide.

Errs towards suspicion: a reader turns a wrong one down in a second, and never sees a pair that is missing.
"""

from collections.abc import Iterable

from rapidfuzz.distance import Levenshtein

from blend.builders.judges.equivalence import Pair
from blend.loaders.responses.verdicts import Decision
from blend.schemas.texts import words

ONE_SPELLING = 0.75
"""Share of letters in common from which two answers may be one in two spellings: nezāmi and nizami."""
_MOST_PARTNERS = 4
"""Words that mean the same as one word. A word with more is a group, as fruit is, and says little."""
_SHORTEST = 4
"""Letters of the shortest word whose parts, spellings or meanings say anything."""


class Suspects:
    """Reasons why two answers may mean the same.

    Args:
        decided: Decisions on other pairs. Where they hold metro and subway for the same, "metro line" and "by
            subway" are suspected.
    """

    def __init__(self, decided: Iterable[Decision]) -> None:
        self._partners: dict[str, set[tuple[str, ...]]] = {}
        for decision in decided:
            a, b = words(decision.answer_a), words(decision.answer_b)
            # Only single words: more of them say much about their pair and little about another.
            if decision.same and len(a) == len(b) == 1 and min(map(len, (*a, *b))) >= _SHORTEST:
                self._partners.setdefault(a[0], set()).add(b)
                self._partners.setdefault(b[0], set()).add(a)

    def cause(self, a: str, b: str) -> str:
        """Cause in a few words; empty if nothing speaks for it.

        Args:
            a: One answer.
            b: The other, behind it in code-point order.
        """
        words_a, words_b = words(a), words(b)
        if found := self._decided_words(words_a, words_b):
            return f"{found[0]} and {found[1]} are the same"
        if part := _part(words_a, words_b):
            return f"{part[0]} is part of {part[1]}"
        return "spelling" if _are_spelled_alike(words_a, words_b) else ""

    def _decided_words(self, a: tuple[str, ...], b: tuple[str, ...]) -> Pair | None:
        for word in a:
            for (partner,) in sorted(self._partners.get(word, ())):
                if partner in b and max(map(self._n_partners, (word, partner))) <= _MOST_PARTNERS:
                    return word, partner
        return None

    def _n_partners(self, word: str) -> int:
        return len(self._partners[word])


def _part(a: tuple[str, ...], b: tuple[str, ...]) -> Pair | None:
    """A word of one answer with which a word of the other begins or ends: ball and basketball."""
    for one in a:
        for other in b:
            short, long = sorted((one, other), key=len)
            if len(short) >= _SHORTEST and long != short and (long.startswith(short) or long.endswith(short)):
                return short, long
    return None


def _are_spelled_alike(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    one, other = "".join(a), "".join(b)
    if min(len(one), len(other)) < _SHORTEST:
        return False
    return Levenshtein.normalized_similarity(one, other, score_cutoff=ONE_SPELLING) > 0
