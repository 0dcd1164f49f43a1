"""Starting: a folder for a new culture; and every mistake of a project file, before any server is asked."""

import csv
import io
import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import langcodes
import polars as pl

from blend.builders.annotation.counting import stage_of
from blend.builders.annotation.judging import read_sheet
from blend.builders.annotation.project import (
    ORDER,
    Project,
    ProjectFile,
    StageName,
    new_key,
    project_in,
    project_key,
    with_recipe,
)
from blend.builders.annotation.stage import Material, stage_definitions
from blend.builders.annotation.ui_strings import (
    english_template,
    is_checked,
    is_english,
    is_known,
    own_texts,
    texts_of,
    ui_strings_of,
)
from blend.builders.saq.answer_sheet import without_lost
from blend.loaders.files.new_files import git_attributes, write_new_files
from blend.loaders.responses import IN_A_FILE, NOT_ASKED, ResponseTables, read_responses
from blend.schemas.errors import InputError, RowError, RowErrors, did_you_mean, raise_all
from blend.schemas.languages import in_a_sentence, turned_around
from blend.schemas.locales import Locale, Registry, language_name, registry
from blend.schemas.models import packaged_templates
from blend.schemas.texts import RIGHT_TO_LEFT, pluralise

_TAG = re.compile(r"([a-z]{2,3}(?:-[A-Z][a-z]{3})?)-([A-Z]{2})")

_KEY, _COLLECTED = "annotators.key", "collected"
_ENGLISH = "instructions/english.md"
_FIRST_STAGES: tuple[StageName, ...] = ("answer", "review")


def start_project(folder: Path, tags: Sequence[str]) -> list[str]:
    """Write everything that a new project begins with; nothing is ever replaced.

    It is the package's folder ``start``, its templates filled in, with a key, and texts to translate for
    languages that the package does not have.

    Args:
        folder: Made if it is not there; see `files.new_files.write_new_files`, also for errors.
        tags: Locales, ``language-region``; those that the package does not know get an entry in a locale file,
            filled in from Unicode's data, to be checked by people.

    Returns:
        The paths of the files, relative to the folder, in text order.

    Raises:
        InputError: If a tag cannot be one, or the folder's name is none for project and release.
    """
    name = _name(folder.absolute().name)
    known, new = _with_new(tags)
    locales = [known.get(tag) for tag in dict.fromkeys(tags)]
    strange = sorted({locale.language for locale in locales if not is_known(locale.language)})
    facts = {"name": name, "locales": locales, "new": new, "strange": strange, "stages": _FIRST_STAGES}
    contents = {**_filled(facts), _KEY: new_key(), ".gitignore": f"{_KEY}\n", **git_attributes(folder)}
    if strange:
        # Under no language's name: it would be shown to people as if it were theirs.
        contents[_ENGLISH] = english_template(_FIRST_STAGES)
    return write_new_files(folder, contents, folders=(_COLLECTED,), private=(_KEY,))


def _name(folder: str) -> str:
    """The name of project and release, made of that of their folder.

    Raises:
        InputError: If it has nothing of which one can be made.
    """
    name = re.sub(r"[^a-z0-9._-]+", "-", folder.casefold()).strip("-._")[:24]
    if not name:
        raise InputError(f"{folder}: no name of a project can be made of it; name the folder in Latin letters")
    return name


def _with_new(tags: Sequence[str]) -> tuple[Registry, list[Locale]]:
    """The registry with an entry for every tag, and the entries that it lacked."""
    known = registry()
    new: list[Locale] = []
    for tag in dict.fromkeys(tags):
        if tag not in known:
            new.append(_entry(tag, known))
            known = registry().extended(new)
    return known, new


