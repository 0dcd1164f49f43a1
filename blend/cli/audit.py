"""``blend audit``: what can be got right in multiple-choice questions without knowing anything."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.options import AsJson, Encoding, TablesFolder
from blend.schemas.text import harmless_json


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(audit)


def audit(
    questions: Annotated[
        str,
        typer.Argument(
            metavar="DIR|REPO@REV|TABLE",
            help="Release directory, org/name@v1.0.0 on the Hub, or a table of anybody's questions: .csv, "
            ".tsv, .xlsx, .jsonl or .parquet with columns question, options, answer and, if any, group, "
            "template, topic.",
        ),
    ] = "release",
    examples: Annotated[int, typer.Option(min=0, help="Most telling questions to show per baseline.")] = 1,
    encoding: Encoding = None,
    out: TablesFolder = None,
    as_json: AsJson = False,
) -> None:
    """Answer multiple-choice questions without knowing anything, and say what gives them away.

    - `blend audit release` audits a directory.
    - `blend audit mine.csv --examples 3` audits questions of your own.
    - `blend audit release --json --examples 0` prints the figures for a program.
    """
    import json

    from blend.builders.audit import audit_questions
    from blend.builders.audit.release import audit_release
    from blend.loaders.files.choice_tables import read_choice_table
    from blend.loaders.files.content import file_identity, is_directory
    from blend.loaders.files.rows import SUFFIXES
    from blend.loaders.releases.references import resolve_release
    from blend.views.progress import reading_progress

    path = Path(questions)
    if not is_directory(path) and (path.suffix.lower() in SUFFIXES or file_identity(path) is not None):
        found = audit_questions(read_choice_table(path, encoding=encoding), examples=examples)
    else:
        with reading_progress() as notify:
            found = audit_release(resolve_release(questions), examples=examples, notify=notify)
    if out is not None:
        from blend.views.stats import write_frames

        write_frames(found.frames(), found.to_json(), out, name="audit.json", what="audit")
    if as_json:
        typer.echo(harmless_json(json.dumps(found.to_json(), ensure_ascii=False, indent=2)))
        return
    from blend.views.audit import audit_views
    from blend.views.safe import SafeConsole

    console = SafeConsole()
    for number, part in enumerate(audit_views(found)):
        if number:
            console.print()
        console.print(part)
