"""The recipe: everything that decides what is in a release, with domains of Wikidata and licences.

A domain is data, ``domains.toml`` beside this module; nothing else in the package knows food from instruments.
A new domain is a new entry, in that file or in a user's own file of the same form.
"""

import os.path
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StringConstraints,
    model_validator,
)

from blend.schemas.errors import InputError, RowError, UnknownNameError, did_you_mean, without_passwords
from blend.schemas.models import (
    FrozenModel,
    Qid,
    Row,
    Text,
    packaged_tables,
)

PACKAGED = "domains.toml"
"""File name of the packaged domains."""

_LocalPath = Annotated[str, AfterValidator(os.path.expanduser)]
"""A path on this machine, relative to the file that names it; ``~`` is the home of whoever reads it."""

_Pid = Annotated[str, Field(pattern=r"^P[1-9]\d*$")]
"""Identifier of a Wikidata property, for example ``P495``."""


class OriginGroup(Row):
    """A cultural group: one name for the items that come from any of its origins."""

    name: Text
    """English name of the group."""
    origins: tuple[Qid, ...] = Field(min_length=1)
    """Countries whose items belong to it."""


class Domain(Row):
    """Which items a dataset is about, where they come from, and what they are made of."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    """Name of the domain, for example ``dish``."""
    title: Text
    """What the dataset is about, in a few English words."""
    item: Text = "item"
    """What one item is called in texts, for example ``dish``."""
    items: Text = "items"
    """What several are called, for example ``dishes``."""
    part: Text = "part"
    """What one part of an item is called, for example ``ingredient``."""
    parts: Text = "parts"
    """What several are called, for example ``ingredients``."""
    config: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    """First part of the names of its configurations: ``food`` gives ``food-triples``."""
    item_class: Qid
    """Class that every item belongs to."""
    class_properties: tuple[_Pid, ...] = Field(min_length=1)
    """Properties that lead from an item to the class, in one or more steps and any mixture."""
    excluded_classes: tuple[Qid, ...] = ()
    """Classes whose items are left out although they belong to ``item_class``."""
    origin_properties: tuple[_Pid, ...] = Field(min_length=1)
    """Properties that name an item's country of origin."""
    route_properties: tuple[_Pid, ...] = ()
    """Properties that name something whose country is the item's origin where it has none of its own."""
    route_origin_properties: tuple[_Pid, ...] = ()
    """Properties that name the country of what a route leads to."""
    part_properties: tuple[_Pid, ...] = Field(min_length=1)
    """Properties that name an item's parts."""
    material_properties: tuple[_Pid, ...] = ()
    """Properties that name what an item is made from."""
    image_properties: tuple[_Pid, ...] = ()
    """Properties that hold an image."""
    country_classes: tuple[Qid, ...] = Field(min_length=1)
    """Classes of what may be an origin, by an explicit *instance of* (``P31``)."""
    historical_classes: tuple[Qid, ...] = ()
    """Classes of countries that are no more."""
    continent_property: _Pid = "P30"
    """Property that names a country's continents."""
    successor_property: _Pid = "P1366"
    """Property that names what a country was replaced by."""
    templates: str | None = None
    """File of prompt templates about its items, beside the file of the domain, or the name of packaged ones
    (``food_templates.toml``); null without any."""
    groups: tuple[OriginGroup, ...] = ()
    """Cultural groups to study; an origin belongs to one of them at most."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.route_properties) != bool(self.route_origin_properties):
            raise ValueError("route_properties and route_origin_properties need each other; give both or none")
        origins = [origin for group in self.groups for origin in group.origins]
        twice = sorted({origin for origin in origins if origins.count(origin) > 1})
        if twice:
            raise ValueError(f"{', '.join(twice)} belongs to two groups; leave it in one")
        return self

    def reword(self, text: str) -> str:
        """A text about dishes and ingredients in the words of this domain.

        The models of rows speak of dishes, the first domain. Their texts have no *a* or *an* before the words,
        since other words may want the other one.
        """
        return in_words(text, self.words)

    @property
    def words(self) -> dict[str, str]:
        """What an item and a part are called, ``item``, ``items``, ``part``, ``parts``."""
        return {"item": self.item, "items": self.items, "part": self.part, "parts": self.parts}

    @property
    def claim_properties(self) -> tuple[str, ...]:
        """Properties of the items themselves, except those of their class; each once."""
        own = (self.origin_properties, self.route_properties, self.part_properties)
        return tuple(dict.fromkeys(chain(*own, self.material_properties, self.image_properties)))


class DomainFile(FrozenModel):
    """File of domains."""

    domain: tuple[Domain, ...] = Field(min_length=1)
    """A table ``[[domain]]`` for each."""


def in_words(text: str, words: Mapping[str, str] | None) -> str:
    """A text about dishes and ingredients in the words of another domain (`Domain.words`), if any are given."""
    if words is None:
        return text
    own = {"dish": "item", "dishes": "items", "ingredient": "part", "ingredients": "parts"}
    return _DISH_WORDS.sub(lambda found: _cased(words[own[found[0].lower()]], like=found[0]), text)


_DISH_WORDS = re.compile(r"\b(?:dish|dishes|ingredient|ingredients)\b", re.IGNORECASE)


def _cased(word: str, *, like: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


@lru_cache(maxsize=1)
def domains() -> Mapping[str, Domain]:
    """The packaged domains by name, ``dish`` first."""
    packaged = DomainFile.model_validate(packaged_tables(PACKAGED))
    return {domain.name: domain for domain in packaged.domain}


def find_domain(name: str, known: Mapping[str, Domain] | None = None) -> Domain:
    """The domain of this name.

    Args:
        name: Name of a domain.
        known: The domains by name; those of the package when absent.

    Raises:
        UnknownNameError: If there is none; lists the names, and says where others come from.
    """
    choices = domains() if known is None else known
    if name not in choices:
        raise UnknownNameError(
            "domain", name, choices, more="write one of your own into a domain file (docs/wikidata.md)"
        )
    return choices[name]


class _Moded(FrozenModel):
    """Options of which mode ``paper`` sets several; a key given beside it counts instead."""

    published: ClassVar[Mapping[str, object]]
    """What mode ``paper`` stands for."""

    @model_validator(mode="before")
    @classmethod
    def _of_mode(cls, given: Any) -> Any:
        is_paper = isinstance(given, Mapping) and given.get("mode") == "paper"
        return {**cls.published, **given} if is_paper else given


class CulturalOptions(_Moded):
    """Options by which topics, templates and nationalities become prompts (Bhatt and Diaz 2024)."""

    published: ClassVar[Mapping[str, object]] = {"article": "letter"}
    mode: Literal["default", "paper"] = "default"
    """``paper`` gives the published prompts exactly: with their rule for the article."""
    article: Literal["sound", "letter"] = "sound"
    """English *a* or *an* as the nationality is spoken ("a Ugandan"), or by its first letter as published."""
    nationalities: Literal["un", "all"] | Annotated[tuple[Text, ...], Field(min_length=1)] = "un"
    """Members and observers of the United Nations (193 demonyms, as published), these and further territories,
    or a list of demonyms or ISO codes."""
    forms: _LocalPath | None = None
    """TSV of what nationalities are called in other languages than English, relative to the recipe."""


PAPER_LANGUAGES = ("en", "zh", "ko", "ar", "he", "ru")
"""The languages that Zhou et al. (2025) align."""


class TripleOptions(_Moded):
    """How facts from Wikidata become a dataset (Zhou et al. 2025, section 3; ``docs/wikidata.md``)."""

    published: ClassVar[Mapping[str, object]] = {
        "single_origin": "language",
        "excluded_origins": ("Q865",),  # Taiwan, which the published script leaves out by its name
        "named_in_english": True,
        "images": "with-material",
        "own_parts": "keep",
    }
    mode: Literal["default", "paper"] = "default"
    """``paper`` repeats the published procedure, defects included; ``default`` leaves them out."""
    domain: str = "dish"
    """Name of the domain, for example ``dish``."""
    domain_file: _LocalPath | None = None
    """TOML file of further domains, relative to the recipe, for what the package does not know."""
    languages: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Languages to build, as Wikidata tags them; all that give a row when absent."""
    aligned_languages: tuple[str, ...] = Field(default=PAPER_LANGUAGES, min_length=2)
    """Languages that a dish needs for the aligned subset."""
    single_origin: Literal["item", "language", "off"] = "item"
    """Which dishes of several origins are left out: in every language (``item``), in the languages in which
    several of the origins have a name (``language``, as published), or none (``off``)."""
    historical: Literal["mark", "map", "exclude"] = "mark"
    """Origins that are no more: kept and marked, replaced by the one country that followed, or left out."""
    excluded_origins: tuple[Qid, ...] = ()
    """Countries whose dishes are left out; the published script leaves out Taiwan (``Q865``)."""
    named_in_english: StrictBool = False
    """Whether a country without an English name is none, as in the published query."""
    images: Literal["own", "with-material"] = "own"
    """Images whatever else a dish has, or, as published, only beside a material with a label."""
    own_parts: Literal["drop", "keep"] = "drop"
    """A dish that is its own ingredient: the ingredient is left out, or kept as published."""
    chinese: Literal["convert", "merge", "keep"] = "convert"
    """Labels in ``zh``: converted to simplified characters, the original kept beside; the same with those in
    ``zh-hans``, ``zh-tw`` and others where ``zh`` is missing (``merge``); or left as they are."""


Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_NUMBER = r"(0|[1-9]\d*)"
VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}", re.ASCII)
"""A version: three numbers without leading zeros."""
Version = Annotated[str, StringConstraints(pattern=rf"^{VERSION.pattern}$")]
WebAddress = Annotated[str, StringConstraints(pattern=r"^https?://\S+$")]


