"""The application class of the command line: its help shows a flag as a flag, without a type."""

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import CommandFunctionType

from blend.cli.option_names import options_of
from blend.exit_codes import UsageError
from blend.stopping import exit_code

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

    def command(self, *names: Any, **options: Any) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Register a function as a command, see `typer.Typer.command`."""
        return super().command(*names, cls=_Command, **options)


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
