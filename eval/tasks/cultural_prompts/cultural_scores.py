"""Scoring texts for readers of many nationalities: from a run to variances, words and correlations.

A run's texts come in topic by topic, so that memory does not grow with their number; figures go out, and
beside the scores four tables in the folder ``analysis`` of the run: ``similarity``, ``agreement``,
``words`` and ``groups``.
"""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from blend.eval.items import text_digest
from blend.eval.runs.run_directory import Run, translate_errors
from blend.eval.runs.written_answers import WRITTEN, says_nothing, split_answers
from blend.eval.scores_json import ScoredItems, drop_scores, unanswered_share
from blend.eval.tasks.cultural_prompts import CulturalScoring
from blend.eval.tasks.cultural_prompts.analysis_tables import (
    Totals,
    analysis_folder,
    similarity_file,
    write_tables,
)
from blend.eval.tasks.cultural_prompts.cultural_figures import all_scores, warnings_on
from blend.eval.tasks.cultural_prompts.group_statistics import CulturalDistances, distances
from blend.eval.tasks.cultural_prompts.topic_analysis import (
    Settings,
    TopicKey,
    TopicTexts,
    analyse_topics,
    stop_words,
)
from blend.loaders.files.content import file_sha256, read_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.surveys import read_survey
from blend.schemas.errors import InputError
from blend.schemas.languages import nationalities

_DIGITS = 8

STEP = "analyse"
"""What the progress is called."""


def score_texts(run: Run, options: CulturalScoring, *, on_progress: ProgressCallback = silent) -> ScoredItems:
    """Every figure of the texts that a run has kept.

    Args:
        run: The run; its texts are read a few topics at a time.
        options: Rule, surveys, distance, BLEU, words, cluster, seed.
        on_progress: Hears how many topics are analysed.

    Returns:
        Scores and one decision per text, ``tokens`` and whether it is ``unanswered``, ``empty``, a ``refusal``,
        in an ``other_language``, ``unparted`` or ``repeated``. The further tables are in the folder
        ``analysis`` of the run.

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
        stop_words=_stop_words(options.stop_words),
        seed=options.seed,
    )
    totals = Totals(settings)
    decisions = []
    folder = analysis_folder(run.directory)
    n_topics = gold.select(TOPIC).n_unique()
    with translate_errors(run.directory), similarity_file(folder, groups) as add_similarity:
        drop_scores(run)
        on_progress(STEP, 0, n_topics)
        topics = analyse_topics(topics_of(run, gold, groups), settings, dask=options.dask)
        for done, figures in enumerate(topics, start=1):
            totals.add(figures)
            add_similarity(*figures.key, figures.matrices)
            decisions.append(figures.texts)
            on_progress(STEP, done, n_topics)
        for (split, category), matrices in totals.means.items():
            add_similarity(split, category, None, matrices)
    agreements = totals.agreements()
    with translate_errors(run.directory):
        write_tables(folder, totals, agreements, top=options.top)
    decided = pl.concat(decisions).rename({"other-language": "other_language"})
    surveys = options.surveys or {}
    unanswered = unanswered_share(int(decided["unanswered"].sum()), decided.height)
    return ScoredItems(
        decided.with_columns(correct=pl.lit(None, pl.Boolean)),
        (*all_scores(totals, agreements, gold), unanswered),
        {
            "bleu": options.bleu,
            "dist": options.distance if cultures else "none",
            "surveys": "+".join(_with_digest(name, path) for name, path in surveys.items()) or "none",
            **({} if options.stop_words is None else {"stop": _with_digest("words", options.stop_words)}),
            **_order(run, settings),
        },
        warnings_on(totals, cultures),
    )


def _cultures(options: CulturalScoring, groups: tuple[str, ...]) -> Iterator[CulturalDistances]:
    aliases = {alias: one.demonym for one in nationalities() for alias in one.aliases}
    for name, path in (options.surveys or {}).items():
        survey = read_survey(path, name)
        if options.distance == "standardised":
            survey = survey.renamed(aliases, groups)
        yield distances(survey, groups, kind=options.distance)


def _order(run: Run, settings: Settings) -> dict[str, str]:
    """The order of the groups, where it decides figures and each table of texts has its own."""
    if settings.definition == "paper" or run.description.prompts:
        return {}
    return {"order": text_digest("\n".join(settings.groups))[:_DIGITS]}


def _with_digest(name: str, path: Path) -> str:
    """A file by what it is and holds: copies of a survey differ."""
    return f"{name}-{file_sha256(path)[:_DIGITS]}"


def _stop_words(path: Path | None) -> frozenset[str]:
    if path is None:
        return stop_words()
    if not path.is_file():
        raise InputError(f"`stop_words={path}`: no such file; name one with one word per line")
    lines = read_text(path, path.parent, Diagnostics()).splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


TEXTS_AT_A_TIME = 60_000
"""Texts that are read at a time, in whole topics: some hundred megabytes of stories."""

TOPIC = ("split", "category", "topic")


def topics_of(run: Run, gold: pl.DataFrame, groups: tuple[str, ...]) -> Iterator[TopicTexts]:
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
    number = {group: index for index, group in enumerate(groups)}
    kept = run.kept()
    keys = gold.select(TOPIC).unique(maintain_order=True).with_row_index("_number")
    numbers = gold.select(TOPIC).join(keys, on=list(TOPIC), nulls_equal=True, maintain_order="left")["_number"]
    for chunk in _chunks(gold, numbers):
        answers = kept.of(chunk, "item_id", *WRITTEN, "error").filter(pl.col("error").is_null())
        # A text that was cut at its length is read as far as it goes.
        written = split_answers(answers, run.description).with_columns(unanswered=says_nothing("text"))
        texts = (
            chunk.join(written.drop("error"), on="item_id", how="inner")
            .with_columns(
                pl.col("text").fill_null(""),
                group_number=pl.col("group").replace_strict(number, return_dtype=pl.Int64),
            )
            .sort("_number", "group_number", "sample")
        )
        for rows in texts.partition_by("_number", maintain_order=True):
            first = rows.row(0, named=True)
            yield TopicTexts(
                TopicKey(*(first[name] or "" for name in TOPIC)),
                first["_number"],
                rows.select("item_id", *TOPIC, "group", "sample", "unanswered", "group_number", "text"),
                is_english=(first["language"] or "en").split("-")[0].lower() == "en",
            )


def _chunks(gold: pl.DataFrame, numbers: pl.Series) -> Iterator[pl.DataFrame]:
    """The items of some topics at a time, with the number of their topic."""
    sizes = numbers.value_counts(name="len").sort("_number")
    # Texts before a topic, in units of a chunk: topics that begin in one unit are read together.
    before = (sizes["len"].cum_sum() - sizes["len"]) // TEXTS_AT_A_TIME
    for _, some in sizes.group_by(before.alias("_chunk"), maintain_order=True):
        # A chunk's topics are a range of numbers, while their rows may stand apart.
        here = numbers.is_between(int(some["_number"][0]), int(some["_number"][-1]))
        yield gold.filter(here).with_columns(numbers.filter(here))
