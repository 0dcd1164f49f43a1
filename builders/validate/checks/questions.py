"""Checks of questions and votes: splits and tables ask the same, and votes add up."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

import polars as pl

from blend.builders.mcq.verdicts import Verdicts
from blend.builders.templates.localise import prompt_question
from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, info, warning
from blend.loaders.releases.reports import read_findings
from blend.loaders.responses.verdicts import read_verdicts
from blend.loaders.upstream.blend.groups import ANNOTATORS
from blend.schemas.errors import BlendError, RowError
from blend.schemas.locales import in_english, is_named, others_named
from blend.schemas.manifest import FINDINGS_NAME, leads_out
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_CONFIGS, SHORT_ANSWER_QUESTIONS, Grouping

_SHARED = {"question": "Question", "en_question": "Translation", "topic": "Topic", "language": "language"}
"""Columns of annotations, and the columns of the short-answer questions that repeat them."""

_QUESTION = ["ID", "locale"]
_SHOWN_IDS = 5

_RECORDED: Final = ("votes-above-annotators", "non-answers-above-annotators")
"""Kinds of findings that say that the published data has more votes than annotators."""


def check_alignment(release: Release) -> Iterator[Problem]:
    """Splits ask the same questions.

    What ids a split lacks is worth knowing, no fault: its annotators may not have been asked.

    * info: the ids that a split lacks; it may never have been asked
    """
    rows = release.rows(SHORT_ANSWER_QUESTIONS)
    every = set(rows["ID"])
    for (split,), of_split in rows.group_by("split", maintain_order=True):
        if lacking := sorted(every.difference(of_split["ID"])):
            shown = ", ".join(lacking[:_SHOWN_IDS]) + (" …" if len(lacking) > _SHOWN_IDS else "")
            what = f"lacks {len(lacking):,} of {len(every):,} ids: {shown}"
            yield info(f"{SHORT_ANSWER_QUESTIONS}/{split}", what)


def check_questions(release: Release) -> Iterator[Problem]:
    """All tables ask the same questions.

    Annotations and multiple-choice questions are about the short-answer questions of their locale.

    * error: annotations and short-answer questions differ in ids, texts or topics; a multiple-choice question
      does not ask the English question of its locale, region named
    * warning: an English question names no region, or only another one
    """
    asked = release.rows(SHORT_ANSWER_QUESTIONS)
    yield from _named(release, asked)
    asked = asked.unique(_QUESTION, keep="first", maintain_order=True)
    yield from _annotated(release, asked)
    yield from _chosen(release, asked)


def check_votes(release: Release) -> Iterator[Problem]:
    """Votes are no more than annotators.

    The published data had five annotators per question. How many answered a question of one's own is not
    published with it. Where the build has recorded that the source itself counts more, that is a warning.
    Groups come by votes, most first.

    * error: groups are not in the order of votes; an answer of the published data has more votes, or the
      question more non-answers, than its five annotators, and no finding records it
    * warning: the same, recorded. How many people answered a question of your own is not published, so it is
      not checked
    """
    recorded = _recorded(release)
    for row in release.rows(ANNOTATIONS).iter_rows(named=True):
        counts = [group["count"] for group in row["annotations"]]
        if None in counts or None in row["idks"].values():
            continue
        if counts != sorted(counts, reverse=True):
            what = f"groups are not in the order of their votes: {counts}"
            yield error(row["location"], what, CORRECT_AND_REBUILD)
        if row["grouping"] != Grouping.UPSTREAM:
            continue
        for kind, what in _excesses(counts, row["idks"]):
            if (kind, row["locale"], row["ID"]) in recorded:
                yield warning(row["location"], f"{what}, as in the source ({kind} in {FINDINGS_NAME})")
            else:
                what = f"{what}, and {FINDINGS_NAME} does not record it"
                yield error(row["location"], what, CORRECT_AND_REBUILD)


def _named(release: Release, asked: pl.DataFrame) -> Iterator[Problem]:
    """English questions that do not name the region they ask about, by any of its names or its people's."""
    for row in asked.filter(pl.col("locale").is_in(release.locales.tags)).iter_rows(named=True):
        locale = release.locales.get(row["locale"])
        for column in ("Translation", "Question") if in_english(locale) else ("Translation",):
            if row[column] and not is_named(row[column], locale):
                others = others_named(row[column], release.locales, locale)
                names_others = f"names {' and '.join(others)}, not" if others else "does not name"
                what = f"{column} {names_others} {locale.prompt_name}"
                yield warning(row["location"], what, CORRECT_AND_REBUILD)


