"""A collection's folders: what stands in them, who contributes, and what their annotators agreed to tell."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.loaders.files.content import location_of, read_text
from blend.loaders.files.diagnostics import Diagnostics, Placed, checked
from blend.loaders.files.new_files import git_attributes, write_new_files
from blend.loaders.files.rows import SUFFIXES, TABLE_SUFFIXES, Columns, only_named, read_rows
from blend.loaders.files.toml import parse_toml
from blend.loaders.responses.odd_texts import fill_slots
from blend.loaders.responses.response_rows import (
    HIDDEN,
    PARTS,
    ResponseFiles,
    note_unread,
    optional_files,
    read_response_rows,
)
from blend.schemas.errors import ArgumentError, InputError, RowError, close_to, raise_all
from blend.schemas.frames import PROFILES, text_columns
from blend.schemas.locales import Locale, Registry, in_english, registry
from blend.schemas.personal_data import AnnotatorProfile, Contributor
from blend.schemas.recipe import may_become

CONSENT = "CONSENT.md"
_CONTRIBUTOR = "contributor.toml"
FOLDER = "contributions"
"""Folder of the contributions in a collection."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LETTERS = "small letters a to z, digits, and hyphens between them, as in mina-ko"
_TABLES = ("templates", "prompts")
_SHARED = {"CONSENT": (".md",), **dict.fromkeys(_TABLES, SUFFIXES)}
_OF_CONTRIBUTOR = {"contributor": (".toml",), **PARTS, "annotators": TABLE_SUFFIXES}
"""What is read beside the folders, and in each of them: names, and how they may end."""


class _ContributorFiles(NamedTuple):
    """The files of one contributor."""

    name: str
    """Name of the folder, which is the contributor's id."""
    responses: ResponseFiles
    contributor: Path
    """Who contributes; may be missing."""
    profiles: Path | None
    """File of annotators; null where there is none."""


class CollectionFiles(NamedTuple):
    """The files of a collection."""

    root: Path
    """Folder of the contributions, to which locations are relative."""
    shared: ResponseFiles
    """Templates and prompts that all contributors share."""
    contributors: tuple[_ContributorFiles, ...]
    """In order of their names."""

    def all(self) -> list[Path]:
        """Every file that is read, in the order of their paths."""
        parts = [self.shared, *(files.responses for files in self.contributors)]
        tables = [path for part in parts for paths in part[:-1] for path in paths]
        own = [path for files in self.contributors for path in (files.contributor, files.profiles) if path]
        return sorted([self.root / CONSENT, *tables, *own])


def collection_layout(folder: Path, diagnostics: Diagnostics) -> CollectionFiles:
    """The files of a collection; whatever would be overlooked, and every part that is missing, is a problem.

    Args:
        folder: Holds ``CONSENT.md``, a folder per contributor, and perhaps templates and prompts for all.
        diagnostics: Takes problems. The parts that are there are returned all the same.

    Raises:
        InputError: If there is no such directory, or no contribution in it.
        RowError, RowErrors: If there are links.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; give the directory of contributions")
    _refuse_links(folder)
    if not (folder / CONSENT).is_file():
        fix = "write what contributors agree to; `blend contribute init` writes a first text"
        diagnostics.problem("the file is missing", where=CONSENT, fix=fix)
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith(HIDDEN))
    names = [path.name for path in entries if path.is_dir()]
    files = [path for path in entries if not path.is_dir()]
    note_unread(files, folder, diagnostics, _SHARED, is_strict=True)
    if not names:
        raise InputError(
            f"{folder}: no contributor's folder in it; `blend contribute init` writes one for a contributor"
        )
    parts = tuple(_contributor(folder / name, folder, diagnostics) for name in names)
    return CollectionFiles(folder, _shared_files(folder, diagnostics), parts)


def _refuse_links(folder: Path) -> None:
    """Raise for every link.

    Strangers write these folders, and messages quote what is read: a link could lead to any file here.
    """
    links = [path for path in sorted(folder.rglob("*")) if path.is_symlink()]
    fix = "put the file or folder itself there"
    raise_all(
        [RowError("a link, which is not followed", where=location_of(path, folder), fix=fix) for path in links]
    )


def _shared_files(folder: Path, diagnostics: Diagnostics) -> ResponseFiles:
    """The templates and prompts that all contributors share."""
    found = (only_named(folder / name, folder, SUFFIXES, diagnostics) for name in _TABLES)
    templates, prompts = ([] if path is None else [path] for path in found)
    return ResponseFiles(templates, [], prompts, [], [])


def owner_of(location: str) -> str:
    """The contributor's folder that a location is in; empty for what all share."""
    owner, slash, _ = location.partition("/")
    return owner if slash else ""


