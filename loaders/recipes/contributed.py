"""Contributions to a recipe's source: what each contributor brought, and which files pin it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from blend.loaders.contributions import Collection
from blend.loaders.contributions.contributors import terms_problems
from blend.loaders.contributions.layout import collection_layout
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses import ResponseTables
from blend.schemas.errors import raise_all
from blend.schemas.sheets.contributors import Contributed, LocaleShare

_PROFILES = "annotators"
"""Name, without its ending, of the file of annotators' profiles."""


def contributed(collection: Collection) -> tuple[Contributed, ...]:
    """What every contributor of a collection brought, in the order of their folders."""
    return tuple(
        Contributed(folder=name, contributor=who, locales=_by_locale(tables))
        for name, who, tables, _ in collection.contributions
    )


def in_locales(given: Sequence[Contributed], wanted: Sequence[str]) -> tuple[Contributed, ...]:
    """The parts of contributions in some locales, without contributors who have none there."""
    parts = (
        part.model_copy(update={"locales": tuple(of for of in part.locales if of.locale in wanted)})
        for part in given
    )
    return tuple(part for part in parts if part.locales)


def pinned_files(folder: Path) -> list[Path]:
    """The files of a collection that a release names with their digests.

    Those of annotators' profiles are none of them: whoever has the digest of so few and so short lines finds
    out by trial what they say. What is missing or would be overlooked `read_collection` tells, with all else.

    Raises:
        InputError: If there is no contributor's folder.
    """
    files = collection_layout(folder, Diagnostics()).all()
    return [path for path in files if path.name.partition(".")[0] != _PROFILES and _is_own(path)]


def _is_own(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def check_terms(given: Sequence[Contributed], released: str | None, *, where: str) -> None:
    """Compare the licences of contributions with that of the dataset they become part of.

    Args:
        given: The contributions.
        released: As of `terms_problems`.
        where: Location of the source.

    Raises:
        RowError, RowErrors: If one does not allow the other; names all of them.
    """
    named = ((part.folder, part.contributor) for part in given)
    raise_all(terms_problems(named, released, within=f"{where}/"))


def _by_locale(tables: ResponseTables) -> tuple[LocaleShare, ...]:
    rows = {name: Counter(getattr(tables, name)["locale"]) for name in ("questions", "responses", "reviews")}
    tags = sorted({tag for of_kind in rows.values() for tag in of_kind})
    return tuple(
        LocaleShare(locale=tag, **{name: of_kind[tag] for name, of_kind in rows.items()}) for tag in tags
    )
