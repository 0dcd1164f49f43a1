"""Descriptions of runs, ``run.json``: what was asked of whom, so that a run goes on only with the same.

And usage: what a run takes in requests, tokens and money; none of it changes an answer.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from blend.eval.items import AnswerKind, TaskItems
from blend.eval.models.chosen import Price
from blend.eval.models.protocols import ChatOptions, Decoding, ModelDescription, StopAsking, TokenCounter
from blend.loaders.files.content import file_sha256, read_content
from blend.schemas.errors import DISTRIBUTION, InputError, ServerError
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.models import FrozenModel, first_reason
from blend.schemas.texts import pluralise

DESCRIPTION_NAME = "run.json"
"""File name of the description, at the root of a run directory."""

_RUN_FORMAT = 1
"""Number of the layout of a run directory; a reader refuses a larger one."""


class AskedRelease(FrozenModel):
    """The release whose rows were asked."""

    name: str
    """Name of the dataset."""
    version: str
    """Version of the release, without ``v``."""
    tables: dict[str, str]
    """Content digest of every table that the task reads, by ``configuration/split``."""
    location: str | None = None
    """Where it was read, a directory or ``org/name@v1.0.0``; null where no release makes the items."""

    @classmethod
    def of(cls, manifest: ReleaseManifest, configs: tuple[str, ...], location: str | None) -> "AskedRelease":
        """The part of a manifest that decides what a task asks."""
        tables = {
            f"{table.config}/{table.split}": table.content_sha256
            for table in manifest.tables
            if table.config in configs
        }
        return cls(name=manifest.name, version=manifest.version, tables=tables, location=location)


class ReleaseItems(NamedTuple):
    """A task's items, and where they come from."""

    release: AskedRelease
    """The release; of what is asked about another run, that one's."""
    task: str
    """Name of the task."""
    options: dict[str, Any]
    """The task's options, with every default spelled out."""
    asked: TaskItems
    """Items and gold."""


class RecordedAnswers(FrozenModel):
    """Answers that another tool produced, in place of a model."""

    backend: Literal["recorded"] = "recorded"
    """Nothing of ours computed the answers."""
    id: str
    """Name of the model, as whoever ran it says; else the name of the file."""
    file: str
    """Name of the file."""
    sha256: str
    """SHA-256 of the file's bytes."""

    @classmethod
    def of(cls, path: Path, model: str | None) -> "RecordedAnswers":
        """What is said of a file, by its name where nobody names the model."""
        return cls(id=model or path.name, file=path.name, sha256=file_sha256(path))


PEOPLE = "people"
"""Name in place of a model's of recorded answers that people of the regions gave, who saw no prompt."""


class RunDescription(FrozenModel):
    """Everything that decides the answers of a run."""

    run_format: int = Field(default=_RUN_FORMAT, le=_RUN_FORMAT)
    """Number of this layout."""
    sdk_version: str
    """Version of the SDK that started the run."""
    release: AskedRelease
    """The release."""
    task: str
    """Name of the task."""
    options: dict[str, Any]
    """Options of the task, with every default spelled out."""
    kind: AnswerKind
    """What an answer is."""
    n_items: int = Field(ge=1)
    """Items asked."""
    prompts: dict[str, str]
    """SHA-256 of the text around the question, by prompt id."""
    model: ModelDescription | RecordedAnswers
    """Who answered."""
    decoding: Decoding | None
    """How texts were generated; null where none were, or by another tool."""
    chat_options: ChatOptions | None = None
    """What was said besides the prompts; null where nothing was."""

    @property
    def holds_texts(self) -> bool:
        """Whether its answers are texts, as those of another tool always are."""
        return self.kind == "text" or self.model.backend == "recorded"

    def to_json(self) -> str:
        """The description as the bytes of ``run.json`` decode to."""
        return self.model_dump_json(indent=2) + "\n"


def is_of_people(run: RunDescription) -> bool:
    """Whether people gave the answers of a run."""
    return isinstance(run.model, RecordedAnswers) and run.model.id == PEOPLE


_LEARNED_LATER = ("served_as", "server")
"""Fields of the model that nobody knows of a run whose questions are answered in batch files, until answers
come."""

_SHOWN_CHARACTERS = 60


def read_description(directory: Path) -> RunDescription:
    """The description of a run directory.

    Raises:
        InputError: If there is none, or if it is not one that this version reads.
    """
    path = directory / DESCRIPTION_NAME
    if not os.path.lexists(path):
        raise InputError(
            f"{directory}: no {DESCRIPTION_NAME} here, so it is not the directory of a run; "
            "make one with `blend eval run`"
        )
    try:
        return RunDescription.model_validate_json(read_content(path))
    except ValidationError as error:
        raise InputError(
            f"{path}: not a description that this version of {DISTRIBUTION} reads ({first_reason(error)}); "
            "use the version that made it, or run again into another directory"
        ) from error


