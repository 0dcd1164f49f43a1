"""How candidates are asked for: words that tasks and models share."""

from typing import Literal

Causal = Literal["conditional", "published-greedy", "statement"]
"""How a causal model is asked: each token of a candidate after the prompt and the candidate's own tokens before
it (``conditional``); after the model's own greedy continuation, as Zhou et al. (2025) did
(``published-greedy``); or the log-probability of the whole statement, with what follows the gap
(``statement``, Wiland et al. 2024)."""

MAX_MASKS = 10
"""Tokens that a candidate may have with a masked model unless the caller says otherwise, as published."""
