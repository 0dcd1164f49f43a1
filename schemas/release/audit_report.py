"""The audit that a release brings along: what simple rules get right in its questions."""

from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from blend.schemas.base.frozen_model import FrozenModel


class Fares(FrozenModel):
    """How one rule fares on some questions; fractions have four decimal places."""

    name: str
    """Name of the baseline, or of the leak."""
    group: str
    """Locale asked about, or ``all``."""
    questions: int = Field(ge=0)
    """Questions in which the rule tells options apart."""
    accuracy: float | None = Field(ge=0, le=1)
    """Share of these that it gets right; null without any."""
    low: float | None = Field(ge=0, le=1)
    """Lower end of a 95 % interval over templates; null with fewer than two."""
    high: float | None = Field(ge=0, le=1)
    """Upper end of it."""
    share: float | None = Field(ge=0, le=1)
    """Of a baseline: share of all questions that it gets right, guessing where it has no opinion. Of a leak:
    share of all questions that have it."""
    by_pair: float | None = Field(default=None, ge=0, le=1)
    """Of a baseline: the same where every pair of template and locale counts once; null of leaks."""


class AuditReport(FrozenModel):
    """The figures of ``reports/audit.json``; ``docs/stats.md`` says what they mean."""

    questions: int = Field(ge=0)
    """Multiple-choice questions of the release."""
    audited: int = Field(ge=0)
    """How many of them were looked at: all, or whole templates drawn by digest."""
    definitions: dict[str, str]
    """Every rule in one line, by name."""
    baselines: tuple[Fares, ...]
    """Of all questions and by locale, in the order of the audit's baselines."""
    leaks: tuple[Fares, ...]
    """The same of the causes that make an option stand out."""
    true_false: "AuditReport | None" = None
    """The same of ``true-false-questions``, where accuracies are balanced; null, and not written, where a
    release has no such questions."""

    @model_serializer(mode="wrap")
    def _without_absent(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        figures: dict[str, Any] = written(self)
        return {name: value for name, value in figures.items() if name != "true_false" or value is not None}

    @property
    def overall(self) -> dict[str, Fares]:
        """How every baseline fares on all questions, by name."""
        return {rule.name: rule for rule in self.baselines if rule.group == "all"}
