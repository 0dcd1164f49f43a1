"""Groups of options: fields of a dataclass are options where it stands, and reach the command as one value."""

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from blend.cli.groups import with_groups


@dataclass(frozen=True)
class Sizes:
    width: Annotated[int, typer.Option(min=1, help="In metres.")] = 2
    names: Annotated[list[str] | None, typer.Option("--name")] = None


def application(got: list[object]) -> typer.Typer:
    app = typer.Typer(add_completion=False)

    @app.command()
    @with_groups
    def measure(place: str, first: bool = False, *, sizes: Sizes, last: str = "z") -> None:
        """Measure a place."""
        got.append((place, first, sizes, last))

    return app


def test_a_command_gets_its_groups_whole():
    got: list[object] = []
    app = application(got)
    for arguments in (["here"], ["here", "--width", "3", "--name", "a", "--first", "--name", "b"]):
        assert CliRunner().invoke(app, arguments).exit_code == 0
    assert got == [("here", False, Sizes(), "z"), ("here", True, Sizes(3, ["a", "b"]), "z")]


def test_options_stand_where_their_group_does_and_are_checked():
    app = application([])
    command = typer.main.get_command(app)
    assert [parameter.name for parameter in command.params] == ["place", "first", "width", "names", "last"]
    assert command.help == "Measure a place."
    refused = CliRunner().invoke(app, ["here", "--width", "0"])
    assert refused.exit_code == 2
