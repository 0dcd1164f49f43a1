"""The application class: how commands are run, how options are named, and objects of the library as options.

A message of the library names a parameter as its caller in Python writes it, between backquotes: "choose
another `out`", "give `replace=True`", "leave `max_masks=7` out". Here, and nowhere else, this becomes what is
typed behind the command that runs: ``--out``, ``--replace``, ``-T max_masks=7`` for an option of a task,
``-M dtype=float32`` for one of a model. A parameter has one name in a command and in the function that it
calls. One that only another command has is said with that command, since scores can ask for a model that writes
more: ``--max-tokens of `blend eval run```. What is no parameter, such as a key of a recipe, stays as it is.

The fields of a model are options where it stands in a command (`with_groups`), and reach it as one object.
What a field is for, its least value and its default are written once, in the model.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import Parameter
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Annotated, Any, get_type_hints

import typer
from annotated_types import Ge
from pydantic.fields import FieldInfo
from typer.core import TyperCommand, TyperGroup
from typer.models import CommandFunctionType, OptionInfo

from blend.schemas.errors import ArgumentError, BlendError, UnknownNameError
from blend.schemas.models import FrozenModel, field_sentences
from blend.stopping import exit_code

# A ~ that begins a word or the part behind its =, and is a whole name: not ~somebody.
_HOME = re.compile(r"^([^\s=]+=)?~(?=/|$)")

_SPOKEN_OF = ("run", "score")
"""Commands whose options what another one of their group finds may ask for."""


class _Command(TyperCommand):
    def invoke(self, ctx: Any) -> Any:
        """Run the command; an error names its options, and Ctrl-C that nothing explains is one sentence."""
        try:
            with options_of(self.params, self._others(ctx)):
                self._check_text(ctx.params)
                return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            typer.echo("interrupted; run the same command again", err=True)
            raise typer.Exit(exit_code(stopped)) from None

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Read the words behind the command; ``~`` is the home folder also where a shell leaves it, after =."""
        words = [_HOME.sub(lambda found: (found[1] or "") + str(Path.home()), word) for word in args]
        return super().make_context(info_name, words, parent, **extra)

    def _others(self, ctx: Any) -> dict[str, list[Any]]:
        """Return the parameters of commands beside this one that texts of the library speak of, by command."""
        beside = getattr(ctx.parent and ctx.parent.command, "commands", {})
        named = [name for name in _SPOKEN_OF if name in beside]
        return {f"blend {ctx.parent.info_name} {name}": beside[name].params for name in named}

    def _check_text(self, values: dict[str, Any]) -> None:
        """Refuse words whose bytes are not UTF-8: our files cannot hold them, and few libraries open them."""
        from blend.loaders.files.content import is_encodable

        for parameter in self.params:
            given = values.get(parameter.name or "")
            for word in given if isinstance(given, list | tuple) else [given]:
                if isinstance(word, str | PurePath) and not is_encodable(word):
                    name = _typed_name(parameter)
                    raise UsageError(f"{name}: {str(word)!r} is not possible (it is not text in UTF-8)")

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_flag_types(super().get_params(ctx))


