"""The recipe: everything that decides what is in a release, in one TOML file."""

from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StringConstraints, model_validator

from blend.schemas.base.addresses import without_passwords
from blend.schemas.base.frozen_model import FrozenModel
from blend.schemas.base.versions import VERSION
from blend.schemas.recipe.cultural_options import CulturalOptions
from blend.schemas.recipe.triple_options import TripleOptions

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Version = Annotated[str, StringConstraints(pattern=rf"^{VERSION.pattern}$")]


_UNSHOWN = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
"""Characters that move a cursor or turn a line around, for a class of a pattern."""

Line = Annotated[str, StringConstraints(pattern=rf"^[^\s{_UNSHOWN}]([^{_UNSHOWN}]*[^\s{_UNSHOWN}])?$")]
"""Text in one line, without outer white space and control characters."""

Count = Annotated[StrictInt, Field(ge=0, le=1_000_000)]
"""A number of people, answers or votes; upstream files have no larger one either."""

PositiveCount = Annotated[StrictInt, Field(ge=1, le=1_000_000)]
"""The same, of which there has to be one."""


class Source(FrozenModel):
    """Where input comes from, pinned."""

    kind: Literal["sample", "responses", "contributions", "blend", "semeval", "wikidata", "topics"]
    """``sample``: the data embedded in the package; ``responses``: a directory of raw responses;
    ``contributions``: a directory with a folder of raw responses from each of many contributors;
    ``blend``: a directory or Hub repository in the layout of the public BLEnD data; ``semeval``: a directory
    with the files of SemEval-2026 Task 7; ``wikidata``: a snapshot of Wikidata taken by
    ``blend wikidata snapshot``; ``topics``: a directory of topics and templates for cultural prompts."""
    location: str = ""
    """Directory or snapshot, relative to the recipe, or Hub repository id (``org/name``, ``blend`` only)."""
    revision: str | None = None
    """Commit or tag of a Hub repository; needed for one, meaningless for a directory."""
    sha256: Sha256 | None = None
    """Digest over the source's files (`loaders.files.pins.directory_digest`), of a snapshot that of the file;
    checked when given."""
    encoding: str | None = None
    """Encoding of the source's tables that have no byte order mark, for example ``cp1252``; UTF-8 when absent.
    For ``responses``, ``contributions`` and ``topics``."""
    license: str | None = None
    """Licence identifier of the source as the Hub knows it; when absent, CC BY-SA 4.0 for ``blend``, CC BY 4.0
    for ``sample``, and the release's own for ``responses``. Contributors name theirs themselves."""


class SaqOptions(FrozenModel):
    """How responses become annotations (Myung et al. 2024, section 3)."""

    wanted: PositiveCount = 5
    """Valid responses wanted per question."""
    max_idk: Count = 5
    """Collection for a question stops with more than this many *I don't know*."""


