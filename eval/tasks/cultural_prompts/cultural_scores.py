"""Scoring texts for readers of many nationalities: from a run to variances, words and correlations.

A run's texts come in topic by topic, so that memory does not grow with their number; figures go out, and
beside the scores three tables in the folder ``analysis`` of the run: ``similarity``, ``agreement`` and
``words``.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from blend.eval.items import joined_names
from blend.eval.runs.answers import WRITTEN, says_nothing, split_answers, storing
from blend.eval.runs.run_directory import Run, write_frame
from blend.eval.scores_json import (
    ALL,
    UNANSWERED,
    Score,
    ScoredItems,
    counted_share,
    drop_scores,
    estimated,
    missing_share,
    plain,
    share_scores,
)
from blend.eval.statistics import FloatArray, cluster_sums
from blend.eval.statistics.estimates import Estimate, estimates
from blend.eval.tasks.cultural_prompts import CulturalScoring
from blend.eval.tasks.cultural_prompts.group_statistics import (
    CulturalDistances,
    anova,
    distances,
    survey_warnings,
)
from blend.eval.tasks.cultural_prompts.topic_analysis import (
    ODDITIES,
    SIMILARITY,
    Settings,
    TopicFigures,
    TopicKey,
    TopicTexts,
    analyse_topics,
    summed_counts,
    top_words,
)
from blend.loaders.files.atomic import atomic_file
from blend.loaders.files.content import file_sha256
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.surveys import read_survey
from blend.schemas.errors import InputError
from blend.schemas.languages import nationalities
from blend.schemas.texts import agreeing, pluralise

_DIGITS = 8

STEP = "analyse"
"""What the progress is called."""


def score_texts(run: Run, options: CulturalScoring, on_progress: ProgressCallback = silent) -> ScoredItems:
    """Every figure of the texts that a run has kept.

    Args:
        run: The run; its texts are read a few topics at a time.
        options: Rule, surveys, distance, BLEU, words, cluster, seed.
        on_progress: Hears how many topics are analysed.

    Returns:
        Scores and one decision per text, ``tokens`` and whether it is ``unanswered``, a ``refusal`` or
        ``unparted``. The further tables are in the folder ``analysis`` of the run.

    Raises:
        InputError: If fewer than two groups have texts, or a survey or list of words cannot be read.
        MissingExtraError: If SciPy, or Dask where it is asked for, is not installed.
        ServerError: If the cluster fails.
    """
    gold = run.gold()
    groups = tuple(gold["group"].unique(maintain_order=True))
    if len(groups) < 2:
        raise InputError(f"{run.directory}: texts of one group only ({groups[0]}); nothing can be compared")
    cultures = tuple(_cultures(options, groups))
    settings = Settings(
        groups=groups,
        cultures=cultures,
        # The paper's definition is the default.
        definition="reference_code" if options.rule == "reference_code" else "paper",
        bleu=options.bleu,
    )
    figures, decided = _analysed(run, gold, settings, options, on_progress)
    surveys, asked = options.surveys or {}, run.description.options
    unanswered = counted_share(UNANSWERED, int(decided["unanswered"].sum()), decided.height)
    of_surveys = (line for culture in cultures for line in survey_warnings(groups, culture))
    return ScoredItems(
        decided.with_columns(correct=pl.lit(None, pl.Boolean)),
        (*_all_scores(figures, decided, gold, options.seed), unanswered),
        {
            "s": str(asked["samples"]),
            **{name: "+".join(asked[name]) for name in ("kinds", "nationalities") if asked.get(name)},
            "bleu": options.bleu,
            "dist": options.distance if cultures else "none",
            "surveys": "+".join(_with_digest(name, path) for name, path in surveys.items()) or "none",
        },
        (*_warnings_on_samples(figures, decided), *of_surveys),
        tables=(WORDS_NAME,),
    )


def _analysed(
    run: Run,
    gold: pl.DataFrame,
    settings: Settings,
    options: CulturalScoring,
    on_progress: ProgressCallback,
) -> tuple[list[TopicFigures], pl.DataFrame]:
    """Analyse the topics of a run, and write its further tables.

    Returns:
        The figures of the topics without what is in the tables, and a decision per text.
    """
    folder, groups = run.directory, settings.groups
    n_topics = gold.select(TOPIC).n_unique()
    figures: list[TopicFigures] = []
    decisions, words = [], [pl.DataFrame(schema=_COUNTS)]
    by = _COUNTS.names()[:4]
    with storing(run.directory):
        (folder / _FOLDER).mkdir(exist_ok=True)
        with _similarity_file(folder) as write_similarity:
            on_progress(STEP, 0, n_topics)
            topics = analyse_topics(_topics_of(run, gold, groups), settings, dask=options.dask)
            for done, topic in enumerate(topics, start=1):
                # What is large goes at once, topic by topic, to where it stays.
                write_similarity(topic.similarity)
                decisions.append(topic.texts)
                words.append(topic.words.select(_COUNTS.names()))
                # Not at every topic: what is added up already is gone through again each time.
                if sum(part.height for part in words[1:]) > max(_ROWS, words[0].height):
                    words = [summed_counts(words, *by)]
                nothing = pl.DataFrame()
                figures.append(topic._replace(similarity=nothing, words=nothing, texts=nothing))
                on_progress(STEP, done, n_topics)
            # Not before: an analysis that is stopped leaves tables and scores as they were.
            drop_scores(run)
        write_frame(folder / _AGREEMENT_NAME, pl.concat(one.agreements for one in figures))
        texts, counts = pl.concat(decisions), summed_counts(words, *by)
        write_frame(folder / WORDS_NAME, _words_of(counts, texts, groups, top=options.top))
    return figures, texts


_FOLDER = "analysis"
"""Folder of a run for the tables beside its scores."""
_SIMILARITY_NAME = f"{_FOLDER}/similarity.parquet"
_AGREEMENT_NAME = f"{_FOLDER}/agreement.parquet"
WORDS_NAME = f"{_FOLDER}/words.parquet"

_COUNTS = pl.Schema(
    {
        **dict.fromkeys(("split", "category"), pl.String()),
        "group": pl.Int64(),
        "word": pl.String(),
        "count": pl.Int64(),
        "first": pl.Int64(),
    }
)
_ROWS = 1_000_000
"""Counts of words after which they are added to those of the topics before."""


@contextmanager
def _similarity_file(folder: Path) -> Iterator[Callable[[pl.DataFrame], None]]:
    """A function that adds a topic's `SIMILARITY` to a file, which appears whole when the block ends well."""
    schema = pl.DataFrame(schema=SIMILARITY).to_arrow().schema
    with (
        atomic_file(folder / _SIMILARITY_NAME) as beside,
        pq.ParquetWriter(beside, schema, compression="zstd") as writer,
    ):
        yield lambda rows: writer.write_table(rows.to_arrow().cast(schema))


