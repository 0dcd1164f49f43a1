"""Credits: under which licence each source came, whom to name, what to cite, and how to betray misuse."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from uuid import UUID, uuid5

from blend.builders.cards.rendering import text_of
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.manifest import ReleaseManifest, SourceInfo
from blend.schemas.personal_data import Contributed, Contributor
from blend.schemas.recipe import Recipe, Source, creative_commons
from blend.schemas.summaries import markdown_text
from blend.schemas.texts import escape_controls, pluralise

_NAMESPACE = UUID("cbc337f8-40a3-50a1-9a1f-e9858634c4af")

_NAMES = {"cc0-1.0": ("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/")}


@dataclass(frozen=True, slots=True)
class _License:
    """A licence, for people."""

    name: str
    """Usual short name, for example ``CC BY-SA 4.0``; the identifier where none is known."""
    url: str | None
    """Address of its text; null where none is known."""

    @property
    def markdown(self) -> str:
        """Name with a link, if there is one."""
        return self.name if self.url is None else f"[{self.name}]({self.url})"


@dataclass(frozen=True, slots=True)
class _Credit:
    """A source of a release, and what its users owe to it."""

    name: str
    """What to call the source."""
    about: str
    """What it is, in one sentence."""
    license: _License
    """Its licence."""
    pinned: str
    """What exactly was read: a revision or the beginning of the digest."""


class _SourceKind(NamedTuple):
    """A kind of source, as cards tell of it."""

    name: str
    """What to call it."""
    about: str
    """What it is, in one sentence."""
    annotations: str
    """Who made its answers, in the words of the Hub's ``annotations_creators``."""
    language: str
    """Who made its texts, likewise of ``language_creators``."""
    extended: str
    """Its ``source_datasets``: ``original``, or ``extended|`` and another dataset."""
    license: str | None = None
    """Its usual licence, as an identifier of the Hub; null where every source has its own."""


@cache
def source_kinds() -> Mapping[str, _SourceKind]:
    """What cards say of sources, by their kind in a recipe."""
    texts = tomllib.loads(text_of("sources.toml").replace("{sdk}", DISTRIBUTION))
    return {kind: _SourceKind(**of) for kind, of in texts.items()}


def license_of(identifier: str | None) -> _License:
    """A licence by the identifier that the Hub uses, for example ``cc-by-sa-4.0``; a build leaves none open."""
    if identifier is None:
        return _License("unknown", None)
    if identifier in _NAMES:
        return _License(*_NAMES[identifier])
    if found := creative_commons(identifier):
        terms, number = found
        return _License(
            f"CC {terms.upper()} {number}", f"https://creativecommons.org/licenses/{terms}/{number}/"
        )
    return _License(identifier, None)


def work(key: str) -> str:
    """The BibTeX entry of a work whose method or data a release follows, with a final line feed.

    Args:
        key: Its key in ``works.bib``, for example ``myung2024blend``.
    """
    entries = text_of("works.bib")
    found = re.search(rf"^@\w+{{{key},\n.*?^}}\n", entries, re.MULTILINE | re.DOTALL)
    assert found is not None, f"no work {key}"
    return found[0]


def credits_of(manifest: ReleaseManifest) -> list[_Credit]:
    """The credits of a release's sources, in the recipe's order.

    Reviewed files that decide what is built but give no rows (decisions of equivalence, reviewed distractors)
    are the maker's own and no sources in this sense.
    """
    read = {(info.kind, info.location): info for info in manifest.sources}
    recipe = manifest.recipe
    return [_credit(source, read[source.kind, source.location], recipe) for source in recipe.sources]


def citation(recipe: Recipe, authors: Sequence[str] | None = None) -> str:
    """The BibTeX entry of the dataset itself, with a final line feed: the recipe's, or one made of its keys.

    Args:
        recipe: Of the release.
        authors: Names for an entry that is made; those of the recipe when absent.
    """
    if recipe.citation is not None:
        return recipe.citation.strip() + "\n"
    key = re.sub(r"\W", "", recipe.name)
    names = (recipe.authors or ()) if authors is None else authors
    who = f"  author = {{{' and '.join(names)}}},\n" if names else ""
    url = "" if recipe.homepage is None else f"  url = {{{recipe.homepage}}},\n"
    return (
        f"@misc{{{key}_v{recipe.version},\n"
        f"  title = {{{escape_controls(recipe.title or recipe.name)}}},\n"
        f"{who}"
        f"{url}"
        f"  note = {{Version {recipe.version}, built with {DISTRIBUTION}}},\n"
        "}\n"
    )


def canary(name: str) -> str:
    """The sentence with the canary of a dataset.

    It depends on the dataset's name alone, so that one search finds every version of it, and nobody else's name
    gives the same. Whoever filters a corpus drops documents with it; whoever has a model can test whether it
    completes the sentence.

    Args:
        name: Short name of the dataset, as in the recipe.
    """
    return f"{name} is evaluation data and must not be in any training corpus; canary {uuid5(_NAMESPACE, name)}"


def _credit(source: Source, info: SourceInfo, recipe: Recipe) -> _Credit:
    kind = source_kinds()[source.kind]
    where = f" (`{source.location}`)" if source.location else ""
    pinned = f"revision {info.revision}" if info.revision else f"sha256 {info.sha256[:12]}…"
    if source.kind == "contributions":
        return _Credit(f"{kind.name}{where}", kind.about, _License("as each of them says", None), pinned)
    identifier = source.license or kind.license or recipe.license
    return _Credit(f"{kind.name}{where}", kind.about, license_of(identifier), pinned)


# Contributors on a card: who brought what, named as each agreed to be, and whom to cite.


class Share(NamedTuple):
    """What a contributor brought, or all together who are not named."""

    who: str
    """Markdown."""
    locales: Sequence[str]
    """Tags, in text order."""
    questions: int
    responses: int
    reviews: int
    licenses: Sequence[_License]
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
