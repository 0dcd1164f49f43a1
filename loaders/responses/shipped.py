"""Shipped decisions: what the blend team decided about the answers of BLEnD's 16 regions; no native checked it.

They lie in the package ``blend.decisions``, under the licence of the dataset, in the formats of a recipe's own
files: `loaders.responses.decisions` and `loaders.responses.exclusions`.
"""

from functools import cache
from importlib.resources import as_file, files

import polars as pl

from blend.loaders.responses.decisions import Decision, read_decisions
from blend.loaders.responses.exclusions import read_exclusions


@cache
def shipped_decisions() -> tuple[Decision, ...]:
    """The shipped decisions about pairs of answers, in the order of the file.

    They concern pairs of an option and an acceptable answer, or of two options, that can meet in the published
    16 regions and that share no word. The blend team read them in English.
    """
    with as_file(files("blend.decisions") / "blend" / "same_answers.tsv") as path:
        return read_decisions(path)


@cache
def shipped_exclusions() -> pl.DataFrame:
    """The shipped exclusions, `frame_columns.EXCLUSIONS`, in the order of the file, each with its question.

    Five annotators do not say everything: who eats cod likes crab as well. The blend team read every option
    that may be shown about the 16 regions, and excluded those that are right all the same, or no answer at all.
    """
    with as_file(files("blend.decisions") / "blend" / "exclusions.tsv") as path:
        return read_exclusions(path)