def _entry(tag: str, known: Registry) -> Locale:
    """An entry for a locale, from Unicode's data.

    Raises:
        InputError: If the tag is not a language in a country.
    """
    parts = _TAG.fullmatch(tag)
    if parts is None or not langcodes.tag_is_valid(parts[1]):
        meant = turned_around(tag)
        fix = f"did you mean {meant!r}?" if meant else "write one like wo-SN, or one that `blend locales` lists"
        raise InputError(f"{tag!r} is not a locale, which is a language and a country; {fix}")
    language, region = parts[1], parts[2]
    territory = langcodes.Language.make(territory=region)
    english = territory.territory_name()
    if not territory.is_valid() or english.startswith("Unknown"):
        raise InputError(
            f"{tag!r}: {region} is not an ISO 3166 country; for another region write the country that it lies "
            "in, and change region and names in the locale file"
        )
    # The likely script of the language in this country, by Unicode's data.
    script = langcodes.Language.get(f"{language}-{region}").maximize().script or "Latn"
    upstream = re.sub(r"\W+", "_", english).strip("_")
    taken = {code for locale in known for code in (locale.split, locale.upstream, *locale.other_codes)}
    suffix = f"_{language_name(language).replace(' ', '_')}"
    return Locale(
        tag=tag,
        language=language,
        region=region,
        region_name=english,
        upstream=f"{upstream}{suffix}" if upstream in taken else upstream,
        prompt_name=in_a_sentence(english, "en"),
        nationalities=(),
        aliases=(),
        native_name=territory.territory_name(language),
        direction="rtl" if script in RIGHT_TO_LEFT else "ltr",
        script=script,
        parent=region,
        split=f"{region}_{language.replace('-', '_')}" if region in taken else region,
    )


def _filled(facts: Mapping[str, object]) -> dict[str, str]:
    """The text of every file of the folder ``start``; one that has none is left out."""
    environment = packaged_templates(
        "blend.builders.annotation",
        "start",
        autoescape=False,  # plain text and TOML, in which texts are quoted
        keep_trailing_newline=True,
    )
    environment.filters["quoted"] = partial(json.dumps, ensure_ascii=False)
    environment.tests["english"] = is_english
    sheet = list(csv.DictReader(io.StringIO(environment.get_template("sheet.csv").render())))
    texts = {
        name.removesuffix(".j2"): environment.get_template(name).render(sheet=sheet, order=ORDER, **facts)
        for name in environment.list_templates()
    }
    return {name: text for name, text in texts.items() if text.strip()}


# Checking a project file: every mistake at once, with its key.


_WRITE = "write your own, and name them under [instructions]"


class CheckedProject(NamedTuple):
    """A project file without mistakes."""

    file: ProjectFile
    material: Material
    """Questions, responses and reviews so far, and sheets; empty where no stage needs them."""
    passed_over: Sequence[str]
    """What is passed over in reviews, and what to do about it."""
    diagnostics: Sequence[str]
    """All that the lead of the project should know though it is not wrong, with what is passed over."""


def check_project(path: Path, *, before_pull: bool = False) -> CheckedProject:
    """A project file, and that all it names is there and fits together.

    Args:
        path: The project file.
        before_pull: Whether the directory of raw responses is left unread, since a pull comes that mends it:
            responses to a question that was dropped are wrong until then.

    Raises:
        RowError, RowErrors, InputError: Every mistake, with file and key, and what to do.
    """
    file = project_in(path)
    checks = _Checks(file)
    collected = checks.run(before_pull=before_pull)
    raise_all(checks.problems)
    file, material = with_recipe(file), Material(sheets=checks.sheets)
    passed_over: Sequence[str] = ()
    if collected is not None:
        tables, passed_over = collected
        material = Material(tables.questions, tables.responses, tables.reviews, sheets=checks.sheets)
    return CheckedProject(file, material, passed_over, (*passed_over, *_notes(file, checks.known)))


