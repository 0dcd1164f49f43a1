"""Checks of multiple-choice questions against the annotations: right, wrong, and whose it is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import polars as pl

from blend.builders.mcq.answers import template_formats
from blend.builders.mcq.values import shown, values
from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, warning
from blend.builders.validate.subject import Batch, Subject
from blend.schemas.configs import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS, SHORT_ANSWER_QUESTIONS
from blend.schemas.formats import AnswerFormat, understood
from blend.schemas.text import words

_COLUMNS = ("ID", "locale", "options", "option_regions", "answer")


def check_right_answers(subject: Subject) -> Iterator[Problem]:
    """Right options are given answers.

    Annotators of the locale gave them.
    """
    given = _Given.read(subject)
    for batch in subject.batches(MULTIPLE_CHOICE_QUESTIONS, columns=_COLUMNS):
        right = _options(batch.complete()).filter(pl.col("position") == pl.col("answer"))
        for row in given.strange(right, of="locale").iter_rows(named=True):
            what = f"the right option {row['option']!r} is not an answer of {row['locale']} to {row['ID']}"
            yield error(batch.place(row["MCQID"]), what, CORRECT_AND_REBUILD)


def check_wrong_answers(subject: Subject) -> Iterator[Problem]:
    """Distractors are given answers.

    Annotators of their region gave them, or they are reviewed fillers.
    """
    given = _Given.read(subject)
    found = error if subject.manifest.recipe.mcq.fillers is None else warning
    for batch in subject.batches(MULTIPLE_CHOICE_QUESTIONS, columns=_COLUMNS):
        wrong = _options(batch.complete()).filter(pl.col("position") != pl.col("answer"))
        for row in given.strange(wrong, of="region").iter_rows(named=True):
            what = f"the distractor {row['option']!r} is not an answer of region {row['region']} to {row['ID']}"
            yield found(batch.place(row["MCQID"]), what, CORRECT_AND_REBUILD)


def check_overlaps(subject: Subject) -> Iterator[Problem]:
    """Distractors are really wrong.

    None overlaps an acceptable answer of the locale, or another distractor.
    """
    recipe = subject.manifest.recipe.mcq
    found, fix = error, CORRECT_AND_REBUILD
    if recipe.mode == "paper":
        found, fix = warning, "paper mode lets it through, default mode does not"
    elif recipe.judge.decisions is not None:
        found, fix = warning, f"look whether a reviewer decided so in {recipe.judge.decisions}"
    given = _Given.read(subject)
    acceptable = given.answers.group_by("ID", "locale").agg(acceptable="text")
    for batch in subject.batches(MULTIPLE_CHOICE_QUESTIONS, columns=_COLUMNS):
        rows = batch.complete().rows
        asked = rows.group_by("ID", "locale", maintain_order=True).agg("MCQID", "options", "answer")
        asked = asked.join(acceptable, on=["ID", "locale"], how="left", maintain_order="left")
        for row in asked.iter_rows(named=True):
            rivals = _Rivals(row["acceptable"] or (), given.formats.get(row["ID"], AnswerFormat.TEXT))
            for mcq_id, options, answer in zip(row["MCQID"], row["options"], row["answer"], strict=True):
                for what in rivals.problems([text for i, text in enumerate(options) if i != answer]):
                    yield found(batch.place(mcq_id), what, fix)


class _Rivals:
    """What the distractors of one question may not overlap."""

    def __init__(self, acceptable: Iterable[str], answer_format: AnswerFormat) -> None:
        self._format = answer_format
        self._acceptable = {meaning: text for text in acceptable for meaning in self._meanings(text)}

    def problems(self, wrong: Sequence[str]) -> Iterator[str]:
        for text in wrong:
            meanings = self._meanings(text)
            if not meanings:
                yield f"the distractor {text!r} has no letter or digit, so that nothing can be said about it"
            for rival in sorted({self._acceptable[m] for m in meanings if m in self._acceptable}):
                yield f"the distractor {text!r} overlaps the acceptable answer {rival!r}"
        for one, other in combinations(wrong, 2):
            if not self._meanings(one).isdisjoint(self._meanings(other)):
                yield f"the distractors {one!r} and {other!r} overlap"

    def _meanings(self, text: str) -> frozenset[str]:
        """What two overlapping answers share: words, as `equivalence.overlaps` has it, or numbers and times."""
        return _words(text) if self._format is AnswerFormat.TEXT else values(text, self._format)


@lru_cache(maxsize=1 << 16)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


@dataclass(frozen=True)
class _Given:
    """All English answers of the annotations."""

    answers: pl.DataFrame
    """One row per answer: ``ID``, ``locale``, ``region`` and ``text``, as an option shows it."""
    formats: Mapping[str, AnswerFormat]
    """Format by template."""
    known: Mapping[str, frozenset[str]]
    """Locales and regions whose annotations were read."""

    @classmethod
    def read(cls, subject: Subject) -> "_Given":
        """The answers of all sound tables of annotations."""
        formats = _formats(subject)
        columns = dict.fromkeys(("ID", "locale", "text"), pl.String())
        parts = [pl.DataFrame(schema=columns)]
        tags: set[str] = set()
        for batch in subject.batches(ANNOTATIONS, columns=["locale", "annotations"]):
            rows = batch.complete().rows
            tags.update(rows["locale"])
            parts.append(pl.DataFrame(_answers(rows, formats), columns, orient="row"))
        regions = {tag: subject.locales.get(tag).region for tag in tags if tag in subject.locales}
        answers = pl.concat(parts).with_columns(
            region=pl.col("locale").replace_strict(regions, default=None, return_dtype=pl.String)
        )
        return cls(answers, formats, {"locale": frozenset(tags), "region": frozenset(regions.values())})

    def strange(self, options: pl.DataFrame, *, of: str) -> pl.DataFrame:
        """The options that nobody of their locale or region gave, as far as its annotations were read."""
        read = options.filter(pl.col(of).is_in(sorted(self.known[of])))
        return read.join(self.answers, on=["ID", of, "text"], how="anti", maintain_order="left")


def _formats(subject: Subject) -> dict[str, AnswerFormat]:
    columns = ["locale", "answer_format"]
    parts = [batch.complete().rows for batch in subject.batches(SHORT_ANSWER_QUESTIONS, columns=columns)]
    known = [str(answer_format) for answer_format in AnswerFormat]
    rows = [part.filter(pl.col("answer_format").is_in(known)).rename({"ID": "template_id"}) for part in parts]
    return template_formats(pl.concat(rows)) if rows else {}


def _answers(rows: pl.DataFrame, formats: Mapping[str, AnswerFormat]) -> Iterator[tuple[str, str, str]]:
    """Every English variant of every answer, as written and in the canonical spelling of its format."""
    variants = (
        rows.explode("annotations")
        .select("ID", "locale", text=pl.col("annotations").struct.field("en_answers"))
        .explode("text")
        .drop_nulls()
        .unique(maintain_order=True)
    )
    for template_id, tag, text in variants.iter_rows():
        yield template_id, tag, shown(text)
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
    return rows.with_columns(
        text=pl.col("option").replace_strict(compared, default=None, return_dtype=pl.String)
    )
