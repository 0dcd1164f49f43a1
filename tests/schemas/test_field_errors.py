"""What pydantic reports, in the words of our messages."""

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from blend.schemas.models import entry_problems, field_errors, first_reason


class Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    sizes: tuple[int, ...] = ()

    @field_validator("name")
    @classmethod
    def _is_short(cls, name: str) -> str:
        if len(name) > 3:
            raise ValueError(f"name {name!r} is long" if name == "large" else f"name {name!r} is long; cut it")
        return name


def broken(**values: object) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Entry.model_validate(values)
    return caught.value


def test_our_own_sentence_is_told_as_it_is():
    (field_error,) = field_errors(broken(name="long"))
    assert (field_error.is_ours, field_error.message) == (True, "name 'long' is long; cut it")
    assert field_error.what_and_fix == ("name 'long' is long", "cut it")


def test_a_value_in_a_list_is_found_by_its_path():
    (field_error,) = field_errors(broken(name="a", sizes=[1, "x"]))
    assert (field_error.location, field_error.kind, field_error.value) == ("sizes.1", "int_parsing", "x")
    assert field_error.given().endswith(", not 'x'")
    assert field_error.given("a text").endswith(", not a text")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "own.toml, field name: the field is missing; add name = …"),
        (
            {"name": "a", "colour": 1},
            "own.toml, field colour: unknown field; choose from: name, sizes",
        ),
        ({"name": "long"}, "own.toml, field name: name 'long' is long; cut it"),
        ({"name": "large"}, "own.toml, field name: name 'large' is long; compare with the packaged entries"),
        (
            {"name": 3},
            "own.toml, field name: input should be a valid string, not 3; compare with the packaged entries",
        ),
    ],
)
def test_problems_of_an_entry(values: dict[str, object], message: str):
    assert [str(problem) for problem in entry_problems(broken(**values), Entry, "own.toml")] == [message]


def test_the_first_reason_is_one_line():
    assert first_reason(broken()) == "name: Field required"
    assert first_reason(ValueError("broken\nin two lines")) == "broken"
