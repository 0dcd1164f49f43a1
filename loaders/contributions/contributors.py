"""Contributors: who they are, what they agreed to, and what their annotators agreed to tell."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import polars as pl

from blend.loaders.contributions.layout import CONTRIBUTOR, ContributorFiles
from blend.loaders.files.checked import Placed, checked
from blend.loaders.files.content import location_of
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.encodings import read_text
from blend.loaders.files.rows import Columns, read_rows
from blend.loaders.files.toml import parse_toml
from blend.schemas.base.references import close_to
from blend.schemas.errors import RowError
from blend.schemas.recipe.licenses import may_become
from blend.schemas.rows.frame_columns import PROFILES
from blend.schemas.sheets.contributors import AnnotatorProfile, Contributor

_PROFILE = Columns(("annotator", "consent"), optional=("native_language", "years_in_region", "age_band"))


def read_contributor(files: ContributorFiles, root: Path, diagnostics: Diagnostics) -> Contributor | None:
    """The contributor as ``contributor.toml`` says; null where it is not as it must be, which is noted.

    Args:
        files: The contributor's files.
        root: Folder that locations are relative to.
        diagnostics: Takes the problems.
    """
    if files.contributor is None or not files.contributor.is_file():
        return None
    name = location_of(files.contributor, root)
    with diagnostics.collected():
        text = read_text(files.contributor, root, diagnostics)
        contributor = parse_toml(text, Contributor, name=name, what="file")
        for key, what, fix in _contradictions(contributor):
            diagnostics.problem(what, where=f"{name}, key {key}", fix=fix)
        return contributor
    return None


def _contradictions(contributor: Contributor) -> Iterator[tuple[str, str, str]]:
    """Keys that do not go with the credit: each with what is wrong and what to do."""
    credit = contributor.credit
    for key in ("name", "pseudonym"):
        if credit == key and getattr(contributor, key) is None:
            yield key, f"credit is {credit!r}, but the key is missing", 'add it, or write credit = "none"'
        if credit != key and getattr(contributor, key) is not None:
            fix = f'take the key out, or write credit = "{key}" if the release may tell it'
            yield key, f"it would be published, but credit is {credit!r}", fix
    if contributor.orcid is not None and credit != "name":
        yield "orcid", f"it tells the name, but credit is {credit!r}", 'take it out, or write credit = "name"'
    if contributor.url is not None and credit == "none":
        yield "url", f"it would be published, but credit is {credit!r}", "take it out, or choose another credit"


def terms_problems(
    given: Iterable[tuple[str, Contributor]], released: str | None, *, within: str = ""
) -> list[RowError]:
    """Compare the licences of contributors with that of the dataset that their folders become part of.

    Args:
        given: Names of folders, each with its contributor.
        released: Licence of the dataset; null where it is not known yet, and nothing is compared.
        within: What stands before the folders in locations.
    """
    return [
        RowError(
            f"{contributor.license!r} does not allow a dataset under {released!r}",
            where=f"{within}{name}/{CONTRIBUTOR}, key license",
            fix="change the one or the other; docs/contributing-data.md says which licences go together",
        )
        for name, contributor in given
        if released is not None and not may_become(contributor.license, released)
    ]


def read_profiles(
    files: ContributorFiles,
    root: Path,
    annotators: Collection[str] | None,
    diagnostics: Diagnostics,
    *,
    encoding: str | None,
) -> pl.DataFrame:
    """The profiles of a contributor's annotators, as `frame_columns.PROFILES`, in order of the annotators.

    Args:
        files: The contributor's files.
        root: Folder that locations are relative to.
        annotators: Those who respond; null where that is not known for certain.
        diagnostics: Takes the problems: rows without consent, of nobody who responds, with impossible values.
        encoding: Of tables.

    Returns:
        Annotators as the release tells them apart, see `annotator_id`.
    """
    rows: list[Placed[AnnotatorProfile]] = []
    if files.profiles is not None:
        with diagnostics.collected():
            for cells in read_rows(files.profiles, root, diagnostics, _PROFILE, encoding=encoding):
                told = {name: cell.strip() or None for name, cell in cells.values.items()}
                agreed = told.pop("consent") or ""
                if agreed.casefold() != "yes":
                    where = f"{cells.location}, column consent"
                    fix = "take the row out, unless the annotator has agreed; then write yes"
                    diagnostics.problem(f"{agreed!r} is not 'yes'", where=where, fix=fix)
                row = checked(AnnotatorProfile, told, cells.location, diagnostics)
                rows += [] if row is None else [row]
    _check_annotators(rows, annotators, diagnostics)
    profiles = [
        row.model_dump() | {"annotator": annotator_id(files.name, row.annotator), "source": location}
        for location, row in rows
    ]
    return pl.DataFrame(profiles, schema=PROFILES).sort("annotator")


def annotator_id(contributor: str, pseudonym: str) -> str:
    """Return what a release calls an annotator or reviewer: pseudonyms are unique for each contributor alone.

    No folder's name holds the slash, so two people never share an id.
    """
    return f"{contributor}/{pseudonym}"


def _check_annotators(
    rows: Collection[Placed[AnnotatorProfile]], annotators: Collection[str] | None, diagnostics: Diagnostics
) -> None:
    first: dict[str, str] = {}
    for location, row in rows:
        where = f"{location}, column annotator"
        earlier = first.setdefault(row.annotator, location)
        if earlier != location:
            what = f"annotator {row.annotator!r} is also in {earlier}"
            diagnostics.problem(what, where=where, fix="delete one of the two")
        elif annotators is not None and row.annotator not in annotators:
            what = f"annotator {row.annotator!r} has no response in this folder"
            what += close_to(row.annotator, annotators)
            diagnostics.problem(what, where=where, fix="correct the pseudonym, or take the row out")
