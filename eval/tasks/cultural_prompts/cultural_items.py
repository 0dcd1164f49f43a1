"""Cultural prompts: a text for a reader of every nationality, several samples of each."""

from collections.abc import Iterator, Mapping

import polars as pl

from blend.eval.items import ITEMS, PART, ItemParts, TaskItems, text_digest
from blend.eval.tasks.cultural_prompts import CulturalPromptOptions
from blend.schemas.errors import UnknownNameError
from blend.schemas.rows import CULTURAL_PROMPTS

GOLD = pl.Schema(
    {
        "item_id": pl.String(),
        "split": pl.String(),
        "category": pl.String(),
        "topic": pl.String(),
        "group": pl.String(),
        "sample": pl.Int64(),
        "language": pl.String(),
    }
)
"""One row per text: kind, category and topic, the group that it is for, the number of the sample from 0, and
the language that it should be in (null where nobody says)."""


def cultural_items(
    tables: Mapping[str, pl.DataFrame | pl.LazyFrame], options: CulturalPromptOptions
) -> TaskItems:
    """The items of cultural prompts, in parts.

    Args:
        tables: ``cultural-prompts``, `cultural_prompt_rows.PROMPTS`.
        options: Samples, kinds, nationalities; ``limit`` is the number of topics of a kind, chosen by a digest
            of their names.

    Returns:
        One item per prompt and sample, ``qa/t1/physics/gravity/Brazilian~0``: all texts of a topic one after
        the other. ``template_id`` is the topic with its category, ``region`` the nationality.

    Raises:
        UnknownNameError: If the release has no such kind or nationality; lists those it has.
    """
    rows = _chosen(tables[CULTURAL_PROMPTS].lazy(), options)
    samples = pl.DataFrame({"sample": range(options.samples)}, schema={"sample": pl.Int64})

    def parts() -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        for some in rows.collect_batches(chunk_size=max(1, PART // options.samples)):
            yield _sampled(some, samples)

    n_prompts: int = rows.select(pl.len()).collect().item()
    made = ItemParts(n_prompts * options.samples, parts)
    nothing, no_gold = pl.DataFrame(schema=ITEMS), pl.DataFrame(schema=GOLD)
    return TaskItems(nothing, no_gold, _templates(rows), "text", parts=made)


def _sampled(rows: pl.DataFrame, samples: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Items and gold of some prompts."""
    asked = rows.join(samples, how="cross", maintain_order="left_right").with_columns(
        item_id=pl.format("{}/{}~{}", "kind", "prompt_id", "sample"),
        locale="language",
        region="nationality",
        topic_id=pl.concat_str("category", "topic", separator="/"),
    )
    items = asked.select(
        "item_id",
        "locale",
        "region",
        "language",
        "prompt",
        template_id="topic_id",
        topic="category",
        prompt_id=pl.concat_str("kind", "template_id", separator="/"),
        options=pl.lit(None, pl.List(pl.String)),
    )
    gold = asked.select("item_id", "category", "topic", "sample", "language", split="kind", group="nationality")
    return items.select(list(ITEMS)).cast(ITEMS), gold.select(list(GOLD)).cast(GOLD)


def _chosen(rows: pl.LazyFrame, options: CulturalPromptOptions) -> pl.LazyFrame:
    held = _unique(rows, "kind")["kind"].to_list()
    for kind in options.kinds or ():
        if kind not in held:
            raise UnknownNameError("kind of text", kind, held)
    if options.kinds is not None:
        rows = rows.filter(pl.col("kind").is_in(options.kinds))
    if options.nationalities is not None:
        rows = rows.filter(pl.col("nationality").is_in(_demonyms(rows, options.nationalities)))
    if options.limit is None:
        return rows
    topics = _unique(rows, "kind", "category", "topic")
    digests = [text_digest("/".join(topic)) for topic in topics.iter_rows()]
    rank = pl.Series(digests, dtype=pl.String)
    first = topics.with_columns(rank.alias("_digest")).filter(
        pl.col("_digest").rank("ordinal").over("kind") <= options.limit
    )
    return rows.join(first.lazy(), on=["kind", "category", "topic"], how="semi", maintain_order="left")


def _unique(rows: pl.LazyFrame, *columns: str) -> pl.DataFrame:
    return rows.select(columns).unique(maintain_order=True).collect()


def _demonyms(rows: pl.LazyFrame, names: tuple[str, ...]) -> list[str]:
    """The nationalities of the release that are named, each by its demonym or one of its codes."""
    by_name = {
        name: demonym
        for demonym, codes in _unique(rows, "nationality", "country_codes").iter_rows()
        for name in (*codes, demonym)
    }
    for name in names:
        if name not in by_name:
            raise UnknownNameError("nationality", name, by_name)
    return [by_name[name] for name in names]


def _templates(rows: pl.LazyFrame) -> dict[str, str]:
    """A prompt of every kind and template as it was asked first; what is in the signature."""
    first = rows.group_by("kind", "template_id", maintain_order=True).agg(pl.col("prompt").first()).collect()
    return {f"{row['kind']}/{row['template_id']}": row["prompt"] for row in first.iter_rows(named=True)}
