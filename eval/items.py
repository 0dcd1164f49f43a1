"""Items: what a model is asked, one row for everything that it is asked once.

A task turns the rows of a release into items and gold. Models see prompts and options of items alone; scoring
sees the answers and the gold.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

import polars as pl

from blend.eval.task import TaskOptions

ITEMS = pl.Schema(
    {
        "item_id": pl.String(),
        "locale": pl.String(),
        "region": pl.String(),
        "template_id": pl.String(),
        "topic": pl.String(),
        "prompt_id": pl.String(),
        "language": pl.String(),
        "prompt": pl.String(),
        "options": pl.List(pl.String()),
    }
)
"""One row per item, in the order of the release.

``item_id`` is unique; ``region`` is the split of the locale (``KR``); ``prompt_id`` names the text around the
question; ``language`` is the BCP 47 tag of the language asked in; ``prompt`` is the complete text; ``options``
are the texts whose log-probabilities are asked for, null where the model writes an answer. Items that are asked
several times have ``sample`` as well (`repeated`), and those behind solved examples ``examples``, the text with
which ``prompt`` begins (`few_shot.with_examples`).
"""

AnswerKind = Literal["text", "logprobs", "candidates"]
"""What an answer is: a text that the model wrote, the log-probabilities of given options after the prompt, or
of candidates in its gap."""


PART = 20_000
"""Items of a part, about (`ItemParts`)."""


class ItemParts(NamedTuple):
    """Items and their gold, a few at a time: of millions, no more are ever in memory."""

    n_items: int
    """Items of all parts."""
    make: Callable[[], Iterator[tuple[pl.DataFrame, pl.DataFrame]]]
    """Makes them, in order, whenever they are wanted."""


class TaskItems(NamedTuple):
    """Items that a task asks, and what counts as correct."""

    items: pl.DataFrame
    """`ITEMS`; those that are made in parts are not among them."""
    gold: pl.DataFrame
    """What answers are compared with; the task's module says its columns. Likewise."""
    prompts: Mapping[str, str]
    """Text around the question, with its slots, by ``prompt_id``; what is in the signature."""
    kind: AnswerKind
    """What the answers are."""
    skipped: pl.DataFrame | None = None
    """``item_id``, ``locale`` and ``template_id`` of what is not asked since no score counts it."""
    candidates: pl.DataFrame | None = None
    """``candidate_set`` and ``candidate``; the gold names the set of each item. Null for other kinds."""
    warnings: tuple[str, ...] = ()
    """What a user should know about what is asked and what is not."""
    parts: ItemParts | None = None
    """Items and gold that are made when they are wanted; null where they are in `items` and `gold`."""

    @property
    def n_items(self) -> int:
        """How many items are asked."""
        return self.items.height if self.parts is None else self.parts.n_items

    def in_parts(self) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        """Yield items and gold, in order; at once where they are in memory."""
        return iter([(self.items, self.gold)]) if self.parts is None else self.parts.make()

    def in_memory(self) -> "TaskItems":
        """The same with all items and gold in `items` and `gold`."""
        if self.parts is None:
            return self
        items, gold = zip(*self.parts.make(), strict=True)
        return self._replace(items=pl.concat(items), gold=pl.concat(gold), parts=None)


def repeated(asked: TaskItems, samples: int) -> TaskItems:
    """Items that are asked several times.

    Args:
        asked: The items; the rows of their gold are items as well, or know nothing of items.
        samples: How often.

    Returns:
        Every item with its repeats behind it, in parts, named ``ID#1``, ``ID#2`` … after it, and the items'
        column ``sample``, the number of the repeat from 0. Items that are asked once, and those whose options
        are scored, as they were: the likeliest option is the same each time.
    """
    if samples == 1 or asked.kind != "text":
        return asked
    numbers = pl.DataFrame({"sample": range(samples)}, schema={"sample": pl.Int64})
    named = pl.when(pl.col("sample") == 0).then("item_id").otherwise(pl.format("{}#{}", "item_id", "sample"))

    def each(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.join(numbers, how="cross", maintain_order="left_right").with_columns(item_id=named)

    def parts() -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        gold, step = asked.gold, max(1, PART // samples)
        for start in range(0, asked.items.height, step):
            here = slice(start, start + step)
            if "item_id" in gold.columns:
                yield each(asked.items[here]), each(gold[here]).drop("sample")
            else:
                yield each(asked.items[here]), gold if start == 0 else gold.clear()

    made = ItemParts(asked.items.height * samples, parts)
    return asked._replace(items=asked.items.clear(), gold=asked.gold.clear(), parts=made)


def text_digest(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def some_templates(rows: pl.DataFrame, options: TaskOptions) -> pl.DataFrame:
    """The rows of the locales and of the number of templates per locale that the options name.

    Args:
        rows: With ``locale`` and ``template_id``.
        options: Locales, and how many templates of each.

    Returns:
        The rows in their order. A template that is chosen in one locale comes first in all others as well, so
        that a limited run still asks every locale the same questions as far as they have them.
    """
    if options.locales is not None:
        rows = rows.filter(pl.col("locale").is_in(options.locales))
    if options.limit is None:
        return rows
    templates = rows.select("locale", "template_id").unique()
    digests = {name: text_digest(name) for name in templates["template_id"].unique().to_list()}
    rank = pl.col("template_id").replace_strict(digests, return_dtype=pl.String).rank("ordinal").over("locale")
    return rows.join(
        templates.filter(rank <= options.limit),
        on=["locale", "template_id"],
        how="semi",
        maintain_order="left",
    )
