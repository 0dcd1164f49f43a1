"""Recipes and datasheets: the TOML files that describe a release, and a recipe in its place."""

import os
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
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
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.files.toml import known_domains, read_locales, read_toml
from blend.loaders.files.workbooks import WORKBOOK
from blend.loaders.releases import read_manifest
from blend.loaders.releases.references import hub_reference, resolve_release
from blend.loaders.responses.verdicts import GivenVerdict, append_verdicts, read_verdicts
from blend.loaders.sample import sample_path
from blend.loaders.topics import read_forms
from blend.loaders.wikidata.partial import read_snapshot_info
from blend.loaders.wikidata.prompts import PACKAGED
from blend.schemas.errors import InputError
from blend.schemas.locales import Registry, registry
from blend.schemas.manifest import (
    ANSWERS_NAME,
    DOMAINS_NAME,
    LOCALES_NAME,
    PROMPT_TEMPLATES_NAME,
    SNAPSHOT_NAME,
    SourceInfo,
)
from blend.schemas.personal_data import MODEL_PREFIX
from blend.schemas.recipe import Domain, Recipe, Source, TripleOptions, domains, find_domain
from blend.schemas.reports import Datasheet


def read_recipe(path: Path | str) -> Recipe:
    """The recipe in a TOML file.

    Raises:
        RowError, RowErrors: If there is no such file, or it is not text in UTF-8; if it is not TOML (names the
            line), or if keys are missing, unknown or have values that cannot be; names all of them at once.
    """
    return read_toml(Path(path), Recipe, what="recipe")


def read_datasheet(path: Path) -> Datasheet:
    """The answers in a TOML file; questions that it leaves out are unanswered. Errors as of `read_recipe`."""
    return read_toml(path, Datasheet, what="datasheet")


def sample_recipe() -> Recipe:
    """The recipe of the sample that the package holds.

    Its datasheet is named by its full path, so that the recipe builds from any folder; a release names its own
    copy instead.
    """
    with sample_path() as folder:
        recipe = Recipe.model_validate(tomllib.loads((folder / "recipe.toml").read_text(encoding="utf-8")))
        return recipe.model_copy(update={"datasheet": str(folder / (recipe.datasheet or ""))})


def blend_recipe(location: str, revision: str | None = None) -> Recipe:
    """The recipe for the files of the public BLEnD data, with every option at its default.

    Args:
        location: Directory, or with a revision a Hub repository id.
        revision: Commit or tag of the repository.
    """
    source = Source(kind="blend", location=_recorded(location, revision), revision=revision)
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
        sources=(Source(kind="semeval", location=_recorded(str(folder), None)),),
    )


def food_recipe(snapshot: Path) -> Recipe:
    """The recipe for a snapshot of Wikidata, with every other option at its default; Wikidata's facts are CC0.

    Args:
        snapshot: The snapshot, about what its account beside it says; about dishes where there is none.

    Raises:
        InputError: If it is about a domain that the package does not know.
    """
    account = snapshot.with_name(SNAPSHOT_NAME)
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
        sources=(Source(kind="wikidata", location=snapshot.name),),
        food=TripleOptions(domain=domain),
    )


def _recorded(location: str, revision: str | None) -> str:
    """A location as a release records it: a directory by its name alone.

    Where a directory lay on the machine of whoever built the release means nothing to others, and must not
    make a difference to the release's bytes.
    """
    return location if revision is not None else Path(os.path.realpath(location)).name