class _Checks:
    """All checks of what a file names that reads well by itself.

    Args:
        file: The project.
    """

    def __init__(self, file: ProjectFile) -> None:
        self._file, self._project = file, file.project
        self.known: Registry = registry()
        self.sheets: dict[StageName, Sequence[Mapping[str, Any]]] = {}
        self.problems: list[RowError] = []
        self._counting = file.project
        """The project with the numbers of its recipe."""

    def run(self, *, before_pull: bool) -> tuple[ResponseTables, list[str]] | None:
        """Run them, each whatever the others find; returns what was collected so far, where it was read."""
        self.known = self._try("locale_file", lambda: self._file.locales) or self.known
        self._try("recipe", self._recipe)
        self._places()
        collected = None
        if not before_pull and any(stage_definitions()[name].reads_questions for name in self._used()):
            collected = self._try("collected", partial(_read_collected, self._file.collected, self.known))
        if collected is not None:
            self._asked(collected[0])
        self._locales(None if collected is None else set(collected[0].questions["locale"]))
        if "collect" in self._used() and self._project.topics is None:
            fix = 'list what questions are collected on, for example topics = ["Food", "Work life"]'
            self._add("topics", "the stage collect needs topics", fix)
        for stage in sorted(name for name in self._used() if stage_definitions()[name].columns):
            self._sheet(stage)
        self._instructions()
        self._try("key_file", lambda: project_key(self._file))
        return collected

    def _add(self, key: str, what: str, fix: str) -> None:
        self.problems.append(RowError(what, where=f"{self._file.path}, key {key}", fix=fix))

    def _try(self, key: str, read: Callable[[], Any]) -> Any:
        """Run what reads a file that a key names; its problems are problems here."""
        try:
            return read()
        except RowErrors as error:
            self.problems += error.errors
        except RowError as error:
            self.problems.append(error)
        except InputError as error:
            # By the form of our messages: what is wrong, a semicolon, what to do.
            what, _, fix = str(error).partition("; ")
            self._add(key, what, fix or "correct it")
        return None

    def _used(self) -> set[StageName]:
        return {stage for one in self._project.locales for stage in one.stages or self._project.stages}

    def _locales(self, asked: Collection[str] | None) -> None:
        """Check that locales are known, each once, with people and questions enough."""
        seen: dict[str, int] = {}
        for number, settings in enumerate(self._project.locales):
            key, tag, stages = f"locales[{number}]", settings.locale, settings.stages or self._project.stages
            self._try(f"{key}.locale", partial(self.known.get, tag))
            if seen.setdefault(tag, number) != number:
                fix = f"put both into one table; the other is locales[{seen[tag]}]"
                self._add(f"{key}.locale", f"{tag!r} has two tables", fix)
            if "answer" in stages and (what := _too_few("answer", self._counting, tag)):
                self._add(f"{key}.annotators", what, "name more people, or lower wanted")
            reads = any(stage_definitions()[name].reads_questions for name in stages)
            if asked is not None and reads and tag in self.known and tag not in asked:
                fix = f"add them to the questions in {self._project.collected}, or give the locale other stages"
                self._add(f"{key}.locale", f"there are no questions in {tag}", fix)

    def _recipe(self) -> None:
        """Check that the recipe is there where one is needed, and counts as the project does."""
        recipe = self._project.recipe
        for stage in sorted(
            name for name in self._used() if stage_definitions()[name].needs_recipe and recipe is None
        ):
            fix = 'name the recipe of the release that the questions are for, recipe = "recipe.toml"'
            self._add("recipe", f"the stage {stage} needs a recipe", fix)
        if recipe is not None and not (self._file.base / recipe).is_file():
            self._add("recipe", f"there is no file {recipe}", "correct the path, relative to this file")
        self._counting = with_recipe(self._file).project
        for key, there in sorted(dict(self._counting.saq_options()).items()):
            here = getattr(self._project, key)
            if recipe is not None and key in self._project.model_fields_set and here != there:
                fix = f"write {key} = {here} under [saq] of {recipe}, if that is meant, and delete the key here"
                self._add(key, f"is {here}, and {there} in {recipe}, by which a build counts", fix)

    def _places(self) -> None:
        collected = os.path.realpath(self._file.collected)  # a loop of links is itself
        for key, path in (("pulled", self._file.pulled), ("key_file", self._file.key_file)):
            if Path(os.path.realpath(path)).is_relative_to(collected):
                what = "lies inside the directory of raw responses, which is published with a release"
                self._add(key, what, "choose a place beside it")

    def _asked(self, tables: ResponseTables) -> None:
        """Check that templates and topics stand in the directory of raw responses."""
        named = [("templates", self._project.templates, "template_id")]
        if "collect" not in self._used():
            named += [("topics", self._project.topics, "topic")]
        for key, names, column in named:
            valid = tables.questions[column].unique().to_list()
            for number, name in enumerate(names or ()):
                if name not in valid:
                    stands = f"write one that stands in {self._project.collected}, or leave the key out for all"
                    fix = f"{did_you_mean(name, valid)}{stands}"
                    self._add(f"{key}[{number}]", f"{name!r} is unknown", fix)

    def _sheet(self, stage: StageName) -> None:
        path, judge = self._project.sheets.get(stage), stage_definitions()[stage]
        if path is None:
            fix = f'name the one that `{judge.made_by}` wrote, under [sheets]: {stage} = "sheet.csv"'
            self._add(f"sheets.{stage}", f"the stage {stage} needs a sheet", fix)
        elif rows := self._try(f"sheets.{stage}", partial(read_sheet, judge, self._file.base / path)):
            self.sheets[stage] = rows

    def _instructions(self) -> None:
        """Instructions of one's own: for a language of the project."""
        spoken = _stages_by_language(self._file, self.known)
        for language, name in self._project.instructions.items():
            key, own = f"instructions.{language}", self._file.base / name
            if language not in spoken:
                fix = f"the languages of this project are {', '.join(sorted(spoken))}"
                self._add(key, f"no locale of the project speaks {language!r}", fix)
            else:
                self._try(key, partial(own_texts, own))


