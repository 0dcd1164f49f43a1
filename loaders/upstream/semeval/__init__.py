"""SemEval-2026 Task 7: a user's copy of the organisers' questions, accepted answers and keys as tables.

The terms of the task forbid to pass its data on. What is read here stays with whoever reads it.

References:
    Files and terms: https://github.com/BLEnD-SemEval2026/SemEval-2026-Task-7
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics, unknown_locale
from blend.loaders.upstream import Origin
from blend.loaders.upstream.semeval.task_files import (
    ENGLISH,
    MCQ_GOLD,
    MCQ_INPUT,
    MCQ_TRIAL,
    OPTIONS,
    SAQ_GOLD,
    SAQ_INPUT,
    SAQ_TRIAL,
    TaskRow,
    codes,
    in_english,
    is_non_answer,
    read_task_file,
    read_trial,
    spelled_otherwise,
    task_id,
)
from blend.schemas.arrow_types import nested_frame
from blend.schemas.errors import InputError
from blend.schemas.formats import format_of
from blend.schemas.frames import ANNOTATIONS, GIVEN_MCQS, KEY, PROMPTS, QUESTIONS
from blend.schemas.locales import Locale, Registry, registry
from blend.schemas.rows import LETTERS, QUESTION_SLOT, Grouping

_FINAL = {
    SAQ_INPUT: (("id", "question"), "short-answer questions"),
    SAQ_GOLD: (("id", "answer"), "accepted answers; no short answer can be asked or scored"),
    MCQ_INPUT: (("id", "question", *OPTIONS), "multiple-choice questions"),
    MCQ_GOLD: (("id", "answer"), "keys; no multiple-choice question can be built"),
}
"""The final files, each with its columns and with what cannot be built without it."""

_TRIAL = (SAQ_TRIAL, MCQ_TRIAL)

TOPIC = "not stated"
"""Topic of every question: the files name none."""

PROMPT = "question"
"""Id of the prompt, which is the question alone: the task prescribes none."""

_SKEW = 3.0
"""Standard deviations from a quarter of a locale's keys from which on a letter is told of."""

_Rows = Mapping[str, TaskRow]
"""Rows by id."""


class _SemevalTables(NamedTuple):
    """The task's data as frames."""

    questions: pl.DataFrame
    """`QUESTIONS`: every short-answer question of a local code, with the English one of its region, if any."""
    annotations: pl.DataFrame
    """`ANNOTATIONS`, one row per question: accepted answers, each a group of its own without votes, the local
    ones first, then those of the English question."""
    mcqs: pl.DataFrame
    """`GIVEN_MCQS`, those with a key."""
    prompts: pl.DataFrame
    """`PROMPTS`: the bare question, for every locale that has any."""
    findings: pl.DataFrame
    """`FINDINGS`."""


def semeval_files(folder: Path) -> list[Path]:
    """The organisers' files that a folder holds; predictions are their users'.

    Raises:
        InputError: If it holds no file of questions.
    """
    held = [folder / name for name in (*_FINAL, *_TRIAL) if (folder / name).is_file()]
    if not {SAQ_INPUT, MCQ_INPUT, *_TRIAL} & {path.name for path in held}:
        inside = sorted({path.parent for name in (SAQ_INPUT, MCQ_INPUT) for path in folder.rglob(name)})
        expected = (
            f"expected {SAQ_INPUT} or {MCQ_INPUT}, and beside them {SAQ_GOLD} and {MCQ_GOLD}, as the "
            "organisers' archive has them"
        )
        fix = f"name {inside[0]}, which has them" if inside else expected
        raise InputError(f"{folder}: no questions of SemEval-2026 Task 7; {fix}")
    return held


