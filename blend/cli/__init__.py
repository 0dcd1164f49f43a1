"""The ``blend`` command: parses, calls one function of the library, prints.

`blend.exit_codes` says how it ends. With BLEND_TRACEBACK=1 in the environment, an error that no code foresaw is
shown with its traceback.
"""

import os
import sys
from typing import Annotated, NoReturn

import typer

from blend.cli import (
    annotate,
    audit,
    build,
    diff,
    importing,
    init,
    look,
    publish,
    review_pairs,
    reviews,
    templates,
    validate,
    wikidata,
)
from blend.cli import eval as evaluation
from blend.cli.application import Application
from blend.cli.last_resort import last_words
from blend.cli.streams import patient_streams
from blend.exit_codes import REFUSED, USAGE, UsageError
from blend.schemas.errors import BlendError
from blend.schemas.text import harmless
from blend.stopping import exit_code
from blend.version import __version__

app = Application(
    name="blend",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Make, publish, regenerate and score multilingual everyday-culture benchmarks.",
)
init.register(app)
build.register(app)
look.register(app)
audit.register(app)
diff.register(app)
validate.register(app)
publish.register(app)
app.add_typer(annotate.app, name="annotate")
app.add_typer(evaluation.app, name="eval")
app.add_typer(templates.app, name="templates")
app.add_typer(reviews.app, name="reviews")
app.add_typer(review_pairs.app, name="review-pairs")
app.add_typer(importing.app, name="responses")
app.add_typer(wikidata.app, name="wikidata")


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
    """Run the command line and turn whatever goes wrong into one message and an exit code."""
    try:
        with patient_streams():
            _run()
    except BlendError as error:
        # What was still to be printed when the command had ended.
        _end(str(error), REFUSED)
    except KeyboardInterrupt as stopped:
        typer.echo("interrupted", err=True)
        sys.exit(exit_code(stopped))


def _run() -> None:
    try:
        app()
    except UsageError as error:
        _end(str(error), USAGE)
    except BlendError as error:
        _end(str(error), REFUSED)
    except Exception as error:
        if os.environ.get("BLEND_TRACEBACK"):
            raise
        _end(*last_words(error))


def _end(sentence: str, code: int) -> NoReturn:
    typer.echo(f"error: {harmless(sentence)}", err=True)
    sys.exit(code)
