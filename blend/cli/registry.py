"""Commands that say what blend knows by itself: ``blend locales`` and ``blend schema``."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from blend.cli.application import check_known
from blend.cli.options import AsJson, LocaleFile, print_json, print_tables
from blend.schemas.models import field_sentences, first_line_of
from blend.schemas.summaries import Table
from blend.schemas.texts import pluralise

if TYPE_CHECKING:
    from pydantic import BaseModel

    from blend.schemas.locales import Locale


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(_schema)
    app.command()(_locales)


def _schema(
    name: Annotated[str | None, typer.Argument(help="Model to print; without one, all are listed.")] = None,
) -> None:
    """Print the JSON Schema of a row, of a recipe or of a manifest."""
    models = _schema_models()
    if name is None:
        for known, model in models.items():
            typer.echo(f"{known:<12} {first_line_of(model)}")
        return
    check_known("model", name, models)
    # Descriptions are Markdown for most readers of JSON Schemas.
    text = json.dumps(models[name].model_json_schema(), ensure_ascii=False, indent=2)
    typer.echo(text.replace("``", "`"))


def _schema_models() -> "dict[str, type[BaseModel]]":
    """The models whose JSON Schema ``blend schema`` prints, by the name to ask for."""
    from blend.schemas import rows
    from blend.schemas.locales import Locale
    from blend.schemas.manifest import ReleaseManifest, SnapshotInfo
    from blend.schemas.recipe import Domain, Recipe
    from blend.schemas.reports import datasheet_model

    return {
        "template": rows.QuestionTemplate,
        "saq": rows.Question,
        "response": rows.Response,
        "review": rows.Review,
        "annotation": rows.Annotation,
        "mcq": rows.MultipleChoiceQuestion,
        "food-triple": rows.Triple,
        "food-template": rows.TripleTemplate,
        "domain": Domain,
        "snapshot": SnapshotInfo,
        "locale": Locale,
        "recipe": Recipe,
        "datasheet": datasheet_model(),
        "manifest": ReleaseManifest,
    }


def _locales(
    tag: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Tag, region code or any name of the region; all when absent."),
    ] = None,
    locale_file: LocaleFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the locale registry, or what a name in it stands for."""
    from blend.loaders.files.toml import registry_with

    known = registry_with(locale_file)
    chosen = list(known) if tag is None else known.called(tag)
    if as_json:
        print_json([locale.model_dump(mode="json") for locale in chosen])
        return
    print_tables([_locale_details(chosen[0]) if len(chosen) == 1 else _locale_table(chosen)])


def _locale_table(locales: "Sequence[Locale]") -> Table:
    """One line per locale, and the datasets that hold it."""
    columns = ("locale", "split", "language", "region", "in a question", "datasets")
    rows = [
        (
            *(locale.tag, locale.split, locale.language_name, locale.region_name, locale.prompt_name),
            " ".join(locale.collections),
        )
        for locale in locales
    ]
    return Table.of(pluralise(len(locales), "locale"), columns, rows)


def _locale_details(locale: "Locale") -> Table:
    """Every field of one locale with what it means."""
    from blend.builders.cards.rendering import plain

    rows = [
        (name, _as_text(getattr(locale, name)), plain(meaning))
        for name, meaning in field_sentences(type(locale)).items()
    ]
    return Table.of(locale.tag, ("field", "value", "meaning"), rows)


def _as_text(value: object) -> str:
    return ", ".join(value) if isinstance(value, Iterable) and not isinstance(value, str) else str(value or "")
