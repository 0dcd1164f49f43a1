"""Recipes: the TOML files that describe a release, and a recipe in its place; the two that are packaged.

The sample is a small dataset of invented responses, which has the layout of `loaders.responses`, and
`sample/recipe.toml` builds it. The starter is one small file of every kind, which build as they are.
"""

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path

import polars as pl
import tomli_w

from blend.loaders.files.content import (
    directory_digest,
    file_infos,
    instead_of_file,
    read_content,
    read_text,
)
from blend.loaders.files.diagnostics import unknown_locale
from blend.loaders.files.new_files import git_attributes, write_new_files
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.files.toml import known_domains, read_toml, registry_with
from blend.loaders.files.workbooks import WORKBOOK
from blend.loaders.releases import read_manifest
from blend.loaders.releases.references import hub_reference, resolve_release
from blend.loaders.responses.verdicts import GivenVerdict, append_verdicts, read_verdicts
from blend.loaders.topics import read_forms
from blend.loaders.wikidata.partial import read_snapshot_info
from blend.loaders.wikidata.prompts import PACKAGED
from blend.schemas.errors import InputError, raise_all
from blend.schemas.locales import Registry, registry
from blend.schemas.manifest import (
    ANSWERS_NAME,
    DOMAINS_NAME,
    LOCALES_NAME,
    PROMPT_TEMPLATES_NAME,
    SNAPSHOT_NAME,
    SourceInfo,
    numbers_of,
)
from blend.schemas.personal_data import MODEL_PREFIX
from blend.schemas.recipe import Domain, Recipe, Source, TripleOptions, domains, find_domain

_SUFFIXES = (".toml", ".csv")
"""Endings of the files that a starter has; what else lies in its folder is not part of it."""


def read_recipe(path: Path | str) -> Recipe:
    """The recipe in a TOML file.

    Raises:
        RowError, RowErrors: If there is no such file, or it is not text in UTF-8; if it is not TOML (names the
            line), or if keys are missing, unknown or have values that cannot be; names all of them at once.
    """
    return read_toml(Path(path), Recipe, what="recipe")


def sample_path() -> AbstractContextManager[Path]:
    """The sample's directory, for as long as the context is open.

    ``with sample_path() as folder: ...`` works from a checkout and from an installed wheel.

    Returns:
        A context that gives the directory with ``recipe.toml``, ``templates.csv``, ``questions.csv``,
        ``prompts.csv``, ``responses/{locale}.csv`` and ``reviews/{locale}.jsonl``.
    """
    return as_file(files("blend.loaders") / "sample")


def write_starter(folder: Path) -> list[str]:
    """Write recipe, locale file, templates, questions, prompts and responses, with example rows, into a folder.

    Args:
        folder: Made if it is not there; see `files.new_files.write_new_files`, also for errors.

    Returns:
        The paths of the files, relative to the folder, in text order.
    """
    with as_file(files("blend.loaders") / "starter") as packaged:
        contents: dict[str, str | bytes] = {
            path.relative_to(packaged).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(packaged.rglob("*"))
            if path.suffix in _SUFFIXES
        }
    return write_new_files(folder, contents | git_attributes(folder))


