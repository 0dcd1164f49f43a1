"""Statistics to look at and to keep: tables for a terminal, parquet and JSON files.

The tables are at most 80 columns wide, whatever the terminal; what would be wider is cut to its two ends.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.table import Table

from blend.builders.stats import Stats
from blend.builders.stats.dataset import DatasetStats
from blend.builders.stats.measures import KINDS, MEASURES
from blend.loaders.files.own_folders import check_own_folder
from blend.loaders.files.whole import whole_file, write_whole
from blend.schemas.errors import InputError, UnknownNameError
from blend.views.cultural import cultural_stats_tables
from blend.views.mcq import guessing_tables, mcq_tables
from blend.views.tables import count, figures_table, mean, topic_heads, with_total
from blend.views.triples import food_stats_tables

_WIDTH = 80
_EXTREMES = 10

_COUNTS = {
    "questions": "ques-\ntions",
    "without_annotations": "un-\nanswered",
    "scored_questions": "scored",
    "answer_groups": "answers",
    "answers": "strings,\nlocal",
    "en_answers": "strings,\nEnglish",
    "votes": "votes",
}

_PER_QUESTION = {
    "answers": ("answers", "groups"),
    "votes": ("answers", "votes"),
    "top\nvotes": ("max_votes", "with_annotations"),
    "top votes,\nscored": ("max_votes", "scored"),
    "non-\nanswers": ("non_answers", "all_keys"),
    "agree-\nment": ("agreement", "annotators"),
    "majority": ("agreement", "majority"),
}

_BY_TOPIC = {
    "top-votes-by-topic": ("Votes for the most frequent answer, by topic", "max_votes", "with_annotations"),
    "agreement-by-topic": ("Agreement, by topic", "agreement", "annotators"),
    "answers-by-topic": ("Different answers, by topic", "answers", "groups"),
    "non-answers-by-topic": ("Non-answers, by topic", "non_answers", "all_keys"),
}


def dataset_tables(figures: DatasetStats) -> dict[str, Table]:
    """All figures of a release by the name of their table, those of its questions first."""
    tables = {} if figures.questions is None else stats_tables(figures.questions)
    for name, food in figures.food.items():
        tables |= food_stats_tables(name, food, str if figures.domain is None else figures.domain.told)
    if figures.cultural is not None:
        tables |= cultural_stats_tables(figures.cultural)
    if figures.audit is not None:
        tables |= guessing_tables(figures.audit)
    return tables


def chosen_tables(figures: DatasetStats, names: Sequence[str] | None) -> list[Table]:
    """The tables of these names in the order of the names; all without any.

    Raises:
        UnknownNameError: If the dataset has no table of a name.
    """
    tables = dataset_tables(figures)
    for name in names or ():
        if name not in tables:
            raise UnknownNameError("table", name, tables)
    return [tables[name] for name in names or tables]


def stats_tables(stats: Stats) -> dict[str, Table]:
    """All figures by the name of their table; its caption says what they are and in which unit."""
    tables = {
        "counts": _counts(stats),
        "per-question": _per_question(stats),
        **_between_annotators(stats),
        "measures": _measures(stats),
        **{name: _by_topic(stats, *of) for name, of in _BY_TOPIC.items()},
        "templates": _topics(stats),
        "non-answers": _non_answers(stats),
        "overlap": _overlap(stats),
    }
    return tables if stats.mcqs is None else tables | mcq_tables(stats.mcqs)


def write_frames(
    frames: Mapping[str, pl.DataFrame],
    figures: Mapping[str, Any],
    out: Path,
    *,
    name: str = "stats.json",
    what: str = "statistics",
) -> None:
    """Write every frame as ``{name}.parquet``, and all figures with their definitions as one file of JSON.

    Args:
        frames: Figures by name.
        figures: The same as plain JSON.
        out: Directory, made if need be; one that holds something must hold an earlier file ``name``. Files of
            these names are replaced, each at once; others stay.
        name: Name of the file with all figures.
        what: What the error calls them.

    Raises:
        InputError: If the directory holds something else, or cannot be written.
    """
    is_known = (out / name).is_file()
    check_own_folder(out, option="--out", what=f"a folder of {what}", is_ours=lambda _: is_known)
    text = json.dumps(figures, ensure_ascii=False, indent=2) + "\n"
    try:
        out.mkdir(parents=True, exist_ok=True)
        for table, frame in frames.items():
            with whole_file(out / f"{table}.parquet") as part:
                frame.write_parquet(part)
        write_whole(out / name, text)
    except OSError as error:
        raise InputError(
            f"{out}: cannot write the {what} here ({error.strerror}); choose another --out"
        ) from error


def _counts(stats: Stats) -> Table:
    table = figures_table(
        "Questions, answers and votes",
        "Counts. Unanswered: no annotator gave an answer. Scored: short-answer scoring does not skip it."
        " Answers: different ones, variants merged; strings: with variants. Votes: annotators behind answers.",
        "locale",
        _COUNTS.values(),
    )
    for row in stats.counts.iter_rows(named=True):
        table.add_row(row["locale"], *(count(row[name]) for name in _COUNTS))
    return with_total(table, "all", (count(int(stats.counts[name].sum())) for name in _COUNTS))


def _between_annotators(stats: Stats) -> dict[str, Table]:
    if stats.annotator_agreement is None:
        return {}
    table = figures_table(
        "Agreement between annotators",
        "Alpha: Krippendorff's, with MASI over the answers that each gave; 1 is perfect, 0 is chance."
        " From, to: its 95 % interval over questions. Questions: answered by two or more. Answers: one per"
        " annotator and question.",
        "locale",
        ("alpha", "from", "to", "questions", "answers", "annotators"),
    )
    for row in stats.annotator_agreement.iter_rows(named=True):
        shown = (mean(row[name], "value") for name in ("alpha", "low", "high"))
        table.add_row(
            row["locale"], *shown, *(count(row[name]) for name in ("questions", "answers", "annotators"))
        )
    return {"annotators": table}


def _per_question(stats: Stats) -> Table:
    table = figures_table(
        "Per question",
        "Means over questions. Top votes: annotators behind the most frequent answer. Agreement: their share"
        " of the annotators. Majority: share of questions where they are more than half. See the next table.",
        "locale",
        _PER_QUESTION,
    )
    means = _cells(stats.locale_means, "locale")
    for locale in stats.counts["locale"]:
        table.add_row(locale, *(mean(*means[locale, *key]) for key in _PER_QUESTION.values()))
    overall = _cells(stats.overall_means)
    return with_total(table, "all", (mean(*overall[key]) for key in _PER_QUESTION.values()))


def _measures(stats: Stats) -> Table:
    table = Table(title="Measures over all locales", title_justify="left")
    table.add_column("measure")
    table.add_column("definition", overflow="fold", ratio=1)
    for name in ("questions", "mean", "mean of\nlocales"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in stats.overall_means.iter_rows(named=True):
        measure, definition, unit = row["measure"], row["definition"], row["unit"]
        table.add_row(
            f"{measure.replace('_', ' ')}\n{definition.replace('_', ' ')}",
            MEASURES[measure][definition].text,
            count(row["n"]),
            mean(row["mean"], unit),
            mean(row["mean_of_locale_means"], unit),
        )
    return table


def _by_topic(stats: Stats, title: str, measure: str, definition: str) -> Table:
    of = MEASURES[measure][definition]
    topics = stats.topics["topic"].to_list()
    unit = "percent" if of.unit == "fraction" else of.unit
    table = figures_table(title, f"Mean over questions, in {unit}. {of.text}", "locale", topic_heads(topics))
    means = stats.topic_means.filter(measure=measure, definition=definition)
    cells = {(row["locale"], row["topic"]): row["mean"] for row in means.iter_rows(named=True)}
    for locale in stats.counts["locale"]:
        table.add_row(locale, *(mean(cells.get((locale, topic)), of.unit) for topic in topics))
    return table


def _topics(stats: Stats) -> Table:
    topics = stats.topics["topic"].to_list()
    table = figures_table(
        "Templates by topic and origin",
        "Counts of question templates; a template is asked in every locale. Origin: locale whose natives"
        " wrote it.",
        "origin",
        [*topic_heads(topics), "all"],
    )
    cells = {(row["source_locale"], row["topic"]): row["templates"] for row in stats.sources.to_dicts()}
    for source in dict.fromkeys([*stats.counts["locale"], *stats.sources["source_locale"]]):
        counts = [cells.get((source, topic), 0) for topic in topics]
        if any(counts):
            table.add_row(source or "unknown", *map(count, [*counts, sum(counts)]))
    totals = stats.topics["templates"].to_list()
    return with_total(table, "all", map(count, [*totals, sum(totals)]))


def _non_answers(stats: Stats) -> Table:
    table = figures_table(
        "Non-answers",
        "Votes for not answering. Other: a reason in the annotator's own words. Per question: all kinds"
        " together.",
        "locale",
        [*KINDS, "all", "per question"],
    )
    votes = stats.non_answers.group_by("locale", "kind").agg(pl.col("votes").sum())
    cells = {(row["locale"], row["kind"]): row["votes"] for row in votes.to_dicts()}
    sums = [0] * len(KINDS)
    for locale, questions in stats.counts.select("locale", "questions").iter_rows():
        counts = [cells[locale, kind] for kind in KINDS]
        sums = [a + b for a, b in zip(sums, counts, strict=True)]
        table.add_row(locale, *map(count, [*counts, sum(counts)]), f"{sum(counts) / questions:.2f}")
    n = stats.counts["questions"].sum()
    return with_total(table, "all", [*map(count, [*sums, sum(sums)]), f"{sum(sums) / n:.2f}" if n else "–"])


def _overlap(stats: Stats) -> Table:
    tags = stats.counts["locale"].to_list()
    title = "English answer lemmas in common"
    caption = f"Count, summed over the templates of both locales; lemmas by {stats.lemmatiser}."
    digits = len(str(stats.overlap["common_lemmas"].max() or 0))
    heads = _regions(tags)
    wide = max((len(tag) for tag in tags), default=0) + sum(max(digits, len(head)) + 1 for head in heads[:-1])
    if wide <= _WIDTH:
        return _triangle(stats.overlap, tags, heads, title, caption)
    return _extremes(
        stats.overlap, title, f"{caption} The pairs with most and fewest of {stats.overlap.height:,}."
    )


def _triangle(
    overlap: pl.DataFrame, tags: Sequence[str], heads: Sequence[str], title: str, caption: str
) -> Table:
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    table.box, table.padding, table.pad_edge = None, (0, 1, 0, 0), False
    table.add_column("")
    for head in heads[:-1]:
        table.add_column(head, justify="right", no_wrap=True)
    cells = {(a, b): n for a, b, n in overlap.select("locale_b", "locale_a", "common_lemmas").iter_rows()}
    for i, tag in enumerate(tags[1:], start=1):
        table.add_row(tag, *(count(cells[tag, other]) for other in tags[:i]))
    return table


def _extremes(overlap: pl.DataFrame, title: str, caption: str) -> Table:
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    table.add_column("locales")
    for name in ("lemmas", "share of\neither's", "words"):
        table.add_column(name, justify="right")
    ranked = overlap.sort("common_lemmas", "locale_a", "locale_b", descending=[True, False, False])
    ends = [ranked] if ranked.height <= 2 * _EXTREMES else [ranked.head(_EXTREMES), ranked.tail(_EXTREMES)]
    for end in ends:
        for row in end.iter_rows(named=True):
            share = mean(row["lemma_share"], "fraction")
            pair = f"{row['locale_a']} and {row['locale_b']}"
            table.add_row(pair, count(row["common_lemmas"]), share, count(row["common_words"]))
        table.add_section()
    return table


def _cells(means: pl.DataFrame, *by: str) -> dict[tuple[str, ...], tuple[float | None, str]]:
    return {
        (*(row[name] for name in by), row["measure"], row["definition"]): (row["mean"], row["unit"])
        for row in means.iter_rows(named=True)
    }


def _regions(tags: Sequence[str]) -> list[str]:
    """Region codes where they tell the locales apart, tags where two locales share a region."""
    regions = [tag.rpartition("-")[2] for tag in tags]
    return regions if len(set(regions)) == len(regions) else list(tags)
