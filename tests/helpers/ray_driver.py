"""A driver with a model of its own: ``python ray_driver.py RELEASE OUT ADDRESS WORD`` dies of one word."""

import os
import sys
from collections.abc import Sequence

import blend


class Mortal:
    """A model whose process dies of a word, and that says how long a prompt is."""

    def __init__(self, word: str) -> None:
        self._word = word

    def generate(self, prompts: list[str]) -> Sequence[str]:
        """Texts."""
        if any(self._word in prompt for prompt in prompts):
            os._exit(1)
        return [f"It has {len(prompt)} characters." for prompt in prompts]


if __name__ == "__main__":
    release, out, address, word = sys.argv[1:]
    run = blend.run_task(
        release, "short-answer", model=Mortal(word), out=out, limit=2, ray=address, ray_items=20
    )
    print(run.outcome.n_items, run.outcome.n_failed, run.outcome.first_error)
