"""A part: the base of everything that a file or a report is made of."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from blend.schemas.docstrings import described


class Part(BaseModel):
    """Immutable, without unknown keys; the sentence under a field is the field's description."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        described(cls)