_UNSHOWN = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
"""Characters that move a cursor or turn a line around, for a class of a pattern."""

Line = Annotated[str, StringConstraints(pattern=rf"^[^\s{_UNSHOWN}]([^{_UNSHOWN}]*[^\s{_UNSHOWN}])?$")]
"""Text in one line, without outer white space and control characters."""

Count = Annotated[StrictInt, Field(ge=0, le=1_000_000)]
"""A number of people, answers or votes; upstream files have no larger one either."""

_PositiveCount = Annotated[StrictInt, Field(ge=1, le=1_000_000)]
"""The same, of which there has to be one."""


class Source(FrozenModel):
    """Where input comes from, pinned."""

    kind: Literal["sample", "responses", "contributions", "blend", "semeval", "wikidata", "topics"]
    """``sample``: the data embedded in the package; ``responses``: a directory of raw responses;
    ``contributions``: a directory with a folder of raw responses from each of many contributors;
    ``blend``: a directory or Hub repository in the layout of the public BLEnD data; ``semeval``: a directory
    with the files of SemEval-2026 Task 7; ``wikidata``: a snapshot of Wikidata taken by
    ``blend wikidata snapshot``; ``topics``: a directory of topics and templates for cultural prompts."""
    location: _LocalPath = ""
    """Directory or snapshot, relative to the recipe, or Hub repository id (``org/name``, ``blend`` only)."""
    revision: str | None = None
    """Commit or tag of a Hub repository; needed for one, meaningless for a directory."""
    sha256: Sha256 | None = None
    """Digest over the source's files, of a snapshot that of the file, as the ``release.json`` of a build that
    read it gives it; checked when there."""
    license: str | None = None
    """Licence identifier of the source as the Hub knows it; when absent, CC BY-SA 4.0 for ``blend``, CC BY 4.0
    for ``sample``, and the release's own for ``responses``. Contributors name theirs themselves."""