def read_semeval(folder: Path, *, locales: Registry | None = None) -> _SemevalTables:
    """Questions, accepted answers and keys of a folder of the task's files.

    Ids stay as they are, byte for byte: that of a short-answer question is its local one (``am-ET_001``). A
    multiple-choice question that asks what a short-answer question of its locale asks in English shares its
    template, others share one where they ask the same. Texts are composed (NFC), and control characters in
    them become blanks; each is a finding.

    Args:
        folder: Holds the task's files or some of them. Trial data are read where there is nothing else.
        locales: Known locales; the packaged registry when absent.

    Raises:
        InputError: If the folder holds no questions.
        RowError, RowErrors: If anything cannot be read; names all places at once.
    """
    names = {path.name for path in semeval_files(folder)}
    reader = _Reader(folder, names, registry() if locales is None else locales)
    is_final = bool({SAQ_INPUT, MCQ_INPUT} & names)
    if is_final:
        saq, saq_gold, mcq, mcq_gold = (reader.final_rows(name) for name in _FINAL)
    else:  # questions and gold stand in one file
        saq, mcq = saq_gold, mcq_gold = [reader.trial_rows(name) for name in _TRIAL]
    for name in _TRIAL if is_final else ():
        if name in names:
            reader.diagnostics.finding("semeval-trial", name, "the final questions are there; left out")
    questions, annotations = reader.short_answers(saq, saq_gold)
    mcqs = reader.choices(mcq, mcq_gold, questions)
    reader.diagnostics.raise_problems()
    prompts = [
        {"prompt_id": PROMPT, "prompt": QUESTION_SLOT, "en_prompt": QUESTION_SLOT, **reader.of_locale(tag)}
        for tag in dict.fromkeys(row["locale"] for row in questions)
    ]
    return _SemevalTables(
        pl.DataFrame(questions, schema=QUESTIONS).sort(KEY),
        nested_frame(annotations, ANNOTATIONS).sort(KEY),
        pl.DataFrame(mcqs, schema=GIVEN_MCQS),
        pl.DataFrame(prompts, schema=PROMPTS),
        reader.diagnostics.findings_frame(),
    )


