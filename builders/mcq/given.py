"""Given: what the annotators of every locale gave to a template, read template by template.

Nested Python lists of a whole dataset would take more memory than the dataset. Only one template's are made at
a time, from flat columns.
"""

from collections.abc import Iterator
from itertools import groupby, islice
from typing import NamedTuple

import polars as pl

from blend.schemas.locales import Locale, Registry

_SLICE = 4096
"""Texts that are made Python strings at once."""


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
    groups = _flat(rows["texts"])
    texts = _in_slices(_flat(groups))
    sizes, votes = iter(groups.list.len().to_list()), iter(_flat(rows["votes"]).to_list())
    columns = ("template_id", "locale", "not_applicable", "non_answers")
    counts = zip(rows.select(columns).iter_rows(), rows["votes"].list.len().to_list(), strict=True)
    for template_id, of_template in groupby(counts, key=lambda counted: counted[0][0]):
        given = []
        for (_, tag, *kinds), n_groups in of_template:
            answers = [(next(votes), tuple(islice(texts, next(sizes)))) for _ in range(n_groups)]
            given.append(Given(locales.get(tag), tuple(answers), *kinds))
        yield template_id, given


def _in_slices(texts: pl.Series) -> Iterator[str]:
    """The texts, of which only so many are Python strings at a time."""
    for part in texts.to_frame().iter_slices(_SLICE):
        yield from part.to_series().to_list()


def _flat(lists: pl.Series) -> pl.Series:
    """The entries of all lists, one after the other."""
    return lists.filter(lists.list.len() > 0).explode()
