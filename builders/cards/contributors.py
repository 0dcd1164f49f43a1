"""Contributors on a card: who brought what, named as each agreed to be, and whom to cite."""

from collections.abc import Sequence
from typing import NamedTuple

from blend.builders.cards.credits import License, license_of
from blend.schemas.contributors import Contributed, Contributor
from blend.schemas.recipe import Recipe
from blend.schemas.summaries import markdown_text
from blend.schemas.texts import pluralise


class Share(NamedTuple):
    """What a contributor brought, or all together who are not named."""

    who: str
    """Markdown."""
    locales: Sequence[str]
    """Tags, in text order."""
    questions: int
    responses: int
    reviews: int
    licenses: Sequence[License]
    """Licences of it, each once."""


def shares(contributions: Sequence[Contributed]) -> list[Share]:
    """The shares of all contributors, in the order of their folders.

    The folder of somebody who is not named may tell who it is; so these are one share, the last.
    """
    named = [(_who(given.contributor), [given]) for given in contributions]
    unnamed = [given for given in contributions if _who(given.contributor) is None]
    rows = [_share(who, parts) for who, parts in named if who is not None]
    if unnamed:
        rows.append(_share(f"*{pluralise(len(unnamed), 'contributor')} not named*", unnamed))
    return rows


def cited_authors(recipe: Recipe, contributions: Sequence[Contributed]) -> list[str]:
    """The authors to cite: those of the recipe, then contributors who agreed to be named, each once."""
    agreed = [given.contributor.name for given in contributions if _is_cited(given.contributor)]
    return list(dict.fromkeys([*(recipe.authors or ()), *(name for name in agreed if name)]))


def _who(contributor: Contributor) -> str | None:
    """A contributor as they agreed to be shown, in Markdown; null for who is not named."""
    if contributor.credit == "none":
        return None
    name = markdown_text((contributor.name if _is_cited(contributor) else contributor.pseudonym) or "")
    links = [f"[ORCID](https://orcid.org/{contributor.orcid})"] if contributor.orcid else []
    links += [f"<{contributor.url}>"] if contributor.url else []
    return name if not links else f"{name} ({', '.join(links)})"


def _is_cited(contributor: Contributor) -> bool:
    return contributor.credit == "name"


def _share(who: str, parts: Sequence[Contributed]) -> Share:
    brought = [of for given in parts for of in given.locales]
    return Share(
        who,
        sorted({of.locale for of in brought}),
        questions=sum(of.questions for of in brought),
        responses=sum(of.responses for of in brought),
        reviews=sum(of.reviews for of in brought),
        licenses=[license_of(name) for name in dict.fromkeys(given.contributor.license for given in parts)],
    )
