"""Statistics of a dataset: questions, votes, agreement, answers, non-answers, overlap between regions."""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from itertools import combinations

import polars as pl

from blend.builders.stats.measures import (
    KINDS,
    Stats,
    in_measure_order,
    in_order,
    mean_by,
    question_figures,
)
from blend.builders.stats.planning import power
from blend.schemas.languages import base_form
from blend.schemas.locales import Registry, registry
from blend.schemas.recipe import SaqOptions

# Overlap: how many English answer words and lemmas two locales have in common.


_OVERLAP = {
    **dict.fromkeys(("locale_a", "locale_b"), pl.String()),
    "templates": pl.Int64(),
    "common_words": pl.Int64(),
    "word_share": pl.Float64(),
    "common_lemmas": pl.Int64(),
    "lemma_share": pl.Float64(),
}

_TOKEN = re.compile(r"[^\W_]+(?:[:/.'’][^\W_]+)*")

_Tokens = dict[str, dict[str, set[str]]]
"""Template and locale to the tokens of all answers."""


def _answer_overlap(annotations: pl.DataFrame, tags: Sequence[str]) -> pl.DataFrame:
    """English answer words and lemmas that two locales share, question by question.

    Words are the pieces of a lower-cased English answer between white space. Lemmas come from the tokens of the
    lower-cased answer (runs of letters and digits, with single ``:``, ``/``, ``.`` or apostrophes inside), each
    through simplemma's English lemmatiser. The words of a question in a locale are a set: those of all its
    English answers, whatever their votes.

    Args:
        annotations: `ANNOTATIONS`, one row per question.
        tags: Locales to compare, in the order of the result; rows of other locales do not count.

    Returns:
        One row per pair of locales, ``locale_a`` before ``locale_b`` in the order of ``tags``: ``templates``
        (templates with a row in both), ``common_words`` and ``common_lemmas`` (how many both locales have,
        summed over these templates), ``word_share`` and ``lemma_share`` (that sum over how many at least one of
        the two has; a fraction in [0, 1], null where neither has any). Ordered as the pairs of ``tags``.

    References:
        Myung et al. (2024), BLEnD, figure 2, https://arxiv.org/abs/2406.09948, with another lemmatiser. The
        shares are ours: a sum also grows with the number of answers that a locale gave.
    """
    if not tags:
        return pl.DataFrame(schema=_OVERLAP)

    # Variants and regions give the same answers again and again.
    @cache
    def lemmas_of(text: str) -> frozenset[str]:
        return frozenset(base_form(token).lower() for token in _TOKEN.findall(text))

    words: _Tokens = defaultdict(dict)
    lemmas: _Tokens = defaultdict(dict)
    for template, tag, groups in annotations.select("template_id", "locale", "annotations").iter_rows():
        texts = {text.lower() for group in groups for text in group["en_answers"] if text is not None}
        words[template][tag] = {word for text in texts for word in text.split()}
        lemmas[template][tag] = {lemma for text in texts for lemma in lemmas_of(text)}
    rows = []
    for pair in combinations(tags, 2):
        asked = [template for template, by_tag in words.items() if by_tag.keys() >= set(pair)]
        rows.append((*pair, len(asked), *_shared(words, asked, pair), *_shared(lemmas, asked, pair)))
    return pl.DataFrame(rows, schema=_OVERLAP, orient="row")


def _shared(tokens: _Tokens, asked: Sequence[str], pair: tuple[str, str]) -> tuple[int, float | None]:
    """Tokens that two locales have in common, and their share of those that either has."""
    sets = [(tokens[template][pair[0]], tokens[template][pair[1]]) for template in asked]
    common = sum(len(one & other) for one, other in sets)
    either = sum(len(one | other) for one, other in sets)
    return common, common / either if either else None


