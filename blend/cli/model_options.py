"""Models on the command line, made of the library's objects, whose fields are written once, there.

The fields of `chosen.Decoding` are options, with the sentence under each as its help. Those of `chosen.Local`
and `chosen.Server` are typed behind ``-M``, as Inspect has it, since each is for one kind of model alone.
"""

import json
import typing
from collections.abc import Mapping, Sequence
from dataclasses import field, make_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from annotated_types import Ge

from blend.eval.models.chosen import Decoding, Local, Server
from blend.exit_codes import UsageError
from blend.schemas.errors import did_you_mean
from blend.schemas.models import field_sentences

ModelName = typer.Option(
    metavar="DIR|REPO[@REV]|NAME", help="Model directory, Hub id, or name of a model on a --server."
)

HERE = tuple(name for name in Local.model_fields if name not in ("path", "revision"))
"""Fields that ``-M`` takes of a model on this machine."""
THERE = tuple(name for name in Server.model_fields if name not in ("name", "url"))
"""Those of a model on a server."""

ModelValues = Annotated[
    list[str] | None,
    typer.Option(
        "-M",
        metavar="NAME=VALUE",
        help=f"Option of the model: {', '.join(HERE)} of one here, {', '.join(THERE)} of one on a server, such "
        "as dtype=float32; can be repeated.",
    ),
]


def _writing_options() -> type:
    """A dataclass with an option for each field of `Decoding`, null where none is given; see `groups`."""
    sentences, fields = field_sentences(Decoding), []
    for name, info in Decoding.model_fields.items():
        # A pair of marks is typed as one text.
        kind: Any = list[str] if name == "thought_marks" else info.annotation
        least: Any = next((one.ge for one in info.metadata if isinstance(one, Ge)), None)
        metavar = {"thought_marks": "BEGIN,END", "system": "TEXT"}.get(name)
        help_ = " ".join(sentences[name].replace("when absent", "if absent").split())
        option = typer.Option(min=least, metavar=metavar, help=help_)
        fields.append((name, Annotated[kind | None, option], field(default=None)))
    return make_dataclass("Writing", fields, frozen=True)


if typing.TYPE_CHECKING:
    Writing: typing.TypeAlias = Any
else:
    Writing = _writing_options()


def chosen_model(
    name: str, server: str | None, values: Sequence[str] | None, *, in_files: bool
) -> Local | Server:
    """The model that options name: on a server, or on this machine.

    Args:
        name: Its directory, Hub id (``org/name@revision``) or name.
        server: Address of the server.
        values: What stands behind ``-M``, ``NAME=VALUE``.
        in_files: Whether questions go out, or answers come in, in files, which needs no server.
    """
    given = read_values(values)
    if server is not None or in_files:
        _check_names(given, THERE, HERE, "for a model on this machine")
        if "extra_body" in given:
            given["extra_body"] = _json(given["extra_body"])
        return Server(name=name, url=server, **given)
    _check_names(given, HERE, THERE, "with `server`")
    path, sign, revision = name.rpartition("@")
    if sign and not Path(name).exists():
        return Local(path=path, revision=revision, **given)
    return Local(path=name, **given)


def read_values(values: Sequence[str] | None) -> dict[str, Any]:
    """The values behind ``-M``, by name."""
    given: dict[str, Any] = {}
    for text in values or ():
        name, sign, value = text.partition("=")
        if not (name and sign):
            raise UsageError(f"-M {text}: expected a name and a value, such as dtype=float32")
        if given.setdefault(name.replace("-", "_"), value) is not value:
            raise UsageError(f"-M {text}: {name} is given twice")
    return given


def _check_names(given: Mapping[str, Any], known: Sequence[str], others: Sequence[str], where: str) -> None:
    for name, value in given.items():
        if name in known:
            continue
        if name in others:
            refuse({name: value}, where)
        raise UsageError(
            f"-M {name}={value}: there is no such option; {did_you_mean(name, known)}a model there has "
            f"{', '.join(known)}"
        )


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
        raise UsageError(f"-M extra_body={text}: expected an object of JSON such as '{{\"top_k\": 20}}'")
    return value


def _marks(text: str) -> list[str]:
    pair = text.split(",")
    if len(pair) != 2 or not all(pair):
        raise UsageError(f"--thought-marks {text}: expected two marks such as '<plan>,</plan>'")
    return pair
