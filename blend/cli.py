"""The ``blend`` command: parses, calls one function of the library, prints.

Exit codes: 0 done, 1 the input or the environment is not as it must be (the message says what to do), 2 the
command line is wrong, 130 interrupted.
"""

import sys
from typing import Annotated

import typer

from blend import cli_build, cli_diff, cli_look, cli_publish, cli_templates, cli_validate, cli_wikidata
from blend.schemas.errors import BlendError, MissingExtraError
from blend.version import __version__

app = typer.Typer(
    name="blend",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Make, publish, regenerate and score multilingual everyday-culture benchmarks.",
)
cli_build.register(app)
cli_look.register(app)
cli_diff.register(app)
cli_validate.register(app)
cli_publish.register(app)
app.add_typer(cli_templates.app, name="templates")
app.add_typer(cli_wikidata.app, name="wikidata")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"blend {__version__}")
        raise typer.Exit


@app.callback()
def _blend(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and turn expected errors into one message and an exit code."""
    try:
        app()
    except (BlendError, MissingExtraError) as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
