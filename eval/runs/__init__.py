"""Descriptions of runs, ``run.json``: what was asked of whom, so that a run goes on only with the same."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from blend import __version__
from blend.eval.items import AnswerKind, TaskItems, text_digest
from blend.eval.models import ChatOptions, Decoding, ModelDescription
from blend.loaders.files.content import file_sha256, read_content
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.models import FrozenModel, first_reason

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

    @property
    def label(self) -> str:
        """Name and version, ``blend@1.2.0``."""
        return f"{self.name}@{self.version}"


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
    tables: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of the files with items and gold, where no release makes them."""

    @classmethod
    def of(cls, asked: ReleaseItems, **how: Any) -> "RunDescription":
        """The description of a run that starts now, by this version; ``how`` are the fields of who is asked."""
        items = asked.asked
        return cls(
            sdk_version=__version__,
            release=asked.release,
            task=asked.task,
            options=asked.options,
            kind=items.kind,
            n_items=items.items.height,
            prompts={prompt_id: text_digest(text) for prompt_id, text in items.prompts.items()},
            **how,
        )

    @property
    def holds_texts(self) -> bool:
        """Whether its answers are texts, as those of another tool always are."""
        return self.kind == "text" or self.model.backend == "recorded"


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
        raise unreadable(path, first_reason(error)) from error


def unreadable(path: Path, reason: object) -> InputError:
    """Say why a description is none that this version reads: it is another's, or somebody has changed it."""
    return InputError(
        f"{path}: not a description that this version of {DISTRIBUTION} reads ({reason}); use the version that "
        "made it, or run again into another directory"
    )


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
    apart: Any = {"release": {"location"}, "model": unknown}
    apart |= dict.fromkeys(("sdk_version", "run_format", "tables"), True)
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


_RELEASE_DIGITS = 8
_PROMPT_DIGITS = 4


def signature(name: str, run: RunDescription, parts: Mapping[str, object]) -> str:
    """The signature of scores.

    Args:
        name: What is measured, for example ``blend-mcq``.
        run: The run.
        parts: What task and scoring add, between the locales and the prompts; nulls are left out.

    Returns:
        ``name|rel:…|loc:…|…|prompt:…|chat:…|sdk:…``, and before ``sdk`` what is not as usual: the type of
        numbers, a limit, how texts were generated, what was said besides the prompts.
    """
    options, chat = run.options, run.chat_options or ChatOptions()
    samples, shots = options.get("samples", 1), options.get("shots", 0)
    model = None if isinstance(run.model, RecordedAnswers) else run.model
    fields = {
        "rel": f"{run.release.label}#{_digest(run.release.tables, _RELEASE_DIGITS)}",
        "loc": "+".join(options.get("locales") or ["all"]),
        "s": samples if samples > 1 else None,
        "shots": f"{shots}-seed{options['shots_seed']}" if shots else None,
        **parts,
        "prompt": "+".join(digest[:_PROMPT_DIGITS] for _, digest in sorted(run.prompts.items())),
        "chat": "unknown" if model is None else "yes" if model.chat else "no",
        # A CPU's usual numbers.
        "dtype": None if model is None or model.dtype == "float32" else model.dtype,
        "limit": options.get("limit") or None,
        "dec": _decoding(run),
        "sys": _digest(chat.system),
        "think": chat.thinking,
        "effort": chat.reasoning_effort,
        "body": _digest(chat.extra_body),
        "sdk": __version__,
    }
    return "|".join([name, *(f"{key}:{value}" for key, value in fields.items() if value is not None)])


def _decoding(run: RunDescription) -> str | None:
    if run.decoding is None:
        return None
    used = run.decoding
    drawn = [f"t{used.temperature:g}", f"seed{used.seed}"] if used.temperature else []
    stopped = [f"stop{_digest(used.stop)}"] if used.stop else []
    return "-".join([f"max{used.max_tokens}", *drawn, *stopped])


def _digest(value: object, digits: int = _PROMPT_DIGITS) -> str | None:
    """The first digits of a digest of a value; null of none."""
    text = json.dumps(value, sort_keys=True)
    return None if value is None else hashlib.sha256(text.encode()).hexdigest()[:digits]
