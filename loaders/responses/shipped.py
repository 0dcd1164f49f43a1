"""Shipped decisions: what a language model decided about the answers of BLEnD's 16 regions; nobody checked it.

They lie in the package ``blend.decisions``, under the licence of the dataset, in the formats of a recipe's own
files: `loaders.responses.decisions` and `loaders.responses.exclusions`. Beside them are slips in the English of
questions.
"""

from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import as_file, files
from typing import NamedTuple

import polars as pl

from blend.loaders.responses.decisions import Decision
from blend.loaders.responses.wordings import Wording, read_wordings
from blend.schemas.frames import EXCLUSIONS, KEY


def _table(name: str) -> pl.DataFrame:
    """Read a table of the package, all text.

    Without the checks of a reader of strangers' files, which take half a second: a test holds that such readers
    find the same rows.
    """
    with as_file(files("blend.decisions") / "blend" / name) as path:
        return pl.read_csv(path, separator="\t", infer_schema=False)


class ShippedDecision(NamedTuple):
    """A `Decision` that comes with the package; thousands of models would take a tenth of a second."""

    answer_a: str
    answer_b: str
    verdict: str
    who: str
    when: date
    why: str


AnyDecision = Decision | ShippedDecision


def shipped_decisions() -> tuple[ShippedDecision, ...]:
    """The shipped decisions about pairs of answers, in the order of the file.

    They concern pairs of an option and an acceptable answer, or of two options, that can meet in the published
    16 regions and that share no word. The model read them in English.
    """
    rows = _table("same_answers.tsv").with_columns(
        pl.col("when").str.to_date("%Y-%m-%d"), pl.col("why").fill_null("")
    )
    return tuple(map(ShippedDecision._make, rows.select(ShippedDecision._fields).iter_rows()))


@cache
def shipped_readings() -> pl.DataFrame:
    """The questions of which the model read every option that the 16 regions offered, accepted or not.

    Returns:
        ``template_id``, ``locale``, ``question`` (in English), one row per question, in the order of the file.
    """
    return _table("questions_read.tsv").select(*KEY, "question")


@cache
def shipped_exclusions() -> pl.DataFrame:
    """The shipped exclusions, `frame_columns.EXCLUSIONS`, in the order of the file, each with its question.

    Five annotators do not say everything: who eats cod likes crab as well. The model read every option
    that may be shown about the 16 regions, and excluded those that are right all the same, or no answer at all.
    """
    rows = _table("exclusions.tsv").with_row_index("row", offset=2)
    return rows.with_columns(
        native=pl.lit(None), confidence=pl.lit(None), source=pl.format("exclusions.tsv:{}", "row")
    ).select(pl.col(name).cast(of) for name, of in EXCLUSIONS.items())


@cache
def shipped_risk() -> dict[str, dict[str, float]]:
    """The coefficients of `builders.mcq.unread_options`, by model and feature.

    ``benchmarks/option_risk.py`` fits them on the published answers and the shipped exclusions.
    """
    with as_file(files("blend.decisions") / "blend" / "option_risk.tsv") as path:
        rows = pl.read_csv(path, separator="\t").select("model", "feature", "coefficient").iter_rows()
    found: dict[str, dict[str, float]] = {}
    for model, feature, coefficient in rows:
        found.setdefault(model, {})[feature] = coefficient
    return found


@cache
def shipped_collections() -> pl.DataFrame:
    """What collecting brought in the 16 regions, `builders.stats.planning.REGION_FIGURES`.

    ``benchmarks/collection_regions.py`` counts it in the published answers and a build of them with default
    options.
    """
    with as_file(files("blend.decisions") / "blend" / "collection_regions.tsv") as path:
        return pl.read_csv(path, separator="\t")


@cache
def shipped_wordings() -> dict[str, Wording]:
    """The slips of grammar and spelling in published questions, by template; in any region with that wording.

    They change nothing that is asked. The shipped exclusions quote the questions without them.
    """
    with as_file(files("blend.decisions") / "blend" / "wordings.tsv") as path:
        return {one.template_id: one for one in read_wordings(path)}


class OptionTexts(NamedTuple):
    """What the model said of options of a template whatever the region asked about."""

    refused: frozenset[str]
    """Options that are no answer of the kind asked for, and are offered nowhere."""
    corrected: Mapping[str, str]
    """Options with a slip in their English, and what is shown in their place."""


@cache
def shipped_option_texts() -> dict[str, OptionTexts]:
    """What the model said of the options of the 16 regions by themselves, by template."""
    rows = _table("option_texts.tsv").select("template_id", "option", "kind", "corrected").iter_rows()
    found: dict[str, tuple[set[str], dict[str, str]]] = {}
    for template_id, option, kind, put_right in rows:
        refused, corrected = found.setdefault(template_id, (set(), {}))
        if kind == "silly":
            refused.add(option)
        else:
            corrected[option] = put_right
    return {one: OptionTexts(frozenset(refused), corrected) for one, (refused, corrected) in found.items()}
