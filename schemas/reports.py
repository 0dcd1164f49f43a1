"""Reports that a release brings along: audit, models that read options, datasheet, kinds of findings.

The questions are all 57 of Gebru et al. (2021), *Datasheets for Datasets*, https://arxiv.org/abs/1803.09010, in
our own words; the sentence under a field is the question as printed. A question's key, ``motivation.purpose``,
is its place in the TOML file and stays as it is.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from blend.schemas.models import FrozenModel, field_sentences, packaged_tables

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


_Answer = Annotated[str, Field(pattern=r"\S")] | None
"""An answer in Markdown; null where the question has not been answered."""


class _Motivation(FrozenModel):
    """Why the dataset was made, by whom, and who paid for it."""

    purpose: _Answer = None
    """For what purpose was the dataset made: which task did it have in mind, which gap does it fill?"""
    creators: _Answer = None
    """Who made it (team, research group), and on behalf of which institution or company?"""
    funding: _Answer = None
    """Who paid for it; if a grant did, by whom, with what name and number?"""
    comments: _Answer = None
    """Anything else about the motivation?"""


class _Composition(FrozenModel):
    """What is in the dataset. From ``subpopulations`` on the questions concern data that relate to people."""

    instances: _Answer = None
    """What does an instance represent, and are there several kinds of instances?"""
    count: _Answer = None
    """How many instances are there, of each kind?"""
    sample: _Answer = None
    """Are these all possible instances or a sample of a larger set; which set, how representative is the
    sample, and how was that checked?"""
    data: _Answer = None
    """What data does an instance consist of: raw data or features?"""
    labels: _Answer = None
    """Does an instance have a label or target, and which?"""
    missing: _Answer = None
    """Is information missing from instances, and why?"""
    relationships: _Answer = None
    """Are relations between instances made explicit, and how?"""
    splits: _Answer = None
    """Are there recommended splits, and what is the reason for them?"""
    errors: _Answer = None
    """Which errors, sources of noise and redundancies are known?"""
    external: _Answer = None
    """Is the dataset self-contained; if it relies on external resources, will they last, are there archived
    copies of the whole, and do their licences or fees bind a user?"""
    confidential: _Answer = None
    """Does it hold confidential data, such as what the law or a professional secret protects, or private
    messages?"""
    offensive: _Answer = None
    """Can parts of it offend, insult, threaten or distress someone who reads them?"""
    subpopulations: _Answer = None
    """Does it single out groups of people, for example by age or gender; how are they recognised, and how are
    they distributed?"""
    identifiable: _Answer = None
    """Can individuals be identified, directly or together with other data, and how?"""
    sensitive: _Answer = None
    """Does it hold sensitive data, such as origin, religion, political opinion, orientation, location, health,
    finances, biometric data, identity numbers or criminal records?"""
    comments: _Answer = None
    """Anything else about the composition?"""


class _Collection(FrozenModel):
    """How the data were collected. From ``directness`` on the questions concern data that relate to people."""

    acquisition: _Answer = None
    """How were the data of an instance obtained: observed, reported by people, or derived; and were they
    verified?"""
    mechanisms: _Answer = None
    """By what means were they collected (people, programs, devices), and how were these means validated?"""
    sampling: _Answer = None
    """If the dataset is a sample, how was it drawn?"""
    people: _Answer = None
    """Who took part in the collection, and how were they paid?"""
    timeframe: _Answer = None
    """When were the data collected, and are they of that time themselves?"""
    ethics: _Answer = None
    """Was there an ethical review, by whom, with what outcome?"""
    directness: _Answer = None
    """Were the data collected from the persons themselves, or through third parties?"""
    notice: _Answer = None
    """Were these persons told about the collection, and in what words?"""
    consent: _Answer = None
    """Did they consent to collection and use, and to what words?"""
    revocation: _Answer = None
    """If they consented, can they revoke it later or for certain uses, and how?"""
    impact: _Answer = None
    """Was the impact of the dataset and its use on these persons analysed, with what outcome?"""
    comments: _Answer = None
    """Anything else about the collection?"""


class _Preprocessing(FrozenModel):
    """How the data were preprocessed, cleaned and labelled."""

    steps: _Answer = None
    """What was done to the data: cleaning, labelling, conversion, removal of instances, treatment of missing
    values?"""
    raw: _Answer = None
    """Are the raw data kept as well, and where?"""
    software: _Answer = None
    """Is the software that did it available, and where?"""
    comments: _Answer = None
    """Anything else about preprocessing?"""


class _Uses(FrozenModel):
    """What the dataset is and is not for."""

    so_far: _Answer = None
    """For what has the dataset been used already?"""
    publications: _Answer = None
    """Where are papers and systems listed that use it?"""
    other_tasks: _Answer = None
    """For what else could it be used?"""
    risks: _Answer = None
    """What in its composition or making can affect later uses, for example by treating people or groups
    unfairly, and what can a user do against it?"""
    not_for: _Answer = None
    """For what should it not be used?"""
    comments: _Answer = None
    """Anything else about its uses?"""


class _Distribution(FrozenModel):
    """How others get the dataset, and on what terms."""

    third_parties: _Answer = None
    """Is it given to others than those on whose behalf it was made?"""
    channel: _Answer = None
    """How is it distributed, and has it a digital object identifier (DOI)?"""
    date: _Answer = None
    """When is it distributed?"""
    license: _Answer = None
    """Under which licence or terms of use is it distributed, and are there fees?"""
    third_party_terms: _Answer = None
    """Have third parties put restrictions on the data, and which?"""
    export: _Answer = None
    """Do export controls or other regulations apply?"""
    comments: _Answer = None
    """Anything else about distribution?"""


class _Maintenance(FrozenModel):
    """Who looks after the dataset, and how."""

    maintainers: _Answer = None
    """Who supports, hosts and maintains it?"""
    contact: _Answer = None
    """How can its maintainers be reached?"""
    errata: _Answer = None
    """Is there a list of errata, and where?"""
    updates: _Answer = None
    """Will it be updated; how often, by whom, and how do users hear of it?"""
    retention: _Answer = None
    """If it relates to people, are there limits on how long their data may be kept, and how are these
    enforced?"""
    old_versions: _Answer = None
    """Do older versions stay available, and how do users learn that one is obsolete?"""
    contributions: _Answer = None
    """How can others extend or correct it; are contributions checked, and how do they reach other users?"""
    comments: _Answer = None
    """Anything else about maintenance?"""


class Datasheet(FrozenModel):
    """Answers to the questions of a datasheet, by section."""

    motivation: _Motivation = _Motivation()
    """Motivation"""
    composition: _Composition = _Composition()
    """Composition"""
    collection: _Collection = _Collection()
    """Collection process"""
    preprocessing: _Preprocessing = _Preprocessing()
    """Preprocessing, cleaning and labelling"""
    uses: _Uses = _Uses()
    """Uses"""
    distribution: _Distribution = _Distribution()
    """Distribution"""
    maintenance: _Maintenance = _Maintenance()
    """Maintenance"""


class Question(NamedTuple):
    """A question of the datasheet."""

    key: str
    """Section and field: ``motivation.purpose``."""
    section: str
    """Heading of the section."""
    text: str
    """The question, in one sentence."""
    answer: str | None
    """The answer; null where there is none."""


def questions(datasheet: Datasheet) -> Iterator[Question]:
    """All questions in the order of the paper, with their answers."""
    for section, heading in field_sentences(Datasheet).items():
        part: FrozenModel = getattr(datasheet, section)
        for name, question in field_sentences(type(part)).items():
            answer: str | None = getattr(part, name)
            # A docstring may have several lines.
            yield Question(f"{section}.{name}", heading, " ".join(question.split()), answer)
