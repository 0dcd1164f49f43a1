"""Tasks as data: options of asking and scoring, and what each says about itself; knows nothing of the rest.

Nothing slow is imported here or by a task's package: the command line reads its options off them.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol, TypeVar, get_args, get_origin, get_type_hints

from annotated_types import Ge

from blend.schemas.errors import ArgumentError, did_you_mean
from blend.schemas.prompts import MAX_MASKS, Causal

Progress = Callable[[str, int, int], None]
"""Called with a step, how many of its parts are done, and how many there are."""


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """Options of asking that every task has; each changes what is asked, so all of them stand in a run."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    FROM_RELEASE: ClassVar[frozenset[str]] = frozenset()
    """Fields that the release decides, and nobody who asks."""

    locales: tuple[str, ...] | None = None
    """Regions to ask about, by any of their names; all when absent."""
    limit: Annotated[int | None, Ge(1)] = None
    """Question templates per region at most; all when absent."""

    def kept(self) -> dict[str, Any]:
        """The options as ``run.json`` keeps them, with defaults spelled out."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


@dataclass(frozen=True, kw_only=True)
class WrittenOptions(TaskOptions):
    """Options of asking that every task has whose answers a model writes and that are correct or wrong."""

    samples: Annotated[int, Ge(1)] = 1
    """Times that each question is asked, above temperature 0."""


@dataclass(frozen=True, kw_only=True)
class ShotOptions(WrittenOptions):
    """Options of asking that every task has whose questions can stand behind solved examples."""

    shots: Annotated[int, Ge(0)] = 0
    """Solved examples before each question, of templates that are then not asked."""
    shots_seed: Annotated[int, Ge(0)] = 0
    """Which templates are the examples."""

    def __post_init__(self) -> None:
        if self.shots_seed and not self.shots:
            raise ValueError(f"`shots_seed={self.shots_seed}` makes sense only with `shots`; leave it out")


@dataclass(frozen=True, kw_only=True)
class CandidateOptions(TaskOptions):
    """Options of asking that every task has whose candidates a model ranks."""

    max_masks: Annotated[int, Ge(1)] = MAX_MASKS
    """Tokens that a candidate may have, of a masked model."""
    causal: Causal = "conditional"
    """How a causal model scores a candidate: after the prompt and the candidate so far, as published, or by the
    log-probability of the whole statement."""


@dataclass(frozen=True, kw_only=True)
class ScoringOptions:
    """Options of scoring that every task has."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    rule: str = "default"
    """Name of the rule by which answers are decided; one of the task's."""
    seed: Annotated[int, Ge(0)] = 0
    """Seed of the intervals."""


class Decision(NamedTuple):
    """What is decided on one reply by itself."""

    share: float | None
    """1 of a correct reply, 0 of a wrong one, between them where a reply can be correct in part; null where the
    item is not scored."""
    read_as: str | None
    """What the reply was read as, such as the letter of an option; null for nothing."""
    why: str | None = None
    """Why, in a word, where there is one."""


class ItemRule(NamedTuple):
    """How replies to one item are decided, by the default rule of its task."""

    accepted: list[str]
    """What is correct, as people read it."""
    decide: Callable[[str], Decision]
    """Decides on what a model said (`runs.answers.spoken_text`)."""


Options = TypeVar("Options", TaskOptions, ScoringOptions)