def _words_of(counts: pl.DataFrame, texts: pl.DataFrame, groups: Sequence[str], *, top: int) -> pl.DataFrame:
    """The words of every group, by score: `WORDS` with names, ``split`` and ``category``.

    By category; then of all categories of a kind (``category`` is null), and of several kinds (``split``, too).
    """
    splits = texts["split"].unique(maintain_order=True)
    by_category = texts.select("split", "category").unique(maintain_order=True)
    scopes: list[tuple[str | None, str | None]] = [*by_category.filter(pl.col("category") != "").iter_rows()]
    scopes += [(split, None) for split in splits] + [(None, None)] * (len(splits) > 1)
    tables = []
    for scope in scopes:
        named = dict(zip(("split", "category"), scope, strict=True))
        here = [pl.col(name) == value for name, value in named.items() if value is not None]
        n_groups = texts.filter(*here)["group"].n_unique()
        words = top_words(counts.filter(*here), n_groups, top=top)
        columns = [pl.lit(value, pl.String).alias(name) for name, value in named.items()]
        tables.append(words.select(*columns, pl.all()))
    names = dict(enumerate(groups))
    return pl.concat(tables).with_columns(pl.col("group").replace_strict(names, return_dtype=pl.String))


def _cultures(options: CulturalScoring, groups: tuple[str, ...]) -> Iterator[CulturalDistances]:
    aliases = {alias: one.demonym for one in nationalities() for alias in one.aliases}
    for name, path in (options.surveys or {}).items():
        survey = read_survey(path, name)
        if options.distance == "standardised":
            survey = survey.renamed(aliases, groups)
        yield distances(survey, groups, kind=options.distance)


