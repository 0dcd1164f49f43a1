"""Checking a project file: every mistake at once, with its line, before any server is asked."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.beside import read_collected
from blend.builders.annotation.project import MAIL, ProjectFile, StageName, project_in, with_recipe
from blend.builders.annotation.pseudonyms import project_key
from blend.builders.annotation.rung_questions import rung_questions
from blend.builders.annotation.sheets import SHEETS
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.collect import slug
from blend.builders.annotation.stages.model import Material
from blend.builders.annotation.ui_strings import (
    ShownStrings,
    instructions_in,
    is_checked,
    is_known,
    texts_of,
    ui_strings_in,
    untranslated_strings,
)
from blend.builders.annotation.waiting import Waiting, waiting_stages
from blend.builders.mcq.result import regions_asked, too_few_regions
from blend.loaders.files.content import read_content
from blend.loaders.files.toml_lines import line_of, lines_of
from blend.loaders.recipes import read_recipe
from blend.schemas.errors import InputError, RowError, RowErrors, UnknownNameError, did_you_mean, raise_all
from blend.schemas.language.locales import Locale, Registry, registry
from blend.schemas.language.text_comparison import agreeing, pluralise

_PSEUDONYM = re.compile(r"p-[0-9a-f]{12}")


class CheckedProject(NamedTuple):
    """A project file without mistakes."""

    file: ProjectFile
    material: Material
    """Questions, responses and reviews so far, predictions and replies; empty where no stage needs them."""
    waiting: Waiting
    """Stages that can get no tasks yet."""
    diagnostics: tuple[str, ...]
    """What the lead of the project should know though it is not wrong."""


def check_project(path: Path, *, before_pull: bool = False) -> CheckedProject:
    """A project file, and that all it names is there and fits together.

    Args:
        path: The project file.
        before_pull: Whether the directory of raw responses is left unread, since a pull comes that mends it:
            responses to a question that was dropped are wrong until then.

    Raises:
        RowError, RowErrors, InputError: Every mistake, with file, line and key, and what to do.
    """
    lines = _lines(path)
    try:
        file = project_in(path)
    except (RowError, RowErrors) as error:
        raise_all([_with_line(problem, path, lines) for problem in _each(error)])
        raise
    checks = _Checks(file, lines)
    checks.run(before_pull=before_pull)
    raise_all(checks.problems)
    file = with_recipe(file)
    waiting = waiting_stages(file)
    notes = _notes(file, checks.known, checks.material, waiting)
    return CheckedProject(file, checks.material, waiting, (*checks.findings, *notes))


def _lines(path: Path) -> dict[str, int]:
    return lines_of(read_content(path, what="project file").decode("utf-8-sig", errors="replace"))


def _each(error: RowError | RowErrors) -> Sequence[RowError]:
    return error.errors if isinstance(error, RowErrors) else [error]


def _with_line(problem: RowError, path: Path, lines: dict[str, int]) -> RowError:
    """The problem with the line of its key."""
    location, _, key = problem.where.partition(", key ")
    if location != str(path) or not key:
        return problem
    return RowError(problem.what, where=f"{path}:{line_of(key, lines)}, key {key}", fix=problem.fix)


class _Checks:
    """All checks of a file that reads well by itself.

    Args:
        file: The project.
        lines: Lines of its keys.
    """

    def __init__(self, file: ProjectFile, lines: dict[str, int]) -> None:
        self._file = file
        self._lines = lines
        self._project = file.project
        self._rule = file.project.saq_options()
        self.known: Registry = registry()
        self.material = Material()
        self.problems: list[RowError] = []
        self.findings: Sequence[str] = ()

    def run(self, *, before_pull: bool) -> None:
        """Run them, each whatever the others find."""
        self._collect("locale_file", self._read_locales)
        self._locales()
        self._stages()
        if self._project.recipe is not None:
            self._collect("recipe", self._read_rule)
        for number in range(len(self._project.locales)):
            self._people(number)
        self._locations()
        if not before_pull and any(STAGES[name].reads_questions for name in self._stages_used()):
            self._collect("collected", self._read_collected)
        self._topics()
        self._files()
        self._instructions()
        self._collect("key_file", lambda: project_key(self._file))

    def _add(self, key: str, what: str, fix: str) -> None:
        where = f"{self._file.path}:{line_of(key, self._lines)}, key {key}"
        self.problems.append(RowError(what, where=where, fix=fix))

    def _collect(self, key: str, read: Callable[[], object]) -> None:
        """Run what reads a file that a key names; its problems are problems here."""
        try:
            read()
        except (RowError, RowErrors) as error:
            self.problems += _each(error)
        except InputError as error:
            what, _, fix = str(error).partition("; ")
            self._add(key, what, fix or "correct it")

    def _stages_used(self) -> set[StageName]:
        project = self._project
        return {stage for settings in project.locales for stage in settings.stages or project.stages}

    def _read_locales(self) -> None:
        self.known = self._file.locales

    def _locales(self) -> None:
        seen: dict[str, int] = {}
        for number, settings in enumerate(self._project.locales):
            key = f"locales[{number}].locale"
            try:
                self.known.get(settings.locale)
            except UnknownNameError as error:
                what, _, fix = str(error).partition("; ")
                self._add(key, what, fix)
            first = seen.setdefault(settings.locale, number)
            if first != number:
                fix = f"put both into one table; the other is locales[{first}]"
                self._add(key, f"{settings.locale!r} has two tables", fix)

    def _stages(self) -> None:
        listed = [("stages", self._project.stages)]
        for number, settings in enumerate(self._project.locales):
            listed += [(f"locales[{number}].stages", settings.stages or ())]
        for key, stages in listed:
            for stage in sorted({stage for stage in stages if stages.count(stage) > 1}):
                self._add(key, f"the stage {stage!r} is listed twice", "delete one of the two")

    def _people(self, number: int) -> None:
        settings = self._project.locales[number]
        for role, listed in (("annotators", settings.annotators), ("reviewers", settings.reviewers)):
            key = f"locales[{number}].{role}"
            folded = [entry.strip().casefold() for entry in listed or ()]
            for entry in sorted({entry for entry in folded if folded.count(entry) > 1}):
                self._add(key, f"{_hidden(entry)} is listed twice", "delete one of the two")
            for location, entry in enumerate(listed or ()):
                if not MAIL.fullmatch(entry.strip()) and not _PSEUDONYM.fullmatch(entry.strip()):
                    fix = (
                        "write the e-mail address of an account, or the pseudonym that "
                        "`blend annotate pseudonym` prints for it, p- and 12 digits and letters"
                    )
                    self._add(
                        f"{key}[{location}]", f"{_hidden(entry)} is neither of the two ways to name people", fix
                    )
        stages = settings.stages or self._project.stages
        named, wanted = len(settings.annotators or ()), self._rule.wanted
        if settings.annotators is not None and "answer" in stages and named < wanted:
            are = agreeing(wanted, "is", "are")
            what = f"{pluralise(named, 'annotator')}, but {pluralise(wanted, 'response')} {are} wanted"
            fix = "each person answers a question once: name more people, or lower the key wanted"
            self._add(f"locales[{number}].annotators", what, fix)

    def _locations(self) -> None:
        collected = os.path.realpath(self._file.collected)  # a loop of links is itself
        for key, path in (("pulled", self._file.pulled), ("key_file", self._file.key_file)):
            if Path(os.path.realpath(path)).is_relative_to(collected):
                what = "lies inside the directory of raw responses, which is published with a release"
                self._add(key, what, "choose a place beside it")
        if re.match(r"https?://[^/]*@", self._project.server.url):
            fix = f"remove it, and give the token in the environment as {self._project.server.key_variable}"
            self._add("server.url", "holds a name or password before the @", fix)

    def _read_collected(self) -> None:
        tables, self.findings = read_collected(self._file.collected, self.known)
        self.material = Material(tables.questions, tables.responses, tables.reviews)
        self._known_names(
            "templates", self._project.templates, tables.questions["template_id"].unique().to_list()
        )
        if "collect" not in self._stages_used():
            self._known_names("topics", self._project.topics, tables.questions["topic"].unique().to_list())
        asked = set(tables.questions["locale"])
        for number, settings in enumerate(self._project.locales):
            stages = settings.stages or self._project.stages
            reads = any(STAGES[name].reads_questions for name in stages)
            if settings.locale in self.known and settings.locale not in asked and reads:
                fix = f"add them to the questions in {self._project.collected}, or give the locale other stages"
                self._add(f"locales[{number}].locale", f"there are no questions in {settings.locale}", fix)

    def _known_names(self, key: str, names: Sequence[str] | None, valid: Sequence[str]) -> None:
        """Names that must stand in the directory of raw responses."""
        for number, name in enumerate(names or ()):
            if name not in valid:
                stands = f"write one that stands in {self._project.collected}, or leave the key out for all"
                fix = f"{did_you_mean(name, valid)}{stands}"
                self._add(f"{key}[{number}]", f"{name!r} is unknown", fix)

    def _topics(self) -> None:
        if "collect" not in self._stages_used():
            return
        if self._project.topics is None:
            fix = 'list what questions are collected on, for example topics = ["Food", "Work life"]'
            self._add("topics", "the stage collect needs topics", fix)
        slugs = [slug(topic) for topic in self._project.topics or ()]
        for number, topic in enumerate(self._project.topics or ()):
            if not slugs[number] or slugs[number] in slugs[:number]:
                fix = "give every topic letters of its own: ids are made of them"
                self._add(f"topics[{number}]", f"{topic!r} cannot be told from another topic", fix)

    def _files(self) -> None:
        """The files that single stages need."""
        used = self._stages_used()
        for stage in sorted(name for name in used if STAGES[name].needs_recipe):
            if self._project.recipe is None:
                fix = 'name the recipe of the release that the questions are for, recipe = "recipe.toml"'
                self._add("recipe", f"the stage {stage} needs a recipe", fix)
        recipe = self._project.recipe
        if recipe is not None and not (self._file.base / recipe).is_file():
            self._add("recipe", f"there is no file {recipe}", "correct the path, relative to this file")
        for stage in sorted(used & {*SHEETS}):
            if getattr(self._project, stage) is None:
                fix = "name the sheet that `blend eval judge-sheet` wrote"
                self._add(stage, f"the stage {stage} needs a sheet", fix)
            else:
                self._collect(stage, partial(self._read_sheet, stage))

        if "rungs" in used and self._project.release is None:
            self._add("release", "the stage rungs needs a release", 'name it, for example release = "release"')
        elif "rungs" in used:
            self._collect("release", self._read_rungs)

    def _read_rungs(self) -> None:
        release = str(self._project.release)
        beside = self._file.base / release
        questions = rung_questions(beside if beside.exists() else release)
        self.material = replace(self.material, rungs=questions)

    def _read_rule(self) -> None:
        """Read the five-valid rule of the recipe; one that stands here as well must be the same."""
        self._rule, recipe = with_recipe(self._file).project.saq_options(), self._project.recipe
        for key, there in sorted(dict(self._rule).items()):
            here = getattr(self._project, key)
            if key in self._project.model_fields_set and here != there:
                fix = f"write {key} = {here} under [saq] of {recipe}, if that is meant, and delete the key here"
                self._add(key, f"is {here}, and {there} in {recipe}, by which a build counts", fix)

    def _read_sheet(self, stage: StageName) -> None:
        sheet = SHEETS[stage](self._file.base / str(getattr(self._project, stage)))
        held: dict[str, Any] = {stage: sheet}
        self.material = replace(self.material, **held)

    def _instructions(self) -> None:
        """Instructions of one's own: for a language of the project, with every stage that it has."""
        known = [settings for settings in self._project.locales if settings.locale in self.known]
        languages = {self.known.get(settings.locale).language for settings in known}
        for language, name in self._project.instructions.items():
            key = f"instructions.{language}"
            if language not in languages:
                fix = f"the languages of this project are {', '.join(sorted(languages))}"
                self._add(key, f"no locale of the project speaks {language!r}", fix)
                continue
            stages = {
                stage
                for settings in known
                if self.known.get(settings.locale).language == language
                for stage in settings.stages or self._project.stages
            }
            self._collect(key, partial(self._read_instruction, name, stages))

    def _read_instruction(self, name: str, stages: set[StageName]) -> None:
        parts = instructions_in(self._file.base / name)
        ui_strings_in(self._file.base / name)
        problems: list[RowError] = []
        for stage in sorted(stages):
            try:
                parts[stage]
            except RowError as error:
                problems.append(error)
        raise_all(problems)


