"""Suspects: pairs of answers that may mean the same though no rule says so, for a person to decide.

Errs towards suspicion: a reader turns a wrong one down in a second, and never sees a pair that is missing.
"""

from itertools import product

from rapidfuzz.distance import Levenshtein

from blend.schemas.texts import words

_ONE_SPELLING = 0.75
"""Share of letters in common from which two answers may be one in two spellings: nezāmi and nizami."""
_SHORTEST = 4
"""Letters of the shortest word whose parts or spellings say anything."""


def why_suspected(a: str, b: str) -> str:
    """Say in a few words why two answers may mean the same; empty if nothing speaks for it."""
    for one, other in product(words(a), words(b)):
        short, long = sorted((one, other), key=len)
        # A word with which another begins or ends: ball and basketball.
        if len(short) >= _SHORTEST and long != short and (long.startswith(short) or long.endswith(short)):
            return f"{short} is part of {long}"
    one, other = "".join(words(a)), "".join(words(b))
    is_long = min(len(one), len(other)) >= _SHORTEST
    is_alike = is_long and Levenshtein.normalized_similarity(one, other, score_cutoff=_ONE_SPELLING) > 0
    return "spelling" if is_alike else ""