def _with_digest(name: str, path: Path) -> str:
    """A file by what it is and holds: copies of a survey differ."""
    return f"{name}-{file_sha256(path)[:_DIGITS]}"


_TEXTS_AT_A_TIME = 60_000
"""Texts that are read at a time, in whole topics: some hundred megabytes of stories."""

TOPIC = ("split", "category", "topic")


def _topics_of(run: Run, gold: pl.DataFrame, groups: tuple[str, ...]) -> Iterator[TopicTexts]:
    """The topics of a run in the order of its items, with what was answered.

    Args:
        run: The run.
        gold: `tasks.cultural_prompts.cultural_items.GOLD`.
        groups: Its groups.

    Yields:
        A topic, whose rows have ``item_id``, ``split``, ``category``, ``topic``, ``group``, ``sample`` and
        ``unanswered`` as well, by group, then sample. Items without an answer, or with an error, have no text;
        an empty answer is one, and so is a thought that does not end.
    """
    number, kept = {group: index for index, group in enumerate(groups)}, run.kept()
    keys = gold.select(TOPIC).unique(maintain_order=True).with_row_index("_number")
    chunk = pl.int_range(pl.len()).first().over("_number") // _TEXTS_AT_A_TIME
    numbered = (
        gold.join(keys, on=TOPIC, maintain_order="left")
        .sort("_number", maintain_order=True)
        .with_columns(_chunk=chunk, group_number=pl.col("group").replace_strict(number, return_dtype=pl.Int64))
    )
    for _, some in numbered.group_by("_chunk", maintain_order=True):
        answers = kept.read("item_id", *WRITTEN, "error", items=some).filter(pl.col("error").is_null())
        # A text that was cut at its length is read as far as it goes.
        written = split_answers(answers).with_columns(unanswered=says_nothing("text"))
        texts = (
            some.join(written.drop("error"), on="item_id", how="inner")
            .with_columns(pl.col("text").fill_null(""))
            .sort("_number", "group_number", "sample")
        )
        for rows in texts.partition_by("_number", maintain_order=True):
            first = rows.row(0, named=True)
            yield TopicTexts(
                TopicKey(*(first[name] for name in TOPIC)),
                first["_number"],
                rows.select("item_id", *TOPIC, "group", "sample", "unanswered", "group_number", "text"),
            )


_SIGNIFICANT = 0.05
"""P-value below which a correlation is counted as significant, as in the paper."""


def _all_scores(
    figures: Sequence[TopicFigures], texts: pl.DataFrame, gold: pl.DataFrame, seed: int
) -> Iterator[Score]:
    """Every figure.

    Args:
        figures: Those of the topics.
        texts: A decision per text.
        gold: The items of the run.
        seed: Seed of the intervals.

    Yields:
        Over all topics of a kind (scope ``split``; ``overall`` where there are no kinds): variances, their
        ratio and test, correlations, counts; where there are several kinds, variances with ratio and test over
        the topics of all of them (``overall``); then the same by topic (scope ``topic``) and correlations
        by anchor (scope ``anchor``). Variances of a topic have no intervals; those of a kind and figures of an
        anchor have them over topics, correlations of a kind or topic over anchors.
    """
    splits = dict.fromkeys(topic.key.split for topic in figures)
    for split in splits:
        topics = [topic for topic in figures if topic.key.split == split]
        scope, key = ("split", split) if split else ("overall", ALL)
        yield from _variances(topics, scope, key, seed)
        yield from _counts(texts.filter(split=split), len(topics), scope, key)
    if len(splits) > 1:
        yield from _variances(figures, "overall", ALL, seed)
    yield missing_share(texts.height, gold.height)
    yield from _agreements(pl.concat(topic.agreements for topic in figures), seed)
    for topic in figures:
        for name, found in topic.variances.items():
            for what, value, least in (("across", found.across, 1), ("within", found.within, 2)):
                n = int((topic.samples >= least).sum())
                known = None if math.isnan(value) else value
                yield plain(f"variance-{what}{name}", "topic", topic.key.path, known, n=n)


