"""How many examples a property is tried with."""

import hypothesis


def examples(n: int) -> int:
    """Scale a number of examples, of 100 that Hypothesis tries by itself, by the profile that runs."""
    return max(3, n * hypothesis.settings().max_examples // 100)
