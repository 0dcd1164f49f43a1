"""Given: what the annotators of every locale gave to a template, read template by template.

Nested Python lists of a whole dataset would take more memory than the dataset. Only one template's are made at
a time, from flat columns.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import polars as pl

from blend.schemas.locales import Locale, Registry


class Given(NamedTuple):
    """What the annotators of a locale gave to a template."""

    locale: Locale
    groups: tuple[tuple[int, tuple[str, ...]], ...]
    """Answers: annotators behind each, and its English variants."""
    not_applicable: int
    """Annotators who said that the question does not apply."""
    non_answers: int
    """Annotators without an answer, for this or another reason."""


def given_by_template(annotations: pl.DataFrame, locales: Registry) -> Iterator[tuple[str, list[Given]]]:
    """What was given, by template id; of each template, locales in registry order.

    Args:
        annotations: `schemas.frames.ANNOTATIONS`.
        locales: Known locales.

    Raises:
        UnknownNameError: If an annotation's locale is not registered.
    """
    rank = {tag: locales.rank(tag) for tag in annotations["locale"].unique()}
    of_group, reason, idks = (
        pl.element().struct.field,
        pl.element().struct.field("count"),
        pl.col("idks").struct,
    )
    counted = [idks.field(kind) for kind in ("idk", "no-answer", "not-applicable")]
    rows = annotations.select(
        "template_id",
        "locale",
        votes=pl.col("annotations").list.eval(of_group("count")),
        texts=pl.col("annotations").list.eval(of_group("en_answers")),
        not_applicable=idks.field("not-applicable"),
        non_answers=sum(counted, idks.field("others").list.eval(reason).list.sum()),
        rank=pl.col("locale").replace_strict(rank, return_dtype=pl.Int64),
    ).sort("template_id", "rank")
    lengths = rows["template_id"].rle().struct.field("len").to_list()
    start = 0
    for length in lengths:
        of_template = rows[start : start + length]
        yield of_template["template_id"][0], list(_given(of_template, locales))
        start += length


def _given(rows: pl.DataFrame, locales: Registry) -> Iterator[Given]:
    groups = _flat(rows["texts"])
    sizes, texts, votes = (
        iter(flat.to_list()) for flat in (groups.list.len(), _flat(groups), _flat(rows["votes"]))
    )
    columns = rows["locale"], rows["votes"].list.len(), rows["not_applicable"], rows["non_answers"]
    for tag, n_groups, *kinds in zip(*(column.to_list() for column in columns), strict=True):
        of_row = ((next(votes), tuple(islice(texts, next(sizes)))) for _ in range(n_groups))
        yield Given(locales.get(tag), tuple(of_row), *kinds)


def _flat(lists: pl.Series) -> pl.Series:
    """The entries of all lists, one after the other."""
    return lists.filter(lists.list.len() > 0).explode()
