"""Models: what every row, file and report is built on, what its docstrings say, and its errors in words.

Everything that reads files asks here, also for texts of the package, so that nobody else needs to know how
pydantic reports: which part of an error is the sentence of one of our own validators, what its kinds are
called, how a path is written.
"""

import ast
import inspect
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue

from blend.schemas.errors import RowError, beyond_limits

if TYPE_CHECKING:
    from jinja2 import Environment


def first_line_of(thing: type | Callable[..., Any]) -> str:
    """The first line of the docstring; empty if there is none."""
    return inspect.cleandoc(thing.__doc__ or "").partition("\n")[0].rstrip()


@cache
def field_sentences(model: type[BaseModel]) -> Mapping[str, str]:
    """Field of a model to the sentence under it, in the model's order; fields without one are left out.

    A model that is made of a table has descriptions in place of sentences.

    Pydantic would read these of every model that is made (``use_attribute_docstrings``). That takes a seventh
    of a short command, and few are asked for.
    """
    if described := {name: text for name, field in model.model_fields.items() if (text := field.description)}:
        return described
    found: dict[str, str] = {}
    for cls in reversed(model.__mro__):
        if cls not in BaseModel.__mro__:
            (body,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
            found |= dict(_sentences(body))
    return {name: found[name] for name in model.model_fields if name in found}


def _sentences(body: ast.AST) -> Iterator[tuple[str, str]]:
    for node, below in pairwise(ast.iter_child_nodes(body)):
        match node, below:
            case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(sentence))):
                yield name, inspect.cleandoc(sentence)


Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
"""A string that is not blank."""

Qid = Annotated[str, Field(pattern=r"^Q[1-9]\d*$")]
"""Identifier of a Wikidata item, for example ``Q746549``."""


class FrozenModel(BaseModel):
    """Immutable, without unknown keys; the sentence under a field is the field's description."""

    # Built when first used: a command meets a few of some sixty models.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def to_json(self) -> str:
        """The text of a JSON file that holds it."""
        return self.model_dump_json(indent=2) + "\n"

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The JSON Schema, in which each property has its field's sentence."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, sentence in field_sentences(cls).items():
            properties[cls.model_fields[name].alias or name]["description"] = sentence
        return schema


class Row(FrozenModel):
    """A row that crosses the package's border: immutable, without unknown fields, filled by name or alias."""

    model_config = ConfigDict(populate_by_name=True)


class FieldError(NamedTuple):
    """One value that is not what its model says."""

    path: tuple[int | str, ...]
    """Fields and positions in lists, from 0, that lead to the value; empty for the model as a whole."""
    kind: str
    """Pydantic's name for what is wrong, such as ``missing``; ``value_error`` for our own validators."""
    value: Any
    """What was given; for a missing field what it is missing from."""
    message: str
    """What is wrong: the whole sentence of our own validator, otherwise pydantic's."""
    context: Mapping[str, Any]
    """Limits and expected values, by pydantic's names."""

    @property
    def is_ours(self) -> bool:
        """Whether one of our own validators found it, so that the message says what to do as well."""
        return self.kind == "value_error"

    @property
    def location(self) -> str:
        """The path with dots, positions from 0."""
        return ".".join(map(str, self.path))

    @property
    def what_and_fix(self) -> tuple[str, str]:
        """The sentence of our own validator in its two parts: what is wrong, what to do (empty if unsaid)."""
        what, _, fix = self.message.partition("; ")
        return what, fix

    @property
    def expected(self) -> str:
        """What the value should be, in words, to follow "is not"."""
        return _EXPECTED.get(self.kind, f"possible ({self.message})").format(**self.context)

    def given(self, shown: str | None = None) -> str:
        """Pydantic's message as part of a sentence, and what was given; ``shown`` stands for it, if given."""
        given = repr(self.value) if shown is None else shown
        return f"{self.message[:1].lower()}{self.message[1:]}, not {given}"


_EXPECTED = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false, without quotes"),
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


def field_errors(error: ValidationError) -> Iterator[FieldError]:
    """Everything that is wrong, in pydantic's order."""
    for detail in error.errors(include_url=False):
        context = detail.get("ctx", {})
        ours = context.get("error") if detail["type"] == "value_error" else None
        message = detail["msg"] if ours is None else str(ours)
        yield FieldError(detail["loc"], detail["type"], detail["input"], message, context)


def first_reason(error: Exception) -> str:
    """Say in one line why a file is not what it must be.

    The first field error, or the first line of another error.
    """
    if isinstance(error, ValidationError):
        first = next(field_errors(error))
        return f"{first.location}: {first.message}" if first.path else first.message
    return str(error).partition("\n")[0]


def packaged_text(name: str, package: str = "blend.schemas") -> str:
    """A file of data that lies beside the modules of a package, such as ``locales.toml`` beside these."""
    return (files(package) / name).read_text(encoding="utf-8")


@cache
def packaged_tables(name: str, package: str = "blend.schemas") -> dict[str, Any]:
    """The tables of such a file, which nobody changes."""
    return toml_tables(packaged_text(name, package), source=name)


@cache
def packaged_templates(
    package: str,
    folder: str = "",
    *,
    autoescape: bool = True,
    keep_trailing_newline: bool = False,
    finalize: Callable[[Any], Any] | None = None,
) -> "Environment":
    """The templates in a folder of a package; each is compiled once, and a value that nobody gave is an error.

    Args:
        package: Name of the package.
        folder: Folder in it; the package's own when absent.
        autoescape: Whether values are escaped for HTML.
        keep_trailing_newline: Whether a text ends with the line feed that its template ends with.
        finalize: What becomes of a value before it is filled in.
    """
    # Imported here: most commands fill in none.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, folder),
        undefined=StrictUndefined,
        autoescape=autoescape,  # noqa: S701 - who asks for none fills in no HTML
        keep_trailing_newline=keep_trailing_newline,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def toml_tables(text: str, *, source: str, fix: str = "mend the file there") -> dict[str, Any]:
    """The tables and keys of a text in TOML.

    Args:
        text: TOML.
        source: File name for messages.
        fix: What to do about a text that is not TOML, where nothing better is known (`_REMEDIES`); the message
            names the line before it.

    Raises:
        RowError: If it is not TOML (names the line), or nested deeper or with longer numbers than Python reads.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RowError(f"not TOML: {error}", where=source, fix=_remedy(text, str(error)) or fix) from None
    except (RecursionError, ValueError) as error:
        raise RowError(f"not usable as TOML: {beyond_limits(error)}", where=source, fix="correct it") from None


_REMEDIES = {
    r"[“”„«»‘’].*\n": 'write straight quotes there, as in name = "text"',
    r"\\.*\n": "write / in place of \\ there, or '…' around the text in place of \"…\"",
    r"=\s*[^\W\d].*\nInvalid value": 'put text in quotes there, as in name = "text"',
    r"\nCannot (?:overwrite|declare)": (
        "the key or table is there twice; delete one of them, or write [[name]] above each of several tables"
    ),
}
"""What people mistake in TOML, by a pattern of the line and of what the parser says of it, and what to do."""


def _remedy(text: str, error: str) -> str | None:
    number = re.search(r"at line (\d+)", error)
    line = text.split("\n")[int(number[1]) - 1] if number else ""
    found = (remedy for pattern, remedy in _REMEDIES.items() if re.search(pattern, f"{line}\n{error}"))
    return next(found, None)
