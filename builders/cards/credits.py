"""Credits: under which licence each source came, whom to name, what to cite, and how to betray misuse."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid5

from blend.builders.cards.rendering import text_of
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.manifest import ReleaseManifest, SourceInfo
from blend.schemas.recipe import Recipe, Source, creative_commons
from blend.schemas.texts import escape_controls

_NAMESPACE = UUID("cbc337f8-40a3-50a1-9a1f-e9858634c4af")

_NAMES = {"cc0-1.0": ("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/")}


@dataclass(frozen=True, slots=True)
class License:
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
class Credit:
    """A source of a release, and what its users owe to it."""

    name: str
    """What to call the source."""
    about: str
    """What it is, in one sentence."""
    license: License
    """Its licence."""
    pinned: str
    """What exactly was read: a revision or the beginning of the digest."""


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    about: str
    license: str | None


_KINDS: Mapping[str, _Kind] = {
    "sample": _Kind(
        f"Embedded sample of {DISTRIBUTION}",
        f"Invented by the {DISTRIBUTION} authors for demonstration: nobody was asked, and the votes measure "
        "nothing.",
        "cc-by-4.0",
    ),
    "blend": _Kind(
        "BLEnD",
        "Questions and answers of Myung et al. (2024), who must be credited.",
        "cc-by-sa-4.0",
    ),
    "semeval": _Kind(
        "SemEval-2026 Task 7",
        "Questions, accepted answers and keys of its organisers (Ousidhoum et al. 2026), whose terms allow "
        "research and evaluation and forbid to pass the data on.",
        "other",
    ),
    "wikidata": _Kind(
        "Wikidata",
        "Statements and labels as its volunteers had written them on the day of the snapshot.",
        "cc0-1.0",
    ),
    "topics": _Kind("Topics and templates", "What readers are told about, and how it is asked for.", None),
    "contributions": _Kind(
        "Contributions", "Questions, responses and reviews of those named under *Who contributed*.", None
    ),
    "responses": _Kind("Own responses", "Responses and reviews collected for this dataset.", None),
}


def license_of(identifier: str | None) -> License:
    """A licence by the identifier that the Hub uses, for example ``cc-by-sa-4.0``; a build leaves none open."""
    if identifier is None:
        return License("unknown", None)
    if identifier in _NAMES:
        return License(*_NAMES[identifier])
    if found := creative_commons(identifier):
        terms, number = found
        return License(
            f"CC {terms.upper()} {number}", f"https://creativecommons.org/licenses/{terms}/{number}/"
        )
    return License(identifier, None)


def work(key: str) -> str:
    """The BibTeX entry of a work whose method or data a release follows, with a final line feed.

    Args:
        key: Its key in ``works.bib``, for example ``myung2024blend``.
    """
    entries = text_of("works.bib")
    found = re.search(rf"^@\w+{{{key},\n.*?^}}\n", entries, re.MULTILINE | re.DOTALL)
    assert found is not None, f"no work {key}"
    return found[0]


def credits_of(manifest: ReleaseManifest) -> list[Credit]:
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


def _credit(source: Source, info: SourceInfo, recipe: Recipe) -> Credit:
    kind = _KINDS[source.kind]
    where = f" (`{source.location}`)" if source.location else ""
    pinned = f"revision {info.revision}" if info.revision else f"sha256 {info.sha256[:12]}…"
    if source.kind == "contributions":
        return Credit(f"{kind.name}{where}", kind.about, License("as each of them says", None), pinned)
    identifier = source.license or kind.license or recipe.license
    return Credit(f"{kind.name}{where}", kind.about, license_of(identifier), pinned)
