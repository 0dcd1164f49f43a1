"""Frames: the columns that loaders return and builders take and return, and expressions over them.

Frames of rows that have a model take their columns from it. ``source`` is the place where a row was read,
``file:row`` (``annotations/Iran_data.json:Al-en-01`` for keyed files), so that a builder can name it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from blend.schemas.arrow_types import frame_schema
from blend.schemas.manifest import StageReport
from blend.schemas.personal_data import AnnotatorProfile
from blend.schemas.rows import (
    Annotation,
    CulturalPrompt,
    MultipleChoiceQuestion,
    Question,
    QuestionTemplate,
    Response,
    Review,
    ShortAnswerPrompt,
    TrueFalseQuestion,
)


def text_columns(*names: str) -> dict[str, pl.DataType]:
    """Columns of text, as part of a frame's schema."""
    return dict.fromkeys(names, pl.String())


KEY = ("template_id", "locale")
"""What makes a question: one template in one locale."""

ITEM = ("item_id", "template_id", "locale", "region", "topic")
"""What says what an item of an evaluation is; ``topic`` is empty where it has none."""

_LOCATION = {"source": pl.String()}

QUESTIONS = pl.Schema({**frame_schema(Question), "source_locale": pl.String(), **_LOCATION})
"""One row per question."""

PROMPT_KEY = ("locale", "prompt_id")
"""What makes a prompt: its id, in one locale."""

PROMPTS = pl.Schema({**frame_schema(ShortAnswerPrompt), **_LOCATION})
"""One row per prompt."""

RESPONSES = pl.Schema({**frame_schema(Response), **_LOCATION})
"""One row per annotator and question, as typed."""

REVIEWS = pl.Schema({**frame_schema(Review), **_LOCATION})
"""One row per reviewed question."""

PROFILES = pl.Schema({**frame_schema(AnnotatorProfile), **_LOCATION})
"""One row per annotator who agreed to tell something; null is not told."""

ANNOTATION_ROWS = frame_schema(Annotation)
"""Annotations as published."""

ANNOTATIONS = pl.Schema(
    {
        **text_columns(*KEY),
        "annotations": ANNOTATION_ROWS["annotations"],
        "idks": ANNOTATION_ROWS["idks"],
        **text_columns("grouping", "source"),
    }
)
"""One row per question: its answer groups, most votes first, and its non-answers."""

MCQS = pl.Schema(
    {
        **text_columns("mcq_id", *KEY),
        "options": pl.List(pl.String()),
        "option_locales": pl.List(pl.String()),
        "answer": pl.Int64(),
        "answer_spread": pl.String(),
    }
)
"""One row per multiple-choice question; `builders.mcq.published_mcqs` adds the published columns."""

GIVEN_MCQS = pl.Schema(
    {
        **text_columns("mcq_id", *KEY, "topic", "question"),
        "options": pl.List(pl.String()),
        "answer": pl.Int64(),
        **text_columns("origin", "source"),
    }
)
"""One row per multiple-choice question that a source has with its options, in its order; ``answer`` is the
index of the correct one from 0, ``origin`` what `MultipleChoiceQuestion.source` says."""

CULTURAL_PROMPT_ROWS = frame_schema(CulturalPrompt)
"""One row per kind, template, topic and nationality."""

MCQ_ROWS = frame_schema(MultipleChoiceQuestion)
"""Multiple-choice questions as published."""

TRUE_FALSE_ROWS = frame_schema(TrueFalseQuestion)
"""True-false questions as published."""

VERDICTS = pl.Schema(
    {
        **text_columns(*KEY, "question", "option", "verdict", "with", "reader", "kind"),
        "confidence": pl.Float64(),
        **text_columns("date", "why", "source"),
    }
)
"""One row per verdict: the template, the locale asked about (null: any), the question in English where the
verdict counts for these words alone, the option in English, one of `sheets.MEANINGS`, what that
verdict names beside, who says so (``kind``: ``native`` of the region asked about, ``other`` or ``model``), how
sure a model is (a fraction; null: it does not say, or it is a person), the day, and their words."""

AGREEMENT = pl.Schema(
    {
        **text_columns("locale"),
        **dict.fromkeys(("alpha", "low", "high"), pl.Float64()),
        **dict.fromkeys(("questions", "answers", "annotators"), pl.Int64()),
    }
)
"""One row per locale: Krippendorff's alpha with MASI over answer sets, the ends of its 95 % interval, the
``questions`` that at least two people answered, the ``answers`` (one per person and question) and the
``annotators`` who gave any. Alpha and its ends have four decimal places, null where alpha does not exist
(`builders.saq.agreement.Alpha`)."""

