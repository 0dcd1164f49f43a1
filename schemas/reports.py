"""Reports that a release brings along: audit, models that read options, datasheet, kinds of findings."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple

from pydantic import Field, SerializerFunctionWrapHandler, create_model, model_serializer

from blend.schemas.models import FrozenModel, packaged_tables

_DATASHEET = "datasheet.toml"
"""The questions of a datasheet, by section and key."""

NO_REMEDY = "Nothing."
"""Remedy of a kind about which nobody has to do anything."""


class _FindingKind(FrozenModel):
    """A kind of oddity, or a reason for which a row is left out."""

    meaning: str
    """What was found, and what was done about it."""
    example: str
    """A ``detail`` of such a finding."""
    remedy: str
    """What to do, if anything."""


class _FindingStep(FrozenModel):
    """The kinds that a step meets first; later steps can meet them as well."""

    name: str
    """What is done in the step."""
    kinds: dict[str, _FindingKind]
    """By name."""


@cache
def finding_steps() -> tuple[_FindingStep, ...]:
    """All kinds by the step that meets them, in the order of a build."""
    return tuple(map(_FindingStep.model_validate, packaged_tables("findings.toml")["step"]))


def finding_kinds() -> Mapping[str, _FindingKind]:
    """All kinds by name."""
    return {name: kind for step in finding_steps() for name, kind in step.kinds.items()}


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


class ModelReport(FrozenModel):
    """The figures of ``reports/model_verdicts.json``; ``docs/mcq.md`` says what they mean."""

    confidence: float = Field(ge=0, le=1)
    """From where on a model is sure, ``mcq.model_confidence``."""
    models: tuple[ModelComparison, ...] = Field(min_length=1)
    """Every model by its name, after all together where there are several."""

    @property
    def each(self) -> tuple[ModelComparison, ...]:
        """Every model by itself."""
        return self.models[1:] if len(self.models) > 1 else self.models


class Datasheet(FrozenModel):
    """Answers to the questions of a datasheet, by section."""

    @property
    def answers(self) -> dict[str, str | None]:
        """The answers by their questions' keys, ``motivation.purpose``; null where there is none."""
        return {f"{section}.{key}": answer for section, part in self for key, answer in part}


_Answer = Annotated[str, Field(pattern=r"\S")] | None
"""An answer in Markdown; null where the question has not been answered."""


@cache
def datasheet_model() -> type[Datasheet]:
    """The model of a datasheet: a table of keys for each section of ``datasheet.toml``."""
    sections: dict[str, Any] = {}
    for name, table in packaged_tables(_DATASHEET).items():
        keys: dict[str, Any] = {
            key: (_Answer, Field(default=None, description=question))
            for key, question in table["questions"].items()
        }
        part = create_model(f"_{name.capitalize()}", __base__=FrozenModel, __doc__=table["meaning"], **keys)
        sections[name] = (part, Field(default=part(), description=table["heading"]))
    return create_model("Datasheet", __base__=Datasheet, __doc__=Datasheet.__doc__, **sections)


class Question(NamedTuple):
    """A question of the datasheet."""

    key: str
    """Section and key: ``motivation.purpose``."""
    section: str
    """Heading of the section."""
    text: str
    """The question, in one sentence."""
    answer: str | None
    """The answer; null where there is none."""


def questions(datasheet: Datasheet) -> Iterator[Question]:
    """All questions in the order of the paper, with their answers."""
    answers = datasheet.answers
    for section, table in packaged_tables(_DATASHEET).items():
        for name, question in table["questions"].items():
            key = f"{section}.{name}"
            yield Question(key, table["heading"], question, answers[key])
