"""Docstrings at run time."""

from pydantic import Field, create_model

from blend.schemas.models import FrozenModel, field_sentences, first_line_of


class Described:
    """What it is.

    And more of it.
    """

    def method(self) -> None:
        """What it does."""


class Undescribed:
    pass


def test_the_first_line():
    assert first_line_of(Described) == "What it is."
    assert first_line_of(Undescribed) == ""


class Parent(FrozenModel):
    """A model."""

    kept: int
    """What the parent says,
    on two lines."""
    told_anew: int = 0
    """What the parent says."""
    silent: int = 0


class Child(Parent):
    """Another one."""

    told_anew: int = 1
    """What the child says."""
    own: str = Field(default="", alias="published")
    """What it adds."""


def test_the_sentence_under_each_field():
    said = {"kept": "What the parent says,\non two lines.", "told_anew": "What the child says."}
    assert field_sentences(Child) == {**said, "own": "What it adds."}
    assert list(field_sentences(Parent)) == ["kept", "told_anew"]


def test_a_model_inside_a_function_is_found_as_well():
    class Inner(FrozenModel):
        field: int
        """Its sentence."""

    assert field_sentences(Inner) == {"field": "Its sentence."}


def test_a_model_made_without_source_has_no_sentences():
    assert field_sentences(create_model("Made", field=(int, 0))) == {}


def test_a_json_schema_carries_the_sentences():
    properties = Child.model_json_schema()["properties"]
    described = {name: of.get("description") for name, of in properties.items()}
    assert described == {
        "kept": "What the parent says,\non two lines.",
        "told_anew": "What the child says.",
        "silent": None,
        "published": "What it adds.",
    }
