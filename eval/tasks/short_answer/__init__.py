"""Short answers: a question in the local language or in English, answered in a model's own words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from blend.eval.task import ItemRule, Progress, ScoringOptions, ShotOptions, Task

if TYPE_CHECKING:
    import polars as pl

    from blend.eval.items import TaskItems
    from blend.eval.prediction_files import Predictions
    from blend.eval.report.report_sections import Section
    from blend.eval.report.scored_runs import ScoredRun
    from blend.eval.report.single_answers import KnownQuestions
    from blend.eval.runs.run_directory import Run
    from blend.eval.scores_json import ScoredItems

AskedIn = Literal["local", "english"]
"""The language of question and prompt."""


@dataclass(frozen=True, kw_only=True)
class ShortAnswerOptions(ShotOptions):
    """Options of asking short-answer questions."""

    prompts: tuple[str, ...] | None = None
    """Prompts of the release to ask with; the published ones when absent, or all where it has its own."""
    # Where the local language is English, both are one and asked once.
    languages: tuple[AskedIn, ...] = ("local", "english")
    """Whether to ask in the local language, in English, or in both."""


@dataclass(frozen=True, kw_only=True)
class ShortAnswerScoring(ScoringOptions):
    """Options of scoring: how short answers are compared."""

    lemmas: str | None = None
    """How words are brought to their base forms, 'none', 'default', a name, or one per language
    (ko=kiwi,zh=jieba); docs/short-answers.md lists them."""


class ShortAnswer(Task):
    """Whether a model answers what natives answered."""

    name = "short-answer"
    title = "Short answers"
    measure = "blend-saq"
    asks = "a question with each prompt, in the local language and in English"
    configs = ("short-answer-questions", "short-answer-prompts", "annotations")
    options = ShortAnswerOptions
    scoring = ShortAnswerScoring
    rules = ("default", "paper", "semeval", "judge")
    people_label = True
    reads_answers = True
    missing_is_wrong = ("semeval",)
    repeated: ClassVar[Mapping[str, str]] = {"sem-b": "correct", "sem-w": "weight"}
    headline = "sem-b-macro"

    def items(self, tables: "Mapping[str, pl.DataFrame]", options: ShortAnswerOptions) -> "TaskItems":
        """See `Task.items`."""
        from blend.eval.tasks.short_answer.short_answer_items import short_answer_items

        return short_answer_items(tables, options)

    def score(
        self, run: "Run", answers: "pl.DataFrame", options: ShortAnswerScoring, on_progress: Progress
    ) -> "ScoredItems":
        """See `Task.score`; the texts are read some at a time."""
        del answers, on_progress
        from blend.eval.judging.judge_run import with_checks
        from blend.eval.judging.verdicts import is_judge, read_verdicts
        from blend.eval.runs.written_answers import AnsweredParts
        from blend.eval.tasks.short_answer.short_answer_scores import score_short_answers
        from blend.eval.text.text_reader import DEFAULT_LEMMAS

        verdicts = read_verdicts(run, options.rule) if is_judge(options.rule) else None
        scored = score_short_answers(
            AnsweredParts(run),
            run.gold(),
            rule=options.rule if verdicts is None else "default",
            lemmas=DEFAULT_LEMMAS if options.lemmas is None else options.lemmas,
            verdicts=verdicts,
            seed=options.seed,
        )
        scored = scored._replace(signature_parts={**_asked(run), **scored.signature_parts})
        if verdicts is not None:
            scored = with_checks(scored, run, options.rule, verdicts, seed=options.seed)
        return _corrected(run, scored, seed=options.seed)

    def item_rules(self, asked: "TaskItems") -> Mapping[str, ItemRule]:
        """See `Task.item_rules`."""
        from blend.eval.tasks.short_answer.short_answer_scores import answer_rules

        return answer_rules(asked)

    def replies_to_judge(self, run: "Run") -> "Iterator[pl.DataFrame]":
        """See `Task.replies_to_judge`."""
        from blend.eval.runs.written_answers import AnsweredParts
        from blend.eval.tasks.short_answer.short_answer_decisions import answers_to_judge
        from blend.eval.tasks.short_answer.short_answer_scores import decided_answers
        from blend.eval.text.text_reader import DEFAULT_LEMMAS

        gold = run.gold()
        for items, answers in AnsweredParts(run):
            decided = decided_answers(items, gold, answers, rule="default", lemmas=DEFAULT_LEMMAS)
            yield answers_to_judge(items, gold, decided)

    def predictions(self) -> "Predictions":
        """See `Task.predictions`."""
        from blend.eval.tasks.short_answer.published_rules import predictions

        return predictions()

    def sections(self, runs: "Sequence[ScoredRun]", *, seed: int) -> "tuple[Section, ...]":
        """See `Task.sections`."""
        del seed
        from blend.eval.judging.people_sections import differences_section, scorers_section
        from blend.eval.report.region_sections import region_sections
        from blend.eval.tasks.short_answer.short_answer_scores import languages_section

        own = (languages_section(runs), scorers_section(runs), differences_section(runs))
        note = _NOTE if any(run.overall("labelled") for run in runs) else _NOTE + _UNCORRECTED
        return (*region_sections(runs, note=note), *(one for one in own if one is not None))

    def known_questions(self, run: "ScoredRun") -> "KnownQuestions":
        """See `Task.known_questions`."""
        from blend.eval.tasks.short_answer.short_answer_scores import asked_questions

        return asked_questions(run)


_NOTE = "SEM-B is the share of questions answered with something that natives answered as well. "
_UNCORRECTED = "All figures are uncorrected: nobody has labelled replies of these models. "


def _asked(run: "Run") -> dict[str, str]:
    """The part of a signature that says in which languages was asked."""
    return {"asked": "+".join(run.description.options["languages"])}


def _corrected(run: "Run", scored: "ScoredItems", *, seed: int) -> "ScoredItems":
    """Scores, with corrected ones where people have labelled replies."""
    from blend.eval.judging.corrected_scores import corrected_scores, correction_warnings, with_labels
    from blend.eval.runs.labels import labels_digest

    rows = with_labels(scored.decisions, run)
    if rows is None:
        return scored
    found = corrected_scores(rows, seed=seed)
    return scored._replace(
        scores=(*scored.scores, *found),
        signature_parts={**scored.signature_parts, "labels": labels_digest(run.directory)},
        warnings=(*scored.warnings, *correction_warnings(found)),
    )
