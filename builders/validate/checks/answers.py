"""Checks of multiple-choice questions against the annotations: whose answers the options are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from blend.builders.mcq.answers import template_formats
from blend.builders.mcq.options import shown
from blend.builders.mcq.verdicts.wordings import OptionReading, quotable
from blend.builders.validate.checked_release import Batch, Release
from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, warning
from blend.schemas.formats import AnswerFormat, understood
from blend.schemas.rows import ANNOTATIONS, SHORT_ANSWER_QUESTIONS

_COLUMNS = ("ID", "locale", "options", "option_regions", "answer")


def check_right_answers(release: Release) -> Iterator[Problem]:
    """Right options are given answers.

    Annotators of the locale gave them.

    * error: the correct option is not an answer that the locale's annotators gave (in lower case, in the
      canonical spelling of its format, or with a slip put right)
    """
    given = release.once(GoldAnswers.read)
    for batch in release.made_here(_COLUMNS):
        correct = _options(batch.complete()).filter(pl.col("position") == pl.col("answer"))
        for row in given.strange(correct, of="locale").iter_rows(named=True):
            what = f"the correct option {row['option']!r} is not an answer of {row['locale']} to {row['ID']}"
            yield error(batch.location(row["MCQID"]), what, CORRECT_AND_REBUILD)


def check_wrong_answers(release: Release) -> Iterator[Problem]:
    """Distractors are given answers.

    Annotators of their region gave them, or they are reviewed fillers.

    * error: a distractor is not an answer of its region
    * warning instead, when the recipe names fillers
    """
    given = release.once(GoldAnswers.read)
    found = error if release.manifest.recipe.mcq.fillers is None else warning
    for batch in release.made_here(_COLUMNS):
        wrong = _options(batch.complete()).filter(pl.col("position") != pl.col("answer"))
        for row in given.strange(wrong, of="region").iter_rows(named=True):
            what = f"the distractor {row['option']!r} is not an answer of region {row['region']} to {row['ID']}"
            yield found(batch.location(row["MCQID"]), what, CORRECT_AND_REBUILD)


@dataclass(frozen=True)
class GoldAnswers:
    """All English answers of the annotations."""

    answers: pl.DataFrame
    """One row per answer: ``ID``, ``locale``, ``region`` and ``text``, as an option shows it."""
    formats: Mapping[str, AnswerFormat]
    """Format by template."""
    known: Mapping[str, frozenset[str]]
    """Locales and regions whose annotations were read."""

    @classmethod
    def read(cls, release: Release) -> "GoldAnswers":
        """The answers of all sound tables of annotations."""
        questions = _questions(release)
        formats = template_formats(questions)
        options = release.manifest.recipe.mcq
        is_put_right = options.mode == "default" and options.judge.shipped
        reading = OptionReading(quotable(questions), shipped=is_put_right)
        columns = dict.fromkeys(("ID", "locale", "text"), pl.String())
        parts = [pl.DataFrame(schema=columns)]
        tags: set[str] = set()
        for batch in release.batches(ANNOTATIONS, columns=["locale", "annotations"]):
            rows = batch.complete().rows
            tags.update(rows["locale"])
            parts.append(pl.DataFrame(_answers(rows, formats, reading), columns, orient="row"))
        regions = {tag: release.locales.get(tag).region for tag in tags if tag in release.locales}
        answers = pl.concat(parts).with_columns(
            region=pl.col("locale").replace_strict(regions, default=None, return_dtype=pl.String)
        )
        return cls(answers, formats, {"locale": frozenset(tags), "region": frozenset(regions.values())})

    def strange(self, options: pl.DataFrame, *, of: str) -> pl.DataFrame:
        """The options that nobody of their locale or region gave, as far as its annotations were read."""
        read = options.filter(pl.col(of).is_in(sorted(self.known[of])))
        return read.join(self.answers, on=["ID", of, "text"], how="anti", maintain_order="left")


def _questions(release: Release) -> pl.DataFrame:
    """The questions of all sound tables: ``template_id``, ``locale``, ``en_question`` and ``answer_format``."""
    names = {
        "ID": "template_id",
        "locale": "locale",
        "Translation": "en_question",
        "answer_format": "answer_format",
    }
    known = [str(answer_format) for answer_format in AnswerFormat]
    parts = [pl.DataFrame(schema=dict.fromkeys(names.values(), pl.String()))]
    for batch in release.batches(SHORT_ANSWER_QUESTIONS, columns=list(names)):
        rows = batch.complete().rows.filter(pl.col("answer_format").is_in(known))
        parts.append(rows.select(pl.col(name).alias(of) for name, of in names.items()))
    return pl.concat(parts)


def _answers(
    rows: pl.DataFrame, formats: Mapping[str, AnswerFormat], reading: OptionReading
) -> Iterator[tuple[str, str, str]]:
    """Every English variant of every answer: as written, put right, in the canonical spelling of its format."""
    variants = (
        rows.explode("annotations")
        .select("ID", "locale", text=pl.col("annotations").struct.field("en_answers"))
        .explode("text")
        .drop_nulls()
        .unique(maintain_order=True)
    )
    for template_id, tag, text in variants.iter_rows():
        yield template_id, tag, shown(text)
        yield template_id, tag, reading.text(template_id, shown(text))
        answer_format = formats.get(template_id, AnswerFormat.TEXT)
        spelled = None if answer_format is AnswerFormat.TEXT else understood(shown(text), answer_format)
        if spelled is not None:
            yield template_id, tag, spelled


def _options(batch: Batch) -> pl.DataFrame:
    """One row per option: its ``position``, ``option``, ``region``, and ``text``, the option as compared."""
    rows = (
        batch.rows.rename({"options": "option", "option_regions": "region"})
        .filter(pl.col("option").list.len() == pl.col("region").list.len())
        .with_columns(position=pl.int_ranges(pl.col("option").list.len()))
        .explode("option", "region", "position")
    )
    compared = {text: shown(text) for text in rows["option"].drop_nulls().unique()}
    text = pl.col("option").replace_strict(compared, default=None, return_dtype=pl.String)
    return rows.with_columns(text=text)
