"""What collecting brought in the 16 regions: makes ``decisions/blend/collection_regions.tsv`` anew.

Counts it in the published votes (the folder BLEND of the authors' repository), and in what a build with default
options makes of them: the first question of each pair.

    python benchmarks/collection_regions.py BLEND --fit
"""

import argparse
from pathlib import Path

import polars as pl
from vote_chances import vote_shares

from blend.builders.mcq import build_mcq
from blend.builders.stats.planning import FEWEST_ANNOTATORS, MOST_ANNOTATORS, REGION_FIGURES, made_of
from blend.loaders.upstream.blend import read_blend
from blend.schemas.recipe import McqOptions

FIGURES = Path(__file__).resolve().parents[1] / "decisions" / "blend" / "collection_regions.tsv"
WANTED = 5
"""Annotators of a question of BLEnD."""


def main() -> None:
    """Write the figures of the regions, or print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blend", type=Path)
    parser.add_argument("--fit", type=Path, nargs="?", const=FIGURES, help="write the figures there")
    used = parser.parse_args()
    tables = read_blend(used.blend)
    mcqs = build_mcq(tables.questions, tables.annotations, options=McqOptions(), seed=0).mcqs
    # Further questions are made of what somebody has read, and what is yet to be collected nobody has.
    mcqs = mcqs.unique(["template_id", "locale"], keep="first", maintain_order=True)
    numbers = range(FEWEST_ANNOTATORS, MOST_ANNOTATORS + 1)
    shares = vote_shares(tables.annotations, numbers, wanted=WANTED)
    asked = tables.annotations.group_by("locale").agg(asked=pl.len())
    made = made_of(shares.filter(annotators=WANTED).join(asked, on="locale"), mcqs)
    figures = shares.join(made, on="locale", how="left", maintain_order="left").select(list(REGION_FIGURES))
    figures = figures.with_columns(pl.col(pl.Float64).round(4), mcqs_from=pl.lit("BLEnD"))
    text = figures.write_csv(used.fit, separator="\t")
    print(text or f"{figures.height} rows are in {used.fit}")


if __name__ == "__main__":
    main()
