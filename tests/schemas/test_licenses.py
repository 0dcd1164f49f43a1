"""Licences: only the maker can license own responses, and only in terms that the Hub knows."""

import pytest

from blend.schemas.errors import InputError
from blend.schemas.recipe import Recipe, Source, _known_licenses, licensed, may_become
from helpers.messages import message_of

OWN = Source(kind="responses", location="collected")
PUBLIC = Source(kind="blend", location="data")


def recipe(*sources: Source, terms: str | None = None) -> Recipe:
    return Recipe(name="x", version="1.0.0", sources=sources, license=terms)


def test_nobody_guesses_the_licence_of_own_responses():
    assert message_of(InputError, lambda: licensed(recipe(PUBLIC, OWN))) == (
        "recipe, key license: the key is missing, and nobody else can say under which terms your own responses "
        'may be used; add the identifier of a licence, for example license = "cc-by-4.0"'
    )


def test_what_is_made_of_public_data_keeps_its_licence():
    assert licensed(recipe(PUBLIC)).license == "cc-by-sa-4.0"
    assert licensed(recipe(PUBLIC, OWN, terms="cc-by-sa-4.0")).license == "cc-by-sa-4.0"
    by_agreement = PUBLIC.model_copy(update={"license": "cc-by-4.0"})
    assert licensed(recipe(by_agreement, OWN, terms="cc-by-nc-4.0")).license == "cc-by-nc-4.0"


@pytest.mark.parametrize("terms", ["cc-by-4.0", "cc-by-nc-sa-4.0", "cc0-1.0", "odbl"])
def test_what_is_adapted_from_blend_keeps_its_licence(terms: str):
    assert message_of(InputError, lambda: licensed(recipe(OWN, PUBLIC, terms=terms), where="recipe.toml")) == (
        f"recipe.toml, key license: {terms!r}, but sources[1] is BLEnD's data under 'cc-by-sa-4.0', and what "
        'is adapted from that keeps its licence; write license = "cc-by-sa-4.0"'
    )


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("CC BY 4", "did you mean 'cc-by-4.0'? "),
        ("cc-by", "did you mean 'cc-by-4.0'? "),
        ("cc-by-sa", "did you mean 'cc-by-sa-4.0'? "),
        ("CC0-1.0", "did you mean 'cc0-1.0'? "),
        ("", ""),
        ("all rights reserved", ""),
    ],
)
def test_a_licence_that_the_hub_does_not_know(given: str, hint: str):
    said = (
        f"{given!r} is not a licence identifier that the Hub knows; {hint}"
        "https://huggingface.co/docs/hub/repositories-licenses lists them; 'other' is one of them"
    )
    assert message_of(InputError, lambda: licensed(recipe(OWN, terms=given))) == f"recipe, key license: {said}"
    sources = OWN, OWN.model_copy(update={"license": given})
    told = message_of(InputError, lambda: licensed(recipe(*sources, terms="mit")))
    assert told == f"recipe, key sources[1].license: {said}"


def test_the_identifiers_are_those_of_the_hub():
    assert {"cc-by-4.0", "cc-by-sa-4.0", "cc0-1.0", "mit", "other", "odc-by"} <= _known_licenses()
    assert all(identifier == identifier.lower().strip() for identifier in _known_licenses())


MAY_BECOME = {
    "cc0-1.0": "cc-by-nc-sa-4.0 odbl",
    "cc-by-4.0": "cc-by-sa-4.0 cc-by-nc-4.0",
    "cc-by-sa-3.0": "cc-by-sa-4.0",
    "cc-by-nc-4.0": "cc-by-nc-sa-4.0",
    "cc-by-nd-4.0": "cc-by-nd-4.0",
    "mit": "mit",
}
MAY_NOT_FOR_CERTAIN = {
    "cc-by-4.0": "cc0-1.0 cc-by-nd-4.0 other",
    "cc-by-sa-4.0": "cc-by-4.0 cc-by-sa-3.0 cc-by-nc-sa-4.0",
    "cc-by-nc-4.0": "cc-by-4.0",
    "cc-by-nc-sa-4.0": "cc-by-nc-4.0",
    "cc-by-nd-4.0": "cc-by-4.0",
    "mit": "cc-by-4.0",
}


@pytest.mark.parametrize("given", MAY_BECOME)
def test_a_licence_that_allows_the_datasets(given: str):
    assert all(may_become(given, released) for released in MAY_BECOME[given].split())


@pytest.mark.parametrize("given", MAY_NOT_FOR_CERTAIN)
def test_a_licence_that_does_not_allow_it_for_certain(given: str):
    assert not any(may_become(given, released) for released in MAY_NOT_FOR_CERTAIN[given].split())
