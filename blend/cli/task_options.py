"""Options of the tasks: one of the command line for each name, whichever tasks offer it."""

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import field, make_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer

from blend.cli.groups import with_groups
from blend.eval.registry import TASKS
from blend.eval.task import ScoringOptions, TaskOption, TaskOptions, offered
from blend.exit_codes import UsageError

Kind = Literal["options", "scoring"]
"""Whether options are of asking or of scoring."""


class _Offer(NamedTuple):
    """An option of some tasks."""

    titles: tuple[str, ...]
    """The tasks; none for an option of every task."""
    option: TaskOption
    """What they say of it."""
    holds: Any
    """Type of its value."""


def with_task_options(parameter: str, kind: Kind) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of all tasks in place of one of its parameters, see `groups.with_groups`."""

    def given(command: Callable[..., None]) -> Callable[..., None]:
        command.__annotations__[parameter] = _group(kind)
        return with_groups(command)

    return given


def given_options(group: object, kind: Kind) -> dict[str, Any]:
    """Collect what was given of a group of options, by the names that the tasks know."""
    found = {name: value for name, value in vars(group).items() if value is not None}
    offers = _offers(kind)
    return {
        name: _files(value, name, offers[name][0]) if _is_mapping(offers[name][0].holds) else value
        for name, value in found.items()
    }


def _group(kind: Kind) -> type:
    """A dataclass with a field for every option; null where the task decides."""
    fields = [
        (name, Annotated[_typed([one.holds for one in offers]), _typer_option(offers)], field(default=None))
        for name, offers in _offers(kind).items()
    ]
    return make_dataclass(f"Task{kind.capitalize()}", fields, frozen=True)


def _offers(kind: Kind) -> dict[str, list[_Offer]]:
    """The options by name, those with the same words for several tasks together."""
    common = offered(TaskOptions if kind == "options" else ScoringOptions)
    found: dict[str, dict[str, _Offer]] = {}
    for task in TASKS.values():
        for name, (option, holds) in offered(getattr(task, kind)).items():
            if name in common:
                continue
            same = found.setdefault(name, {})
            titles = same[option.help].titles if option.help in same else ()
            same[option.help] = _Offer((*titles, task.title), option, holds)
    every = {name: [_Offer((), option, holds)] for name, (option, holds) in common.items()}
    return every | {name: list(offers.values()) for name, offers in found.items()}


def _typer_option(offers: list[_Offer]) -> Any:
    named, texts = offers[0].option, []
    for titles, option, _ in offers:
        title = " and ".join([", ".join(titles[:-1]), titles[-1]] if len(titles) > 1 else titles)
        texts.append(f"{title[:1]}{title[1:].lower()}: {option.help}" if title else _capitalised(option.help))
    again = "; can be repeated" if any(_is_repeated(one.holds) for one in offers) else ""
    flags = [f"--{named.flag}"] if named.flag else []
    return typer.Option(*flags, metavar=named.metavar, min=named.least, help=f"{'. '.join(texts)}{again}.")


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _typed(kinds: list[Any]) -> Any:
    """Choose what typer is told of an option's type: texts where tasks differ."""
    plain = [_without_none(kind) for kind in kinds]
    if any(map(_is_repeated, kinds)):
        return list[str] | None
    return (plain[0] if all(kind == plain[0] for kind in plain) else str) | None


def _without_none(kind: Any) -> Any:
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return next(one for one in typing.get_args(kind) if one is not type(None))
    return kind


def _is_mapping(kind: Any) -> bool:
    return typing.get_origin(_without_none(kind)) is Mapping


def _is_repeated(kind: Any) -> bool:
    return _is_mapping(kind) or typing.get_origin(_without_none(kind)) is tuple


def _files(texts: list[str], name: str, offer: _Offer) -> dict[str, Path]:
    """Files by name, ``hofstede=FILE``; where no name is needed, a text without one is for all."""
    flag = f"--{offer.option.flag or name}"
    what, is_optional = (offer.option.metavar or "").split("=")[0], (offer.option.metavar or "").startswith("[")
    files: dict[str, Path] = {}
    for text in texts:
        # A path can hold the sign as well; no name holds a slash or a dot.
        key, sign, path = text.partition("=")
        is_named = bool(sign and key and path) and not set("/.") & set(key)
        if not is_named and not is_optional:
            raise UsageError(f"{flag} {text}: expected a name and a file, such as {what.lower()}=FILE")
        key, path = (key, path) if is_named else ("", text)
        if key in files:
            for_whom = f"for {key!r}" if key else "for all"
            raise UsageError(f"{flag} {text}: there is a file {for_whom} already; name each once")
        files[key] = Path(path)
    return files
