"""A recipe where it lies: the files that it names on this machine, and what a release carries along of them.

What is carried makes a release's own folder build it again. The sources themselves stay where they are: they
are large, or hold what annotators typed. The recipe names them and pins their digests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePath

import polars as pl

from blend.builders.judges import Judge, make_judges, shipped_for
from blend.loaders.files.content import (
    directory_digest,
    file_infos,
    instead_of_file,
    read_content,
    read_text,
)
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.files.tables import WORKBOOK
from blend.loaders.files.toml import domain_toml, known_domains, read_locales
from blend.loaders.recipes import is_packaged, own_templates, read_datasheet
from blend.loaders.releases.references import resolve_release
from blend.loaders.responses.verdicts import GivenVerdict, append_verdicts, decisions_in, read_verdicts
from blend.loaders.topics import read_forms
from blend.schemas.errors import InputError
from blend.schemas.locales import Registry, registry
from blend.schemas.manifest import (
    ANSWERS_NAME,
    DOMAINS_NAME,
    LOCALES_NAME,
    PROMPT_TEMPLATES_NAME,
    SourceInfo,
)
from blend.schemas.personal_data import MODEL_PREFIX
from blend.schemas.recipe import Domain, Recipe, find_domain
from blend.schemas.reports import Datasheet


@dataclass(frozen=True, slots=True)
class RecipeInPlace:
    """A recipe, and where the files that it names are."""

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
            BlendError: If the recipe's file of locales is not there, or an entry of it is not as it must be.
        """
        known = registry() if locales is None else locales
        if recipe.locale_file is not None:
            path = base / recipe.locale_file
            if not path.is_file():
                what = f"{instead_of_file(path)}: {path}; correct the path"
                raise InputError(f"recipe, key locale_file: {what}")
            known = known.extended(read_locales(path), source=path.name)
        return cls(recipe, base, source_paths or {}, known, on_progress)

    @property
    def domain_file(self) -> Path | None:
        """Where the recipe's own domains lie, if it names any."""
        return None if self.recipe.food.domain_file is None else self.base / self.recipe.food.domain_file

    def domain(self) -> Domain:
        """The domain that the recipe looks for in Wikidata: a packaged one, or one of its own file.

        Raises:
            BlendError: If the file is not there, there is no such domain, or an entry is not as it must be.
        """
        path = self.domain_file
        if path is not None and not path.is_file():
            raise InputError(f"recipe, key food.domain_file: {instead_of_file(path)}: {path}; correct the path")
        return find_domain(self.recipe.food.domain, known_domains(path))

    def datasheet(self) -> Datasheet:
        """The answers of the recipe's datasheet; none where it has no datasheet."""
        path = self.recipe.datasheet
        return Datasheet() if path is None else read_datasheet(self.base / path)

    def previous(self) -> Path | None:
        """The directory of the release before, from here or from the Hub; null where there is none."""
        named = self.recipe.previous
        if named is None:
            return None
        folder = self.source_paths.get(named, self.base / named)
        return resolve_release(str(folder) if folder.is_dir() else named)

    def verdicts(self) -> pl.DataFrame | None:
        """The recipe's table of verdicts, `frames.VERDICTS`; null when it names none.

        A table to which a chat model adds need not be there yet, and loses a row that a killed build cut off.
        """
        if self.recipe.mcq.verdicts is None:
            return None
        path = self.base / self.recipe.mcq.verdicts
        if (record := self._record()) is not None:
            if not path.exists():
                return None
            record(())
        return read_verdicts(path)

    def judges(self, verdicts: pl.DataFrame | None) -> Sequence[Judge]:
        """The judges of pairs of answers; what a chat model says is added to the table of verdicts at once.

        Args:
            verdicts: `frames.VERDICTS`; what they say of pairs of answers is decided.
        """
        mcq = self.recipe.mcq
        decided = () if verdicts is None else decisions_in(verdicts)
        return make_judges(mcq.judge, decisions=decided, shipped=shipped_for(mcq), record=self._record())

    def _record(self) -> Callable[[Sequence[GivenVerdict]], None] | None:
        """What keeps verdicts of a chat model in the table; null without such a model or table."""
        mcq = self.recipe.mcq
        if mcq.judge.model is None or mcq.verdicts is None:
            return None
        reader, today = f"{MODEL_PREFIX}{mcq.judge.model}", datetime.now(UTC).date()
        return partial(append_verdicts, self.base / mcq.verdicts, reader=reader, when=today)

    def as_released(self, recipe: Recipe) -> Recipe:
        """A recipe as it stands in the release: files that are carried along by their names there."""
        named = {kind: name for kind, _, name in self._filled_in()}
        own = recipe.food.domain_file
        food = recipe.food.model_copy(update={"domain_file": None if own is None else DOMAINS_NAME})
        return recipe.model_copy(
            update={
                "datasheet": None if recipe.datasheet is None else ANSWERS_NAME,
                "locale_file": None if recipe.locale_file is None else LOCALES_NAME,
                "food": food,
                "cultural": recipe.cultural.model_copy(update={"forms": named.get("forms")}),
                "mcq": recipe.mcq.model_copy(update={"verdicts": named.get("verdicts")}),
            }
        )

    def registries(self) -> dict[str, str]:
        """Read the locales and the domain of its own that a release brings along: path there to text.

        Of a file with several domains the one that is used is carried, and its templates under a name of the
        release's own.

        Raises:
            BlendError: If a file is not as it must be.
        """
        texts = {}
        if self.recipe.locale_file is not None:
            texts[LOCALES_NAME] = read_text(self.base / self.recipe.locale_file).replace("\r\n", "\n")
        if self.domain_file is not None:
            domain = self.domain()
            if domain.templates is not None and not is_packaged(domain.templates):
                texts[PROMPT_TEMPLATES_NAME] = own_templates(domain.templates, self.domain_file.parent)
                domain = domain.model_copy(update={"templates": PROMPT_TEMPLATES_NAME})
            texts[DOMAINS_NAME] = domain_toml(domain)
        return texts

    def carry_filled_in(self, release: Path) -> list[SourceInfo]:
        """Put the files that people or judges filled in into a release, when no judge will add to one any more.

        They go there byte for byte; a workbook as text, since one also says who has worked on it. A table of
        verdicts that no judge has begun yet is none.

        Returns:
            What was read, with digests.

        Raises:
            RowError: If one cannot be read.
        """
        infos = []
        for kind, path, name in self._filled_in():
            if not path.exists():
                continue
            if path.suffix.lower() != WORKBOOK:
                content = read_content(path)
            elif kind == "forms":
                rows = read_forms(path).drop("source")
                content = rows.write_csv(separator="\t", include_header=False).encode()
            else:
                content = read_verdicts(path).drop("source").write_csv().encode()
            (release / name).write_bytes(content)
            files = file_infos(release, [release / name])
            digest = directory_digest(files)
            infos.append(SourceInfo(kind=kind, location=name, revision=None, sha256=digest, files=files))
        return infos

    def _filled_in(self) -> list[tuple[str, Path, str]]:
        """The files that people or judges filled in: kind of source, path, and name in the release."""
        named = {"verdicts": self.recipe.mcq.verdicts, "forms": self.recipe.cultural.forms}
        in_text = {"verdicts": ".csv", "forms": ".tsv"}
        found = []
        for kind, location in named.items():
            if location is not None:
                suffix = PurePath(location).suffix
                end = in_text[kind] if suffix.lower() == WORKBOOK else suffix
                found.append((kind, self.base / location, f"{kind}{end}"))
        return found
