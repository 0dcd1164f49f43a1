"""Cultural prompts: texts for readers of many nationalities, how they differ, and what goes along with that.

References:
    Bhatt and Diaz (2024), Extrinsic Evaluation of Cultural Competence in Large Language Models, Findings of
    EMNLP 2024.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge

from blend.eval.task import ScoringOptions, TaskOptions
from blend.eval.task_protocol import Task, part

if TYPE_CHECKING:
    from blend.eval.report import ScoredRun

Bleu = Literal["multi-reference", "pairwise"]
"""All samples of the other group as references of every sample, or the mean over pairs of samples."""

Distance = Literal["published", "standardised"]
"""How the answers of a survey become a distance (`group_statistics.distances`)."""

SAMPLES = 5
"""Samples of each prompt, as published."""

_TOP = 15
"""Words per group, as the paper prints."""


@dataclass(frozen=True, kw_only=True)
class CulturalPromptOptions(TaskOptions):
    """Options of asking cultural prompts."""

    samples: Annotated[int, Ge(1)] = SAMPLES
    """Texts asked for with each prompt."""
    kinds: tuple[str, ...] | None = None
    """Kinds of text, ``qa`` and ``stories``; both when absent."""
    nationalities: tuple[str, ...] | None = None
    """Nationalities of readers, by demonym or ISO code; all when absent."""

    def __post_init__(self) -> None:
        if self.locales is not None:
            raise ValueError("cultural prompts are for nationalities and have no locales; leave `locales` out")


@dataclass(frozen=True, kw_only=True)
class CulturalScoring(ScoringOptions):
    """Options of scoring: what texts are compared with, and how."""

    surveys: Mapping[str, Path] | None = None
    """Files of surveys of values to compare with, by name, such as ``hofstede`` or ``wvs``."""
    distance: Distance = "published"
    """Distance in a survey: over raw answers as published, or over standardised ones of complete countries."""
    bleu: Bleu = "multi-reference"
    """Whether all samples are references, or pair by pair."""
    top: Annotated[int, Ge(1)] = _TOP
    """Words kept of each nationality."""
    dask: str | None = None
    """Address of the Dask scheduler on whose cluster texts are analysed, or ``local``; none when absent."""

    def __post_init__(self) -> None:
        if unnamed := (self.surveys or {}).get(""):
            raise ValueError(f"`surveys={unnamed}`: expected a name and a file, such as hofstede=FILE")


class CulturalPromptsTask(Task):
    """How far texts differ between readers of many nationalities, and what goes along with that."""

    name = "cultural-prompts"
    title = "Texts for readers of many nationalities"
    measure = "blend-cultural-prompts"
    asks = (
        "a text on a topic for a reader of every nationality, several samples of each "
        "([cultural-prompts.md](cultural-prompts.md))"
    )
    configs = ("cultural-prompts",)
    options = CulturalPromptOptions
    scoring = CulturalScoring
    rules = ("default", "paper", "reference_code")
    chosen_by = ("kinds", "nationalities")
    units = (
        "Variances are halves of squared word edit distances (0 to 1), tau is between -1 and 1; refusal, "
        "unparted, unanswered and significant are in percent. docs/cultural-prompts.md explains each figure."
    )

    items = part("tasks.cultural_prompts.cultural_items:cultural_items")
    score = part("tasks.cultural_prompts.cultural_scores:score_texts")
    overview = part("tasks.cultural_prompts.cultural_section:cultural_overview")
    sections = part("tasks.cultural_prompts.cultural_section:cultural_sections")
    takes_table = part("tasks.cultural_prompts.cultural_items:is_table_of_texts")
    run_of_table = part("tasks.cultural_prompts.cultural_items:keep_texts")

    def compared(self, run: "ScoredRun") -> None:
        """Nothing: a text is neither correct nor wrong."""
        del run

    def single_answers(self, run: "ScoredRun") -> None:
        """Nothing, for the same reason."""
        del run

    def clusters(self, run: "ScoredRun") -> tuple[str, ...]:
        """See `Task.clusters`."""
        del run
        return ("topics", "nationalities")

    def number(self, metric: str, value: float) -> str:
        """See `Task.number`."""
        if metric in ("texts", "topics"):
            return f"{value:,.0f}"
        if metric.startswith("anova-p"):
            return f"{value:.2g}"
        if metric.startswith(("anova-f", "variance-ratio")):
            return f"{value:.2f}"
        is_exact = metric.startswith(("variance", "tau")) and not metric.endswith("-significant")
        return f"{value:z.4f}" if is_exact else f"{value:z.1f}"