def _annotated(release: Release, asked: pl.DataFrame) -> Iterator[Problem]:
    """Annotations and short-answer questions: the same ids, the same texts."""
    annotated = _judged(release, release.rows(ANNOTATIONS), SHORT_ANSWER_QUESTIONS)
    asked = _judged(release, asked, ANNOTATIONS)
    for location in annotated.join(asked, on=_QUESTION, how="anti", maintain_order="left")["location"]:
        yield error(location, f"there is no such row in {SHORT_ANSWER_QUESTIONS}", CORRECT_AND_REBUILD)
    if any(table.config == ANNOTATIONS for table in release.tables):
        unanswered = asked.join(annotated, on=_QUESTION, how="anti", maintain_order="left")
        for row_id, tag in unanswered.select(_QUESTION).iter_rows():
            what = f"there is no such row of {tag} in {ANNOTATIONS}"
            yield error(f"{SHORT_ANSWER_QUESTIONS}:{row_id}", what, CORRECT_AND_REBUILD)
    originals = asked.select(*_QUESTION, **{f"{name}_asked": of for name, of in _SHARED.items()})
    both = annotated.join(originals, on=_QUESTION, maintain_order="left")
    for column, original in _SHARED.items():
        for location in both.filter(pl.col(column) != pl.col(f"{column}_asked"))["location"]:
            what = f"{column} differs from {original} of {SHORT_ANSWER_QUESTIONS}"
            yield error(location, what, CORRECT_AND_REBUILD)


def _chosen(release: Release, asked: pl.DataFrame) -> Iterator[Problem]:
    """Multiple-choice questions ask the short-answer question of their locale: region named, no slips."""
    expected = {}
    known = asked.filter(pl.col("locale").is_in(release.locales.tags)).rename(
        {"ID": "template_id", "Translation": "en_question"}
    )
    shown = release_verdicts(release, known).questions
    for row_id, tag, text, topic in shown.select("template_id", "locale", "en_question", "Topic").iter_rows():
        if text is not None:
            expected[row_id, tag] = prompt_question(text, release.locales.get(tag)), topic
    for config in MULTIPLE_CHOICE_CONFIGS:
        rows = _judged(release, made_here(release, config), SHORT_ANSWER_QUESTIONS)
        columns = rows.select("location", *_QUESTION, "question", "topic")
        for location, row_id, tag, question, topic in columns.iter_rows():
            if tag not in release.locales:
                continue
            if (row_id, tag) not in expected:
                what = f"{tag} has no question {row_id} in {SHORT_ANSWER_QUESTIONS}"
                yield error(location, what, CORRECT_AND_REBUILD)
                continue
            expected_question, expected_topic = expected[row_id, tag]
            if question != expected_question:
                yield error(location, f"asks {question!r}, not {expected_question!r}", CORRECT_AND_REBUILD)
            if topic != expected_topic:
                what = f"topic is {topic!r}, that of its question {row_id} {expected_topic!r}"
                yield error(location, what, CORRECT_AND_REBUILD)


def release_verdicts(release: Release, questions: pl.DataFrame) -> Verdicts:
    """The verdicts by which a release's multiple-choice questions were made.

    Args:
        release: The release; of a table of verdicts that cannot be read nothing counts.
        questions: Its questions: `frames.KEY` and ``en_question``.
    """
    mcq = release.manifest.recipe.mcq
    is_shipped = mcq.mode == "default" and mcq.judge.shipped
    if mcq.mode == "default" and mcq.verdicts is not None and not leads_out(mcq.verdicts):
        with suppress(BlendError):
            own = read_verdicts(release.path / mcq.verdicts)
            return Verdicts(own, questions, release.locales, shipped=is_shipped)
    return Verdicts(None, questions, release.locales, shipped=is_shipped)


def made_here(release: Release, config: str) -> pl.DataFrame:
    """Multiple-choice questions without those that a source has with their options.

    Whose answers their options are, nobody knows.
    """
    return release.rows(config).filter(pl.col("source").is_null())


def _judged(release: Release, rows: pl.DataFrame, config: str) -> pl.DataFrame:
    """The rows of locales whose rows of another configuration are all there."""
    return rows.filter(~pl.col("locale").is_in(release.not_judged(config)))


def _excesses(counts: list[int], idks: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is above the number of annotators, each with the kind of its finding."""
    votes, non_answers = _RECORDED
    if max(counts, default=0) > ANNOTATORS:
        yield votes, f"an answer has {max(counts)} votes of {ANNOTATORS} annotators"
    others = sum(other["count"] for other in idks["others"])
    total = idks["idk"] + idks["no-answer"] + idks["not-applicable"] + others
    if total > ANNOTATORS:
        yield non_answers, f"{total} non-answers of {ANNOTATORS} annotators"


def _recorded(release: Release) -> set[tuple[str, ...]]:
    path = release.path / FINDINGS_NAME
    if not path.is_file():
        return set()
    # What is not a finding is told by the check of the findings.
    return {
        tuple(str(finding.get(key)) for key in ("kind", "locale", "template_id"))
        for _, finding in read_findings(path, holding=_RECORDED)
        if not isinstance(finding, RowError)
    }
