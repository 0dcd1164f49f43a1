"""Responses of locales: the answers and non-answers that their annotators gave, one template at a time."""

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from blend.schemas.language.locales import Locale, Registry
from blend.schemas.rows.frame_columns import KEY


class LocaleResponses(NamedTuple):
    """Answers and non-answers that the annotators of a locale gave to a template."""

    locale: Locale
    wording: str | None
    """The question in English; null where it is not known."""
    groups: tuple[tuple[int, tuple[str, ...]], ...]
    """Answers: annotators behind each, and its English variants."""
    not_applicable: int
    """Annotators who said that the question does not apply."""
    non_answers: int
    """Annotators without an answer, for this or another reason."""


def responses_by_template(
    questions: pl.DataFrame, annotations: pl.DataFrame, locales: Registry
) -> Iterator[tuple[str, list[LocaleResponses]]]:
    """List what was given, by template id; of each template, locales in registry order.

    Args:
        questions: `frame_columns.QUESTIONS`.
        annotations: `frame_columns.ANNOTATIONS`.
        locales: Known locales.

    Raises:
        UnknownNameError: If an annotation's locale is not registered.
    """
    rank = {tag: locales.rank(tag) for tag in annotations["locale"].unique()}
    idks, groups = pl.col("idks").struct, pl.col("annotations").list
    n_others = idks.field("others").list.eval(pl.element().struct.field("count")).list.sum()
    wordings = questions.select(*KEY, "en_question")
    rows = (
        annotations.join(wordings, on=KEY, how="left")
        .select(
            "template_id",
            "locale",
            "en_question",
            votes=groups.eval(pl.element().struct.field("count")),
            texts=groups.eval(pl.element().struct.field("en_answers")),
            not_applicable=idks.field("not-applicable"),
            non_answers=idks.field("idk") + idks.field("no-answer") + idks.field("not-applicable") + n_others,
            rank=pl.col("locale").replace_strict(rank, return_dtype=pl.Int64),
        )
        .sort("template_id", "rank")
    )
    # Python lists of a whole dataset would take more memory than the dataset: one template's at a time.
    start = 0
    for template_id, n_rows in rows.group_by("template_id", maintain_order=True).len().iter_rows():
        responses = []
        # Slices share the frame's memory; groups would copy all nested lists.
        of_template, start = rows.slice(start, n_rows), start + n_rows
        for _, tag, wording, votes, texts, not_applicable, non_answers, _ in of_template.iter_rows():
            answers = tuple(zip(votes, map(tuple, texts), strict=True))
            responses.append(LocaleResponses(locales.get(tag), wording, answers, not_applicable, non_answers))
        yield template_id, responses
