"""Statistics to look at and to keep: tables for a terminal, parquet and JSON files.

The tables are at most 80 columns wide, whatever the terminal; what would be wider is cut to its two ends.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.markup import escape
from rich.table import Table

from blend.builders.stats import Stats
from blend.builders.stats.dataset import DatasetStats
from blend.builders.stats.mcq import McqStats
from blend.builders.stats.measures import KINDS, MEASURES
from blend.loaders.files.whole import whole_file, write_whole
from blend.schemas.errors import InputError
from blend.schemas.rows import LETTERS
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
    "Votes for the most frequent answer, by topic": ("max_votes", "with_annotations"),
    "Agreement, by topic": ("agreement", "annotators"),
    "Different answers, by topic": ("answers", "groups"),
    "Non-answers, by topic": ("non_answers", "all_keys"),
}


def dataset_tables(figures: DatasetStats) -> list[Table]:
    """All figures of a release, those of its questions first."""
    tables = [] if figures.questions is None else stats_tables(figures.questions)
    return tables + [table for name, food in figures.food.items() for table in food_stats_tables(name, food)]


def stats_tables(stats: Stats) -> list[Table]:
    """All figures, each table with a caption that says what they are and in which unit."""
    tables = [
        _counts(stats),
        _per_question(stats),
        _measures(stats),
        *(_by_topic(stats, title, *key) for title, key in _BY_TOPIC.items()),
        _topics(stats),
        _non_answers(stats),
        _overlap(stats),
    ]
    return tables if stats.mcqs is None else tables + mcq_tables(stats.mcqs)


def write_frames(frames: Mapping[str, pl.DataFrame], figures: Mapping[str, Any], out: Path) -> None:
    """Write every frame as ``{name}.parquet``, and all figures with their definitions as ``stats.json``.

    Args:
        frames: Figures by name.
        figures: The same as plain JSON.
        out: Directory, made if need be. Files of these names are replaced, each at once; others stay.

    Raises:
        InputError: If the directory cannot be written.
    """
    text = json.dumps(figures, ensure_ascii=False, indent=2) + "\n"
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, frame in frames.items():
            with whole_file(out / f"{name}.parquet") as part:
                frame.write_parquet(part)
        write_whole(out / "stats.json", text)
    except OSError as error:
        raise InputError(
            f"{out}: cannot write the statistics here ({error.strerror}); choose another --out"
        ) from error


def mcq_tables(mcqs: McqStats) -> list[Table]:
    """The figures of multiple-choice questions: how many, where the right one stands, who distracts."""
    return [_mcq_counts(mcqs), _mcq_topics(mcqs), _mcq_distractors(mcqs)]


def _counts(stats: Stats) -> Table:
    table = _table(
        "Questions, answers and votes",
        "Counts. Unanswered: no annotator gave an answer. Scored: short-answer scoring does not skip it."
        " Answers: different ones, variants merged; strings: with variants. Votes: annotators behind answers.",
        "locale",
        _COUNTS.values(),
    )
    for row in stats.counts.iter_rows(named=True):
        table.add_row(row["locale"], *(_count(row[name]) for name in _COUNTS))
    return _with_total(table, "all", (_count(int(stats.counts[name].sum())) for name in _COUNTS))


def _per_question(stats: Stats) -> Table:
    table = _table(
        "Per question",
        "Means over questions. Top votes: annotators behind the most frequent answer. Agreement: their share"
        " of the annotators. Majority: share of questions where they are more than half. See the next table.",
        "locale",
        _PER_QUESTION,
    )
    means = _cells(stats.locale_means, "locale")
    for locale in stats.counts["locale"]:
        table.add_row(locale, *(_mean(*means[locale, *key]) for key in _PER_QUESTION.values()))
    overall = _cells(stats.overall_means)
    return _with_total(table, "all", (_mean(*overall[key]) for key in _PER_QUESTION.values()))


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
            _count(row["n"]),
            _mean(row["mean"], unit),
            _mean(row["mean_of_locale_means"], unit),
        )
    return table


def _by_topic(stats: Stats, title: str, measure: str, definition: str) -> Table:
    of = MEASURES[measure][definition]
    topics = stats.topics["topic"].to_list()
    unit = "percent" if of.unit == "fraction" else of.unit
    table = _table(title, f"Mean over questions, in {unit}. {of.text}", "locale", _heads(topics))
    means = stats.topic_means.filter(measure=measure, definition=definition)
    cells = {(row["locale"], row["topic"]): row["mean"] for row in means.iter_rows(named=True)}
    for locale in stats.counts["locale"]:
        table.add_row(locale, *(_mean(cells.get((locale, topic)), of.unit) for topic in topics))
    return table


def _topics(stats: Stats) -> Table:
    topics = stats.topics["topic"].to_list()
    table = _table(
        "Templates by topic and origin",
        "Counts of question templates; a template is asked in every locale. Origin: locale whose natives"
        " wrote it.",
        "origin",
        [*_heads(topics), "all"],
    )
    cells = {(row["source_locale"], row["topic"]): row["templates"] for row in stats.sources.to_dicts()}
    for source in dict.fromkeys([*stats.counts["locale"], *stats.sources["source_locale"]]):
        counts = [cells.get((source, topic), 0) for topic in topics]
        if any(counts):
            table.add_row(source or "unknown", *map(_count, [*counts, sum(counts)]))
    totals = stats.topics["templates"].to_list()
    return _with_total(table, "all", map(_count, [*totals, sum(totals)]))


def _non_answers(stats: Stats) -> Table:
    table = _table(
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
        table.add_row(locale, *map(_count, [*counts, sum(counts)]), f"{sum(counts) / questions:.2f}")
    n = stats.counts["questions"].sum()
    return _with_total(table, "all", [*map(_count, [*sums, sum(sums)]), f"{sum(sums) / n:.2f}" if n else "–"])


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
        table.add_row(tag, *(_count(cells[tag, other]) for other in tags[:i]))
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
            share = _mean(row["lemma_share"], "fraction")
            pair = f"{row['locale_a']} and {row['locale_b']}"
            table.add_row(pair, _count(row["common_lemmas"]), share, _count(row["common_words"]))
        table.add_section()
    return table


def _mcq_counts(mcqs: McqStats) -> Table:
    table = _table(
        "Multiple-choice questions",
        "Counts. Templates: those that give the locale any. A to D: questions by letter of the right option.",
        "locale",
        ("templates", "questions", *LETTERS),
    )
    places = dict(mcqs.positions.group_by("locale").agg("mcqs").iter_rows())
    totals = mcqs.counts.group_by("locale", maintain_order=True).agg(pl.col("templates", "mcqs").sum())
    for locale, templates, total in totals.iter_rows():
        table.add_row(locale, *map(_count, [templates, total, *places[locale]]))
    sums = [sum(column) for column in zip(*places.values(), strict=True)] or [0] * len(LETTERS)
    return _with_total(table, "all", ["", *map(_count, [sum(sums), *sums])])


def _mcq_topics(mcqs: McqStats) -> Table:
    topics = sorted(mcqs.counts["topic"].unique())
    table = _table(
        "Multiple-choice questions, by topic", "Counts by locale asked about.", "locale", _heads(topics)
    )
    cells = {(row["locale"], row["topic"]): row["mcqs"] for row in mcqs.counts.to_dicts()}
    for locale in mcqs.counts["locale"].unique(maintain_order=True):
        table.add_row(locale, *(_count(cells.get((locale, topic), 0)) for topic in topics))
    sums = (int(mcqs.counts.filter(topic=topic)["mcqs"].sum()) for topic in topics)
    return _with_total(table, "all", map(_count, sums))


def _mcq_distractors(mcqs: McqStats) -> Table:
    table = _table(
        "Origin of wrong options",
        "How many wrong options a region gives, their share of all wrong options, and the least and greatest"
        " share among the wrong options of a locale that gets any from it.",
        "region",
        ("options", "share", "least", "greatest"),
    )
    regions = mcqs.distractors.group_by("region").agg(
        pl.col("options").sum(), least=pl.col("share").min(), greatest=pl.col("share").max()
    )
    total = int(regions["options"].sum())
    for row in regions.sort("options", "region", descending=[True, False]).iter_rows(named=True):
        shares = (row["options"] / total, row["least"], row["greatest"])
        table.add_row(row["region"], _count(row["options"]), *(_mean(share, "fraction") for share in shares))
    return _with_total(table, "all", [_count(total), "", "", ""])


def _table(title: str, caption: str, first: str, others: Iterable[str]) -> Table:
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    table.add_column(first)
    for name in others:
        # Folded rather than cut: a figure must not lose its last digits where a table is too wide.
        table.add_column(name, justify="right", overflow="fold")
    return table


def _with_total(table: Table, label: str, cells: Iterable[str]) -> Table:
    table.add_section()
    table.add_row(label, *cells)
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


def _heads(topics: Iterable[str]) -> list[str]:
    return [escape(topic).replace("/", "/\n") for topic in topics]


def _count(number: int) -> str:
    return f"{number:,}"


def _mean(mean: float | None, unit: str) -> str:
    if mean is None:
        return "–"
    return f"{mean:.1%}" if unit == "fraction" else f"{mean:.2f}"
