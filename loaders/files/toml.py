"""TOML files that fill a model: every problem named at once with its key; locales, domains and maps."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import tomli_w
from pydantic import BaseModel, Field, ValidationError

from blend.loaders.files.content import read_content, read_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import InputError, RowError, did_you_mean, raise_all
from blend.schemas.locales import Locale, Registry, parse_locales, registry
from blend.schemas.models import FieldError, FrozenModel, field_errors, field_sentences, toml_tables
from blend.schemas.recipe import Domain, domains, domains_with, parse_domains

Model = TypeVar("Model", bound=BaseModel)


def read_toml(path: Path, model: type[Model], *, what: str) -> Model:
    """The model that a TOML file fills.

    Args:
        path: File in UTF-8, with or without a byte order mark.
        model: What the file describes.
        what: What messages call such a file, for example ``recipe``.

    Raises:
        RowError: If the file cannot be read (see `content.open_content`).
        InputError: If it is not text in UTF-8.
        RowError, RowErrors: As `parse_toml`.
    """
    try:
        text = read_content(path, what=what).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: byte {error.start} is not UTF-8; save the {what} with that encoding"
        ) from None
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
        raise_all(_problems(error, model, name))
        raise


def _problems(error: ValidationError, model: type[BaseModel], name: str) -> list[RowError]:
    """The problems of a file, one per key."""
    found: dict[str, list[FieldError]] = {}
    for field_error in field_errors(error):
        found.setdefault(_key(field_error.path, model)[0], []).append(field_error)
    # A list whose entries are all wrong is also reported as too short.
    inner = [key for key in found if not any(other.startswith(f"{key}[") for other in found)]
    return [_problem(found[key], model, f"{name}, key {key}") for key in inner]


def _problem(found: Sequence[FieldError], model: type[BaseModel], where: str) -> RowError:
    """The problem of one key; a value that could have several types has one misfit for each."""
    first = found[0]
    _, table, field = _key(first.path, model)
    if field not in table.model_fields:
        valid = list(table.model_fields)
        hint = did_you_mean(str(first.path[-1]), valid)
        return RowError("unknown key", where=where, fix=f"{hint}the keys here are {', '.join(valid)}")
    # The sentence under the field says what may stand there.
    meaning = " ".join(field_sentences(table).get(field, "").split()).replace("``", '"').rstrip(".")
    if first.kind == "missing":
        return RowError("the key is missing", where=where, fix=f"add it: {meaning}")
    if first.is_ours:
        what, fix = first.what_and_fix
        return RowError(what, where=where, fix=fix or f"correct it: {meaning}")
    expected = " or ".join(dict.fromkeys(_expected(field_error) for field_error in found))
    return RowError(f"{_shown(first.value)} is not {expected}", where=where, fix=f"correct it: {meaning}")


def _expected(field_error: FieldError) -> str:
    """Say in words what a key's value should be."""
    words = _EXPECTED.get(field_error.kind, "possible here")
    return words.format(**field_error.context)


_EXPECTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
    "literal_error": "{expected}",
    "string_type": "text in quotes",
    "string_pattern_mismatch": "of the right form",
    "tuple_type": "a list",
    "too_short": "long enough",
    "model_type": "a table",
    **dict.fromkeys(
        ("date_type", "date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact"),
        "a date such as 2026-11-30",
    ),
}
"""What pydantic expected, by its name for the error."""


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


def read_locales(path: Path) -> tuple[Locale, ...]:
    """The locales of a TOML file with one ``[[locale]]`` table each, in file order.

    ``registry_with(path)`` adds them to the packaged ones.

    Args:
        path: UTF-8 text, with or without byte order mark; the keys are the fields of `Locale`.

    Raises:
        RowError, RowErrors: If the file is not UTF-8 or not TOML, if an entry has a missing, unknown or wrong
            field, or if two share a tag, split, upstream name or other code; names file, entry and field.
    """
    text = read_text(path, path.parent, Diagnostics())
    return parse_locales(text, source=path.name)


def registry_with(path: Path | None) -> Registry:
    """The packaged registry, and behind its locales those of a file where one is given.

    Raises:
        RowError, RowErrors: As `read_locales`.
    """
    return registry() if path is None else registry().extended(read_locales(path), source=path.name)