@dataclass(frozen=True)
class _Reader:
    """The reading of one folder."""

    folder: Path
    names: set[str]
    known: Registry
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    noted: set[tuple[str, str]] = field(default_factory=set)
    """Files and codes of which it has been said that they are spelled otherwise."""

    @cached_property
    def by_code(self) -> dict[str, Locale]:
        """Locales by every code that the task's files may give them."""
        return codes(self.known)

    def final_rows(self, name: str) -> _Rows:
        """The rows of a file by id, the last one of several; none of a file that is not there."""
        columns, lost = _FINAL[name]
        found: dict[str, TaskRow] = {}
        if name not in self.names:
            detail = f"the file is not there, and with it there are no {lost}"
            self.diagnostics.finding("semeval-missing-file", name, detail)
            return found
        with self.diagnostics.collected():
            for row in read_task_file(self.folder / name, columns, self.diagnostics):
                row_id = row.cells["id"]
                if row_id in found:
                    same = "the same" if found[row_id].cells == row.cells else "other"
                    where = found[row_id].location
                    detail = f"{row_id!r} stands in {where} too, with {same} cells; the last counts"
                    self.note("semeval-doubled-id", row, detail)
                found[row_id] = row
        return self._tidied(found.values())

    def trial_rows(self, name: str) -> _Rows:
        """The same of a file of the trial, whose rows hold question and gold."""
        rows: list[TaskRow] = []
        if name in self.names:
            with self.diagnostics.collected():
                rows = read_trial(self.folder / name, self.diagnostics)
        return self._tidied(rows)

    def _tidied(self, rows: Iterable[TaskRow]) -> _Rows:
        """Rows by id with texts as a release may hold them; what had to be changed is told."""
        found = {}
        for location, cells in rows:
            row_id = cells["id"]
            locale = self._locale_of(row_id)
            tag, language = (None, ENGLISH) if locale is None else (locale.tag, locale.language)
            origin = Origin(self.diagnostics, location, row_id, tag, language)
            found[row_id] = TaskRow(location, {name: origin.text(text, name) for name, text in cells.items()})
        return found

    def short_answers(self, asked: _Rows, gold: _Rows) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Rows of `QUESTIONS` and of `ANNOTATIONS`."""
        gold = self._asked_gold(gold, asked)
        questions: list[dict[str, Any]] = []
        annotations: list[dict[str, Any]] = []
        kept: dict[str, None] = {}
        accepted = {row_id: self._accepted(row) for row_id, row in gold.items()}
        for row_id, row in asked.items():
            locale = self._locale(row)
            if locale is None:
                continue
            english = asked.get(in_english(row_id))
            question, en_question = (r.cells["question"] if r else "" for r in (row, english))
            if not en_question:
                done = "kept without it" if question else "the question is blank as well and left out"
                detail = f"there is no {in_english(row_id)!r}, the same in English; {done}"
                self.note("semeval-no-english", row, detail)
                if not question:
                    continue
            # A dict for its order, in which findings are told.
            kept |= dict.fromkeys((row_id, in_english(row_id)) if en_question else (row_id,))
            here = {"template_id": row_id, "locale": locale.tag, "source": row.location}
            questions.append(
                {
                    **here,
                    "language": locale.language,
                    "topic": TOPIC,
                    "source_label": "",
                    "question": question,
                    "en_question": en_question,
                    "answer_format": format_of(en_question),
                    "source_locale": None,
                }
            )
            annotations.append({**here, **_annotation(row_id, accepted)})
        for row_id in kept:
            if gold and not accepted.get(row_id):
                self.note("semeval-no-gold", asked[row_id], f"{row_id!r} accepts nothing; it cannot be scored")
        return questions, annotations

    def choices(
        self, asked: _Rows, gold: _Rows, questions: Iterable[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Rows of `GIVEN_MCQS`."""
        gold = self._asked_gold(gold, asked)
        templates = {
            (row["locale"], row["en_question"]): row["template_id"] for row in questions if row["en_question"]
        }
        found = []
        for row_id, row in asked.items():
            locale = self._locale(row, english=False)
            if locale is None or not gold:
                continue
            key = gold[row_id].cells["answer"] if row_id in gold else ""
            question, options = row.cells["question"], [row.cells[name] for name in OPTIONS]
            if not all(options):
                detail = f"{row_id!r} has other than {len(LETTERS)} options; the question is left out"
                self.note("semeval-few-options", row, detail)
                continue
            # Letter by letter: the text "ABCD" holds "" and "AB" as well.
            if key not in (*LETTERS,) or not question:
                what = "the question is blank" if key in (*LETTERS,) else f"the key of {row_id!r} is {key!r}"
                self.note("semeval-no-gold", row, f"{what}; the question is left out")
                continue
            if len(set(options)) < len(options):
                self.note("semeval-equal-options", row, f"{options} are not distinct; kept as they are")
            found.append(
                {
                    "mcq_id": row_id,
                    # The first one with these words names the template where no short answer has them.
                    "template_id": templates.setdefault((locale.tag, question), row_id),
                    "locale": locale.tag,
                    "topic": TOPIC,
                    "question": question,
                    "options": options,
                    "answer": LETTERS.index(key),
                    "origin": "semeval",
                    "source": row.location,
                }
            )
        self._note_positions(found)
        return found

    def of_locale(self, tag: str) -> dict[str, str]:
        """Locale and language of a row."""
        return {"locale": tag, "language": self.known.get(tag).language}

    def note(self, kind: str, row: TaskRow, detail: str) -> None:
        """Note a finding about a row."""
        locale = self._locale_of(row.cells["id"])
        tag = None if locale is None else locale.tag
        self.diagnostics.finding(kind, row.location, detail, locale=tag, template_id=row.cells["id"])

    def _note_spelling(self, row: TaskRow, detail: str) -> None:
        """Note that ids spell a locale or number otherwise, once for a code in a file."""
        of = row.location.partition(":")[0], row.cells["id"].partition("_")[0]
        if of not in self.noted:
            self.noted.add(of)
            self.note("semeval-locale-spelling", row, detail)

    def _locale_of(self, row_id: str) -> Locale | None:
        parts = task_id(row_id)
        return None if parts is None else self.by_code.get(parts.code)

    def _locale(self, row: TaskRow, *, english: bool = True) -> Locale | None:
        """The locale that a row is about; null for a row in English of a region that speaks another language.

        An unknown code is a problem, noted once per code.
        """
        parts = task_id(row.cells["id"])
        assert parts is not None
        found = self.by_code.get(parts.code)
        if found is not None:
            if found.semeval != parts.code:
                self._note_spelling(row, f"{parts.code!r} is read as {found.tag}; ids are kept")
            return found
        regions = {one.region for one in self.known}
        if not (english and parts.language == ENGLISH and parts.region in regions):
            error = unknown_locale(parts.code, self.known, where=f"{row.location}, column id")
            self.diagnostics.problems.append(error)
        return None

    def _accepted(self, row: TaskRow) -> list[str]:
        """The accepted answers of a row of gold, none twice; non-answers are told of."""
        answers = list(dict.fromkeys(part.strip() for part in row.cells["answer"].split(";") if part.strip()))
        none = [answer for answer in answers if is_non_answer(answer)]
        if none and len(none) == len(answers):
            self.note("semeval-only-non-answers", row, f"nothing but {', '.join(map(repr, none))} is accepted")
        elif none:
            self.note("semeval-non-answer", row, f"{', '.join(map(repr, none))} is accepted beside answers")
        return answers

    def _asked_gold(self, gold: _Rows, asked: _Rows) -> _Rows:
        """The rows of gold by the ids of their questions, however they spell the locale."""
        otherwise = spelled_otherwise(gold, asked, self.known)
        found: dict[str, TaskRow] = {}
        for row_id, row in gold.items():
            asked_as = otherwise.get(row_id, row_id)
            if asked_as not in asked:
                self.note("semeval-unasked", row, f"{row_id!r} is no question here; left out")
                continue
            found[asked_as] = row
            if asked_as != row_id:
                self._note_spelling(row, f"{row_id!r} is read as the questions' {asked_as!r}")
        return found

    def _note_positions(self, mcqs: Sequence[Mapping[str, Any]]) -> None:
        by_locale: dict[str, list[int]] = {}
        for row in mcqs:
            by_locale.setdefault(row["locale"], [0] * len(LETTERS))[row["answer"]] += 1
        for tag, counts in by_locale.items():
            n = sum(counts)
            # Of n keys put by chance a letter has n/4, with the standard deviation of a binomial count.
            if max(abs(count - n / 4) for count in counts) > _SKEW * (n * 3 / 16) ** 0.5:
                shares = ", ".join(f"{of} {100 * c / n:.1f} %" for of, c in zip(LETTERS, counts, strict=True))
                detail = f"the keys of {n:,} questions are skewed: {shares}; `mcq.rebalance` moves the options"
                self.diagnostics.finding("semeval-positions", MCQ_GOLD, detail, locale=tag)


def _annotation(row_id: str, accepted: Mapping[str, list[str]]) -> dict[str, Any]:
    """What is accepted in both languages, without votes, as columns of `ANNOTATIONS`."""
    local, english = (accepted.get(name, []) for name in (row_id, in_english(row_id)))
    if in_english(row_id) == row_id:
        groups = [{"answers": [answer], "en_answers": [answer], "count": None} for answer in local]
    else:
        groups = [{"answers": [answer], "en_answers": [], "count": None} for answer in local]
        groups += [{"answers": [], "en_answers": [answer], "count": None} for answer in english]
    nobody_knows: dict[str, Any] = {"idk": None, "no-answer": None, "not-applicable": None, "others": []}
    return {"annotations": groups, "idks": nobody_knows, "grouping": Grouping.UPSTREAM.value}