class SaqOptions(FrozenModel):
    """How responses become annotations (Myung et al. 2024, section 3)."""

    wanted: _PositiveCount = 5
    """Valid responses wanted per question."""
    max_idk: Count = 5
    """Collection for a question stops with more than this many *I don't know*."""


class JudgeOptions(FrozenModel):
    """Who decides whether two answers mean the same, beyond the lexical rules."""

    kind: Literal["lexical", "chat"] = "lexical"
    """``lexical``: rules only; ``chat``: an OpenAI-compatible server, whose verdicts are added to the recipe's
    table (``mcq.verdicts``)."""
    shipped: StrictBool = True
    """Whether the decisions that come with the package count as well, in default mode, after those of the
    recipe's table."""
    model: str | None = None
    """Name of the model, as the server knows it (``chat``)."""
    concurrency: StrictInt = Field(default=16, ge=1, le=1_000)
    """Requests to a chat model that are under way at the same time, about pairs or options."""

    @model_validator(mode="before")
    @classmethod
    def _names_no_server(cls, options: Any) -> Any:
        # A recipe may be somebody else's, and the key of whoever builds it would go to its address.
        if isinstance(options, dict) and "base_url" in options:
            address = without_passwords(str(options["base_url"]))
            raise ValueError(
                f"base_url {address!r}: a recipe names no server, since your API key would go there; remove "
                "base_url, and set OPENAI_BASE_URL in the environment if you trust that address"
            )
        return options


