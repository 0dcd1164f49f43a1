"""Items: what a model is asked, one row for everything that it is asked once.

A task turns the rows of a release into items and gold. Models see prompts and options of items alone; scoring
sees the answers and the gold. Before a question can stand solved examples, of templates of the same release
that are then not asked: another question of the asked template would give its answer away.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import polars as pl

from blend.eval.task import ShotOptions, TaskOptions
from blend.schemas.errors import InputError
from blend.schemas.locales import Locale, Registry, registry

ITEMS = pl.Schema(
    {
        **dict.fromkeys(("item_id", "locale", "region", "template_id", "topic"), pl.String()),
        **dict.fromkeys(("prompt_id", "language", "prompt"), pl.String()),
        "options": pl.List(pl.String()),
    }
)
"""One row per item, in the order of the release.

``item_id`` is unique; ``region`` is the split of the locale (``KR``); ``prompt_id`` names the text around the
question; ``language`` is the BCP 47 tag of the language asked in; ``prompt`` is the complete text; ``options``
are the texts whose log-probabilities are asked for, null where the model writes an answer. Items that are asked
several times have ``sample`` as well (`repeated`), and those behind solved examples ``examples``, the text with
which ``prompt`` begins (`with_examples`).
"""

AnswerKind = Literal["text", "logprobs", "candidates"]
"""What an answer is: a text that the model wrote, the log-probabilities of given options after the prompt, or
of candidates in its gap."""


class TaskItems(NamedTuple):
    """Items that a task asks, and what counts as correct."""

    items: pl.DataFrame
    """`ITEMS`."""
    gold: pl.DataFrame
    """What answers are compared with; the task's module says its columns."""
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
    locales: Registry | None = None
    """Those that the release knows, own ones among them; null where no release makes the items."""

    @property
    def by_region(self) -> Mapping[str, Locale]:
        """What is known of regions, by the code that items and scores call them."""
        return {locale.split: locale for locale in self.locales or registry()}


def repeated(asked: TaskItems, samples: int) -> TaskItems:
    """Items that are asked several times.

    Args:
        asked: The items; the rows of their gold are items as well, or know nothing of items.
        samples: How often.

    Returns:
        Every item with its repeats behind it, named ``ID#1``, ``ID#2`` … after it, and the items'
        column ``sample``, the number of the repeat from 0. Items that are asked once, and those whose options
        are scored, as they were: the likeliest option is the same each time.
    """
    if samples == 1 or asked.kind != "text":
        return asked
    numbers = pl.DataFrame({"sample": range(samples)}, schema={"sample": pl.Int64})
    named = pl.when(pl.col("sample") == 0).then("item_id").otherwise(pl.format("{}#{}", "item_id", "sample"))

    def each(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.join(numbers, how="cross", maintain_order="left_right").with_columns(item_id=named)

    gold = asked.gold
    if "item_id" in gold.columns:
        gold = each(gold).drop("sample")
    return asked._replace(items=each(asked.items), gold=gold)


_TEMPLATE = ("locale", "template_id")


def text_digest(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def joined_names(*columns: str) -> pl.Expr:
    """Names of a topic and where it stands, joined by ``/``; those that are blank are left out."""
    parts = [pl.when(pl.col(name) != "").then(name) for name in columns]
    return pl.concat_str(parts, separator="/", ignore_nulls=True)


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
    chosen = _ranked(rows, "").filter(pl.col("_rank") <= options.limit)
    return rows.join(chosen, on=_TEMPLATE, how="semi", maintain_order="left")


def _ranked(rows: pl.DataFrame, seed: str) -> pl.DataFrame:
    """The templates of each locale with their ``_rank`` there, by the digests of seed and id, from 1."""
    templates = rows.select(_TEMPLATE).unique(maintain_order=True)
    digests = {name: text_digest(f"{seed}{name}") for name in templates["template_id"].unique().to_list()}
    digest = pl.col("template_id").replace_strict(digests, return_dtype=pl.String)
    return templates.with_columns(_rank=digest.rank("ordinal").over("locale"))


BLANK_LINE = "\n\n"
"""What stands between examples, and where a model that goes on by itself begins the next one."""


def part_examples(rows: pl.DataFrame, options: ShotOptions) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Part what is asked from what is held out for examples.

    In every locale the templates with the smallest digests of seed and id are held out, so that another locale,
    a limit or further templates leave the others as they are, and fewer examples are some of the more.

    Args:
        rows: With ``locale``, ``template_id`` and ``can_be_example``.
        options: How many examples, and their seed; locales.

    Returns:
        The rows of the other templates in their order, and those held out that can be an example, with
        ``_shot``, the number of their template, from 1. All rows and none without examples.

    Raises:
        InputError: If a locale has too few templates; names the first.
    """
    if not options.shots:
        return rows, rows.clear().with_columns(_shot=pl.lit(None, pl.UInt32))
    if options.locales is not None:
        rows = rows.filter(pl.col("locale").is_in(options.locales))
    ranked = _ranked(rows.filter("can_be_example"), f"{options.shots_seed}|").rename({"_rank": "_shot"})
    held = ranked.filter(pl.col("_shot") <= options.shots)
    asked = rows.join(held, on=_TEMPLATE, how="anti", maintain_order="left")
    for locale in rows["locale"].unique(maintain_order=True):
        n_held = held.filter(locale=locale).height
        if n_held < options.shots or asked.filter(locale=locale).is_empty():
            n_shown = ranked.filter(locale=locale).height
            raise InputError(
                f"{locale}: `shots={options.shots}` needs {options.shots} question templates to show and one "
                f"to ask, and {n_shown} can be shown; choose fewer `shots`, or other `locales`"
            )
    examples = rows.filter("can_be_example").join(held, on=_TEMPLATE, how="inner", maintain_order="left")
    return asked, examples


def with_examples(
    items: pl.DataFrame, examples: pl.DataFrame, answer: pl.Expr, by: Sequence[str]
) -> pl.DataFrame:
    """Items whose prompts begin with solved examples, a blank line behind each.

    Args:
        items: With ``prompt``.
        examples: Items as well, with ``_shot``; a question for each.
        answer: What is answered to an example.
        by: Columns of both: an item has the examples that are equal in all of them.

    Returns:
        The items with ``examples``, the text before the question, which ``prompt`` then begins with; as they
        were if there are no examples.
    """
    if examples.is_empty():
        return items
    blank = pl.when(pl.col("prompt").str.contains(r"\s$")).then(pl.lit("")).otherwise(pl.lit(" "))
    texts = (
        examples.sort("_shot")
        .group_by(by, maintain_order=True)
        .agg(examples=pl.concat_str("prompt", blank, answer, pl.lit(BLANK_LINE)).str.join())
    )
    asked = items.join(texts, on=by, how="left", maintain_order="left")
    return asked.with_columns(prompt=pl.concat_str("examples", "prompt"))


def own_prompt(items: pl.DataFrame) -> pl.Expr:
    """What is asked without the examples before it, which are not part of the question."""
    if "examples" not in items.columns:
        return pl.col("prompt")
    return pl.col("prompt").str.slice(pl.col("examples").str.len_chars())
