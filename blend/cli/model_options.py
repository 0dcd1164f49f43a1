"""Options made of the library's objects: a field is an option, and the sentence under it is its help."""

import json
import types
import typing
from collections.abc import Collection, Mapping
from dataclasses import field, make_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from annotated_types import Ge

from blend.eval.models.chosen import Decoding, Local, Server
from blend.exit_codes import UsageError
from blend.schemas.base.docstrings import field_sentences
from blend.schemas.base.frozen_model import FrozenModel


def option_group(model: type[FrozenModel], *, apart: Collection[str], names: Mapping[str, str]) -> type:
    """A dataclass with an option for each field of a model, see `groups.with_groups`; null where none is given.

    Args:
        model: The model.
        apart: Fields that are no options.
        names: What a field is called as an option, where that is not its own name.
    """
    sentences = field_sentences(model)
    fields = []
    for name, info in model.model_fields.items():
        if name in apart:
            continue
        least: Any = next((one.ge for one in info.metadata if isinstance(one, Ge)), None)
        help_ = " ".join(sentences[name].replace("when absent", "if absent").split())
        metavar = _METAVARS.get(name)
        kind, flags = _typed(info.annotation), ["--chat/--no-chat"] if name == "chat" else []
        option = typer.Option(*flags, min=least, metavar=metavar, help=help_)
        fields.append((names.get(name, name), Annotated[kind | None, option], field(default=None)))
    return make_dataclass(f"{model.__name__}Options", fields, frozen=True)


_METAVARS = {"extra_body": "JSON", "thought_marks": "BEGIN,END", "system": "TEXT", "url": "URL"}


def _typed(annotation: Any) -> Any:
    """What typer is told of a field: texts where the value is made of one, or several."""
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        annotation = next(one for one in typing.get_args(annotation) if one is not type(None))
    if typing.get_origin(annotation) is tuple:
        return list[str]
    return str if typing.get_origin(annotation) is dict else annotation


if typing.TYPE_CHECKING:
    OnMachine: typing.TypeAlias = Any
    OnServer: typing.TypeAlias = Any
    Writing: typing.TypeAlias = Any
else:
    OnMachine = option_group(Local, apart=("path", "revision"), names={})
    OnServer = option_group(Server, apart=("name", "chat"), names={"url": "server"})
    Writing = option_group(Decoding, apart=(), names={})


def chosen_model(name: str, here: Any, there: Any, *, in_files: bool) -> Local | Server:
    """The model that options name: on a server, or on this machine.

    Args:
        name: Its directory, Hub id (``org/name@revision``) or name.
        here: `OnMachine`.
        there: `OnServer`.
        in_files: Whether questions go out, or answers come in, in files, which needs no server.
    """
    of_machine = {key: value for key, value in vars(here).items() if value is not None}
    of_server = {key: value for key, value in vars(there).items() if value is not None}
    if there.server is None and not in_files:
        refuse(of_server, "with `server`")
        path, sign, revision = name.rpartition("@")
        if sign and not Path(name).exists():
            return Local(path=path, revision=revision, **of_machine)
        return Local(path=name, **of_machine)
    chat = {"chat": of_machine.pop("chat")} if "chat" in of_machine else {}
    refuse(of_machine, "for a model on this machine")
    if "extra_body" in of_server:
        of_server["extra_body"] = _json(of_server["extra_body"])
    return Server(name=name, url=of_server.pop("server", None), **of_server, **chat)


def read_writing(writing: Any) -> Decoding:
    """How answers are written, of `Writing`."""
    given = {key: value for key, value in vars(writing).items() if value is not None}
    if "thought_marks" in given:
        given["thought_marks"] = [_marks(text) for text in given["thought_marks"]]
    return Decoding(**given)


def refuse(options: Mapping[str, Any], where: str) -> None:
    """Refuse options that make no sense, by the first that is given."""
    for name, value in options.items():
        if value is not None:
            raise UsageError(f"`{name}={value}` makes sense only {where}; leave it out")


def _json(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError(f"--extra-body {text}: expected an object of JSON such as '{{\"top_k\": 20}}'")
    return value


def _marks(text: str) -> list[str]:
    pair = text.split(",")
    if len(pair) != 2 or not all(pair):
        raise UsageError(f"--thought-marks {text}: expected two marks such as '<plan>,</plan>'")
    return pair