def _read_collected(folder: Path, locales: Registry) -> tuple[ResponseTables, list[str]]:
    """Read a directory of raw responses while responses are being collected.

    Returns:
        The tables, in which reviews decide on answers that are given, and on nothing else; and what is passed
        over in reviews, and what to do about it.

    Raises:
        InputError, RowError, RowErrors: As `loaders.responses.read_responses`.
    """
    tables = read_responses(folder, locales=locales, reviewing=True, collecting=True)
    reviews, lost = without_lost(tables.reviews, tables.responses)
    of_reviews = tables.findings.filter(pl.col("kind").is_in([NOT_ASKED, IN_A_FILE]))
    passed_over = [f"{source}: {detail}" for source, detail in of_reviews.select("source", "detail").rows()]
    again = "have the question reviewed again, by `blend reviews propose` and `blend reviews accept --update`"
    for one in lost:
        what = f"decides on {', '.join(map(repr, one.answers))}, which nobody answers any more; passed over"
        passed_over.append(f"{one.source}: {what}; {'delete that review' if one.is_all else again}")
    return tables._replace(reviews=reviews), passed_over


def _too_few(name: StageName, project: Project, tag: str) -> str:
    """Say that fewer people are named for a stage in a locale than are to do it; blank if there are enough."""
    stage = stage_of(name)
    named, wanted = getattr(project.settings(tag), stage.role), stage.readers(project)
    if named is None or len(named) >= wanted:
        return ""
    people = pluralise(len(named), stage.role.removesuffix("s"))
    return f"{people} for the stage {name}, which {wanted} are to do"


def _stages_by_language(file: ProjectFile, known: Registry) -> dict[str, set[StageName]]:
    """The stages in which people of each language work."""
    found: dict[str, set[StageName]] = {}
    for settings in file.project.locales:
        if settings.locale in known:
            stages = settings.stages or file.project.stages
            found.setdefault(known.get(settings.locale).language, set()).update(stages)
    return found


def _notes(file: ProjectFile, known: Registry) -> Iterator[str]:
    project, unchecked = file.project, []
    for language, stages in sorted(_stages_by_language(file, known).items()):
        own = project.instructions.get(language)
        path = None if own is None else file.base / own
        if own is None and not is_known(language):
            yield f"pages in {language} are in English, since we have no texts in it: {_WRITE}"
            continue
        if english := sorted(stage for stage in stages if texts_of(language, stage, path).in_english):
            yield f"{language}: the instructions for {', '.join(english)} are in English: {_WRITE}"
        if path is not None and not is_known(language):
            _, words = own_texts(path)
            if left := [name for name, text in ui_strings_of("en").items() if words.get(name, text) == text]:
                yield f"these words are in English for {language}: {', '.join(left)}: write them in {own}"
        if own is None and not is_checked(language):
            unchecked.append(language)
    if unchecked:
        yield (
            f"no native speaker has checked our instructions in {', '.join(unchecked)}: have them read, or "
            "name your own under [instructions]"
        )
    for settings in project.locales:
        if settings.annotators is None and "answer" in (settings.stages or project.stages):
            yield f"{settings.locale}: no annotators are named, so whoever has an account may answer"
        # What fewer people do counts as well.
        for name in project.stages_of(settings.locale):
            if what := _too_few(name, project, settings.locale):
                yield f"{settings.locale}: {what}; name more people"
