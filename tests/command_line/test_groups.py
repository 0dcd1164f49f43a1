"""Groups of options: fields of a model are options where it stands, and reach the command as one object."""

from typing import Annotated

import typer
from pydantic import Field
from typer.testing import CliRunner

from blend.cli.groups import with_groups
from blend.schemas.models import FrozenModel


class Sizes(FrozenModel):
    width: int = Field(default=2, ge=1)
    """In metres; two
    when absent."""
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
    assert got == [("here", False, Sizes(), "z"), ("here", True, Sizes(width=3, names=["a", "b"]), "z")]


def test_options_stand_where_their_group_does_and_are_checked():
    app = application([])
    command = typer.main.get_command(app)
    assert [parameter.name for parameter in command.params] == ["place", "first", "width", "names", "last"]
    assert command.help == "Measure a place."
    assert [parameter.help for parameter in command.params[2:3]] == ["In metres; two if absent."]
    refused = CliRunner().invoke(app, ["here", "--width", "0"])
    assert refused.exit_code == 2
