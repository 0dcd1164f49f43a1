"""Checks of questions: their ids mean the same in all splits, and all tables ask the same."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from blend.builders.mcq.verdicts.wordings import corrected
from blend.builders.templates.localise import prompt_question
from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, info, warning
from blend.schemas.locales import in_english, is_named, others_named
from blend.schemas.rows import ANNOTATIONS, SHORT_ANSWER_QUESTIONS

_SAME_EVERYWHERE = {
    ANNOTATIONS: ("topic", "source"),
    SHORT_ANSWER_QUESTIONS: ("Topic", "Source"),
}
"""Columns that a template has the same value of in all splits."""

_SHARED = {"question": "Question", "en_question": "Translation", "topic": "Topic", "language": "language"}
"""Columns of annotations, and the columns of the short-answer questions that repeat them."""

_SHOWN_IDS = 5


def check_alignment(release: Release) -> Iterator[Problem]:
    """Ids mean the same in all splits.

    What ids a split lacks is worth knowing, no fault: its annotators may not have been asked.

    * error: an id has another topic or source in one split than in most
    * info: the ids that a split lacks; it may never have been asked
    """
    for config, columns in _SAME_EVERYWHERE.items():
        rows = _gathered(release, config, columns)
        for column in columns:
            yield from _differing(rows, column)
        if config == SHORT_ANSWER_QUESTIONS:  # that annotations have the same ids is another check
            yield from _lacking(rows, config)


def check_questions(release: Release) -> Iterator[Problem]:
    """All tables ask the same questions.

    Annotations and multiple-choice questions are about the short-answer questions of their locale.

    * error: annotations and short-answer questions differ in ids, texts or topics; a multiple-choice question
      does not ask the English question of its locale, region named
    * warning: an English question names no region, or only another one
    """
    asked = _gathered(release, SHORT_ANSWER_QUESTIONS, ["locale", *_SHARED.values()])
    asked = asked.drop("location", "split").unique(["ID", "locale"], keep="first", maintain_order=True)
    yield from _named(release)
    yield from _annotated(release, asked)
    yield from _chosen(release, asked)


def _gathered(release: Release, config: str, columns: Sequence[str]) -> pl.DataFrame:
    """Some columns of all splits of a configuration, with ``ID``, ``split`` and ``location``."""
    parts = [
        batch.rows.drop_nulls("ID").with_columns(
            split=pl.lit(batch.table.split), location=pl.format("{}:{}", pl.lit(batch.file), "ID")
        )
        for batch in release.batches(config, columns=columns)
    ]
    names = ["ID", *columns, "split", "location"]
    return pl.concat(parts) if parts else pl.DataFrame(schema=dict.fromkeys(names, pl.String))


def _differing(rows: pl.DataFrame, column: str) -> Iterator[Problem]:
    """Rows that do not have the value that most splits have; on a tie the one in text order counts."""
    usual = (
        rows.group_by("ID", column)
        .len()
        .sort("ID", "len", column, descending=[False, True, False])
        .group_by("ID", maintain_order=True)
        .first()
        .select("ID", usual=column)
    )
    odd = rows.join(usual, on="ID", maintain_order="left").filter(pl.col(column).ne_missing(pl.col("usual")))
    for location, held, expected in odd.select("location", column, "usual").iter_rows():
        what = f"{column} is {held!r}, in most splits this id has {expected!r}"
        yield error(location, what, CORRECT_AND_REBUILD)


def _lacking(rows: pl.DataFrame, config: str) -> Iterator[Problem]:
    every = rows["ID"].unique(maintain_order=True)
    for (split,), of_split in rows.group_by("split", maintain_order=True):
        lacking = every.filter(~every.is_in(of_split["ID"].implode())).sort().to_list()
        if lacking:
            shown = ", ".join(lacking[:_SHOWN_IDS]) + (" …" if len(lacking) > _SHOWN_IDS else "")
            yield info(f"{config}/{split}", f"lacks {len(lacking):,} of {len(every):,} ids: {shown}")


def _named(release: Release) -> Iterator[Problem]:
    """English questions that do not name the region they ask about, by any of its names or its people's."""
    for batch in release.batches(SHORT_ANSWER_QUESTIONS, columns=["Translation", "Question", "locale"]):
        for row in batch.rows.iter_rows(named=True):
            if row["locale"] not in release.locales:
                continue
            locale = release.locales.get(row["locale"])
            for column in ("Translation", "Question") if in_english(locale) else ("Translation",):
                if not row[column] or is_named(row[column], locale):
                    continue
                others = others_named(row[column], release.locales, locale)
                what = f"names {' and '.join(others)}, not" if others else "does not name"
                yield warning(
                    batch.location(row["ID"]), f"{column} {what} {locale.prompt_name}", CORRECT_AND_REBUILD
                )


