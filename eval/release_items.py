"""A task's items from a release, in a directory or on the Hub, and runs with the items that they asked.

The items of a run are made from its release anew. And what their user hears meanwhile.
"""

import dataclasses
import inspect
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from blend.eval.items import TaskItems, repeated, text_digest
from blend.eval.judging import JUDGE
from blend.eval.runs import (
    DESCRIPTION_NAME,
    AskedRelease,
    ReleaseItems,
    RunDescription,
    read_description,
    unreadable,
)
from blend.eval.runs.run_directory import ITEMS_NAME, Run, RunOutcome, change_description, kept_items
from blend.eval.task import TaskOptions, WrittenOptions, checked_options
from blend.eval.task_protocol import Task
from blend.eval.tasks import task_of
from blend.loaders.datasets import fetch_tables, find_region, find_release
from blend.loaders.files.progress import ProgressCallback, progress_if_watched
from blend.loaders.releases.tables import read_config, release_domain
from blend.schemas.errors import BlendWarning, InputError
from blend.schemas.locales import Registry
from blend.schemas.rows import (
    MULTIPLE_CHOICE_QUESTIONS,
    RUNGS,
    SHORT_ANSWER_PROMPTS,
    SHORT_ANSWER_QUESTIONS,
)

_REBUILT = "and build the release again"
_HOW_TO_GET: Mapping[str, str] = {
    SHORT_ANSWER_PROMPTS: "say in a file prompts.csv beside questions.csv how a model is asked "
    f"(docs/responses.md) {_REBUILT}",
    MULTIPLE_CHOICE_QUESTIONS: "no question has an answer of its region beside three of other regions that "
    "enough people gave, and reports/findings.jsonl of the release says why of each (docs/mcq.md)",
    **dict.fromkeys(RUNGS, f"write rungs = true below [mcq] in the recipe (docs/mcq.md) {_REBUILT}"),
}
"""What to do about a configuration that a release lacks, or why it does."""

DISHES = "dish"
"""The domain in whose words texts are written."""


def read_items(
    release: str | Path,
    task: Task,
    **options: Any,
) -> ReleaseItems:
    """The items of a task.

    Args:
        release: A directory, or ``org/name@v1.0.0`` on the Hub, of which only what the task reads is fetched.
        task: The task.
        options: Options of the task, such as ``locales``; those that are null have their defaults.

    Raises:
        UnknownNameError: If there is no such region in the release; lists those there are.
        ArgumentError: If an option cannot be.
        InputError: If the release cannot be found or lacks a configuration that the task reads, or if nothing
            would be asked.
    """
    given = {name: value for name, value in options.items() if value is not None}
    checked = checked_options(task.options, given, task=task.name)
    places = find_release(release)
    used, configs = task.settle(checked, places.manifest)
    where, held = places.manifest.label, places.manifest.tables
    _check_held(configs, {table.config for table in held}, task, where)
    fetch_tables(places, [table for table in held if table.config in configs])
    known = places.regions()
    tags: tuple[str, ...] = ()
    if checked.locales is not None:
        tags = _named_tags(checked.locales, known, where)
        used = dataclasses.replace(used, locales=None if len(tags) == len(known) else tags)
    used = _in_the_domains_words(used, places.folder)
    splits = {locale.tag: locale.split for locale in places.locales}
    region = pl.col("locale").replace_strict(splits, return_dtype=pl.String).alias("region")
    tables = {config: read_config(places.folder, config) for config in configs}
    tables = {
        config: rows.with_columns(region) if "locale" in rows.columns else rows
        for config, rows in tables.items()
    }
    asked = task.items(tables, used)
    _check_asked(asked, task, where, {tag: splits[tag] for tag in tags})
    if isinstance(used, WrittenOptions):
        asked = repeated(asked, used.samples)
    asked = asked._replace(locales=places.locales)
    read_from = AskedRelease.of(places.manifest, configs, _location_of(release))
    return ReleaseItems(read_from, task.name, used.kept(), asked)


def _named_tags(locales: Sequence[str], known: Registry, where: str) -> tuple[str, ...]:
    """The regions that are named, in their order in the release."""
    # Commas between several, as people type them.
    named = {find_region(name.strip(), known, where=where).tag for one in locales for name in one.split(",")}
    return tuple(tag for tag in known.tags if tag in named)


def _check_asked(asked: TaskItems, task: Task, where: str, named: Mapping[str, str]) -> None:
    """Refuse to ask nothing, in all or about a region that is named; ``named`` are their codes by tag."""
    if asked.items.is_empty():
        others = " or ".join(f"`{name}`" for name in task.chosen_by)
        raise InputError(f"{where}: nothing to ask for the task {task.name}; choose other {others}")
    reached = set(asked.items["locale"])
    if left := [code for tag, code in named.items() if tag not in reached]:
        raise InputError(
            f"{where}: nothing to ask about {', '.join(left)} for the task {task.name}; choose other `locales`"
        )