def _contributor(folder: Path, root: Path, diagnostics: Diagnostics) -> _ContributorFiles:
    """The files in a contributor's folder; parts that cannot be told apart are left out."""
    name = folder.name
    if not _NAME.fullmatch(name):
        what = "the folder's name cannot be a contributor's"
        diagnostics.problem(what, where=name, fix=f"rename the folder: {_LETTERS}")
    contributor = folder / _CONTRIBUTOR
    if not contributor.is_file():
        fix = f"say who contributes; `blend contribute init --contributor {name}` writes a first one"
        diagnostics.problem("the file is missing", where=f"{name}/{_CONTRIBUTOR}", fix=fix)
    responses = optional_files(folder, root, diagnostics, known=_OF_CONTRIBUTOR, is_strict=True)
    profiles = only_named(folder / "annotators", root, TABLE_SUFFIXES, diagnostics)
    if not responses.unread and not any(responses[:-1]):
        fix = "add questions, responses or reviews, as docs/contributing-data.md describes"
        diagnostics.problem("nothing is contributed", where=name, fix=fix)
    return _ContributorFiles(name, responses, contributor, profiles)


_PROFILE = Columns(("annotator", "consent"), optional=("native_language", "years_in_region", "age_band"))


def read_contributor(files: _ContributorFiles, root: Path, diagnostics: Diagnostics) -> Contributor | None:
    """The contributor as ``contributor.toml`` says; null where it is not as it must be, which is noted.

    Args:
        files: The contributor's files.
        root: Folder that locations are relative to.
        diagnostics: Takes the problems.
    """
    if not files.contributor.is_file():
        return None
    name = location_of(files.contributor, root)
    with diagnostics.collected():
        text = read_text(files.contributor, root)
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
            where=f"{within}{name}/{_CONTRIBUTOR}, key license",
            fix="change the one or the other; docs/contributing-data.md says which licences go together",
        )
        for name, contributor in given
        if released is not None and not may_become(contributor.license, released)
    ]


def read_profiles(
    files: _ContributorFiles,
    root: Path,
    annotators: Collection[str] | None,
    diagnostics: Diagnostics,
) -> pl.DataFrame:
    """The profiles of a contributor's annotators, as `frames.PROFILES`, in order of the annotators.

    Args:
        files: The contributor's files.
        root: Folder that locations are relative to.
        annotators: Those who respond; null where that is not known for certain.
        diagnostics: Takes the problems: rows without consent, of nobody who responds, with impossible values.

    Returns:
        Annotators as the release tells them apart, see `annotator_id`.
    """
    rows: list[Placed[AnnotatorProfile]] = []
    if files.profiles is not None:
        with diagnostics.collected():
            for cells in read_rows(files.profiles, root, diagnostics, _PROFILE):
                values = {name: cell.strip() or None for name, cell in cells.values.items()}
                agreed = values.pop("consent") or ""
                if agreed.casefold() != "yes":
                    where = f"{cells.location}, column consent"
                    fix = "take the row out, unless the annotator has agreed; then write yes"
                    diagnostics.problem(f"{agreed!r} is not 'yes'", where=where, fix=fix)
                valid = checked(AnnotatorProfile, values, cells.location, diagnostics)
                rows += [] if valid is None else [valid]
    first: dict[str, str] = {}
    profiles = []
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
        of_release = {"annotator": annotator_id(files.name, row.annotator), "source": location}
        profiles.append(row.model_dump() | of_release)
    return pl.DataFrame(profiles, schema=PROFILES).sort("annotator")


