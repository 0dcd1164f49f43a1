"""Multiple choice: one question about one region, four options, one of them correct."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import Ge

from blend.eval.task import ItemRule, Progress, ScoringOptions, ShotOptions, Task

if TYPE_CHECKING:
    import polars as pl

    from blend.eval.items import TaskItems
    from blend.eval.prediction_files import Predictions
    from blend.eval.report.report_sections import Section
    from blend.eval.report.scored_runs import ScoredRun
    from blend.eval.report.single_answers import KnownQuestions
    from blend.eval.runs.run_directory import Run
    from blend.eval.runs.written_answers import AnsweredParts
    from blend.eval.scores_json import ScoredItems

Style = Literal["letters", "texts", "json"]
"""How a question is put: which letter is likeliest, which option's text is likeliest, or the published prompt
that asks for a letter in JSON."""

POSITIONS = 4
"""Positions in which the correct option can stand."""


@dataclass(frozen=True, kw_only=True)
class ChoiceOptions(ShotOptions):
    """Options of asking multiple-choice questions."""

    style: Style = "letters"
    """How a question is put; json of recorded answers, and of models that only write, where it is left out."""
    rotations: Annotated[int, Ge(1)] = 1
    """Positions in which the correct option of each question stands, at most four."""
    confidence: bool = False
    """Whether the model says how sure it is, in percent, in the style json."""
    config: Literal["multiple-choice-questions", "compact"] = "multiple-choice-questions"
    """The questions to ask: all, or the few that stand for all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rotations > POSITIONS:
            raise ValueError(
                f"`rotations`: {self.rotations} is not possible (a question has {POSITIONS} options)"
            )
        if self.confidence and self.style != "json":
            raise ValueError(
                f"`confidence=True` makes sense only in the style 'json', and here `style={self.style}`, whose "
                "probabilities are confidence enough; leave it out"
            )
        if self.style == "texts" and self.rotations > 1:
            raise ValueError(
                "the style 'texts' does not show the options, so their order cannot matter; "
                "leave `rotations` out, or choose another `style`"
            )


def scored_parts(run: "Run") -> "AnsweredParts":
    """What scores of a run of questions go by: its items with their answers, some at a time."""
    from blend.eval.runs.written_answers import AnsweredParts

    asked = ("item_id", "locale", "region", "template_id", "topic", "prompt_id")
    sample = ("sample",) if run.description.options.get("samples", 1) > 1 else ()
    return AnsweredParts(run, ("logprobs", "option_tokens", "option_bytes"), (*asked, *sample))


class FourOptions(Task):
    """Questions with four options of which one is correct, whatever they are about."""

    of_texts: ClassVar[Mapping[str, Any]] = {"style": "json"}
    reads_answers = True
    repeated: ClassVar[Mapping[str, str]] = {"accuracy": "correct"}
    headline: ClassVar[str | None] = "accuracy-macro"
    chance: ClassVar[float | None] = 100 / POSITIONS
    note: ClassVar[str] = ""
    """What a question counts by, as a sentence of the report."""

    def score(
        self, run: "Run", answers: "pl.DataFrame", options: ScoringOptions, on_progress: Progress
    ) -> "ScoredItems":
        """See `Task.score`; the answers are read some at a time."""
        del answers, on_progress
        from blend.eval.tasks.multiple_choice.choice_scores import score_choices
        from blend.schemas.rows import MULTIPLE_CHOICE_QUESTIONS

        asked, parts = run.description.options, scored_parts(run)
        scored = score_choices(
            parts,
            parts.gold(),
            style="json" if run.description.holds_texts else asked["style"],
            rule=options.rule,
            seed=options.seed,
            says_confidence=asked["confidence"],
        )
        stated = {"conf": "stated"} if asked["confidence"] else {}
        config = asked.get("config", MULTIPLE_CHOICE_QUESTIONS)
        of_split = {} if config == MULTIPLE_CHOICE_QUESTIONS else {"config": config}
        return scored._replace(
            signature_parts={"style": asked["style"], "rot": str(asked["rotations"]), **of_split, **stated}
        )

    def item_rules(self, asked: "TaskItems") -> Mapping[str, ItemRule]:
        """See `Task.item_rules`."""
        from blend.eval.tasks.multiple_choice.chosen_options import choice_rules

        return choice_rules(asked)

    def sections(self, runs: "Sequence[ScoredRun]", *, seed: int) -> "tuple[Section, ...]":
        """See `Task.sections`."""
        del seed
        from blend.eval.report.region_sections import region_sections
        from blend.eval.tasks.multiple_choice.choice_section import (
            confidence_section,
            cultures_section,
            positions_section,
            spread_section,
        )

        own = (spread_section(runs), cultures_section(runs), positions_section(runs), confidence_section(runs))
        return (
            *region_sections(runs, note=self.note, chance=self.chance),
            *(section for section in own if section is not None),
        )

    def single_answers(self, run: "ScoredRun") -> "pl.DataFrame":
        """See `Task.single_answers`."""
        from blend.eval.tasks.multiple_choice.choice_section import chosen_options

        return chosen_options(run)

    def known_questions(self, run: "ScoredRun") -> "KnownQuestions":
        """See `Task.known_questions`."""
        from blend.eval.tasks.multiple_choice.choice_section import asked_questions

        return asked_questions(run)


class MultipleChoice(FourOptions):
    """Which of four options is correct, of which three are what other regions answer."""

    name = "multiple-choice"
    title = "Multiple choice"
    measure = "blend-mcq"
    asks = "one question about a region with four options"
    reads = "`multiple-choice-questions` or `compact`"
    options = ChoiceOptions
    rules = ("default", "strict", "sum", "token", "byte", "semeval")
    missing_is_wrong = ("semeval",)

    def items(self, tables: "Mapping[str, pl.DataFrame]", options: ChoiceOptions) -> "TaskItems":
        """See `Task.items`."""
        from blend.eval.tasks.multiple_choice.choice_items import choice_items

        return choice_items(tables[options.config], options)

    def compared(self, run: "ScoredRun") -> "pl.DataFrame | None":
        """See `Task.compared`; the mean of a region is that of its weighted questions."""
        import polars as pl

        value = super().compared(run)
        if value is None or run.run.description.options.get("config") != "compact":
            return value
        weight = pl.col("weight") / pl.col("weight").mean().over("region")
        weighted = value.join(run.run.gold("item_id", "weight"), on="item_id", maintain_order="left")
        return weighted.select(pl.exclude("weight", "value"), pl.col("value") * weight)

    def predictions(self) -> "Predictions":
        """See `Task.predictions`."""
        from blend.eval.tasks.multiple_choice.chosen_options import predictions

        return predictions()
