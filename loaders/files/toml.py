"""TOML files that fill a model: every problem named at once with its key; locales, domains and maps."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from blend.loaders.files.content import read_content, read_text, utf8_text
from blend.schemas.errors import RowError, did_you_mean, raise_all
from blend.schemas.locales import LocaleFile, Registry, registry
from blend.schemas.models import FieldError, field_errors, field_sentences, toml_tables
from blend.schemas.recipe import Domain, DomainFile, domains

Model = TypeVar("Model", bound=BaseModel)


def read_toml(path: Path, model: type[Model], *, what: str) -> Model:
    """The model that a TOML file fills.

    Args:
        path: File in UTF-8, with or without a byte order mark.
        model: What the file describes.
        what: What messages call such a file, for example ``recipe``.

    Raises:
        RowError: If the file cannot be read (see `content.open_content`), or is not UTF-8.
        RowError, RowErrors: As `parse_toml`.
    """
    text = utf8_text(read_content(path, what=what), str(path), fix=f"save the {what} as UTF-8")
    return parse_toml(text, model, name=str(path), what=what)


def parse_toml(text: str, model: type[Model], *, name: str, what: str) -> Model:
    """The model that a text in TOML fills; ``name`` and ``what`` are what messages call it and its kind.

    Raises:
        RowError, RowErrors: If it is not TOML (names the line), or if keys are missing, unknown or have values
            that cannot be; names all of them at once, an unknown one with the closest valid key.
    """
    values = toml_tables(text, source=name, fix=f"correct the {what} there")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise_all(_problems(error, model, name, what))
        raise


def _problems(error: ValidationError, model: type[BaseModel], name: str, what: str) -> list[RowError]:
    """The problems of a file, one per key."""
    found: dict[str, list[FieldError]] = {}
    for field_error in field_errors(error):
        found.setdefault(_key(field_error.path, model)[0], []).append(field_error)
    # A list whose entries are all wrong is also reported as too short.
    inner = [key for key in found if not any(other.startswith(f"{key}[") for other in found)]
    return [_problem(found[key], model, f"{name}, key {key}", what) for key in inner]


def _problem(found: Sequence[FieldError], model: type[BaseModel], where: str, what_file: str) -> RowError:
    """The problem of one key; a value that could have several types has one misfit for each."""
    first = found[0]
    _, table, field = _key(first.path, model)
    if field not in table.model_fields:
        valid = list(table.model_fields)
        if field in model.model_fields:
            fix = f"it is a key of the {what_file} itself: move the line above the first line in brackets"
            return RowError("this table does not have the key", where=where, fix=fix)
        hint = did_you_mean(str(first.path[-1]), valid)
        return RowError("unknown key", where=where, fix=f"{hint}the keys here are {', '.join(valid)}")
    remedy = _remedy(table, field)
    if first.kind == "missing":
        return RowError("the key is missing", where=where, fix=f"add it{remedy}")
    if first.is_ours:
        what, fix = first.what_and_fix
        return RowError(what, where=where, fix=fix or f"correct it{remedy}")
    if first.kind == "tuple_type" and isinstance(first.value, dict):
        what = f"[{field}] makes one table, and there can be several"
        return RowError(what, where=where, fix=f"write [[{field}]] in place of [{field}], above each of them")
    expected = " or ".join(dict.fromkeys(field_error.expected for field_error in found))
    return RowError(f"{_shown(first.value)} is not {expected}", where=where, fix=f"correct it{remedy}")


def _remedy(table: type[BaseModel], field: str) -> str:
    """What to write for a key: an example, where its field has one, else what the sentence under it says."""
    if examples := table.model_fields[field].examples:
        # Text and lists of texts are in TOML what they are in JSON.
        return f", for example {field} = {json.dumps(examples[0])}"
    meaning = " ".join(field_sentences(table).get(field, "").split()).replace("``", '"').rstrip(".")
    return f": {meaning}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    return f"a table with {', '.join(value)}" if isinstance(value, dict) else repr(value)


def _key(path: Sequence[int | str], model: type[BaseModel]) -> tuple[str, type[BaseModel], str]:
    """The key that an error's path leads to, the table it stands in, and the name it has there.

    A path ends in names of types where a value could have several; they are no keys.
    """
    keys, name = "", ""
    table: type[BaseModel] = model
    inner: type[BaseModel] | None = model
    for part in path:
        if isinstance(part, int):
            keys += f"[{part}]"
        elif inner is not None:
            table, name = inner, part
            keys += f".{part}" if keys else part
            field = inner.model_fields.get(part)
            inner = None if field is None else _table_of(field.annotation)
    return keys, table, name


def _table_of(annotation: Any) -> type[BaseModel] | None:
    """The model of a field that is a table or a list of tables."""
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def registry_with(path: Path | None, known: Registry | None = None) -> Registry:
    """The known registry (the packaged one when absent), and behind its locales those of a file, if given.

    Args:
        path: UTF-8 TOML with one ``[[locale]]`` table per locale; the keys are the fields of `Locale`.
        known: The known registry.

    Raises:
        RowError, RowErrors: As `read_toml`, or if two locales share a tag, split, upstream name or other code.
    """
    known = registry() if known is None else known
    if path is None:
        return known
    own = parse_toml(read_text(path), LocaleFile, name=path.name, what="locale file").locale
    return known.extended(own, source=path.name)


def known_domains(path: Path | None) -> Mapping[str, Domain]:
    """The packaged domains by name, and behind them those of a file where one is given.

    Args:
        path: UTF-8 TOML with one ``[[domain]]`` table per domain; the keys are the fields of `Domain`.

    Raises:
        RowError, RowErrors: As `read_toml`, or if one has the name of another or of a packaged domain.
    """
    known = dict(domains())
    if path is None:
        return known
    problems = []
    for number, own in enumerate(
        parse_toml(read_text(path), DomainFile, name=path.name, what="domain file").domain
    ):
        if known.setdefault(own.name, own) != own:
            where = f"{path.name}, key domain[{number}].name"
            problems.append(RowError(f"there is another domain {own.name!r}", where=where, fix="rename it"))
    raise_all(problems)
    return known