def _location_of(release: str | Path) -> str:
    """What a run keeps of where its release lies: a directory in full, a name on the Hub as it is."""
    return str(Path(release).resolve()) if Path(release).is_dir() else str(release)


def _in_the_domains_words(options: TaskOptions, release: Path) -> TaskOptions:
    """The options with the words of the release's domain, where the task wants them and it is not dishes."""
    if "words" not in options.FROM_RELEASE:
        return options
    domain = release_domain(release)
    if domain is None or domain.name == DISHES:
        return options
    from_release: dict[str, Any] = {"words": domain.words}
    return dataclasses.replace(options, **from_release)


def _check_held(configs: Sequence[str], held: Collection[str], task: Task, where: str) -> None:
    """Refuse a release that lacks a configuration which the task reads."""
    for config in configs:
        if config not in held:
            raise InputError(
                f"{where}: the release has no configuration {config}, which the task {task.name} reads; "
                f"it has {', '.join(sorted(held))}{_how_to_get(config, held)}; or choose another `task`, or "
                "another release"
            )


def _how_to_get(config: str, held: Collection[str]) -> str:
    """What to do about a configuration that a release lacks, where it is a release of questions."""
    if SHORT_ANSWER_QUESTIONS not in held:
        return ""
    if MULTIPLE_CHOICE_QUESTIONS not in held and config != SHORT_ANSWER_PROMPTS:
        # All others are made of these.
        config = MULTIPLE_CHOICE_QUESTIONS
    return f": {_HOW_TO_GET[config]}" if config in _HOW_TO_GET else ""


def read_run(directory: str | Path, *, release: str | Path | None = None) -> Run:
    """The run in a directory, complete or not, for reading.

    Args:
        directory: A run directory.
        release: Where the release lies now that was asked; as the run says when absent. The run then knows it.

    Raises:
        InputError: If the directory holds no run that this version reads.
    """
    folder = Path(directory)
    description = read_description(folder)
    # What a judge is asked is no task.
    if description.task != JUDGE:
        try:
            task = task_of(description.task)
            options = checked_options(task.options, description.options, task=task.name)
        except InputError as error:
            raise unreadable(folder / DESCRIPTION_NAME, error) from error
        description = description.model_copy(update={"options": options.kept()})
    if (folder / ITEMS_NAME).exists():
        return Run(folder, description, cache(lambda: kept_items(folder, description)))
    fix = "say where it lies now: `blend eval score RUN --release DIR`"
    if release is not None:
        moved = description.release.model_copy(update={"location": _location_of(release)})
        description = description.model_copy(update={"release": moved})
        fix = f"name the release that was asked, {moved.name} {moved.version}"
    run = Run(folder, description, cache(lambda: _made_anew(folder, description, fix)))
    if release is not None:
        run.asked()  # which refuses another release
        run = change_description(run, release=description.release)
    return run


def _made_anew(directory: Path, run: RunDescription, fix: str) -> TaskItems:
    """The items of a run, from its release; ``fix`` is what to do where that is another one, or gone.

    Raises:
        BlendError: If the release is not there, or not as it was, or gives other items to this version.
    """
    location = run.release.location
    if location is None:
        raise unreadable(
            directory / DESCRIPTION_NAME, f"release.location: null, and no {ITEMS_NAME} is beside it"
        )
    try:
        found = read_items(location, task_of(run.task), **run.options)
    except InputError as error:
        raise InputError(f"{directory}: its questions come from the release: {error}; {fix}") from error
    there = found.release
    if there.tables != run.release.tables:
        raise InputError(
            f"{directory}: the run asked {run.release.name} {run.release.version}, and {location} holds "
            f"{there.name} {there.version} with other tables; {fix}"
        )
    prompts = {name: text_digest(text) for name, text in found.asked.prompts.items()}
    if found.asked.items.height != run.n_items or prompts != run.prompts:
        raise InputError(
            f"{directory}: was asked by version {run.sdk_version}, which put the questions otherwise; score it "
            "with that version, or run again into another directory"
        )
    return found.asked


_PACKAGE = f"{Path(__file__).parent}/"


def warn(notice: str) -> None:
    """Say it as Python says warnings, at the line that called this package."""
    outside = (n for n, one in enumerate(inspect.stack(), 1) if not one.filename.startswith(_PACKAGE))
    warnings.warn(notice, BlendWarning, stacklevel=next(outside, 1))


def announced(run: Run, outcome: RunOutcome, before: Sequence[str] = ()) -> Run:
    """The run with its outcome, whose warnings somebody has heard."""
    for warning in outcome.warnings:
        warn(warning)
    return dataclasses.replace(run, outcome=outcome._replace(warnings=(*before, *outcome.warnings)))


def watched(on_progress: ProgressCallback | None) -> AbstractContextManager[Any]:
    """Who hears of progress: whom the caller names, or else a bar where somebody watches."""
    return progress_if_watched() if on_progress is None else nullcontext(on_progress)
