"""The figures of ``blend stats`` as tables of at most 80 columns, whatever the terminal."""

from collections.abc import Callable, Iterable, Sequence

import polars as pl
from rich.table import Table

from blend.builders.stats import Stats
from blend.builders.stats.cultural import CulturalStats
from blend.builders.stats.dataset import DatasetStats
from blend.builders.stats.mcq import CLOSE, CORRELATION, DISAGREEMENT, SPREADS, McqStats
from blend.builders.stats.measures import KINDS, MEASURES
from blend.builders.stats.triples import TripleStats
from blend.schemas.errors import UnknownNameError
from blend.schemas.release.audit_report import AuditReport
from blend.schemas.rows.published_rows import LETTERS
from blend.views.frames import PERCENT, frame_table, interval, mean, rows_frame, wide_frame

_WIDTH = 80
_EXTREMES = 10
_LANGUAGES = 8
"""Languages whose most common parts are shown: those with the most dishes."""
_ORIGINS = 15

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
        tables |= triple_stats_tables(name, food, str if figures.domain is None else figures.domain.reword)
    if figures.cultural is not None:
        tables |= _cultural_tables(figures.cultural)
    if figures.audit is not None:
        tables["mcq-guessing"] = _guessing(figures.audit)
    return tables


def chosen_tables(
    figures: DatasetStats, names: Sequence[str] | None, *, everything: bool = False
) -> tuple[list[Table], list[str]]:
    """The tables of these names in their order, without any the first one or all; and the names of the others.

    Raises:
        UnknownNameError: If the dataset has no table of a name.
    """
    tables = dataset_tables(figures)
    for name in names or ():
        if name not in tables:
            raise UnknownNameError("table", name, tables)
    if names:
        return [tables[name] for name in names], []
    n_shown = len(tables) if everything else 1
    return list(tables.values())[:n_shown], list(tables)[n_shown:]


def stats_tables(stats: Stats) -> dict[str, Table]:
    """Figures of questions by the name of their table; its caption says what they are and in which unit."""
    tables = {
        "counts": frame_table(
            stats.counts,
            "Questions, answers and votes",
            "Counts. Unanswered: no annotator gave an answer. Scored: short-answer scoring does not skip it."
            " Answers: different ones, variants merged; strings: with variants. Votes: annotators behind"
            " answers.",
            heads={"locale": "locale", **_COUNTS},
            total={"locale": "all", **_sums(stats.counts, _COUNTS)},
        ),
        "per-question": _per_question(stats),
    }
    if stats.annotator_agreement is not None:
        tables["annotators"] = frame_table(
            stats.annotator_agreement,
            "Agreement between annotators",
            "Alpha: Krippendorff's, with MASI over the answers that each gave; 1 is perfect, 0 is chance."
            " From, to: its 95 % interval over questions. Questions: answered by two or more. Answers: one per"
            " annotator and question.",
            heads={"locale": "locale", "alpha": "alpha", "low": "from", "high": "to"}
            | {name: name for name in ("questions", "answers", "annotators")},
        )
    if stats.annotator_groups is not None:
        tables["annotator-groups"] = frame_table(
            stats.annotator_groups,
            "Agreement between annotators alike",
            "By what annotators agreed to tell about themselves: alpha within each group. Groups of fewer than"
            " five are counted together.",
            heads={name: name for name in ("locale", "profile", "group", "alpha")}
            | {"low": "from", "high": "to"}
            | {name: name for name in ("questions", "answers", "annotators")},
        )
    tables["measures"] = _measures(stats)
    tables |= {name: _by_topic(stats, *of) for name, of in _BY_TOPIC.items()}
    tables |= {"templates": _templates(stats), "non-answers": _non_answers(stats), "overlap": _overlap(stats)}
    return tables if stats.mcqs is None else tables | mcq_tables(stats.mcqs)


def _per_question(stats: Stats) -> Table:
    def cells(means: pl.DataFrame) -> list[str]:
        figures = {(row["measure"], row["definition"]): row for row in means.iter_rows(named=True)}
        return [mean(figures[key]["mean"], figures[key]["unit"]) for key in _PER_QUESTION.values()]

    rows = [(locale, *cells(stats.locale_means.filter(locale=locale))) for locale in stats.counts["locale"]]
    return frame_table(
        rows_frame(("locale", *_PER_QUESTION), rows),
        "Per question",
        "Means over questions. Top votes: annotators behind the most frequent answer. Agreement: their share"
        " of the annotators. Majority: share of questions where they are more than half. See the next table.",
        total=dict(zip(("locale", *_PER_QUESTION), ("all", *cells(stats.overall_means)), strict=True)),
    )