def _warnings_on_samples(topics: Sequence[TopicFigures], texts: pl.DataFrame) -> Iterator[str]:
    cells = np.concatenate([topic.samples for topic in topics])
    usual = int(np.bincount(cells).argmax())
    if cells.max() < 2:
        yield "one sample per topic and group: the variance within groups is not defined, and is left out"
    short = int((cells < usual).sum())
    if short:
        have = agreeing(short, "has", "have")
        few = f"fewer than the usual {pluralise(usual, 'sample')}"
        yield f"{short:,} of {len(cells):,} pairs of topic and group {have} {few}"
    for name, (what, effect) in _IN_WORDS.items():
        if count := texts[name].sum():
            yield f"{what}: {count:,} of {texts.height:,}; kept{effect}"


_IN_WORDS = {
    "refusal": ("texts that refuse", ""),
    "unparted": (
        "texts without blanks between words, of which a whole line counts as one word",
        ", but figures of them say little; part their words with blanks first (docs/cultural-prompts.md)",
    ),
}


def _variances(topics: Sequence[TopicFigures], scope: str, key: str, seed: int) -> Iterator[Score]:
    for name in topics[0].variances:
        found = [topic.variances[name] for topic in topics]
        values = np.array([(one.across, one.within) for one in found])
        # Those of the topics of which both are known.
        across, within = values[~np.isnan(values).any(axis=1)].T
        for what, of in (("across", values[:, 0]), ("within", within)):
            # Student's t over few topics knows no bounds.
            mean = _mean(of, seed).within(0.0, found[0].most)
            yield estimated(f"variance-{what}{name}", scope, key, mean)
        if not len(within):
            continue
        # A ratio of sums, each topic a cluster of its own.
        sums = cluster_sums(across, range(len(across)), counts=within)
        (ratio,) = estimates(sums, seed=seed, proportion=False)
        ratio = replace(ratio.within(0.0, math.inf), n=len(within))
        yield estimated(f"variance-ratio{name}", scope, key, ratio)
        tested = anova(within, across)
        if tested is not None:
            for what, figure in zip(("f", "p"), tested, strict=True):
                yield plain(f"anova-{what}{name}", scope, key, figure, n=len(within))


def _mean(values: FloatArray, seed: int) -> Estimate:
    """The mean of those that are not NaN, with an interval over them."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Estimate(None, None, None, 0.0)
    (found,) = estimates(cluster_sums(known, range(len(known))), seed=seed, proportion=False)
    return found


def _counts(texts: pl.DataFrame, n_topics: int, scope: str, key: str) -> Iterator[Score]:
    for name, n in (("texts", texts.height), ("topics", n_topics)):
        yield plain(name, scope, key, n, n=n)
    for name in ODDITIES:
        yield counted_share(name, int(texts[name].sum()), texts.height, scope=scope, key=key)


def _agreements(agreements: pl.DataFrame, seed: int) -> Iterator[Score]:
    """Mean correlations: of a kind over anchors, of a topic over anchors, of an anchor over topics."""
    path = joined_names("split", "category", "topic")
    for (survey, measure, split), of in agreements.group_by("survey", "measure", "split", maintain_order=True):
        name = f"tau-{measure}-{survey}"
        scope, key = ("split", str(split)) if split else ("overall", ALL)
        at = pl.concat_str(pl.lit(f"{split}/" if split else ""), "anchor")
        known = of.drop_nulls("tau").with_columns(path=path, at=at, all=pl.lit(key))
        if known.is_empty():
            yield plain(name, scope, key, None, n=0)
        tested = known.drop_nulls("p")
        for in_scope, group, cluster in (
            (scope, "all", "anchor"),
            ("topic", "path", "anchor"),
            ("anchor", "at", "path"),
        ):
            rows = known.select(value="tau", template_id=cluster, group=group)
            by, bounds = {in_scope: "group"}, (-1.0, 1.0)
            _, *means = share_scores(name, rows, by, seed, proportion=False, unit=1, bounds=bounds)
            yield from means
            if group == "all" and not tested.is_empty():
                n_found = int((tested["p"] < _SIGNIFICANT).sum())
                yield counted_share(f"{name}-significant", n_found, tested.height, scope=scope, key=key)
