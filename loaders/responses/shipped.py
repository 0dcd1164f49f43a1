"""Shipped decisions: what a language model decided about the answers of BLEnD's 16 regions; nobody checked it.

They lie in the package ``blend.decisions``, under the licence of the dataset: one table of verdicts, as a
recipe may name one of its own (`loaders.responses.verdicts`), and what was counted and fitted with it.
"""

from functools import cache
from importlib.resources import as_file, files

import polars as pl

from blend.loaders.responses.verdicts import Decision, decisions_in
from blend.schemas.frames import VERDICTS


@cache
def shipped_verdicts() -> pl.DataFrame:
    """The shipped verdicts, `frames.VERDICTS`, in the order of the file.

    Five annotators do not say everything: who eats cod likes crab as well. The model read every option that
    may be shown about the 16 regions, and said which are correct all the same, no answer at all, or the same as
    another; and where the English of a question or an option has a slip.
    """
    # Without the checks of a reader of strangers' files, which take half a second: a test holds that
    # `loaders.responses.verdicts.read_verdicts` finds the same rows.
    with as_file(files("blend.decisions") / "blend" / "verdicts.tsv") as path:
        rows = pl.read_csv(path, separator="\t", infer_schema=False).with_row_index("row", offset=2)
    return rows.with_columns(source=pl.format("verdicts.tsv:{}", "row")).select(
        pl.col(name).cast(of) for name, of in VERDICTS.items()
    )


def shipped_decisions() -> tuple[Decision, ...]:
    """The shipped verdicts on pairs of answers.

    They concern pairs of an option and an acceptable answer, or of two options, that can meet in the published
    16 regions and that share no word. The model read them in English.
    """
    return decisions_in(shipped_verdicts())


@cache
def shipped_collections() -> pl.DataFrame:
    """What collecting brought in the 16 regions, `builders.stats.planning.REGION_FIGURES`.

    ``benchmarks/collection_regions.py`` counts it in the published answers and a build of them with default
    options.
    """
    with as_file(files("blend.decisions") / "blend" / "collection_regions.tsv") as path:
        return pl.read_csv(path, separator="\t")
