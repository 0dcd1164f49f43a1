"""The datasheet: every question that a dataset's documentation should answer, and the answers.

The questions are all 57 of Gebru et al. (2021), *Datasheets for Datasets*, https://arxiv.org/abs/1803.09010, in
our own words; the sentence under a field is the question as printed. A question's key, ``motivation.purpose``,
is its place in the TOML file and stays as it is.
"""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from pydantic import Field

from blend.schemas.base.docstrings import field_sentences
from blend.schemas.base.frozen_model import FrozenModel

Answer = Annotated[str, Field(pattern=r"\S")] | None
"""An answer in Markdown; null where the question has not been answered."""


class Motivation(FrozenModel):
    """Why the dataset was made, by whom, and who paid for it."""

    purpose: Answer = None
    """For what purpose was the dataset made: which task did it have in mind, which gap does it fill?"""
    creators: Answer = None
    """Who made it (team, research group), and on behalf of which institution or company?"""
    funding: Answer = None
    """Who paid for it; if a grant did, by whom, with what name and number?"""
    comments: Answer = None
    """Anything else about the motivation?"""


class Composition(FrozenModel):
    """What is in the dataset. From ``subpopulations`` on the questions concern data that relate to people."""

    instances: Answer = None
    """What does an instance represent, and are there several kinds of instances?"""
    count: Answer = None
    """How many instances are there, of each kind?"""
    sample: Answer = None
    """Are these all possible instances or a sample of a larger set; which set, how representative is the
    sample, and how was that checked?"""
    data: Answer = None
    """What data does an instance consist of: raw data or features?"""
    labels: Answer = None
    """Does an instance have a label or target, and which?"""
    missing: Answer = None
    """Is information missing from instances, and why?"""
    relationships: Answer = None
    """Are relations between instances made explicit, and how?"""
    splits: Answer = None
    """Are there recommended splits, and what is the reason for them?"""
    errors: Answer = None
    """Which errors, sources of noise and redundancies are known?"""
    external: Answer = None
    """Is the dataset self-contained; if it relies on external resources, will they last, are there archived
    copies of the whole, and do their licences or fees bind a user?"""
    confidential: Answer = None
    """Does it hold confidential data, such as what the law or a professional secret protects, or private
    messages?"""
    offensive: Answer = None
    """Can parts of it offend, insult, threaten or distress someone who reads them?"""
    subpopulations: Answer = None
    """Does it single out groups of people, for example by age or gender; how are they recognised, and how are
    they distributed?"""
    identifiable: Answer = None
    """Can individuals be identified, directly or together with other data, and how?"""
    sensitive: Answer = None
    """Does it hold sensitive data, such as origin, religion, political opinion, orientation, location, health,
    finances, biometric data, identity numbers or criminal records?"""
    comments: Answer = None
    """Anything else about the composition?"""


class Collection(FrozenModel):
    """How the data were collected. From ``directness`` on the questions concern data that relate to people."""

    acquisition: Answer = None
    """How were the data of an instance obtained: observed, reported by people, or derived; and were they
    verified?"""
    mechanisms: Answer = None
    """By what means were they collected (people, programs, devices), and how were these means validated?"""
    sampling: Answer = None
    """If the dataset is a sample, how was it drawn?"""
    people: Answer = None
    """Who took part in the collection, and how were they paid?"""
    timeframe: Answer = None
    """When were the data collected, and are they of that time themselves?"""
    ethics: Answer = None
    """Was there an ethical review, by whom, with what outcome?"""
    directness: Answer = None
    """Were the data collected from the persons themselves, or through third parties?"""
    notice: Answer = None
    """Were these persons told about the collection, and in what words?"""
    consent: Answer = None
    """Did they consent to collection and use, and to what words?"""
    revocation: Answer = None
    """If they consented, can they revoke it later or for certain uses, and how?"""
    impact: Answer = None
    """Was the impact of the dataset and its use on these persons analysed, with what outcome?"""
    comments: Answer = None
    """Anything else about the collection?"""


class Preprocessing(FrozenModel):
    """How the data were preprocessed, cleaned and labelled."""

    steps: Answer = None
    """What was done to the data: cleaning, labelling, conversion, removal of instances, treatment of missing
    values?"""
    raw: Answer = None
    """Are the raw data kept as well, and where?"""
    software: Answer = None
    """Is the software that did it available, and where?"""
    comments: Answer = None
    """Anything else about preprocessing?"""


class Uses(FrozenModel):
    """What the dataset is and is not for."""

    so_far: Answer = None
    """For what has the dataset been used already?"""
    publications: Answer = None
    """Where are papers and systems listed that use it?"""
    other_tasks: Answer = None
    """For what else could it be used?"""
    risks: Answer = None
    """What in its composition or making can affect later uses, for example by treating people or groups
    unfairly, and what can a user do against it?"""
    not_for: Answer = None
    """For what should it not be used?"""
    comments: Answer = None
    """Anything else about its uses?"""


class Distribution(FrozenModel):
    """How others get the dataset, and on what terms."""

    third_parties: Answer = None
    """Is it given to others than those on whose behalf it was made?"""
    channel: Answer = None
    """How is it distributed, and has it a digital object identifier (DOI)?"""
    date: Answer = None
    """When is it distributed?"""
    license: Answer = None
    """Under which licence or terms of use is it distributed, and are there fees?"""
    third_party_terms: Answer = None
    """Have third parties put restrictions on the data, and which?"""
    export: Answer = None
    """Do export controls or other regulations apply?"""
    comments: Answer = None
    """Anything else about distribution?"""


class Maintenance(FrozenModel):
    """Who looks after the dataset, and how."""

    maintainers: Answer = None
    """Who supports, hosts and maintains it?"""
    contact: Answer = None
    """How can its maintainers be reached?"""
    errata: Answer = None
    """Is there a list of errata, and where?"""
    updates: Answer = None
    """Will it be updated; how often, by whom, and how do users hear of it?"""
    retention: Answer = None
    """If it relates to people, are there limits on how long their data may be kept, and how are these
    enforced?"""
    old_versions: Answer = None
    """Do older versions stay available, and how do users learn that one is obsolete?"""
    contributions: Answer = None
    """How can others extend or correct it; are contributions checked, and how do they reach other users?"""
    comments: Answer = None
    """Anything else about maintenance?"""


class Datasheet(FrozenModel):
    """Answers to the questions of a datasheet, by section."""

    motivation: Motivation = Motivation()
    """Motivation"""
    composition: Composition = Composition()
    """Composition"""
    collection: Collection = Collection()
    """Collection process"""
    preprocessing: Preprocessing = Preprocessing()
    """Preprocessing, cleaning and labelling"""
    uses: Uses = Uses()
    """Uses"""
    distribution: Distribution = Distribution()
    """Distribution"""
    maintenance: Maintenance = Maintenance()
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
            yield Question(f"{section}.{name}", _words(heading), _words(question), answer)


def _words(text: str) -> str:
    """A docstring on one line."""
    return " ".join(text.split())