def _annotated(release: Release, asked: pl.DataFrame) -> Iterator[Problem]:
    """Annotations and short-answer questions: the same ids, the same texts."""
    unread = release.unread(SHORT_ANSWER_QUESTIONS), release.unread(ANNOTATIONS)
    annotated = _without(_gathered(release, ANNOTATIONS, ["locale", *_SHARED]), unread[0])
    asked = _without(asked, unread[1])
    for location in annotated.join(asked, on=["ID", "locale"], how="anti", maintain_order="left")["location"]:
        yield error(location, f"there is no such row in {SHORT_ANSWER_QUESTIONS}", CORRECT_AND_REBUILD)
    if release.tables(ANNOTATIONS):
        unanswered = asked.join(annotated, on=["ID", "locale"], how="anti", maintain_order="left")
        for row_id, tag in unanswered.select("ID", "locale").iter_rows():
            where = f"{SHORT_ANSWER_QUESTIONS}:{row_id}"
            yield error(where, f"there is no such row of {tag} in {ANNOTATIONS}", CORRECT_AND_REBUILD)
    both = annotated.join(asked, on=["ID", "locale"], maintain_order="left", suffix="_asked")
    for column, original in _SHARED.items():
        other = original if original in both.columns and original != column else f"{original}_asked"
        for location in both.filter(pl.col(column).ne_missing(pl.col(other)))["location"]:
            what = f"{column} differs from {original} of {SHORT_ANSWER_QUESTIONS}"
            yield error(location, what, CORRECT_AND_REBUILD)


def _chosen(release: Release, asked: pl.DataFrame) -> Iterator[Problem]:
    """Multiple-choice questions ask the short-answer question of their locale: region named, no slips."""
    mcq = release.manifest.recipe.mcq
    wording = corrected if mcq.mode == "default" and mcq.judge.shipped else lambda _, en_question: en_question
    known = asked.filter(pl.col("locale").is_in(release.locales.tags)).drop_nulls("Translation")
    expected = known.select(
        "ID",
        "locale",
        expected_topic="Topic",
        expected=pl.struct("ID", "Translation", "locale").map_elements(
            lambda row: prompt_question(
                wording(row["ID"], row["Translation"]), release.locales.get(row["locale"])
            ),
            return_dtype=pl.String,
        ),
    )
    unread = release.unread(SHORT_ANSWER_QUESTIONS)
    differ = pl.col("question").ne_missing(pl.col("expected"))
    for batch in release.made_here(["ID", "locale", "question", "topic"]):
        rows = _without(batch.rows.filter(pl.col("locale").is_in(release.locales.tags)), unread)
        rows = rows.join(expected, on=["ID", "locale"], how="left", maintain_order="left")
        for row in rows.filter(differ).iter_rows(named=True):
            yield error(batch.location(row["MCQID"]), _why_not(row), CORRECT_AND_REBUILD)
        for row in rows.filter(pl.col("topic") != pl.col("expected_topic")).iter_rows(named=True):
            what = f"topic is {row['topic']!r}, that of its question {row['ID']} {row['expected_topic']!r}"
            yield error(batch.location(row["MCQID"]), what, CORRECT_AND_REBUILD)


def _without(rows: pl.DataFrame, locales: frozenset[str]) -> pl.DataFrame:
    return rows.filter(~pl.col("locale").is_in(sorted(locales))) if locales else rows


def _why_not(row: Mapping[str, str | None]) -> str:
    if row["expected"] is None:
        return f"{row['locale']} has no question {row['ID']} in {SHORT_ANSWER_QUESTIONS}"
    return f"asks {row['question']!r}, not {row['expected']!r}"