def _hidden(entry: str) -> str:
    """An entry as a message shows it: of an address only how it begins."""
    return f"{entry[:2]}…@…" if "@" in entry else repr(entry)


def regions_note(file: ProjectFile, known: Registry, material: Material) -> str | None:
    """Say what multiple-choice questions lack; null where nothing is missing or other sources may bring it."""
    if file.project.recipe is not None:
        recipe = read_recipe(file.base / file.project.recipe)
        if recipe.mcq.fillers is not None or len(recipe.sources) > 1:
            return None
    tags = [settings.locale for settings in file.project.locales]
    return too_few_regions(regions_asked(material.questions.filter(pl.col("locale").is_in(tags)), known))


def _notes(file: ProjectFile, known: Registry, material: Material, waiting: Waiting) -> Iterator[str]:
    project = file.project
    ours = sorted(
        {known.get(settings.locale).language for settings in project.locales} - {*project.instructions}
    )
    strange = [language for language in ours if not is_known(language)]
    if strange:
        yield (
            f"pages in {', '.join(strange)} are in English, since we have no texts in it: write your own, and "
            "name them under [instructions]"
        )
    for settings in project.locales:
        locale = known.get(settings.locale)
        if locale.language not in strange:
            yield from _untranslated(file, locale)
    if unchecked := [language for language in ours if not is_checked(language)]:
        yield (
            f"no native speaker has checked our instructions in {', '.join(unchecked)}: have them read, or "
            "name your own under [instructions]"
        )
    for settings in project.locales:
        if settings.annotators is None and "answer" in (settings.stages or project.stages):
            yield f"{settings.locale}: no annotators are named, so whoever has an account may answer"
    if note := regions_note(file, known, material):
        yield note
    if waiting.stages:
        stages = ", ".join(waiting.stages)
        yield f"{stages}: no further tasks until {waiting.until}; `blend annotate sync` brings them"


def _untranslated(file: ProjectFile, locale: Locale) -> Iterator[str]:
    """List, file by file, what the pages of a locale say in English though its language is another one."""
    own = file.project.instructions.get(locale.language)
    stages: list[str] = []
    ui_strings: set[str] = set()
    for stage in file.project.stages_of(locale.tag):
        texts = texts_of(locale.language, stage, None if own is None else file.base / own)
        if texts.in_english:
            stages.append(stage)
        shown = ShownStrings(texts.ui_strings)
        STAGES[stage].config(file.project, locale, texts._replace(ui_strings=shown))
        ui_strings |= shown.asked & untranslated_strings(locale.language, texts.ui_strings)
    if not stages and not ui_strings:
        return
    what = [f"the instructions for {', '.join(stages)}"] if stages else []
    what += [f"{pluralise(len(ui_strings), 'word')} ({', '.join(sorted(ui_strings))})"] if ui_strings else []
    where, fix = (
        (f"our pages in {locale.language}", "write your own, and name them under [instructions]")
        if own is None
        else (str(own), "translate them")
    )
    yield f"{locale.tag}: in {where}, {' and '.join(what)} are in English: {fix}"
