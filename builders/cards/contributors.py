"""Contributors on a card: who brought what, named as each agreed to be, and whom to cite."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import yaml

from blend.builders.cards.credits import License, license_of
from blend.schemas.contributors import Contributed, Contributor
from blend.schemas.recipe import Recipe, creative_commons
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


def citation_cff(recipe: Recipe, title: str, contributions: Sequence[Contributed]) -> str:
    """The text of ``CITATION.cff``, in the Citation File Format 1.2.0 (https://citation-file-format.github.io).

    Args:
        recipe: Of the release.
        title: Its name for people.
        contributions: What contributors brought; those who are not named are not told about here.
    """
    agreed = [given.contributor for given in contributions if _is_cited(given.contributor)]
    known = {contributor.name: contributor for contributor in agreed}
    authors = [_author(name, known.get(name)) for name in cited_authors(recipe, contributions)]
    identifier = recipe.license or ""
    # The format takes SPDX's identifiers, which the Hub writes in lower case.
    is_spdx = creative_commons(identifier) is not None or identifier == "cc0-1.0"
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, cite it with its version, and the works that its card names.",
        "type": "dataset",
        "title": title,
        "version": recipe.version,
        "authors": authors or [{"name": f"Contributors to {title}"}],
        **({"license": identifier.upper()} if is_spdx else {}),
        **({"url": recipe.homepage} if recipe.homepage else {}),
    }
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=1000)


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


def _author(name: str, contributor: Contributor | None) -> dict[str, str]:
    """An author as an entity, the one kind of the format whose name is not taken apart."""
    author = {"name": name}
    if contributor is not None and contributor.orcid:
        author["orcid"] = f"https://orcid.org/{contributor.orcid}"
    if contributor is not None and contributor.url:
        author["website"] = contributor.url
    return author
