"""Which options name a group."""

import polars as pl
import pytest

from blend.builders.audit.question_arrays import question_arrays
from blend.builders.audit.solvers import named_groups
from blend.schemas.locales import registry


@pytest.mark.parametrize(
    ("group", "names", "does_not"),
    [
        ("en-GB", "a british pie", "a brit pie"),
        ("Kıbrıs", "of kibris", "kibrislim"),
        ("Team ??", "for team ??", "for team"),
        ("---", "a --- b", "a - b"),
    ],
)
def test_a_group_is_named_by_its_names_or_as_it_is_written(group: str, names: str, does_not: str):
    asked = question_arrays(
        pl.DataFrame({"options": [[names, does_not]], "answer": [0], "group": [group], "template": ["t"]})
    )
    (named,) = named_groups(asked, registry())
    assert {text for text, is_named in zip(asked.texts, named, strict=True) if is_named} == {names}