def _measures(stats: Stats) -> Table:
    rows = [
        (
            f"{row['measure'].replace('_', ' ')}\n{row['definition'].replace('_', ' ')}",
            MEASURES[row["measure"]][row["definition"]].text,
            row["n"],
            mean(row["mean"], row["unit"]),
            mean(row["mean_of_locale_means"], row["unit"]),
        )
        for row in stats.overall_means.iter_rows(named=True)
    ]
    columns = ("measure", "definition", "questions", "mean", "mean of\nlocales")
    return frame_table(rows_frame(columns, rows), "Measures over all locales", texts=columns[:2])


def _by_topic(stats: Stats, title: str, measure: str, definition: str) -> Table:
    of = MEASURES[measure][definition]
    is_share = of.unit == "fraction"
    topics = stats.topics["topic"].to_list()
    means = stats.topic_means.filter(measure=measure, definition=definition)
    return frame_table(
        wide_frame(means, "locale", stats.counts["locale"].to_list(), "topic", topics, "mean"),
        title,
        f"Mean over questions, in {'percent' if is_share else of.unit}. {of.text}",
        forms=dict.fromkeys(topics, PERCENT) if is_share else None,
    )


def _templates(stats: Stats) -> Table:
    topics = stats.topics["topic"].to_list()
    origins = dict.fromkeys([*stats.counts["locale"], *stats.sources["source_locale"]])
    sources = stats.sources.rename({"source_locale": "origin"})
    wide = wide_frame(sources, "origin", list(origins), "topic", topics, "templates", 0)
    rows = wide.with_columns(
        pl.col("origin").fill_null("unknown"), all=pl.sum_horizontal(topics or [pl.lit(0)])
    ).filter(pl.col("all") > 0)
    totals = stats.topics["templates"].to_list()
    return frame_table(
        rows,
        "Templates by topic and origin",
        "Counts of question templates; a template is asked in every locale. Origin: locale whose natives"
        " wrote it.",
        total={"origin": "all", **dict(zip(topics, totals, strict=True)), "all": sum(totals)},
    )


def _non_answers(stats: Stats) -> Table:
    locales, questions = stats.counts["locale"].to_list(), stats.counts["questions"]
    votes = stats.non_answers.group_by("locale", "kind").agg(pl.col("votes").sum())
    rows = wide_frame(votes, "locale", locales, "kind", KINDS, "votes", 0).with_columns(
        all=pl.sum_horizontal(KINDS)
    )
    rows = rows.with_columns((pl.col("all") / questions).alias("per question"))
    n, sums = questions.sum(), _sums(rows, [*KINDS, "all"])
    return frame_table(
        rows,
        "Non-answers",
        "Votes for not answering. Other: a reason in the annotator's own words. Per question: all kinds"
        " together.",
        total={
            "locale": "all",
            **sums,
            "per question": sums["all"] / n if n and sums["all"] is not None else None,
        },
    )


def _overlap(stats: Stats) -> Table:
    tags, overlap = stats.counts["locale"].to_list(), stats.overlap
    title = "English answer lemmas in common"
    caption = f"Count, summed over the templates of both locales; lemmas by {stats.lemmatiser}."
    digits = len(str(overlap["common_lemmas"].max() or 0))
    heads = _regions(tags)[:-1]
    wide = max((len(tag) for tag in tags), default=0) + sum(max(digits, len(head)) + 1 for head in heads)
    if wide <= _WIDTH:
        # A row per locale, with those before it: each pair once.
        cells = {(a, b): n for a, b, n in overlap.select("locale_b", "locale_a", "common_lemmas").iter_rows()}
        rows = [
            (tag, *(f"{cells[tag, other]:,}" if number < i else "" for number, other in enumerate(tags[:-1])))
            for i, tag in enumerate(tags)
            if i
        ]
        regions = {"locale": ""} | {head: head for head in heads}
        table = frame_table(rows_frame(("locale", *heads), rows), title, caption, heads=regions)
        table.box = None  # sixteen regions just fit
        return table
    ranked = overlap.sort("common_lemmas", "locale_a", "locale_b", descending=[True, False, False])
    if ranked.height > 2 * _EXTREMES:
        ranked = pl.concat([ranked.head(_EXTREMES), ranked.tail(_EXTREMES)])
    return frame_table(
        ranked.with_columns(locales=pl.format("{} and {}", "locale_a", "locale_b")),
        title,
        f"{caption} The pairs with most and fewest of {overlap.height:,}.",
        heads={"locales": "locales", "common_lemmas": "lemmas", "lemma_share": "share of\neither's"}
        | {"common_words": "words"},
        forms={"lemma_share": PERCENT},
    )


