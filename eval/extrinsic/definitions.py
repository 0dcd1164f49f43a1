"""Definitions: what the paper says, and what its published code computes instead."""

from typing import Literal

Definition = Literal["paper", "reference_code"]
"""``paper`` is what the paper says; ``reference_code`` repeats the published scripts, to know their numbers.

What differs under ``reference_code``: variances lack the factor 1/2; two groups with the same list of samples
are at distance 0; BLEU has the earlier group of the data as hypothesis in both directions, and is -1 where a
group has no text; rank correlations compare the names in two ordered lists, the first of each left out.
"""

Bleu = Literal["multi-reference", "pairwise"]
"""All samples of the other group as references of every sample, or the mean over pairs of samples."""

Distance = Literal["published", "standardised"]
"""How the answers of a survey become a distance (`culture.distances`)."""
