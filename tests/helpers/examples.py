"""How many examples a property is tried with."""

import hypothesis


def examples(n: int) -> int:
    """Scale a number of examples, meant for `make test`, by the profile of Hypothesis that runs."""
    return max(3, n * hypothesis.settings().max_examples // 100)