class McqOptions(FrozenModel):
    """How annotations become multiple-choice questions."""

    mode: Literal["default", "paper"] = "default"
    """``paper`` repeats the published procedure exactly; ``default`` is described in ``docs/mcq.md``."""
    target_min_votes: _PositiveCount = 3
    """Votes that a region's top answer needs before the region is asked about: a majority of five."""
    target_max_non_answers: Count = 2
    """Non-answers of all kinds with which a region is still asked about: a minority of five."""
    target_max_not_applicable: Count = 0
    """Votes for *not applicable to our culture* with which a region is still asked about."""
    rungs: StrictBool = False
    """Whether ``true-false-questions`` are made of the multiple-choice questions as well; ``default`` mode."""
    distractor_min_votes: _PositiveCount = 2
    """Votes that an answer needs before it is offered as a distractor elsewhere."""
    distractor_reserve_votes: _PositiveCount = 1
    """Votes that an answer in free text needs to be a distractor in a question that is short of them; as many
    as ``distractor_min_votes``, and there is no reserve."""
    distractor_max_non_answers: Count = 2
    """Non-answers with which a region's answers are still offered elsewhere."""
    verdicts: _LocalPath | None = None
    """Table of verdicts on options and questions (CSV, TSV, workbook, JSON Lines or Parquet), relative to the
    recipe; ``docs/mcq.md`` says which there are."""
    unread: Literal["warn", "drop", "keep"] = "warn"
    """What becomes of options that nobody has read, in default mode: ``warn`` says so and shows what people of
    several regions gave only where a question needs it, ``drop`` leaves all of them out, ``keep`` shows them
    like others."""
    model_confidence: StrictFloat = Field(default=0.8, ge=0, le=1)
    """Confidence from which a model's verdict on an option counts where no person has given one; below it the
    option counts as read by nobody."""
    rebalance: StrictBool = False
    """Whether the options of questions that a source has with its options are put in another order, so that the
    correct one stands in every position equally often in every locale."""
    judge: JudgeOptions = JudgeOptions()
    """Who decides whether two answers mean the same."""


def _check_changes(given: str) -> str:
    headings = [line for line in given.splitlines() if line.startswith("#")]
    if headings or not given.strip():
        what = f"{headings[0]!r} is a heading" if headings else "there are no words"
        raise ValueError(f"{what}, and the version is the heading; write sentences or a list")
    return given