def go_on_with(directory: Path, wanted: RunDescription) -> RunDescription:
    """The description in a directory, if it is of the run that is wanted, with what is known of its model now.

    Raises:
        InputError: If the directory holds another run; names what differs. The version of the SDK and where the
            release lies are no matter.
    """
    before = read_description(directory)
    # What only one of the two knows of the model does not tell them apart.
    models = (before.model, wanted.model)
    learned = {name: [getattr(one, name, None) for one in models] for name in _LEARNED_LATER}
    unknown = {name for name, values in learned.items() if None in values}
    apart: Any = {"sdk_version": True, "run_format": True, "release": {"location"}, "model": unknown}
    there, here = (dict(_flat(one.model_dump(mode="json", exclude=apart))) for one in (before, wanted))
    differing = [field for field in dict.fromkeys([*there, *here]) if there.get(field) != here.get(field)]
    if differing:
        listed = "\n".join(
            f"  {field}: {_short(there.get(field))} there, {_short(here.get(field))} now" for field in differing
        )
        raise InputError(
            f"{directory}: holds another run, which differs in\n{listed}\n"
            "choose another `out`, or ask for the same again to go on with this one"
        )
    known = {name: next(filter(None, learned[name])) for name in unknown if any(learned[name])}
    return before.model_copy(update={"model": before.model.model_copy(update=known)})


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from _flat(inner, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", inner


def _short(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


_BYTES_PER_TOKEN = 3
"""Bytes of UTF-8 that count as a token where no tokenizer is at hand. English has four or five, most other
scripts two to four: rather too many tokens than too few."""


def money(amount: float) -> str:
    """An amount for people: two decimals, or two digits of what is less than one."""
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.2g}"


class Usage(FrozenModel):
    """What a run has taken until now."""

    requests: int
    """Items asked, those that failed among them."""
    filtered: int = 0
    """Items whose answer a content filter of the server has stopped."""
    tokens_in: int | None
    """Tokens of the prompts; null where nobody tells."""
    tokens_out: int | None
    """Tokens written, thoughts among them; likewise."""
    tokens_thought: int | None
    """Tokens thought, as far as a server tells them apart; likewise."""

    def in_words(self, price: Price | None = None) -> str:
        """A line for people, with the cost at a price."""
        parts = [pluralise(self.requests, "request")]
        if self.filtered:
            parts[0] += f" ({self.filtered:,} stopped by a content filter)"
        if self.tokens_in is not None:
            parts.append(f"{self.tokens_in:,} tokens in")
        if self.tokens_out is not None:
            thought = "" if self.tokens_thought is None else f" ({self.tokens_thought:,} of them thought)"
            parts.append(f"{self.tokens_out:,} out{thought}")
        if price is not None and self.tokens_in is not None:
            parts.append(f"cost {money(price.of(self.tokens_in, self.tokens_out))}")
        return ", ".join(parts)

    def columns(self) -> dict[str, str]:
        """What is known, by the heads of a table's columns."""
        counts = {
            "filtered": self.filtered or None,
            "tokens in": self.tokens_in,
            "tokens out": self.tokens_out,
            "tokens thought": self.tokens_thought,
        }
        return {name: f"{count:,}" for name, count in counts.items() if count is not None}


class AskingPlan(NamedTuple):
    """What is about to be asked."""

    n_requests: int
    """Items without an answer."""
    tokens_in: int
    """Tokens of their prompts."""
    is_estimated: bool
    """Whether they are estimated from the length of the texts, since no tokenizer is at hand."""
    tokens_out: int
    """Tokens that may be written at most."""
    cost: float | None
    """Cost of them, if all is written that may be; null without a price."""

    def in_words(self) -> str:
        """A line for people."""
        about = "about " if self.is_estimated else ""
        parts = [pluralise(self.n_requests, "request"), f"{about}{pluralise(self.tokens_in, 'token')} in"]
        if self.tokens_out:
            parts.append(f"{self.tokens_out:,} out at most")
        if self.cost is not None:
            # Prompts may take more than is estimated.
            parts.append(f"cost about {money(self.cost)}" if about else f"cost {money(self.cost)} at most")
        return ", ".join(parts)


def plan_asking(
    prompts: Iterable[str], model: object, max_tokens: int, *, system: str | None, price: Price | None
) -> AskingPlan:
    """Plan what some prompts will take.

    Args:
        prompts: What is to be asked.
        model: The model, which may know the tokens of a prompt.
        max_tokens: Tokens of an answer at most; none where nothing is written.
        system: What is said before each prompt.
        price: Price of tokens.
    """
    texts = list(prompts)
    if isinstance(model, TokenCounter):
        tokens_in = model.count_tokens(texts)
    else:
        n_bytes = sum(len(text.encode()) for text in texts) + len(texts) * len((system or "").encode())
        tokens_in = -(-n_bytes // _BYTES_PER_TOKEN)
    tokens_out = len(texts) * max_tokens
    cost = None if price is None else price.of(tokens_in, tokens_out)
    return AskingPlan(len(texts), tokens_in, not isinstance(model, TokenCounter), tokens_out, cost)


class Spending:
    """Cost of the answers of a run while more are asked for, up to a budget; other writers as of the start."""

    def __init__(self, before: Usage, price: Price, budget: float) -> None:
        self._price = price
        self._budget = budget
        self._cost = price.of(before.tokens_in, before.tokens_out)

    @property
    def is_over(self) -> bool:
        """Whether the budget is spent."""
        return self._cost >= self._budget

    def add(self, answers: Iterable[Mapping[str, Any]]) -> None:
        """Count answers that have been kept.

        Raises:
            StopAsking: If the budget is spent.
            ServerError: If nobody says how many tokens an answer took.
        """
        for answer in answers:
            is_written = answer.get("error") is None and answer.get("finish_reason") != "content_filter"
            if is_written and answer.get("tokens_out") is None:
                raise ServerError(
                    "the server does not say how many tokens an answer took, so nobody knows what is spent; "
                    "leave `budget` out"
                )
            self._cost += self._price.of(answer.get("tokens_in"), answer.get("tokens_out"))
        if self.is_over:
            raise StopAsking

    def in_words(self, n_answered: int, n_items: int) -> tuple[str, ...]:
        """Say that the budget is spent, if it is."""
        warning = f"the budget of {money(self._budget)} is spent ({money(self._cost)})"
        if n_answered < n_items:
            warning += f", and {n_answered:,} of {n_items:,} items are answered; "
            warning += "give a larger `budget` to go on"
        return (warning,) if self.is_over else ()