def sample_recipe() -> Recipe:
    """The recipe of the sample that the package holds.

    Its datasheet is named by its full path, so that the recipe builds from any folder; a release names its own
    copy instead.
    """
    with sample_path() as folder:
        recipe = Recipe.model_validate(tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8")))
        return recipe.model_copy(update={"datasheet": str(folder / (recipe.datasheet or ""))})


def blend_recipe(data: str) -> Recipe:
    """The recipe for the files of the public BLEnD data, with every option at its default.

    Args:
        data: A directory, or ``org/name@commit`` on the Hub.
    """
    location, _, revision = data.partition("@")
    source = Source(kind="blend", location=os.path.realpath(data))
    if revision and not Path(data).exists():
        source = Source(kind="blend", location=location, revision=revision)
    return Recipe(name="blend", version="1.0.0", title="BLEnD", sources=(source,))


def semeval_recipe(folder: Path) -> Recipe:
    """The recipe for the files of SemEval-2026 Task 7, with every option at its default.

    Its licence is ``other``: the task's terms, which forbid to pass the data on.
    """
    return Recipe(
        name="semeval-2026-7",
        version="1.0.0",
        title="SemEval-2026 Task 7",
        license="other",
        sources=(Source(kind="semeval", location=os.path.realpath(folder)),),
    )


def food_recipe(snapshot: Path) -> Recipe:
    """The recipe for a snapshot of Wikidata, with every other option at its default; Wikidata's facts are CC0.

    Args:
        snapshot: The snapshot, about what its account beside it says; about dishes where there is none.

    Raises:
        InputError: If it is about a domain that the package does not know.
    """
    account = snapshot.parent / SNAPSHOT_NAME
    about = read_snapshot_info(account) if account.is_file() else None
    domain = about.domain.name if about is not None and about.file == snapshot.name else "dish"
    if domain not in domains():
        raise InputError(
            f"{snapshot}: is about {domain}, a domain of your own; write a recipe with its domain and "
            "domain_file in [food] (docs/wikidata.md)"
        )
    config = domains()[domain].config
    return Recipe(
        name=config,
        version="1.0.0",
        title=config.replace("-", " ").capitalize(),
        license="cc0-1.0",
        sources=(Source(kind="wikidata", location=str(snapshot.absolute())),),
        food=TripleOptions(domain=domain),
    )


@dataclass(frozen=True, slots=True)
class RecipeInPlace:
    """A recipe, and where the files that it names are on this machine.

    What a release carries along of them makes its own folder build it again. The sources themselves stay where
    they are: they are large, or hold what annotators typed. The recipe names them and pins their digests.
    """

    recipe: Recipe
    """What it says, every absolute location replaced by the name of what lies there."""
    base: Path
    """Folder to which its relative locations refer."""
    locales: Registry
    """The locales that it can name: the known ones, and those of its own file."""
    source_paths: Mapping[str, Path] = field(default_factory=dict)
    """Directories and files by location, for what lies elsewhere than the recipe says."""
    on_progress: ProgressCallback = silent
    """Told about progress."""

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        base: Path = Path(),
        *,
        source_paths: Mapping[str, Path] | None = None,
        locales: Registry | None = None,
        on_progress: ProgressCallback = silent,
    ) -> "RecipeInPlace":
        """A recipe in a folder; the known locales are those of the package when absent.

        A location in ``source_paths`` is as the recipe says it, or as a release's does.

        Where a directory lies on the machine of whoever builds a release means nothing to others, may tell more
        than is wanted, and must not make a difference to the release's bytes; what was read is known by its
        digest. So an absolute location becomes the shortest end of its path that names nothing else.

        Raises:
            BlendError: If the recipe's file of locales or of domains is not there, an entry of the former is
                not as it must be, or a locale is not known; if ``source_paths`` has a location that the recipe
                does not name, or a path where nothing lies.
        """
        files = {"locale_file": recipe.locale_file, "food.domain_file": recipe.food.domain_file}
        for key, name in files.items():
            if name is not None and not (path := base / name).is_file():
                raise InputError(f"recipe, key {key}: {instead_of_file(path)}: {path}; correct the path")
        named = [*(source.location for source in recipe.sources), recipe.previous or ""]
        names = {location: location for location in named if not Path(location).is_absolute()}
        there = dict(source_paths or {})
        for location in named:
            if location not in names:
                parts = Path(location).parts[1:]
                ends = ["/".join(parts[-length:]) for length in range(1, len(parts) + 1)]
                # Two absolute paths have different ends; only a relative location can be a whole path.
                ends = [*(end for end in ends if end not in names.values()), "./" + "/".join(parts)]
                names[location] = ends[0]
                there[ends[0]] = there.get(location, Path(location))
        locations = {*filter(None, names), *filter(None, names.values())}
        for location, path in (source_paths or {}).items():
            where = f"`source_paths={location}={path}`"
            if location not in locations:
                held = ", ".join(sorted(filter(None, named))) or "none"
                raise InputError(f"{where}: the recipe names nothing at {location!r}; there are: {held}")
            if not path.exists():
                raise InputError(f"{where}: nothing lies at {path}; correct the path")
        sources = [one.model_copy(update={"location": names[one.location]}) for one in recipe.sources]
        update = {"sources": tuple(sources), "previous": names[recipe.previous or ""] or None}
        known = registry() if locales is None else locales
        if recipe.locale_file is not None:
            known = registry_with(base / recipe.locale_file, known)
        unknown = [tag for tag in recipe.locales or () if tag not in known]
        raise_all([unknown_locale(tag, known, where="recipe, key locales") for tag in unknown])
        return cls(recipe.model_copy(update=update), base, known, there, on_progress)

    def domain(self) -> tuple[Domain, str | None]:
        """The domain that the recipe looks for in Wikidata, a packaged one or one of its own file.

        Returns:
            The domain, and the text of its own prompt templates, which lie beside its file; null without any.

        Raises:
            BlendError: If there is no such domain, an entry is not as it must be, or its templates are missing.
        """
        own = self.recipe.food.domain_file
        path = None if own is None else self.base / own
        domain = find_domain(self.recipe.food.domain, known_domains(path))
        text = None
        if path is not None and domain.templates not in (None, PACKAGED):
            text = read_text(path.with_name(domain.templates))
        return domain, text

    def previous(self) -> Path | None:
        """The directory of the release before, from here or from the Hub; null where there is none.

        Raises:
            InputError: If there is no such release, if it is not of an earlier version, or if its words on what
                changes are those of this recipe.
        """
        named, found = self.recipe.previous, None
        if named is not None:
            folder = self.source_paths.get(named, self.base / named)
            if not folder.is_dir() and hub_reference(named) is None:
                fix = f"correct the path, or say where it lies now: `source_paths={named}=PATH`"
                raise InputError(f"recipe, key previous: no such directory: {folder}; {fix}")
            found = resolve_release(folder if folder.is_dir() else named)
            before = read_manifest(found)
            of_same = before.name == self.recipe.name
            if of_same and numbers_of(before.version) >= numbers_of(self.recipe.version):
                what = f"{found} is version {before.version}, and the recipe's is {self.recipe.version}"
                raise InputError(f"recipe, key previous: {what}; raise the recipe's, or name the one before it")
            if self.recipe.changes is not None and self.recipe.changes == before.recipe.changes:
                what = f"says word for word what it says of {before.version}"
                fix = "write what is new since then, or remove the key"
                raise InputError(f"recipe, key changes: {what}; {fix}")
        return found

    def verdicts(self) -> tuple[pl.DataFrame | None, Callable[[Sequence[GivenVerdict]], None] | None]:
        """The recipe's table of verdicts, and what keeps verdicts of its chat model there at once.

        Returns:
            `frames.VERDICTS`, null without a table, and null without such a model. A table to which one adds
            need not be there yet, and loses a row that a killed build cut off.
        """
        mcq, found, record = self.recipe.mcq, None, None
        if mcq.verdicts is not None:
            path = self.base / mcq.verdicts
            if mcq.judge.model is not None:
                reader, today = f"{MODEL_PREFIX}{mcq.judge.model}", datetime.now(UTC).date()
                record = partial(append_verdicts, path, reader=reader, when=today)
                if path.exists():
                    record(())
            if record is None or path.exists():
                found = read_verdicts(path)
        return found, record

    def carry(self, release: Path, recipe: Recipe) -> tuple[list[SourceInfo], Recipe]:
        """Put what the recipe names, but its sources, into a release, which then builds itself again.

        Locales and a domain of its own are there as text: of a file with several domains the one that is used,
        and its templates under a name of the release's own. What people or judges filled in goes there byte for
        byte, a workbook as text, since one also says who has worked on it; a table of verdicts that no judge
        has begun yet is none. No judge adds to one any more.

        Args:
            release: Folder of the release.
            recipe: The recipe, its sources pinned.

        Returns:
            What was filled in, with digests, and the recipe with the names that files have in the release.

        Raises:
            RowError: If a file cannot be read.
        """
        contents, food = dict[str, bytes](), recipe.food
        if recipe.locale_file is not None:
            text = read_text(self.base / recipe.locale_file).replace("\r\n", "\n")
            contents[LOCALES_NAME] = text.encode()
        if food.domain_file is not None:
            domain, templates = self.domain()
            if templates is not None:
                contents[PROMPT_TEMPLATES_NAME] = templates.encode()
                domain = domain.model_copy(update={"templates": PROMPT_TEMPLATES_NAME})
            own = domain.model_dump(mode="json", exclude_none=True)
            contents[DOMAINS_NAME] = tomli_w.dumps({"domain": [own]}).encode()
            food = food.model_copy(update={"domain_file": DOMAINS_NAME})
        names = dict[str, str]()
        for kind, location in (("verdicts", recipe.mcq.verdicts), ("forms", recipe.cultural.forms)):
            if location is not None:
                path = self.base / location
                is_workbook = path.suffix.lower() == WORKBOOK
                names[kind] = kind + (_AS_TEXT[kind][0] if is_workbook else path.suffix)
                if path.exists():
                    contents[names[kind]] = _AS_TEXT[kind][1](path) if is_workbook else read_content(path)
        for name, content in contents.items():
            (release / name).write_bytes(content)
        infos = []
        for kind, name in names.items():
            if name in contents:
                files = file_infos(release, [release / name])
                digest = directory_digest(files)
                infos.append(SourceInfo(kind=kind, location=name, revision=None, sha256=digest, files=files))
        there = {
            "datasheet": None if recipe.datasheet is None else ANSWERS_NAME,
            "locale_file": None if recipe.locale_file is None else LOCALES_NAME,
            "food": food,
            "cultural": recipe.cultural.model_copy(update={"forms": names.get("forms")}),
            "mcq": recipe.mcq.model_copy(update={"verdicts": names.get("verdicts")}),
        }
        return infos, recipe.model_copy(update=there)


_AS_TEXT: Mapping[str, tuple[str, Callable[[Path], bytes]]] = {
    "verdicts": (".csv", lambda path: read_verdicts(path).drop("source").write_csv().encode()),
    "forms": (
        ".tsv",
        lambda path: read_forms(path).drop("source").write_csv(separator="\t", include_header=False).encode(),
    ),
}
"""The ending and the content that a workbook has in a release."""
