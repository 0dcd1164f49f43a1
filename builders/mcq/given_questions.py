"""Questions that a source has with their options: as published rows, in its order or in a balanced one."""

import polars as pl

from blend.builders.digests import digest
from blend.builders.mcq.positions import positions_in_region
from blend.builders.mcq.published_mcqs import json_by_letter, published_prompt
from blend.schemas.language.locales import Registry
from blend.schemas.rows.frame_columns import MCQ_ROWS
from blend.schemas.rows.published_rows import LETTERS


def given_rows(given: pl.DataFrame, *, rebalance: bool, seed: int, locales: Registry) -> pl.DataFrame:
    """Multiple-choice questions of a source with every published column.

    Args:
        given: `frame_columns.GIVEN_MCQS`.
        rebalance: Whether the correct option moves, so that it stands in every position equally often in every
            locale; the others keep their order around it. ``source_order`` has the letters of the source.
        seed: Seed of the positions.
        locales: Names of the regions.

    Returns:
        `MCQ_ROWS`, in the order of ``given``; regions of options and spread are null, since nobody knows them.
    """
    positions = _balanced(given, seed) if rebalance else given["answer"].to_list()
    orders = [_order(answer, to) for answer, to in zip(given["answer"], positions, strict=True)]
    moved = given.with_columns(
        options=pl.Series(
            [[options[i] for i in order] for options, order in zip(given["options"], orders, strict=True)],
            dtype=pl.List(pl.String),
        ),
        answer=pl.Series(positions, dtype=pl.Int64),
        source_order=pl.Series(["".join(LETTERS[i] for i in order) for order in orders], dtype=pl.String),
        source=pl.col("origin"),
    )
    texts = moved["options"].explode().drop_nulls().unique()
    upstream = {tag: locales.get(tag).upstream for tag in given["locale"].unique()}
    none = {"choice_countries": None, "option_regions": None, "answer_spread": None}
    return (
        moved.with_columns(
            country=pl.col("locale").replace_strict(upstream, return_dtype=pl.String),
            prompt=published_prompt(),
            choices=json_by_letter("options", {text: text for text in texts}),
            answer_idx=pl.col("answer").replace_strict(dict(enumerate(LETTERS)), return_dtype=pl.String),
            **{name: pl.lit(value) for name, value in none.items()},
        )
        .select(list(MCQ_ROWS))
        .cast(MCQ_ROWS)
    )


def _balanced(given: pl.DataFrame, seed: int) -> list[int]:
    """Positions of the correct options, each as often as any other in every locale."""
    found: dict[tuple[str, str], int] = {}
    for (tag,), of_locale in given.group_by("locale", maintain_order=True):
        ids: dict[str, list[str]] = {}
        for template_id, mcq_id in of_locale.select("template_id", "mcq_id").iter_rows():
            ids.setdefault(template_id, []).append(mcq_id)
        digests = {key: [digest(seed, "given", mcq_id) for mcq_id in of_key] for key, of_key in ids.items()}
        for key, positions in positions_in_region(digests).items():
            found |= {(str(tag), mcq_id): to for mcq_id, to in zip(ids[key], positions, strict=True)}
    return [found[key] for key in given.select("locale", "mcq_id").iter_rows()]


def _order(answer: int, to: int) -> list[int]:
    """Old positions in their new order, with the correct option at ``to``."""
    order = [i for i in range(len(LETTERS)) if i != answer]
    order.insert(to, answer)
    return order
