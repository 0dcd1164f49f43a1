"""Probing: what tasks, models and scores of candidates share."""

from typing import Literal

from blend.schemas.food import PLACEHOLDERS

GAP = PLACEHOLDERS["part"]
"""What stands for the candidate in a prompt, in every language."""

Causal = Literal["sound", "published-greedy", "statement"]
"""How a causal model is asked: each token of a candidate after the prompt and the candidate's own tokens before
it (``sound``); after the model's own greedy continuation, as Zhou et al. (2025) did (``published-greedy``); or
the log-probability of the whole statement, with what follows the gap (``statement``, Wiland et al. 2024)."""

MAX_MASKS = 10
"""Tokens that a candidate may have with a masked model unless the caller says otherwise, as published."""