def annotator_id(contributor: str, pseudonym: str) -> str:
    """Return what a release calls an annotator or reviewer: pseudonyms are unique for each contributor alone.

    No folder's name holds the slash, so two people never share an id.
    """
    return f"{contributor}/{pseudonym}"


_WORKFLOW = ".github/workflows/contributions.yml"
"""Where forges look for what they run on a pull request."""

_PACKAGED = {
    "recipe.toml": "recipe.toml",
    _WORKFLOW: "workflow.yml",
    f"{FOLDER}/{CONSENT}": CONSENT,
    f"{FOLDER}/templates.csv": "templates.csv",
}
_RESPONSES = ("template_id", "annotator", "answer_1", "answer_2", "answer_3", "non_answer", "reason")
_ANNOTATORS = ("annotator", "native_language", "years_in_region", "age_band", "consent")


def write_collection(folder: Path) -> list[str]:
    """Write a new collection: recipe, consent, templates, and a workflow that checks every pull request.

    Args:
        folder: Made if it is not there, and may hold other files, as a repository does; see
            `files.new_files.write_new_files`, also for errors.

    Returns:
        The paths of the files, relative to the folder, in text order.
    """
    contents = {path: _packaged(name) for path, name in _PACKAGED.items()} | git_attributes(folder)
    return write_new_files(folder, contents, beside_others=True)


def write_contributor(
    folder: Path, contributor: str, tags: Sequence[str], *, locales: Registry | None = None
) -> list[str]:
    """Write one contributor's folder: who contributes, questions to translate, sheets for what is collected.

    Args:
        folder: The collection, or its folder ``contributions``.
        contributor: Name of the contributor's folder.
        tags: Locales that the contributor collects responses in.
        locales: Known locales; the packaged registry when absent.

    Returns:
        The paths of the files, relative to ``folder``, in text order.

    Raises:
        ArgumentError: If no folder can have that name, or no locale is named.
        InputError: If the folder is no collection, or the contributor's folder holds something already.
        UnknownNameError: If a locale is not known.
        RowError, RowErrors: If the templates that all share cannot be read.
    """
    if not _NAME.fullmatch(contributor):
        raise ArgumentError(f"{contributor!r} cannot be a contributor's folder; choose {_LETTERS}")
    if not tags:
        raise ArgumentError("a contributor's folder has responses of some locale; name it with `locale`")
    known = registry() if locales is None else locales
    chosen = [known.get(tag) for tag in tags]
    inner = f"{FOLDER}/" if (folder / FOLDER).is_dir() else ""
    if not (folder / inner / CONSENT).is_file():
        raise InputError(f"{folder}: no {CONSENT} in it; start a collection with `blend contribute init`")
    contents = {
        _CONTRIBUTOR: _packaged(_CONTRIBUTOR),
        "questions.csv": _questions(folder / inner, chosen, known),
        **{f"responses/{locale.tag}.csv": _header(_RESPONSES) for locale in chosen},
        "annotators.csv": _header(_ANNOTATORS),
    }
    written = write_new_files(folder / inner / contributor, contents, parameter="contributor")
    return [f"{inner}{contributor}/{path}" for path in written]


def _packaged(name: str) -> str:
    with as_file(files("blend.loaders.contributions") / "skeleton") as packaged:
        return (packaged / name).read_text(encoding="utf-8")


def _questions(root: Path, locales: Sequence[Locale], known: Registry) -> str:
    """The questions that all share, to be translated: in English, with the region of each locale."""
    diagnostics = Diagnostics()
    rows = read_response_rows(_shared_files(root, diagnostics), root, known, diagnostics)
    diagnostics.raise_problems()
    questions = []
    for locale in locales:
        for _, template in rows.templates.rows:
            text = fill_slots(template.text, locale)
            own = text if in_english(locale) else None
            questions.append((template.template_id, locale.tag, own, text))
    columns = text_columns("template_id", "locale", "question", "en_question")
    return pl.DataFrame(questions, columns, orient="row").write_csv(include_bom=True)


def _header(columns: Sequence[str]) -> str:
    # By the mark spreadsheets know UTF-8, and save it again as they found it.
    return pl.DataFrame(schema=text_columns(*columns)).write_csv(include_bom=True)