_ONE_OF_A_KIND = {
    "contributions": "whose contributors and annotators could not be told apart; put all their folders into "
    "one",
    "wikidata": "which would make the same configurations; keep one, and build the others as releases of their "
    "own",
    "topics": "which would make the same configuration; keep one, with a folder for each kind of text",
}
"""Kinds of source of which a recipe has one, and why."""


def _check_kinds(sources: tuple[Source, ...]) -> tuple[Source, ...]:
    kinds: list[str] = [source.kind for source in sources]
    for kind, why in _ONE_OF_A_KIND.items():
        if (n := kinds.count(kind)) > 1:
            raise ValueError(f"there are {n} sources of kind {kind!r}, {why}")
    return sources


class Recipe(FrozenModel):
    """A release: its name, its sources, its options. Same recipe and sources, same bytes."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$")] = Field(examples=["everyday"])
    """Short name of the dataset, for example ``blend``."""
    version: Version
    """Semantic version of the release, three numbers without ``v``, for example ``0.1.0``."""
    title: Annotated[str, StringConstraints(pattern=rf"^[^{_UNSHOWN}]*$")] = ""
    """Name to print on the card, without control characters; ``name`` when empty."""
    license: str | None = Field(default=None, examples=["cc-by-4.0"])
    """Licence identifier of the data as the Hub knows it; must be given with own responses, otherwise
    cc-by-sa-4.0 when absent."""
    authors: tuple[Line, ...] | None = Field(default=None, min_length=1, examples=[["Mina Kim"]])
    """Who made the dataset, as the card and the citation name them, for example ``Mina Kim``."""
    contact: Line | None = Field(default=None, examples=["mina.kim@example.org"])
    """Where to write to about the dataset, for example a mail address."""
    homepage: WebAddress | None = Field(default=None, examples=["https://example.org/everyday"])
    """Web address of the dataset or its project."""
    datasheet: _LocalPath | None = None
    """TOML file with the answers of the datasheet (``docs/cards.md``), relative to the recipe."""
    citation: Annotated[str, StringConstraints(pattern=r"^\s*@")] | None = Field(
        default=None, examples=["@misc{everyday, title = {Everyday questions}, author = {Mina Kim}}"]
    )
    """BibTeX entry by which the dataset wants to be cited; one without authors is made when absent."""
    changes: Annotated[str, AfterValidator(_check_changes)] | None = None
    """Your own words on what this version changes, in Markdown, for ``CHANGELOG.md`` and the card."""
    seed: StrictInt = Field(default=0, ge=0, le=2**63 - 1)
    """Seed of every random choice."""
    sources: Annotated[tuple[Source, ...], AfterValidator(_check_kinds)] = Field(min_length=1)
    """Inputs, in order: a table ``[[sources]]`` with ``kind`` and ``location`` for each."""
    previous: _LocalPath | None = None
    """Release that this one follows: a directory, relative to the recipe, or ``org/name@revision``. What
    changed since then is put on top of its ``CHANGELOG.md``."""
    locale_file: _LocalPath | None = None
    """TOML file of further locales, relative to the recipe, for regions that the packaged registry lacks."""
    locales: tuple[str, ...] | None = Field(default=None, min_length=1, examples=[["ko-KR", "su-JB"]])
    """Locale tags to build; all that the sources hold when absent."""
    saq: SaqOptions = SaqOptions()
    """How responses become annotations."""
    mcq: McqOptions = McqOptions()
    """How annotations become multiple-choice questions."""
    food: TripleOptions = TripleOptions()
    """How a Wikidata snapshot becomes triples, aligned subset and templates."""
    cultural: CulturalOptions = CulturalOptions()
    """How topics and nationalities become cultural prompts."""


_DEFAULT_LICENSE = "cc-by-sa-4.0"
"""Licence of BLEnD, which a release made of public data has unless its recipe says otherwise."""

OWN_RESPONSES = ("responses", "contributions")
"""Kinds of source whose terms only those can state who collected them."""

_CREATIVE_COMMONS = re.compile(r"cc-(by(?:-nc)?(?:-nd|-sa)?)-(\d\.\d)")


def creative_commons(identifier: str) -> tuple[str, str] | None:
    """The terms and the version of a Creative Commons licence, ``by-sa`` and ``4.0``; null for others."""
    found = _CREATIVE_COMMONS.fullmatch(identifier)
    return None if found is None else (found[1], found[2])


def may_become(given: str, released: str) -> bool:
    """Whether what somebody gave under one licence may be part of a dataset under another.

    Only what is certain: the same licence, and between Creative Commons licences what their makers say
    (https://creativecommons.org/faq/, *Can I combine material under different Creative Commons licenses in my
    work?*). Everything may be made of CC0, nothing but itself of a licence without derivatives; ``nc`` has to
    stay, and ``sa`` asks for the same terms in the same version or a later one.

    Args:
        given: Identifier of the contribution's licence as the Hub knows it.
        released: Identifier of the dataset's licence.
    """
    if given in (released, "cc0-1.0"):
        return True
    of_given, of_released = creative_commons(given), creative_commons(released)
    if of_given is None or of_released is None:
        return False
    terms, version = of_given
    if "nd" in terms or "nd" in of_released[0]:
        return False
    if "sa" in terms:
        return of_released[0] == terms and of_released[1] >= version
    return "nc" not in terms or "nc" in of_released[0]


@lru_cache(maxsize=1)
def _known_licenses() -> frozenset[str]:
    """The identifiers that the Hub accepts."""
    return frozenset(packaged_tables("licenses.toml")["identifiers"])


def licensed(recipe: Recipe, *, where: str = "recipe") -> Recipe:
    """The recipe with its licence spelled out; ``where`` is what messages call it, such as its path.

    Raises:
        InputError: If it has own responses and names no licence: only who collected them can say under which
            terms they may be used.
        RowError: If a licence is not one that the Hub knows (names the closest), or BLEnD's data, which are CC
            BY-SA 4.0 unless their source says otherwise, may not be part of a dataset under the recipe's.
    """
    if recipe.license is None and any(source.kind in OWN_RESPONSES for source in recipe.sources):
        raise InputError(
            f"{where}, key license: the key is missing, and nobody else can say under which terms your own "
            'responses may be used; add the identifier of a licence, for example license = "cc-by-4.0"'
        )
    if recipe.license is not None:
        check_license(recipe.license, where=f"{where}, key license")
    for number, source in enumerate(recipe.sources):
        if source.license is not None:
            check_license(source.license, where=f"{where}, key sources[{number}].license")
        given, released = source.license or _DEFAULT_LICENSE, recipe.license or _DEFAULT_LICENSE
        if source.kind == "blend" and not may_become(given, released):
            what = f"{released!r}, but sources[{number}] is BLEnD's data under {given!r}, and what is adapted"
            fix = f'write license = "{given}"'
            raise RowError(f"{what} from that keeps its licence", where=f"{where}, key license", fix=fix)
    return recipe if recipe.license is not None else recipe.model_copy(update={"license": _DEFAULT_LICENSE})


def check_license(identifier: str, *, where: str) -> None:
    """Refuse what is not the identifier of a licence that the Hub knows.

    Raises:
        RowError: With the closest one.
    """
    if identifier in _known_licenses():
        return
    typed = re.sub(r"[\s_]+", "-", identifier.strip().lower())
    versions = sorted(one for one in _known_licenses() if re.fullmatch(rf"{re.escape(typed)}-[\d.]+", one))
    # The latest version of the one that is named; else what is spelt most like it.
    hint = did_you_mean(versions[-1] if versions else typed, _known_licenses())
    raise RowError(
        f"{identifier!r} is not a licence identifier that the Hub knows",
        where=where,
        fix=f"{hint}https://huggingface.co/docs/hub/repositories-licenses lists them; 'other' is one of them",
    )
