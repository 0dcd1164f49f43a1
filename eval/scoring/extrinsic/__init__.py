"""Scoring texts for readers of many nationalities: from a run to variances, words and correlations.

A run's texts come in topic by topic, so that memory does not grow with their number; figures go out, and
beside the scores five tables in the folder ``analysis`` of the run: ``similarity``, ``agreement``,
``distances``, ``words`` and ``groups``.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, get_args

import polars as pl

from blend.eval.extrinsic.analysis import Settings, TopicFigures, TopicTexts
from blend.eval.extrinsic.culture import CulturalDistances, distances
from blend.eval.extrinsic.definitions import Bleu, Definition, Distance
from blend.eval.extrinsic.spread import analysed
from blend.eval.extrinsic.totals import Totals
from blend.eval.extrinsic.words import stop_words
from blend.eval.runs.directory import Run, explained
from blend.eval.scoring.extrinsic.figures import all_scores, remarks_on
from blend.eval.scoring.extrinsic.reading import groups_of, topics_of
from blend.eval.scoring.extrinsic.tables import SimilarityFile, analysis_folder, write_tables
from blend.eval.scoring.judged import Judged
from blend.loaders.files.encodings import read_text
from blend.loaders.files.notes import Notes
from blend.loaders.files.progress import Notify, silent
from blend.loaders.surveys import read_survey
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.nationalities import nationalities

RULES: tuple[Definition, ...] = get_args(Definition)
"""The definitions by name; ``default`` is that of the paper."""

STEP = "analyse"
"""What the progress is called."""

TOP = 15
"""Words per group, as the paper prints."""


class ExtrinsicOptions(NamedTuple):
    """What can be chosen about the analysis."""

    surveys: Mapping[str, Path] = MappingProxyType({})
    """Files of surveys by name."""
    distance: Distance = "published"
    """How the answers of a survey become a distance."""
    bleu: Bleu = "multi-reference"
    """How the samples of a group are combined in BLEU."""
    top: int = TOP
    """Words per group."""
    stop_words: Path | None = None
    """File of stop words, one per line; the packaged English ones when absent."""
    dask: str | None = None
    """Address of a Dask scheduler; this process alone when absent."""


def judge_texts(
    run: Run, options: ExtrinsicOptions, *, rule: str, seed: int, notify: Notify = silent
) -> Judged:
    """Every figure of the texts that a run has kept.

    Args:
        run: The run; its texts are read a few topics at a time.
        options: Surveys, distance, BLEU, words, cluster.
        rule: ``default``, ``paper`` or ``reference_code``.
        seed: Seed of the intervals.
        notify: Hears how many topics are analysed.

    Returns:
        Scores and one decision per text, ``tokens`` and whether it is ``empty``, a ``refusal`` or in an
        ``other_language``. The further tables are in the folder ``analysis`` of the run.

    Raises:
        UnknownNameError: If there is no such rule; lists the rules.
        InputError: If fewer than two groups have texts, or a survey or list of words cannot be read.
        MissingExtraError: If SciPy, or Dask where it is asked for, is not installed.
        ServerError: If the cluster fails.
    """
    gold = run.gold()
    groups = groups_of(gold)
    if len(groups) < 2:
        raise InputError(f"{run.directory}: texts of one group only ({groups[0]}); nothing can be compared")
    cultures = tuple(_cultures(options, groups))
    settings = Settings(
        groups=groups,
        cultures=cultures,
        definition=_definition(rule),
        bleu=options.bleu,
        stop_words=_stop_words(options.stop_words),
        seed=seed,
    )
    totals = Totals(settings)
    decisions = []
    with explained(run.directory), SimilarityFile(run.directory, groups) as similarity:
        for figures, texts in _figures(run, gold, settings, options.dask, notify):
            totals.add(figures)
            similarity.add(figures.key, figures.likeness, figures.directed_bleu)
            decisions.append(_decisions(texts, figures))
        for split, category in totals.categories:
            similarity.add_mean(split, category, totals)
    agreements = totals.agreements()
    with explained(run.directory):
        write_tables(analysis_folder(run.directory), totals, agreements, top=options.top)
    return Judged(
        pl.concat(decisions),
        tuple(all_scores(totals, agreements, gold)),
        {
            "bleu": options.bleu,
            "dist": options.distance if cultures else "none",
            "surveys": "+".join(culture.survey for culture in cultures) or "none",
        },
        remarks_on(totals, cultures),
    )


def _figures(
    run: Run, gold: pl.DataFrame, settings: Settings, dask: str | None, notify: Notify
) -> Iterator[tuple[TopicFigures, pl.DataFrame]]:
    """The figures of topics in order, each with its texts' ids."""
    n_topics = gold.select("split", "category", "topic").n_unique()
    notify(STEP, 0, n_topics)
    waiting: list[pl.DataFrame] = []

    def handed_on() -> Iterator[TopicTexts]:
        for texts, ids in topics_of(run, gold, settings.groups):
            waiting.append(ids)
            yield texts

    for done, figures in enumerate(analysed(handed_on(), settings, dask=dask), start=1):
        yield figures, waiting.pop(0)
        notify(STEP, done, n_topics)


def _decisions(ids: pl.DataFrame, figures: TopicFigures) -> pl.DataFrame:
    renamed = figures.texts.rename({"other-language": "other_language"})
    return pl.concat([ids, renamed], how="horizontal").with_columns(right=pl.lit(None, pl.Boolean))


def _definition(rule: str) -> Definition:
    if rule == "default":
        return "paper"
    for name in RULES:
        if rule == name:
            return name
    raise UnknownNameError("rule for texts of many nationalities", rule, ("default", *RULES))


def _cultures(options: ExtrinsicOptions, groups: tuple[str, ...]) -> Iterator[CulturalDistances]:
    aliases = {alias: one.demonym for one in nationalities() for alias in one.aliases}
    for name, path in options.surveys.items():
        survey = read_survey(path, name)
        if options.distance == "standardised":
            survey = survey.renamed(aliases, groups)
        yield distances(survey, groups, kind=options.distance)


def _stop_words(path: Path | None) -> frozenset[str]:
    if path is None:
        return stop_words()
    if not path.is_file():
        raise InputError(f"--stop-words {path}: no such file; name one with one word per line")
    lines = read_text(path, path.parent, Notes()).splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))