ANNOTATOR_GROUPS = pl.Schema(
    text_columns("locale", "profile", "group")
    | {name: dtype for name, dtype in AGREEMENT.items() if name != "locale"}
)
"""One row per locale, part of the profile (a column of `PROFILES`) and group of annotators: their agreement, as
in `AGREEMENT`. Every group has at least `builders.saq.agreement.SMALLEST` annotators, and the groups of
one locale and part of the profile are all of its annotators."""

FINDINGS = pl.Schema(text_columns("kind", "source", "locale", "template_id", "detail"))
"""One row per recoverable oddity of the input, or per question left out of a table.

``kind`` is a short name shared by all rows of one kind (``blank-answer``), ``detail`` says what was found and
what was done about it; locale and template are null where the oddity is about a whole file.
"""


def votes_known() -> pl.Expr:
    """Whether all votes are known, over the columns ``annotations`` and ``idks``: none is null."""
    known = pl.col("annotations").list.eval(pl.element().struct.field("count").is_not_null()).list.all()
    # A question without any answer has no count that could be null; those of its non-answers tell.
    kinds = pl.col("idks").struct.field("idk", "no-answer", "not-applicable")
    return known & pl.all_horizontal(kinds.is_not_null())


@dataclass(frozen=True, slots=True)
class Stage:
    """Tables that one step made, and rows that it left out."""

    name: str
    """Step, as printed."""
    made: pl.DataFrame
    """``locale`` (or language, for tables without locales) and ``rows``: counts."""
    findings: pl.DataFrame
    """`FINDINGS` of the step."""
    notes: dict[str, int | str] = field(default_factory=dict)
    """Further figures."""

    def report(self, order: Sequence[str]) -> StageReport:
        """The stage in the build report; locales in the given order, others behind them by name."""
        made = dict(self.made.select("locale", "rows").iter_rows())
        names = [*(name for name in order if name in made), *sorted(made.keys() - set(order))]
        kinds = self.findings["kind"].value_counts().sort("kind")
        return StageReport(
            stage=self.name,
            kept={name: made[name] for name in names},
            findings=dict(kinds.iter_rows()),
            notes=self.notes,
        )


def rows_by(rows: pl.DataFrame, column: str = "locale") -> pl.DataFrame:
    """``locale`` and ``rows``: how many rows each value of a column has."""
    return rows.group_by(pl.col(column).alias("locale")).agg(rows=pl.len().cast(pl.Int64))


def empty(schema: pl.Schema) -> pl.DataFrame:
    """A frame without rows."""
    return pl.DataFrame(schema=schema)


NATIVE_QUESTIONS = pl.Schema(text_columns("template_id", "topic", "source_locale", "text", "source"))
"""One row per question as a native wrote it, in English; the locale is null where the author's is unknown."""

TEMPLATES = pl.Schema({**frame_schema(QuestionTemplate), "source": pl.String()})
"""One row per template."""

TRANSLATIONS = pl.Schema(text_columns("template_id", "locale", "question", "source", "en_question"))
"""One row per translated question, in the local language with the country named.

``en_question`` is the English that was translated, its country named or as a slot; null where nobody wrote it
down.
"""


PUBLISHED_PROMPTS = ("inst-4", "pers-3")
"""The prompts of the published evaluation (Myung et al. 2024, section 4)."""

MAX_UNANSWERABLE = 2
"""Votes for ``no-answer`` and ``not-applicable`` together with which a question is still scored."""

MAX_IDK = 4
"""Votes for ``idk`` with which a question is still scored."""


NON_ANSWERS = frozenset({"no answer", "not applicable", "i don't know", "idk"})
"""Answers of SemEval-2026 Task 7 that say that there is none, in lower case."""


def is_scored() -> pl.Expr:
    """Whether short-answer scoring counts a question, over the columns ``annotations`` and ``idks``.

    A question without answers, with three or more votes for ``no-answer`` and ``not-applicable`` together, or
    with five or more for ``idk`` is skipped. Reasons in annotators' own words do not count, nor do votes that
    nobody knows.

    References:
        The scorer that Myung et al. (2024), BLEnD, published with their data.
    """
    votes = pl.col("idks").struct
    return (
        (pl.col("annotations").list.len() > 0)
        & (
            votes.field("no-answer").fill_null(0) + votes.field("not-applicable").fill_null(0)
            <= MAX_UNANSWERABLE
        )
        & (votes.field("idk").fill_null(0) <= MAX_IDK)
    )


def accepts_answers() -> pl.Expr:
    """Whether anything is accepted but `NON_ANSWERS` without votes, over the column ``annotations``.

    By the default rule what accepts nothing else is not scored.
    """
    group = pl.element().struct
    texts = group.field("answers").list.concat(group.field("en_answers"))
    lower = pl.element().str.strip_chars().str.replace_all("’", "'", literal=True).str.to_lowercase()
    answers = texts.list.eval(~lower.is_in(sorted(NON_ANSWERS))).list.any()
    return pl.col("annotations").list.eval(group.field("count").is_not_null() | answers).list.any()