def build_stats(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    *,
    mcqs: pl.DataFrame | pl.LazyFrame | None = None,
    options: SaqOptions | None = None,
    agreement: pl.DataFrame | None = None,
    groups: pl.DataFrame | None = None,
    locales: Registry | None = None,
    with_overlap: bool = True,
) -> Stats:
    """The statistics of a dataset.

    The published annotations do not say how many annotators answered a question. Where a share of annotators is
    asked for, they are taken to be ``options.wanted``, or as many as stand behind the most frequent answer
    where these are more; the share is therefore in (0, 1] for a question with an answer.

    Args:
        questions: `QUESTIONS`, one row per question.
        annotations: `ANNOTATIONS`, at most one row per question, and none of others. A question without a row
            counts as one without answers and non-answers.
        mcqs: `MCQ_ROWS`, where there are multiple-choice questions.
        options: How responses were collected; the defaults are BLEnD's.
        agreement: `AGREEMENT`, where responses were aggregated.
        groups: `ANNOTATOR_GROUPS`, where annotators told about themselves.
        locales: Registry that knows the locales and orders them; the packaged one when absent.
        with_overlap: Whether locales are compared pair by pair, which takes the most time of many.

    Returns:
        The figures.

    Raises:
        UnknownNameError: If the registry lacks a locale.
    """
    known = registry() if locales is None else locales
    tags = sorted(questions["locale"].unique().to_list(), key=known.rank)
    wanted = (SaqOptions() if options is None else options).wanted
    figures = question_figures(questions, annotations, wanted=wanted)
    locale_means = _means(figures, ["locale"], tags)
    counts, told_apart = (None, None) if mcqs is None else _mcq_figures(mcqs, known)
    return Stats(
        counts=_counts(figures).sort(in_order("locale", tags)),
        topics=_templates(questions, ["topic"]),
        sources=_templates(questions, ["topic", "source_locale"]).drop("questions"),
        non_answers=_non_answers(figures).sort(in_order("locale", tags), "topic", in_order("kind", KINDS)),
        overall_means=_overall_means(figures, locale_means),
        locale_means=locale_means,
        topic_means=_means(figures, ["locale", "topic"], tags),
        overlap=_answer_overlap(annotations, tags if with_overlap else []),
        annotator_agreement=_agreement(agreement, tags),
        annotator_groups=_agreement(groups, tags),
        mcq_counts=counts,
        mcq_power=told_apart,
        lemmatiser=f"simplemma-{version('simplemma')}",
    )


def _agreement(agreement: pl.DataFrame | None, tags: list[str]) -> pl.DataFrame | None:
    if agreement is None or agreement.is_empty():
        return None
    return agreement.sort(in_order("locale", tags), maintain_order=True)


def _counts(figures: pl.DataFrame) -> pl.DataFrame:
    return figures.group_by("locale").agg(
        questions=pl.len().cast(pl.Int64),
        without_annotations=(pl.col("answer_groups") == 0).sum().cast(pl.Int64),
        scored_questions=pl.col("scored").sum().cast(pl.Int64),
        answer_groups=pl.col("answer_groups").sum(),
        answers=pl.col("answers").sum(),
        en_answers=pl.col("en_answers").sum(),
        votes=_known_sum("votes"),
    )


def _templates(questions: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    grouped = questions.group_by(by).agg(
        templates=pl.col("template_id").n_unique().cast(pl.Int64), questions=pl.len().cast(pl.Int64)
    )
    return grouped.sort(by)


def _known_sum(column: str) -> pl.Expr:
    """The sum of a column, null where any value of it is unknown."""
    return pl.when(pl.col(column).null_count() == 0).then(pl.col(column).sum())


def _non_answers(figures: pl.DataFrame) -> pl.DataFrame:
    by_topic = figures.select("locale", "topic", *KINDS)
    long = by_topic.unpivot(index=["locale", "topic"], variable_name="kind", value_name="votes")
    return long.group_by("locale", "topic", "kind").agg(
        votes=_known_sum("votes"), questions=(pl.col("votes") > 0).sum().cast(pl.Int64)
    )


def _means(figures: pl.DataFrame, by: list[str], tags: list[str]) -> pl.DataFrame:
    means = mean_by(figures, by)
    return means.sort(in_measure_order(), in_order("locale", tags), *by[1:])


def _overall_means(figures: pl.DataFrame, locale_means: pl.DataFrame) -> pl.DataFrame:
    key = ["measure", "definition"]
    by_locale = locale_means.drop_nulls("mean").group_by(key).agg("mean")
    of_locales = by_locale.select(
        *key,
        # By fsum, so that no order of locales shows in the last digit.
        mean_of_locale_means=pl.Series([math.fsum(means) for means in by_locale["mean"]], dtype=pl.Float64)
        / pl.col("mean").list.len(),
    )
    return mean_by(figures, []).join(of_locales, on=key, how="left").sort(in_measure_order())


def _mcq_figures(mcqs: pl.DataFrame | pl.LazyFrame, known: Registry) -> list[pl.DataFrame]:
    """How many multiple-choice questions there are, and what they tell apart."""
    rows = mcqs.lazy().select("locale", "topic", "template_id")
    by_topic = rows.group_by("locale", "topic").agg(
        templates=pl.col("template_id").n_unique().cast(pl.Int64), mcqs=pl.len().cast(pl.Int64)
    )
    counts, told_apart = pl.collect_all([by_topic, power(rows)], engine="streaming")
    order = in_order("locale", sorted(counts["locale"].unique(), key=known.rank))
    return [counts.sort(order, "topic"), told_apart.sort(order)]