def mcq_tables(mcqs: McqStats) -> dict[str, Table]:
    """Show how many multiple-choice questions there are, where the correct option stands and who distracts."""
    locales = mcqs.counts["locale"].unique(maintain_order=True).to_list()
    topics = sorted(mcqs.counts["topic"].unique())
    totals = mcqs.counts.group_by("locale", maintain_order=True).agg(pl.col("templates", "mcqs").sum())
    letters = wide_frame(mcqs.positions, "locale", locales, "letter", LETTERS, "mcqs", 0)
    regions = mcqs.distractors.group_by("region").agg(
        pl.col("options").sum(), least=pl.col("share").min(), greatest=pl.col("share").max()
    )
    regions = regions.with_columns(all=pl.col("options") / pl.col("options").sum())
    by_topic = wide_frame(mcqs.counts, "locale", locales, "topic", topics, "mcqs", 0)
    counts = totals.join(letters, on="locale", maintain_order="left")
    tables = {
        "mcq-counts": frame_table(
            counts,
            "Multiple-choice questions",
            "Counts. Templates: those that give the locale any. A to D: questions by letter of the right"
            " option.",
            heads={"locale": "locale", "templates": "templates", "mcqs": "questions"}
            | {letter: letter for letter in LETTERS},
            total={"locale": "all", **_sums(counts, ["mcqs", *LETTERS])},
        ),
        "mcq-by-topic": frame_table(
            by_topic,
            "Multiple-choice questions, by topic",
            "Counts by locale asked about.",
            total={"locale": "all", **_sums(by_topic, topics)},
        ),
        "mcq-distractors": frame_table(
            regions.sort("options", "region", descending=[True, False]),
            "Origin of distractors",
            "How many distractors a region gives, their share of all distractors, and the least and greatest"
            " share among the distractors of a locale that gets any from it.",
            heads={"region": "region", "options": "distractors", "all": "share"}
            | {"least": "least", "greatest": "greatest"},
            forms=dict.fromkeys(("all", "least", "greatest"), PERCENT),
            total={"region": "all", **_sums(regions, ["options"])},
        ),
        "mcq-power": frame_table(
            mcqs.power,
            "What tells two models apart, by region",
            "Difference: in accuracy, that a paired test at 5 % on two sides finds with 80 % power, if exactly "
            f"one of the two is right in {DISAGREEMENT:.0%} of the questions and variants of a template "
            f"correlate by {CORRELATION:g}. Needed: templates with questions for a difference of {CLOSE:.0%}.",
            heads={"locale": "locale", "templates": "templates", "mcqs": "questions"}
            | {"difference": "difference", "templates_needed": "needed"},
            forms={"difference": PERCENT},
        ),
    }
    # Not known in paper mode.
    return tables if mcqs.spreads.is_empty() else tables | {"mcq-spread": _spread(mcqs.spreads)}


def _spread(spreads: pl.DataFrame) -> Table:
    locales = spreads["locale"].unique(maintain_order=True).to_list()
    templates, questions = (
        wide_frame(spreads, "locale", locales, "answer_spread", SPREADS, column, 0)
        for column in ("templates", "mcqs")
    )
    rows = templates.join(questions, on="locale", suffix="_mcqs", maintain_order="left")
    columns = [*SPREADS, *(f"{spread}_mcqs" for spread in SPREADS)]
    heads = [f"{spread}\n{what}" for what in ("templates", "questions") for spread in SPREADS]
    return frame_table(
        rows.select("locale", *columns),
        "Multiple-choice questions, by how widespread the right answer is",
        "Counts. Universal: people of six or more other regions gave it as well; shared: of one to five; "
        "specific: of none. A template with several right answers can count in several.",
        heads={"locale": "locale", **dict(zip(columns, heads, strict=True))},
        total={"locale": "all", **_sums(rows, columns)},
    )


