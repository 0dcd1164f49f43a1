"""A part: the base of everything that a file or a report is made of, and what many of them hold."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from blend.schemas.base.docstrings import field_sentences

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
"""A string that is not blank."""

Qid = Annotated[str, Field(pattern=r"^Q[1-9]\d*$")]
"""Identifier of a Wikidata item, for example ``Q746549``."""


class FrozenModel(BaseModel):
    """Immutable, without unknown keys; the sentence under a field is the field's description."""

    # Built when first used: a command meets a few of some sixty models.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, sentence in field_sentences(cls).items():
            for published in {name, cls.model_fields[name].alias} & properties.keys():
                properties[published]["description"] = sentence
        return schema


class Row(FrozenModel):
    """A row that crosses the package's border: immutable, without unknown fields, filled by name or alias."""

    model_config = ConfigDict(populate_by_name=True)
