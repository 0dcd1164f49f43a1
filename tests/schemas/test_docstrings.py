"""Docstrings are there at run time, whether or not Python has dropped them."""

import pytest

from blend.builders.validate import CHECKS
from blend.schemas.docstrings import docstring_of, first_line_of
from blend.schemas.recipe import Recipe
from blend.schemas.rows import Row


class Described:
    """What it is.

    And more of it.
    """

    def method(self) -> None:
        """What it does."""


class Undescribed:
    pass


@pytest.mark.parametrize("thing", [Described, Described.method, Recipe, Row, *CHECKS.values()])
def test_a_docstring_is_read_from_the_source_where_python_dropped_it(monkeypatch, thing):
    kept = docstring_of(thing)
    assert kept
    monkeypatch.setattr(thing, "__doc__", None)
    assert docstring_of(thing) == kept


def test_the_first_line():
    assert first_line_of(Described) == "What it is."
    assert first_line_of(Undescribed) == ""


def test_what_was_made_without_a_source():
    assert docstring_of(type("Made", (), {})) == ""
