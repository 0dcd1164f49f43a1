"""Commands that look and change nothing: show, stats, audit, diff, plan, status, schema, locales, items."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blend.cli.application import UsageError, check_known
from blend.cli.options import (
    DEFAULT_OUT,
    AsJson,
    LocaleFile,
    RawRecipe,
    Release,
    TablesFolder,
    keep_tables,
    print_json,
    print_lines,
    print_result,
    print_tables,
    reporting,
    used_recipe,
)
from blend.loaders.files.progress import progress_if_watched
from blend.schemas.errors import InputError
from blend.schemas.models import first_line_of
from blend.stopping import interruptible

if TYPE_CHECKING:
    from pydantic import BaseModel


_ReleaseFolder = Annotated[Path, typer.Argument(help="Release directory.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for command in (_show, _stats, _audit, _diff, _plan, _status, _schema, _locales, _items):
        app.command()(command)


def _show(
    release: _ReleaseFolder = DEFAULT_OUT,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="PAGE",
            help="Write a page instead on which every question can be looked through; one that blend wrote "
            "there is replaced.",
        ),
    ] = None,
) -> None:
    """Print what a release holds, and the first row of every configuration.

    - `blend show release --html release.html` shows what every region answers, votes, options and findings on
      one page that needs no network: look through it before publishing.
    """
    if html is not None:
        from blend.eval.report.question_browser import build_release_page, write_page

        with interruptible():
            write_page(html, build_release_page(release), parameter="html")
        typer.echo(f"Wrote {html}: open it in a browser.")
        return
    from blend.cli.releases import show_release

    show_release(release)


def _stats(
    release: _ReleaseFolder = DEFAULT_OUT,
    out: TablesFolder = None,
    everything: Annotated[bool, typer.Option("--all", help="Print all tables, not the first one.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the statistics of a dataset: questions, votes, agreement, overlap; dishes, origins, ingredients.

    - `blend stats release` prints the counts, and which further tables there are.
    - `blend stats release --all` prints all of them.
    - `blend stats release --out figures` keeps all of them as files.
    """
    from blend.builders.stats.dataset import stats_of_release

    with progress_if_watched() as on_progress:
        figures = stats_of_release(release, on_progress=on_progress)
    keep_tables(figures, out, name="stats.json", what="statistics")
    print_result(figures, as_json=as_json, everything=everything)


def _audit(
    questions: Release = "release",
    out: TablesFolder = None,
    as_json: AsJson = False,
) -> None:
    """Answer multiple-choice questions by simple rules, and say what gives them away.

    - `blend audit release` audits a directory.
    - `blend audit release --json` prints the figures for a program.
    """
    from blend.builders.audit.release import audit_release
    from blend.loaders.releases.references import resolve_release

    with progress_if_watched() as on_progress:
        found = audit_release(resolve_release(questions), on_progress=on_progress)
    keep_tables(found, out, name="audit.json", what="audit")
    print_result(found, as_json=as_json)


def _diff(
    old: Annotated[str, typer.Argument(help="Release to compare with: a directory, or org/name@revision.")],
    new: Annotated[str, typer.Argument(help="Release to compare: a directory, or org/name@revision.")],
    examples: Annotated[
        int, typer.Option(min=0, help="Changed values per column and split to quote, at most.")
    ] = 3,
    as_json: AsJson = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 3 if the releases differ, with 0 if not.")
    ] = False,
) -> None:
    """Compare two releases, and say which version step follows.

    Rows are paired by their id; values are compared column by column. A revision is a tag or a commit.

    - `blend diff release-1.0.0 release` compares two directories.
    - `blend diff org/blend@v1.0.0 release` compares what was published with what was built.
    - `blend diff org/blend@v1.0.0 org/blend@v1.1.0` compares two published versions.
    """
    from blend.builders.diff import diff_releases
    from blend.builders.diff.model import difference_tables
    from blend.builders.diff.text import diff_json, verdict
    from blend.loaders.releases.references import resolve_release

    with interruptible(), progress_if_watched() as on_progress:
        folders = resolve_release(old), resolve_release(new)
        found = diff_releases(*folders, examples=examples, on_progress=on_progress)
    if as_json:
        print_json(diff_json(found))
    else:
        print_lines([verdict(found)])
        if not found.is_empty:
            print_tables(difference_tables(found, examples=examples))
    if exit_code and not found.is_empty:
        raise typer.Exit(3)