def _guessing(audit: AuditReport, config: str = "") -> Table:
    of = "all" if audit.audited == audit.questions else f"{audit.audited:,} of {audit.questions:,}"
    rows = [
        (
            *(name, fares.questions, fares.accuracy, interval(fares.low, fares.high, PERCENT)),
            *(fares.by_pair, fares.share),
        )
        for name, fares in audit.overall.items()
    ]
    return frame_table(
        rows_frame(("baseline", "questions", "accuracy", "interval", "by pair", "by row"), rows),
        f"Questions got right by simple rules{config}",
        f"By the audit of the release, {of} questions. Accuracy where the baseline has an opinion, with a 95 % "
        "interval over templates; by pair: guessing where it has none, each template and region once; by row: "
        "each question once. `blend audit` says what the baselines do.",
        forms=dict.fromkeys(("accuracy", "by pair", "by row"), PERCENT),
    )


def triple_stats_tables(name: str, stats: TripleStats, reword: Callable[[str], str] = str) -> dict[str, Table]:
    """Show how many dishes every language has, their origins and most common parts, by the table's name.

    Args:
        name: First part of the tables' names.
        stats: The figures.
        reword: A text about dishes in the words of the release's domain.
    """
    # The words of a name on lines of their own: the column stays as narrow as its counts allow.
    dishes = reword("dishes").replace(" ", "\n")
    origins = stats.origins.group_by("origin_qid", "origin_en").agg(
        pl.col("dishes").max(), languages=pl.col("language").n_unique()
    )
    number = pl.col("origin_qid").str.slice(1).cast(pl.Int64)
    most = origins.sort("dishes", number, descending=[True, False]).head(_ORIGINS)
    parts = stats.common_parts.with_columns(
        part=pl.format("{} {}", "label", pl.col("dishes").map_elements("{:,}".format, return_dtype=pl.String))
    )
    common = parts.group_by("language").agg(pl.col("part"))
    return {
        f"{name}-languages": frame_table(
            stats.languages,
            f"{name}: rows by language",
            reword(
                "Counts. Triples: pairs of dish and part. Labels: different names of parts, the candidates of "
                "probing. One part: dishes with a single part. Material and image: dishes with any."
            ),
            heads={"language": "language", "dishes": dishes, "triples": "triples", "parts": "parts"}
            | {"part_labels": "labels", "one_part": "one part", "origins": "origins"}
            | {"materials": "material", "images": "image"},
        ),
        f"{name}-origins": frame_table(
            most,
            f"{name}: where they come from",
            reword(f"The first {len(most)} of {len(origins)}. Dishes: in the language that has most of them."),
            heads={"origin_en": "origin", "origin_qid": "item", "dishes": dishes, "languages": "languages"},
            texts=("origin_en", "origin_qid"),
        ),
        f"{name}-common-parts": frame_table(
            stats.languages.head(_LANGUAGES)
            .select("language")
            .join(common, on="language", maintain_order="left"),
            f"{name}: most common parts",
            reword("With the dishes that have them."),
            heads={"language": "language", "part": "parts"},
            texts=("language", "part"),
        ),
    }


def _cultural_tables(stats: CulturalStats) -> dict[str, Table]:
    return {
        "cultural-prompts": frame_table(
            stats.kinds, "Cultural prompts, by kind of text", "Counts of different ones."
        ),
        "cultural-categories": frame_table(
            stats.categories, "Topics, by category", "Counts.", texts=("kind", "category")
        ),
    }


def _sums(frame: pl.DataFrame, columns: Iterable[str]) -> dict[str, int | None]:
    """Add up columns; a sum is null where any part of it is unknown."""
    return {name: None if frame[name].null_count() else int(frame[name].sum() or 0) for name in columns}


def _regions(tags: Sequence[str]) -> list[str]:
    """Region codes where they tell the locales apart, tags where two locales share a region."""
    regions = [tag.rpartition("-")[2] for tag in tags]
    return regions if len(set(regions)) == len(regions) else list(tags)
