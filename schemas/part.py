"""A part: the base of everything that a file or a report is made of."""

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """Immutable, without unknown keys; the sentence under a field is the field's description."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