def known_domains(path: Path | None) -> Mapping[str, Domain]:
    """The packaged domains by name, and behind them those of a file where one is given.

    Args:
        path: UTF-8 TOML with one ``[[domain]]`` table per domain; the keys are the fields of `Domain`.

    Raises:
        RowError, RowErrors: If the file is not UTF-8 or not TOML, if an entry has a missing, unknown or wrong
            field, or if it has the name of another or of a packaged domain; names file, entry and field.
    """
    if path is None:
        return domains()
    text = read_text(path, path.parent, Diagnostics())
    return domains_with(parse_domains(text, source=path.name), source=path.name)


def domain_toml(domain: Domain) -> str:
    """A domain as a domain file has it: TOML that `known_domains` reads back as the same domain."""
    return tomli_w.dumps({"domain": [domain.model_dump(mode="json", exclude_none=True)]})


Kind = Literal["idk", "no-answer", "not-applicable", "other"]

_HEAD = """\
# What the columns of {name} mean: a draft. Complete it, then run the same command again. docs/importing.md
# explains the keys. Where every answer is a row, take the columns with answers out of leave_out, and write them
# here in their order: answers = ["answer 1", "answer 2"]. Likewise who answered: annotator = "name".

"""
_QUESTIONS = """\

# No column is recognised as a question, and nothing in one. If every question is a column, take its name out of
# leave_out and write it here with its template; if every answer is a row, write `question` above as well.
# [questions]
"""


class ImportMap(FrozenModel):
    """Meaning of a table's columns."""

    locale: str | None = None
    """Locale of all answers, for example ``ko-KR``; or else ``locale_column``."""
    locale_column: str | None = None
    """Column that holds the locale of each row."""
    annotator: str | None = None
    """Column that says who answered; when absent, every row is a person of its own."""
    key_file: str | None = None
    """Key of the pseudonyms, relative to the map: people appear by keyed hash. When absent, the table names
    people by pseudonyms already."""
    question: str | None = None
    """Column that says which question a row answers; when absent, every question is a column."""
    answers: tuple[str, ...] = ()
    """Columns with the answers, where ``question`` says to what."""
    separator: str | None = Field(default=None, min_length=1)
    """What stands between several answers in one cell; a cell is one answer when absent."""
    leave_out: tuple[str, ...] = ()
    """Columns that are not imported."""
    leave_out_questions: tuple[str, ...] = ()
    """Questions that are not imported, as the column ``question`` has them."""
    questions: dict[str, str] = Field(default_factory=dict)
    """Id of the template by column (several columns may have one: its first, second and third answer), or by
    what stands in the column ``question``."""
    non_answers: dict[str, Kind] = Field(default_factory=dict)
    """Texts that say that there is no answer, and which kind they are: ``idk``, ``no-answer``,
    ``not-applicable`` or ``other`` (the text is the reason)."""

    @property
    def columns(self) -> list[str]:
        """Columns that the map uses."""
        answers = [*self.questions] if self.question is None else [self.question, *self.answers]
        return [*(name for name in (self.annotator, self.locale_column) if name is not None), *answers]

    @property
    def columns_by_template(self) -> dict[str, list[str]]:
        """The columns of every question, where each has its own."""
        found: dict[str, list[str]] = {}
        for column, template_id in self.questions.items():
            found.setdefault(template_id, []).append(column)
        return found


def read_map(path: Path) -> ImportMap:
    """The map in a file.

    Raises:
        InputError, RowError, RowErrors: As `files.toml.read_toml`, or if keys contradict each other.
    """
    by = read_toml(path, ImportMap, what="map")
    if (by.locale is None) == (by.locale_column is None):
        raise RowError(
            "locale or locale_column", where=f"{path}, key locale", fix="give exactly one of the two"
        )
    if (by.question is None) != (not by.answers):
        fix = "give both for a table with a row per answer, otherwise neither"
        raise RowError("question and answers belong together", where=f"{path}, key question", fix=fix)
    if by.question is None and not by.questions:
        raise RowError("names no column", where=f"{path}, key questions", fix="write one line per question")
    return by


def map_text(by: ImportMap, name: str, templates: Mapping[str, str] | None = None) -> str:
    """A map as the text of a file, for a table of that name.

    Args:
        by: The map.
        name: Of the table's file.
        templates: Where no question is recognised, those that are asked: id to text, written as comments.
    """
    values = by.model_dump(mode="json", exclude_none=True)
    text = _HEAD.format(name=name) + tomli_w.dumps({key: value for key, value in values.items() if value})
    if templates is None:
        return text
    asked = (
        f'# "COLUMN" = {json.dumps(one)}  # {" ".join(question.split())}\n'
        for one, question in templates.items()
    )
    return text + _QUESTIONS + "".join(asked)