class Group(TyperGroup):
    """A group whose help shows flags as flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """List the options and arguments."""
        return _without_flag_types(super().get_params(ctx))


class Application(typer.Typer):
    """A group of commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"cls": Group, **options})

    def command(
        self, name: str | None = None, **options: Any
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Register a function as a command, which has its name: ``_judge_sheet`` is ``judge-sheet``."""

        def register(function: CommandFunctionType) -> CommandFunctionType:
            typed = name or function.__name__.strip("_").replace("_", "-")
            return super(Application, self).command(typed, cls=_Command, **options)(function)

        return register


def _typed_name(parameter: Any) -> str:
    """Return the name of a parameter as the help shows it."""
    is_option = parameter.param_type_name == "option"
    return str(parameter.opts[0] if is_option else parameter.metavar or parameter.name.upper())


def _without_flag_types(parameters: list[Any]) -> list[Any]:
    """The parameters; typer would print ``<bool>`` behind a flag, which takes no value."""
    for parameter in parameters:
        if getattr(parameter, "is_bool_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


_PARAMETER = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")


_Known = Mapping[str, tuple[Any, str | None]]
"""Parameters by name, each with the command that has it where that is another one than runs."""

_RUNNING: ContextVar[_Known] = ContextVar("parameters that texts can name", default=MappingProxyType({}))
_NO_OTHERS: Mapping[str, Sequence[Any]] = MappingProxyType({})


@contextmanager
def options_of(parameters: Sequence[Any], others: Mapping[str, Sequence[Any]] = _NO_OTHERS) -> Iterator[None]:
    """Let texts and errors of the library name parameters of commands, as typer has them.

    Args:
        parameters: Those of the command that runs.
        others: Those of commands that its texts may speak of as well, by command; the first that has it counts.
    """
    # Later entries replace earlier ones. So a command's own parameters go before those of others, and a
    # parameter goes before an option behind -T or -M.
    known: _Known = {
        name: (parameter, command)
        for command, of_it in [*reversed([*others.items()]), (None, parameters)]
        for parameter in sorted(of_it, key=lambda one: not _others_in(one))
        for name in (_others_in(parameter) or [parameter.name])
    }
    before = _RUNNING.set(known)
    try:
        yield
    except BlendError as error:
        error.args = (with_options(str(error)),)
        raise
    finally:
        _RUNNING.reset(before)


def with_options(text: str) -> str:
    """A text of the library with options in place of parameters."""
    known = _RUNNING.get()

    def typed(found: re.Match[str]) -> str:
        parameter, command = known.get(found[1], (None, None))
        if parameter is None:
            return found[0]
        name = _typed(parameter, found[1], found[2])
        return name if command is None else f"{name} of `{command}`"

    return _PARAMETER.sub(typed, text)


def _others_in(parameter: Any) -> Collection[str]:
    """Options of a task or a model that are typed behind a parameter, ``-T`` or ``-M``; none behind others."""
    # Only commands of `blend eval` have any, which have imported what they need.
    if "-T" in parameter.opts:
        from blend.cli.eval_options import option_names

        return option_names(parameter.name)
    if "-M" in parameter.opts:
        from blend.cli.eval_options import HERE, THERE

        return (*HERE, *THERE)
    return ()


def _typed(parameter: Any, named: str, value: str | None) -> str:
    """A parameter as it is typed, with its value unless it is a flag."""
    if _others_in(parameter):
        return f"{parameter.opts[0]} {named}" + ("" if value is None else f"={value}")
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    name: str = max(parameter.opts, key=len)
    return name if value is None or parameter.is_flag else f"{name} {value}"


_TYPED: Mapping[str, tuple[Any, str]] = {
    "system": (str, "TEXT"),
    "batch_out": (Path, "FILE"),
    "batch_in": (list[Path], "FILE"),
    "shard": (str, "I/N"),
    "price": (str, "IN,OUT"),
}
"""Fields that are typed otherwise than they are kept, and how help shows them."""

_NO_OPTIONS = ("on_plan",)
"""Fields that only a caller in Python can fill."""


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for every field of its parameters that are models, where those stand.

    Args:
        command: Typer reads options off its parameters. A field is an option with the sentence under it as its
            help, unless a ``typer.Option`` says what it is; a field that nobody gives has its default.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {
        name: hint for name, hint in hints.items() if inspect.isclass(hint) and issubclass(hint, FrozenModel)
    }
    parameters: list[Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _options(groups[name])
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @wraps(command)
    def grouped(**typed: Any) -> None:
        for name, group in groups.items():
            values = {field: typed.pop(field) for field in group.model_fields if field in typed}
            typed[name] = group(**{field: value for field, value in values.items() if value not in (None, [])})
        command(**typed)

    grouped.__dict__["__signature__"] = inspect.Signature(parameters)
    grouped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return grouped


def _options(group: type[FrozenModel]) -> list[Parameter]:
    sentences = field_sentences(group)
    return [
        Parameter(name, Parameter.KEYWORD_ONLY, **_option(name, field, sentences.get(name, "")))
        for name, field in group.model_fields.items()
        if name not in _NO_OPTIONS
    ]


def _option(name: str, field: FieldInfo, sentence: str) -> dict[str, Any]:
    """Default and type of the parameter of a command that is a field of a model."""
    if any(isinstance(one, OptionInfo) for one in field.metadata):
        return {"default": field.default, "annotation": Annotated[field.annotation, *field.metadata]}
    kind: Any
    kind, metavar = _TYPED.get(name, (field.annotation, None))
    least: Any = next((one.ge for one in field.metadata if isinstance(one, Ge)), None)
    help_ = " ".join(sentence.replace("when absent", "if absent").split())
    option = typer.Option(min=least, metavar=metavar, help=help_)
    return {"default": None, "annotation": Annotated[kind | None, option]}


DONE = 0
REFUSED = 1
USAGE = 2
ATTENTION = 3
FAULT = 70
INTERRUPTED = 130
TERMINATED = 143

EXIT_CODES: Mapping[int, str] = {
    DONE: "done",
    REFUSED: "what the command was given, or what it runs on, is not as it must be; the message says why",
    USAGE: "the command line is wrong, whatever the files hold",
    ATTENTION: (
        "with `--exit-code` only: the releases differ (`blend diff`), or something is gone from the server or "
        "was not sent (`blend annotate sync`)"
    ),
    FAULT: "a fault of blend itself; the message names a file with the details",
    INTERRUPTED: "interrupted; the message says what is there",
    TERMINATED: "terminated (SIGTERM), which otherwise is the same as interrupted",
}
"""Every exit code and what it means, as the site's page of commands prints it.

70 is ``EX_SOFTWARE`` of ``sysexits.h``, 130 and 143 what a shell says of a process that Ctrl-C or SIGTERM has
ended.
"""


class UsageError(ArgumentError):
    """A command line that no input could make right: an impossible value, options that exclude each other."""


def check_known(kind: str, name: str, valid: Iterable[str]) -> None:
    """Refuse a name on the command line that is not one of a fixed list.

    Raises:
        UsageError: With the words of `UnknownNameError`.
    """
    choices = list(valid)
    if name not in choices:
        raise UsageError(str(UnknownNameError(kind, name, choices)))
