"""Starting: a folder for a new culture, with locale entry, project file, recipe, first questions and a key."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import langcodes
from jinja2 import Environment, PackageLoader, StrictUndefined

from blend.builders.annotation.project import ORDER, StageName
from blend.builders.annotation.pseudonyms import new_key
from blend.builders.annotation.ui_strings import english_template, is_english, is_known
from blend.loaders.files.new_files import git_attributes, write_new_files
from blend.schemas.errors import InputError
from blend.schemas.languages import in_a_sentence, turned_around
from blend.schemas.locales import Locale, Registry, language_name, registry
from blend.schemas.texts import RIGHT_TO_LEFT

_TAG = re.compile(r"([a-z]{2,3}(?:-[A-Z][a-z]{3})?)-([A-Z]{2})")

_KEY, _COLLECTED = "annotators.key", "collected"
_ENGLISH = "instructions/english.md"
_FIRST_STAGES: tuple[StageName, ...] = ("answer", "review")


def start_project(folder: Path, tags: Sequence[str], *, name: str | None = None) -> list[str]:
    """Write everything that a new project begins with; nothing is ever replaced.

    It is the package's folder ``start``, its templates filled in, with a key, and texts to translate for
    languages that the package does not have.

    Args:
        folder: Made if it is not there; see `files.new_files.write_new_files`, also for errors.
        tags: Locales, ``language-region``; those that the package does not know get an entry in a locale file,
            filled in from Unicode's data, to be checked by people.
        name: Short name of project and release; that of the folder when absent.

    Returns:
        The paths of the files, relative to the folder, in text order.

    Raises:
        InputError: If a tag or the name cannot be one.
    """
    name = _name(folder.absolute().name if name is None else name, given=name is not None)
    known, new = _with_new(tags)
    locales = [known.get(tag) for tag in dict.fromkeys(tags)]
    strange = sorted({locale.language for locale in locales if not is_known(locale.language)})
    facts = {"name": name, "locales": locales, "new": new, "strange": strange, "stages": _FIRST_STAGES}
    contents = {**_filled(facts), _KEY: new_key(), ".gitignore": f"{_KEY}\n", **git_attributes(folder)}
    if strange:
        # Under no language's name: it would be shown to people as if it were theirs.
        contents[_ENGLISH] = english_template(_FIRST_STAGES)
    return write_new_files(folder, contents, folders=(_COLLECTED,), private=(_KEY,))


def _name(name: str, *, given: bool) -> str:
    """The name of project and release.

    Raises:
        InputError: If it cannot be one.
    """
    short = re.sub(r"[^a-z0-9._-]+", "-", name.casefold()).strip("-._")[:24]
    if not short or (given and short != name):
        suggestion = f", for example {short}" if short else ""
        raise InputError(
            f"{name!r} cannot be the name of a project; give up to 24 lower-case letters, digits, dots, _ and "
            f"- as `name`{suggestion}"
        )
    return short


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
    environment = Environment(  # noqa: S701 - plain text and TOML, in which texts are quoted
        loader=PackageLoader("blend.builders.annotation", "start"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
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