class JudgeOptions(FrozenModel):
    """Who decides whether two answers mean the same, beyond the lexical rules."""

    kind: Literal["lexical", "chat"] = "lexical"
    """``lexical``: rules only; ``chat``: an OpenAI-compatible server."""
    decisions: str | None = None
    """TSV of reviewed decisions, relative to the recipe; used first, and a chat model's verdicts are added."""
    shipped: StrictBool = True
    """Whether the decisions that come with the package count as well, in default mode, after the rules and
    those of ``decisions``."""
    model: str | None = None
    """Name of the model, as the server knows it (``chat``)."""
    concurrency: StrictInt = Field(default=16, ge=1, le=1_000)
    """Pairs that a chat model is asked about at the same time."""

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
    target_min_votes: PositiveCount = 3
    """Votes that a region's top answer needs before the region is asked about: a majority of five."""
    target_max_non_answers: Count = 2
    """Non-answers of all kinds with which a region is still asked about: a minority of five."""
    target_max_not_applicable: Count = 0
    """Votes for *not applicable to our culture* with which a region is still asked about."""
    target_drop_named: StrictBool = False
    """Whether a right answer that names a region, its people or its capital is left out, and the question with
    it where there is no other."""
    specific_only: StrictBool = False
    """Whether only answers that nobody of another region gave are asked for (``answer_spread`` ``specific``);
    ``default`` mode."""
    rungs: StrictBool = False
    """Whether ``true-false-questions`` are made of the multiple-choice questions as well; ``default`` mode."""
    distractor_min_votes: PositiveCount = 2
    """Votes that an answer needs before it is offered as a distractor elsewhere."""
    distractor_reserve_votes: PositiveCount = 1
    """Votes that an answer in free text needs to be a distractor in a question that is short of them; as many
    as ``distractor_min_votes``, and there is no reserve."""
    distractor_max_non_answers: Count = 2
    """Non-answers with which a region's answers are still offered elsewhere."""
    verdicts: str | None = None
    """Table of verdicts on options and questions (CSV, TSV, workbook, JSON Lines or Parquet), relative to the
    recipe; ``docs/questions.md`` says which there are."""
    compact: str | None = None
    """CSV, JSON Lines or Parquet file of multiple-choice questions that stand for all, with a weight each, as
    ``blend items select`` writes it, relative to the recipe; they are the configuration ``compact``."""
    unread: Literal["warn", "drop", "keep"] = "warn"
    """What becomes of options that nobody has read, in default mode: ``warn`` shows them and says so, ``drop``
    leaves them out, ``keep`` shows them."""
    model_confidence: StrictFloat = Field(default=0.8, ge=0, le=1)
    """Confidence from which a model's verdict on an option counts where no person has given one; below it the
    option counts as read by nobody."""
    max_risk: Annotated[float, Field(gt=0, le=1)] | None = None
    """Up to which estimated probability of being refused an option that nobody has read is shown as wrong, in
    ``default`` mode; all are when absent."""
    rebalance: StrictBool = False
    """Whether the options of questions that a source has with its options are put in another order, so that the
    correct one stands in every position equally often in every locale."""
    judge: JudgeOptions = JudgeOptions()
    """Who decides whether two answers mean the same."""


class Recipe(FrozenModel):
    """A release: its name, its sources, its options. Same recipe and sources, same bytes."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    """Short name of the dataset, for example ``blend``."""
    version: Version
    """Semantic version of the release, three numbers without ``v``, for example 0.1.0."""
    title: Annotated[str, StringConstraints(pattern=rf"^[^{_UNSHOWN}]*$")] = ""
    """Name to print on the card, without control characters; ``name`` when empty."""
    license: str | None = None
    """Licence identifier of the data as the Hub knows it; must be given with own responses, otherwise
    cc-by-sa-4.0 when absent."""
    authors: tuple[Line, ...] | None = Field(default=None, min_length=1)
    """Who made the dataset, as the card and the citation name them, for example ``Mina Kim``."""
    contact: Line | None = None
    """Where to write to about the dataset, for example a mail address."""
    homepage: Annotated[str, StringConstraints(pattern=r"^https?://\S+$")] | None = None
    """Web address of the dataset or its project."""
    datasheet: str | None = None
    """TOML file with the answers of the datasheet (``docs/cards.md``), relative to the recipe."""
    citation: str | None = None
    """BibTeX entry by which the dataset wants to be cited; one without authors is made when absent."""
    seed: StrictInt = Field(default=0, ge=0, le=2**63 - 1)
    """Seed of every random choice."""
    sources: tuple[Source, ...] = Field(min_length=1)
    """Inputs, in order."""
    previous: str | None = None
    """Release that this one follows: a directory, relative to the recipe, or ``org/name@revision``. What
    changed since then is put on top of its ``CHANGELOG.md``."""
    locale_file: str | None = None
    """TOML file of further locales, relative to the recipe, for regions that the packaged registry lacks."""
    locales: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Locale tags to build; all that the sources hold when absent."""
    saq: SaqOptions = SaqOptions()
    """How responses become annotations."""
    mcq: McqOptions = McqOptions()
    """How annotations become multiple-choice questions."""
    food: TripleOptions = TripleOptions()
    """How a Wikidata snapshot becomes triples, aligned subset and templates."""
    cultural: CulturalOptions = CulturalOptions()
    """How topics and nationalities become cultural prompts."""