class TaskData(Protocol):
    """What a task is called, and how its figures are read: all that scored runs know of it."""

    name: ClassVar[str]
    """What it is called by: lower case, words joined by hyphens."""
    title: ClassVar[str]
    """What a reader calls it."""
    measure: ClassVar[str]
    """Beginning of the signature of its scores."""
    asks: ClassVar[str]
    """What a question is, in Markdown, for the table of tasks in the documentation."""
    reads: ClassVar[str] = ""
    """The configurations that its items are made of, likewise, where they are not always its `configs`."""
    configs: ClassVar[tuple[str, ...]] = ()
    """The configurations that are read of a release; that of the options where these name it."""
    options: ClassVar[type[TaskOptions]]
    """What it can be asked with."""
    scoring: ClassVar[type[ScoringOptions]] = ScoringOptions
    """What its scoring can be told."""
    rules: ClassVar[tuple[str, ...]] = ("default",)
    """Rules by which answers are decided; which of them a run can be scored by may depend on its options."""
    chosen_by: ClassVar[tuple[str, ...]] = ("locales",)
    """Options to choose others of where nothing would be asked."""
    of_texts: ClassVar[Mapping[str, Any]] = {}
    """Options that are as if given where texts are all there is, as of another tool."""
    people_label: ClassVar[bool] = False
    """Whether people can say of its replies whether they are correct (`judging.reply_sheet`)."""
    missing_is_wrong: ClassVar[tuple[str, ...]] = ()
    """Rules by which an item without an answer is wrong, so that any number of them may be missing."""
    repeated: ClassVar[Mapping[str, str]] = {}
    """Figures whose variance is told apart where answers are repeated, and the column of decisions that each is
    the mean of."""
    compared_by: ClassVar[str] = "% right"
    """What `compared` values are means of, in words."""
    headline: ClassVar[str | None] = None
    """The figure that a leaderboard shows; none where no figure is fit for it."""
    leaderboard: ClassVar[str | None] = None
    """What ``eval.yaml`` of a release calls it; its name when none."""
    chance: ClassVar[float | None] = None
    """What guessing scores, in percent; null where that depends on how one guesses."""
    note: ClassVar[str] = ""
    """What a question counts by, as a sentence of the report."""
    units: ClassVar[str] = (
        "Shares are in percent, gaps in points, with 95 % intervals; docs/scores.md explains each figure."
    )
    """What units its figures have, and which page explains them."""

    def number(self, metric: str, value: float) -> str:
        """A figure as tables print it."""
        del metric
        return f"{value:z.1f}"


def offered(kind: type[TaskOptions] | type[ScoringOptions]) -> dict[str, Any]:
    """List the types of a task's options by name, without those that every scoring has or nobody gives."""
    apart = kind.FROM_RELEASE if issubclass(kind, TaskOptions) else {"rule", "seed"}
    return {name: hint for name, hint in _fields(kind).items() if name not in apart}


def _fields(kind: type[TaskOptions] | type[ScoringOptions]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def checked_options(kind: type[Options], given: Mapping[str, Any], *, task: str) -> Options:
    """Options of a task.

    Args:
        kind: The task's class of options.
        given: Values by name; those that are left out have their defaults.
        task: Name of the task, for messages.

    Raises:
        ArgumentError: If there is no such option, or a value cannot be; names the first.
    """
    from pydantic import TypeAdapter, ValidationError

    from blend.loaders.files.content import is_encodable
    from blend.schemas.models import field_errors

    # One name where several can be given is a list of one, not a list of its letters.
    values = {
        name: [value] if isinstance(value, str) and _is_list(kind, name) else value
        for name, value in given.items()
    }
    # Bytes of a command line that are not UTF-8, at which pydantic fails in a way of its own.
    for name, value in values.items():
        if not is_encodable(value):
            raise ArgumentError(f"`{name}`: {value!r} is not possible (it is not text in UTF-8)")
    try:
        return TypeAdapter(kind).validate_python(values)
    except ValidationError as error:
        first = next(field_errors(error))
    if first.is_ours:
        raise ArgumentError(first.message)
    if first.kind in ("extra_forbidden", "unexpected_keyword_argument"):
        raise ArgumentError(f"`{first.location}`: {no_such_option(kind, first.location, task=task)}")
    raise ArgumentError(f"`{first.location}`: {first.given()}")


def no_such_option(kind: type[TaskOptions] | type[ScoringOptions], name: str, *, task: str) -> str:
    """Say that a name is none of a task's options, and list those there are."""
    known = list(offered(kind))
    has = f"it has {', '.join(f'`{one}`' for one in known)}" if known else "it has none"
    return f"the task {task} has no such option; {did_you_mean(name, known)}{has}"


def _is_list(kind: type[TaskOptions] | type[ScoringOptions], name: str) -> bool:
    """Whether an option takes several values."""
    hint = _fields(kind).get(name)
    return any(get_origin(one) is tuple for one in (hint, *get_args(hint)))