@dataclass(frozen=True, slots=True)
class RecipeInPlace:
    """A recipe, and where the files that it names are on this machine.

    What a release carries along of them makes its own folder build it again. The sources themselves stay where
    they are: they are large, or hold what annotators typed. The recipe names them and pins their digests.
    """

    recipe: Recipe
    """What it says."""
    base: Path
    """Folder to which its relative locations refer."""
    source_paths: Mapping[str, Path]
    """Directories and files by location, for what lies elsewhere than the recipe says."""
    locales: Registry
    """The locales that it can name: the known ones, and those of its own file."""
    on_progress: ProgressCallback
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

        Raises:
            BlendError: If the recipe's file of locales or of domains is not there, or an entry of the former is
                not as it must be.
        """
        known = registry() if locales is None else locales
        if recipe.locale_file is not None:
            path = base / recipe.locale_file
            _check_named(path, "recipe, key locale_file")
            known = known.extended(read_locales(path), source=path.name)
        if recipe.food.domain_file is not None:
            _check_named(base / recipe.food.domain_file, "recipe, key food.domain_file")
        return cls(recipe, base, source_paths or {}, known, on_progress)

    def portable(self) -> "RecipeInPlace":
        """The recipe with every absolute location replaced by the name of what lies there.

        Where a directory lies on the machine of whoever builds the release means nothing to others, may tell
        more than is wanted, and must not make a difference to the release's bytes; what was read is known by
        its digest. Of several sources of one name, each has as many of the folders above it as tell them apart.
        """
        recipe = self.recipe
        named = [source.location for source in recipe.sources]
        named += [] if recipe.previous is None else [recipe.previous]
        taken = {location for location in named if not Path(location).is_absolute()}
        names = dict(zip(taken, taken, strict=True))
        for location in dict.fromkeys(named):
            if location not in taken:
                names[location] = _name(Path(location), names.values())
        sources = [one.model_copy(update={"location": names[one.location]}) for one in recipe.sources]
        previous = None if recipe.previous is None else names[recipe.previous]
        there = {
            name: self.source_paths.get(location, Path(location))
            for location, name in names.items()
            if location not in taken
        }
        return replace(
            self,
            recipe=recipe.model_copy(update={"sources": tuple(sources), "previous": previous}),
            source_paths={**self.source_paths, **there},
        )

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
        if path is None or domain.templates in (None, PACKAGED):
            return domain, None
        templates = path.with_name(domain.templates)
        fix = f"correct the path, or name the packaged {PACKAGED}"
        _check_named(templates, "domain, key templates", fix=fix)
        return domain, read_text(templates)

    def previous(self) -> Path | None:
        """The directory of the release before, from here or from the Hub; null where there is none.

        Raises:
            InputError: If there is no such release, or if its words on what changes are those of this recipe.
        """
        named = self.recipe.previous
        if named is None:
            return None
        folder = self.source_paths.get(named, self.base / named)
        if not folder.is_dir() and hub_reference(named) is None:
            fix = f"correct the path, or say where it lies now: `source_paths={named}=PATH`"
            raise InputError(f"recipe, key previous: no such directory: {folder}; {fix}")
        found = resolve_release(folder if folder.is_dir() else named)
        before = read_manifest(found)
        if self.recipe.changes is not None and self.recipe.changes == before.recipe.changes:
            what = f"says word for word what it says of {before.version}"
            raise InputError(f"recipe, key changes: {what}; write what is new since then, or remove the key")
        return found

    def verdicts(self) -> pl.DataFrame | None:
        """The recipe's table of verdicts, `frames.VERDICTS`; null when it names none.

        A table to which a chat model adds need not be there yet, and loses a row that a killed build cut off.
        """
        if self.recipe.mcq.verdicts is None:
            return None
        path = self.base / self.recipe.mcq.verdicts
        if (record := self.recorder()) is not None:
            if not path.exists():
                return None
            record(())
        return read_verdicts(path)

    def recorder(self) -> Callable[[Sequence[GivenVerdict]], None] | None:
        """What keeps verdicts of a chat model in the table at once; null without such a model or table."""
        mcq = self.recipe.mcq
        if mcq.judge.model is None or mcq.verdicts is None:
            return None
        reader, today = f"{MODEL_PREFIX}{mcq.judge.model}", datetime.now(UTC).date()
        return partial(append_verdicts, self.base / mcq.verdicts, reader=reader, when=today)

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
        texts, food = {}, recipe.food
        if recipe.locale_file is not None:
            texts[LOCALES_NAME] = read_text(self.base / recipe.locale_file).replace("\r\n", "\n")
        if food.domain_file is not None:
            domain, templates = self.domain()
            if templates is not None:
                texts[PROMPT_TEMPLATES_NAME] = templates
                domain = domain.model_copy(update={"templates": PROMPT_TEMPLATES_NAME})
            own = domain.model_dump(mode="json", exclude_none=True)
            texts[DOMAINS_NAME] = tomli_w.dumps({"domain": [own]})
            food = food.model_copy(update={"domain_file": DOMAINS_NAME})
        for name, text in texts.items():
            (release / name).write_text(text, encoding="utf-8", newline="\n")
        infos, names = [], dict[str, str]()
        for kind, location in (("verdicts", recipe.mcq.verdicts), ("forms", recipe.cultural.forms)):
            if location is None:
                continue
            suffix, content = _as_text(kind, self.base / location)
            names[kind] = f"{kind}{suffix}"
            if content is not None:
                (release / names[kind]).write_bytes(content)
                files = file_infos(release, [release / names[kind]])
                info = {"kind": kind, "location": names[kind], "revision": None, "files": files}
                infos.append(SourceInfo(**info, sha256=directory_digest(files)))
        there = {
            "datasheet": None if recipe.datasheet is None else ANSWERS_NAME,
            "locale_file": None if recipe.locale_file is None else LOCALES_NAME,
            "food": food,
            "cultural": recipe.cultural.model_copy(update={"forms": names.get("forms")}),
            "mcq": recipe.mcq.model_copy(update={"verdicts": names.get("verdicts")}),
        }
        return infos, recipe.model_copy(update=there)


def _as_text(kind: str, path: Path) -> tuple[str, bytes | None]:
    """The ending and the content that a filled-in file has in a release; null where there is none yet."""
    if path.suffix.lower() != WORKBOOK:
        return path.suffix, read_content(path) if path.exists() else None
    if kind == "forms":
        text = read_forms(path).drop("source").write_csv(separator="\t", include_header=False)
        return ".tsv", text.encode()
    return ".csv", read_verdicts(path).drop("source").write_csv().encode() if path.exists() else None


def _check_named(path: Path, key: str, fix: str = "correct the path") -> None:
    """Refuse what is not a file, under the key that names it."""
    if not path.is_file():
        raise InputError(f"{key}: {instead_of_file(path)}: {path}; {fix}")


def _name(path: Path, taken: Collection[str]) -> str:
    """The shortest end of a path that is not taken, without its root."""
    parts = path.parts[1:]
    ends = ("/".join(parts[-length:]) for length in range(1, len(parts) + 1))
    # Two absolute paths that are not the same have different ends; only a relative one can be a whole path.
    return next((end for end in ends if end not in taken), "./" + "/".join(parts))
