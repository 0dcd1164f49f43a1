"""The report on models that read options: what a release brings along of how they compare with people."""

from typing import Self

from pydantic import Field, model_validator

from blend.schemas.base.frozen_model import FrozenModel
from blend.schemas.sheets.option_sheets import OK

ANY_REFUSAL = "refusal"
"""Stands for every kind of verdict but ``ok``."""

EVERY = "all"
"""Stands for all locales, and for all models together, of whose sure verdicts one refusal is enough."""


class ComparedKind(FrozenModel):
    """How verdicts of one kind compare, of options of one locale that a model and people have read."""

    locale: str
    """Locale asked about, or ``all``."""
    kind: str
    """Verdict; ``refusal`` for all but ``ok``."""
    options: int = Field(ge=0)
    """Options that people give this verdict."""
    refused: int = Field(ge=0)
    """Those of them that the model refuses."""
    share: float | None = Field(ge=0, le=1)
    """Share of these: of refusals the recall, of ``ok`` false alarms; null without any."""
    given: int = Field(ge=0)
    """Options that the model gives this verdict."""
    confirmed: int = Field(ge=0)
    """Those of them of which people say alike whether they may be shown."""
    precision: float | None = Field(ge=0, le=1)
    """Share of these; null without any."""

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        for part, total, share in (
            (self.refused, self.options, self.share),
            (self.confirmed, self.given, self.precision),
        ):
            expected = part / total if total else None
            # To the digit: the same division of the same counts.
            if part > total or share != expected:
                raise ValueError(f"{self.locale}, {self.kind}: {part} of {total} are not {share}")
        return self


class ModelComparison(FrozenModel):
    """A model's verdicts on options, and how they compare with people's."""

    reviewer: str
    """The model, as its verdicts name it; ``all`` for several together."""
    verdicts: int = Field(ge=0)
    """Options on which it is sure, of questions that are asked in the same words."""
    unsure: int = Field(ge=0)
    """Options on which it is not, and which count as not read."""
    natives: int = Field(ge=0)
    """Of the first, those that natives of the region have read as well."""
    others: int = Field(ge=0)
    """Those that only other people have."""
    kinds: tuple[ComparedKind, ...]
    """How they compare, by locale (``all`` first) and kind; none where nobody has read the same."""

    @property
    def compared(self) -> int:
        """Count the options that people have read as well."""
        return self.natives + self.others

    def of(self, locale: str, kind: str) -> ComparedKind | None:
        """Find how a kind of verdict compares in a locale; null where nobody gives it."""
        return next((one for one in self.kinds if (one.locale, one.kind) == (locale, kind)), None)

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.compared > self.verdicts:
            raise ValueError(f"{self.reviewer}: {self.compared} of {self.verdicts} options are compared")
        for name in ("options", "given"):
            of_all = {one.kind: getattr(one, name) for one in self.kinds if one.locale == EVERY}
            of_locales = [one for one in self.kinds if one.locale != EVERY and one.kind in (ANY_REFUSAL, OK)]
            sums = {
                sum(n for kind, n in of_all.items() if kind in (ANY_REFUSAL, OK)),
                sum(n for kind, n in of_all.items() if kind != ANY_REFUSAL),
                sum(getattr(one, name) for one in of_locales),
            }
            if sums != {self.compared}:
                raise ValueError(f"{self.reviewer}: {name} are not of the {self.compared} options compared")
        return self


class ModelReport(FrozenModel):
    """The figures of ``reports/model_verdicts.json``; ``docs/questions.md`` says what they mean."""

    confidence: float = Field(ge=0, le=1)
    """From where on a model is sure, ``mcq.model_confidence``."""
    models: tuple[ModelComparison, ...] = Field(min_length=1)
    """Every model by its name, after all together where there are several."""

    @property
    def together(self) -> ModelComparison:
        """All models together."""
        return self.models[0]

    @property
    def each(self) -> tuple[ModelComparison, ...]:
        """Every model by itself."""
        return self.models[1:] if len(self.models) > 1 else self.models
