"""Contributors on a card: named as each agreed to be, and nobody else."""

from datetime import date
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from blend.builders.cards.credits import cited_authors, shares
from blend.schemas.contributors import Contributed, Contributor, LocaleShare
from blend.schemas.recipe import Recipe, Source

RECIPE = Recipe(
    name="lunch",
    version="1.2.0",
    title="Lunch",
    license="cc-by-sa-4.0",
    homepage="https://example.org/lunch",
    sources=(Source(kind="contributions", location="contributions"),),
)


def brought(folder: str, *counts: tuple[str, int, int, int], **about: Any) -> Contributed:
    fixed = {"license": "cc-by-4.0", "agreed": date(2026, 11, 1)}
    contributor = Contributor.model_validate({**fixed, **about})
    locales = [dict(zip(LocaleShare.model_fields, row, strict=True)) for row in counts]
    return Contributed.model_validate({"folder": folder, "contributor": contributor, "locales": locales})


MINA = brought("mina-ko", ("ko-KR", 3, 12, 1), credit="name", name="Mina *Kim*", orcid="0000-0002-1825-0097")
JUN = brought("jun", ("ko-KR", 0, 5, 0), ("ko-KP", 2, 4, 0), credit="pseudonym", pseudonym="jun", license="mit")
ABEL = brought("abel-am", ("am-ET", 1, 2, 0), credit="none")
SARA = brought("sara-fa", ("fa-IR", 2, 3, 1), credit="none", license="cc0-1.0")


def test_each_is_named_as_agreed_and_the_unnamed_are_one():
    rows = shares([ABEL, JUN, MINA, SARA])
    assert [(row.who, row.locales, row.questions, row.responses, row.reviews) for row in rows] == [
        ("jun", ["ko-KP", "ko-KR"], 2, 9, 0),
        (r"Mina \*Kim\* ([ORCID](https://orcid.org/0000-0002-1825-0097))", ["ko-KR"], 3, 12, 1),
        ("*2 contributors not named*", ["am-ET", "fa-IR"], 3, 5, 1),
    ]
    assert [[terms.name for terms in row.licenses] for row in rows] == [
        ["mit"],
        ["CC BY 4.0"],
        ["CC BY 4.0", "CC0 1.0"],
    ]


def test_only_names_are_cited_behind_the_authors_each_once():
    assert cited_authors(RECIPE, [ABEL, JUN, MINA]) == ["Mina *Kim*"]
    own = RECIPE.model_copy(update={"authors": ("Sara Ahmadi", "Mina *Kim*")})
    assert cited_authors(own, [MINA]) == ["Sara Ahmadi", "Mina *Kim*"]


@given(st.permutations([MINA, JUN, ABEL, SARA]), st.integers(0, 4))
def test_no_folder_of_an_unnamed_contributor_is_told(order: list[Contributed], n: int):
    told = list(map(str, shares(order[:n])))
    assert not any(name in text for text in told for name in ("abel", "sara"))
    assert sum(row.responses for row in shares(order[:n])) == sum(
        of.responses for part in order[:n] for of in part.locales
    )
