"""Licences by the identifiers under which the Hub knows them; the list is data, ``licenses.toml``."""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files

from blend.schemas.errors import InputError, RowError, did_you_mean
from blend.schemas.recipe.recipe import Recipe

DEFAULT_LICENSE = "cc-by-sa-4.0"
"""Licence of BLEnD, which a release made of public data has unless its recipe says otherwise."""

OWN_RESPONSES = ("responses", "contributions")
"""Kinds of source whose terms only those can state who collected them."""

_CREATIVE_COMMONS = re.compile(r"cc-(by(?:-nc)?(?:-nd|-sa)?)-(\d\.\d)")


def creative_commons(identifier: str) -> tuple[str, str] | None:
    """The terms and the version of a Creative Commons licence, ``by-sa`` and ``4.0``; null for others."""
    found = _CREATIVE_COMMONS.fullmatch(identifier)
    return None if found is None else (found[1], found[2])


def may_become(given: str, released: str) -> bool:
    """Whether what somebody gave under one licence may be part of a dataset under another.

    Only what is certain: the same licence, and between Creative Commons licences what their makers say
    (https://creativecommons.org/faq/, *Can I combine material under different Creative Commons licenses in my
    work?*). Everything may be made of CC0, nothing but itself of a licence without derivatives; ``nc`` has to
    stay, and ``sa`` asks for the same terms in the same version or a later one.

    Args:
        given: Identifier of the contribution's licence as the Hub knows it.
        released: Identifier of the dataset's licence.
    """
    if given in (released, "cc0-1.0"):
        return True
    of_given, of_released = creative_commons(given), creative_commons(released)
    if of_given is None or of_released is None:
        return False
    terms, version = of_given
    if "nd" in terms or "nd" in of_released[0]:
        return False
    if "sa" in terms:
        return of_released[0] == terms and of_released[1] >= version
    return "nc" not in terms or "nc" in of_released[0]


@lru_cache(maxsize=1)
def known_licenses() -> frozenset[str]:
    """The identifiers that the Hub accepts."""
    text = files("blend.schemas.recipe").joinpath("licenses.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)["identifiers"])


def licensed(recipe: Recipe, *, where: str = "recipe") -> Recipe:
    """The recipe with its licence spelled out; ``where`` is what messages call it, such as its path.

    Raises:
        InputError: If it has own responses and names no licence: only who collected them can say under which
            terms they may be used.
        RowError: If a licence is not one that the Hub knows (names the closest), or BLEnD's data, which are CC
            BY-SA 4.0 unless their source says otherwise, may not be part of a dataset under the recipe's.
    """
    if recipe.license is None and any(source.kind in OWN_RESPONSES for source in recipe.sources):
        raise InputError(
            f"{where}, key license: the key is missing, and nobody else can say under which terms your own "
            'responses may be used; add the identifier of a licence, for example license = "cc-by-4.0"'
        )
    if recipe.license is not None:
        check_license(recipe.license, where=f"{where}, key license")
    for number, source in enumerate(recipe.sources):
        if source.license is not None:
            check_license(source.license, where=f"{where}, key sources[{number}].license")
        if source.kind == "blend":
            _check_adapted(source.license or DEFAULT_LICENSE, recipe.license or DEFAULT_LICENSE, number, where)
    return recipe if recipe.license is not None else recipe.model_copy(update={"license": DEFAULT_LICENSE})


def _check_adapted(given: str, released: str, number: int, where: str) -> None:
    if not may_become(given, released):
        raise RowError(
            f"{released!r}, but sources[{number}] is BLEnD's data under {given!r}, "
            "and what is adapted from that keeps its licence",
            where=f"{where}, key license",
            fix=f'write license = "{given}"',
        )


def check_license(identifier: str, *, where: str) -> None:
    """Refuse what is not the identifier of a licence that the Hub knows.

    Raises:
        RowError: With the closest one.
    """
    if identifier in known_licenses():
        return
    hint = did_you_mean(re.sub(r"[\s_]+", "-", identifier.strip().lower()), known_licenses())
    raise RowError(
        f"{identifier!r} is not a licence identifier that the Hub knows",
        where=where,
        fix=f"{hint}https://huggingface.co/docs/hub/repositories-licenses lists them; 'other' is one of them",
    )