def _plan(
    release: Annotated[
        Path | None,
        typer.Argument(help="Release directory of a pilot; what BLEnD's 16 regions brought when absent."),
    ] = None,
    locale: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TAG",
            help="Plan like this region only; can be repeated. BLEnD's mean, or all of a pilot's.",
        ),
    ] = None,
    difference: Annotated[
        float, typer.Option(metavar="POINTS", help="Difference that two models shall be told apart by.")
    ] = 5,
    templates: Annotated[
        str, typer.Option(metavar="N,N", help="Numbers of templates asked in the region.")
    ] = "100,200,500",
    annotators: Annotated[
        str, typer.Option(metavar="N,N", help="Numbers of annotators of every question, 2 to 9.")
    ] = "3,5,7",
    price: Annotated[float | None, typer.Option(help="Price of one answer, in any currency.")] = None,
    as_json: AsJson = False,
) -> None:
    """Plan a collection: templates and annotators, what they cost, leave, and tell apart.

    - `blend plan --price 0.10` plans for a region like the mean of BLEnD's.
    - `blend plan --locale ha-NG --annotators 5 --difference 10` plans like one of them.
    - `blend plan pilot` plans by what a pilot has brought.
    """
    from blend.builders.stats.planning import mean_figures, plan_collection, release_figures
    from blend.loaders.responses.verdicts import shipped_collections

    figures = shipped_collections()
    if release is not None:
        with progress_if_watched() as on_progress:
            figures = release_figures(release, comparable=figures, on_progress=on_progress)
    elif not locale:
        figures = mean_figures(figures)
    found = plan_collection(
        figures,
        templates=_counts("--templates", templates),
        annotators=_counts("--annotators", annotators),
        difference=difference / 100,
        price=price,
        locales=locale,
    )
    print_result(found, as_json=as_json)


def _counts(option: str, text: str) -> list[int]:
    """Read numbers with commas between."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise UsageError(f"{option} {text}: expected whole numbers with commas between, such as 100,200,500")
    return [int(part) for part in parts]


def _status(
    recipe: RawRecipe = None,
    as_json: AsJson = False,
) -> None:
    """Say which questions still need responses, per locale."""
    import polars as pl

    from blend.builders.release.tables import read_inputs
    from blend.builders.saq.ballots import collection_status
    from blend.loaders.recipes import RecipeInPlace

    chosen = used_recipe(recipe)
    used, base = chosen.recipe, chosen.base
    placed = RecipeInPlace.of(used, base)
    inputs = read_inputs(placed)
    if inputs.responses.is_empty():
        raise InputError(
            "the recipe has no raw responses, only finished annotations; "
            "add a source of kind 'responses' to follow a collection"
        )
    # What is finished already, as in BLEnD's regions, is not being collected.
    finished = set(inputs.annotations["locale"]) - set(inputs.responses["locale"])
    collected = inputs.questions.filter(~pl.col("locale").is_in(finished))
    state = collection_status(collected, inputs.responses, inputs.reviews, used.saq)
    if as_json:
        print_json(state.questions.to_dicts())
        return
    from blend.builders.mcq.result import too_few_regions
    from blend.cli.releases import RAW, odd_lines
    from blend.loaders.responses.verdicts import proposes_options

    print_tables(state.as_tables())
    own = [stage.findings for stage in inputs.stages if stage.name.startswith(RAW)]
    found = [row for findings in own for row in findings.to_dicts()]
    print_lines(odd_lines(found, "all among the findings of a build"))
    can_fill = used.mcq.verdicts is not None and proposes_options(base / used.mcq.verdicts)
    if not can_fill and (note := too_few_regions(inputs.questions, placed.locales)):
        print_lines([f"{note}."])


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
    from blend.cli.releases import locale_details, locale_table

    print_tables([locale_details(chosen[0]) if len(chosen) == 1 else locale_table(chosen)])


def _schema_models() -> "dict[str, type[BaseModel]]":
    """The models whose JSON Schema ``blend schema`` prints, by the name to ask for."""
    from blend.schemas import rows
    from blend.schemas.locales import Locale
    from blend.schemas.manifest import ReleaseManifest, SnapshotInfo
    from blend.schemas.recipe import Domain, Recipe
    from blend.schemas.reports import Datasheet

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
        "datasheet": Datasheet,
        "manifest": ReleaseManifest,
    }


def _items(
    directories: Annotated[
        list[Path],
        typer.Argument(metavar="RUN RUN…", help="Directories of scored runs, of six models or more."),
    ],
    out: TablesFolder = None,
    suspects: Annotated[
        Path | None, typer.Option(help="Also list the suspects: .csv, .jsonl or .xlsx.")
    ] = None,
) -> None:
    """Say how difficult items are, what they tell apart, and which look as if their key were wrong.

    The runs must have asked the same questions in the same way: their signatures are equal, the model apart.

    - `blend items runs/*` prints tables.
    - `blend items runs/* --suspects suspects.csv` lists what people should read.
    """
    from blend.builders.items import analyse_items
    from blend.eval.evaluation import item_answers, read_scored
    from blend.loaders.files.new_files import write_new_sheet

    with reporting("nothing was changed"):
        runs = read_scored(directories)
        found = analyse_items(item_answers(runs), chance=runs[0].task.chance)
        if suspects is not None:
            write_new_sheet(suspects, found.suspect_sheet())
        keep_tables(found, out, name="items.json", what="item analysis")
    print_tables(found.as_tables())
    if found.untold:
        typer.echo(f"Note: {found.untold}.")
    if suspects is not None:
        typer.echo(f"Have people read their options: blend questions options recipe.toml --suspects {suspects}")
