"""Release facts: everything that a release's documents are written from, and whom and what they credit."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from uuid import UUID, uuid5

import polars as pl

from blend.builders.cards.rendering import text_of
from blend.builders.stats.dataset import CulturalStats
from blend.builders.stats.measures import Stats
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.locales import Locale
from blend.schemas.manifest import ReleaseManifest, SourceInfo, TableInfo
from blend.schemas.personal_data import Contributed, Contributor
from blend.schemas.recipe import Domain, Recipe, Source, creative_commons
from blend.schemas.reports import AuditReport, Datasheet, ModelReport
from blend.schemas.rows import NOT_BY_LANGUAGE, language_of_split
from blend.schemas.summaries import markdown_text
from blend.schemas.texts import escape_controls, pluralise


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """Facts of a release once its tables are written."""

    manifest: ReleaseManifest
    """The release; all tables named, and at least the files that hold them."""
    locales: tuple[Locale, ...]
    """The locales of its questions, in order; none where it holds no questions."""
    figures: pl.DataFrame
    """One row per locale: ``locale``, ``questions``, ``answered``, ``votes``, ``mcqs`` and
    ``proposed`` (questions whose answers no person has merged), all counts."""
    power: pl.DataFrame | None
    """How far two models must be apart to be told apart by locale, `planning.power`; null without
    multiple-choice questions."""
    stats: Stats | None
    """Agreement and overlap of its questions; null where it holds none."""
    domain: Domain | None
    """What its items from Wikidata are; null where it holds none."""
    cultural: CulturalStats | None
    """Figures of the cultural prompts; null without any."""
    audit: AuditReport | None
    """What simple rules get right in its multiple-choice questions; null without any."""
    reading: pl.DataFrame
    """`builders.mcq.result.READING`: who has read what its multiple-choice questions show."""
    model_report: ModelReport | None
    """How models that read options compare with people; null without verdicts of any."""
    datasheet: Datasheet
    """The authors' answers."""
    changelog: str
    """Text of ``CHANGELOG.md``."""
    contributions: tuple[Contributed, ...]
    """What contributors brought; none where nobody contributed a folder of their own."""

    @property
    def title(self) -> str:
        """Name to print, on one line and in the order in which it is read."""
        return " ".join(escape_controls(self.manifest.recipe.title or self.manifest.name).split())

    @property
    def languages(self) -> list[str]:
        """BCP 47 tags of all texts, in text order; every question is also in English."""
        of_questions = {locale.language for locale in self.locales} | ({"en"} if self.locales else set())
        of_prompts = set() if self.cultural is None else set(self.cultural.languages)
        return sorted(of_questions | set(self.rows_by_language) | of_prompts)

    @property
    def rows_by_language(self) -> Mapping[str, Mapping[str, int]]:
        """Rows by language and configuration, for the configurations whose splits are languages.

        The language with most rows in the first configuration comes first, then in the next; equal ones are in
        text order.
        """
        rows: dict[str, dict[str, int]] = {}
        for table in self.manifest.tables:
            if table.config not in NOT_BY_LANGUAGE:
                # Split names hold no hyphen: ``zh_hans`` is the language ``zh-hans``.
                rows.setdefault(language_of_split(table.split), {})[table.config] = table.rows
        configs = [name for name in self.tables if name not in NOT_BY_LANGUAGE]
        return dict(sorted(rows.items(), key=lambda of: ([-of[1].get(name, 0) for name in configs], of[0])))

    @property
    def authors(self) -> list[str]:
        """Names of those to cite."""
        return _cited_authors(self.manifest.recipe, self.contributions)

    @property
    def summary(self) -> str:
        """Sentence or two that say in plain text what the release is."""
        return " ".join(
            sentence for sentence in (self._questions(), self._items(), self._prompts()) if sentence
        )

    def _questions(self) -> str:
        if not self.locales:
            return ""
        mcqs = self.total("mcqs")
        choices = (
            f", and {pluralise(mcqs, 'multiple-choice question')} whose distractors are other regions' answers"
        )
        unknown = self.figures["votes"].null_count()
        answers = "all the answers that people there gave and how many gave each"
        if unknown == self.figures.height:
            answers = "the answers that are accepted"
        elif unknown:
            answers = "the answers that people there gave, and how many gave each where that is known"
        return (
            f"Everyday knowledge of {pluralise(len(self.locales), 'locale')} in "
            f"{pluralise(len({locale.language for locale in self.locales}), 'language')}: "
            f"{pluralise(self.total('questions'), 'question')} with {answers}{choices if mcqs else ''}."
        )

    def reword(self, text: str) -> str:
        """A text of a row model in the words of the release's domain."""
        return text if self.domain is None else self.domain.reword(text)

    def _prompts(self) -> str:
        if self.cultural is None:
            return ""
        kinds = [
            f"{pluralise(row['topics'], 'topic')} ({row['kind']})" for row in self.cultural.kinds.to_dicts()
        ]
        return (
            f"Requests for texts about {' and '.join(kinds)} for readers of "
            f"{self.cultural.nationalities:,} nationalities: "
            f"{pluralise(int(self.cultural.kinds['prompts'].sum()), 'prompt')}."
        )

    def _items(self) -> str:
        languages = self.rows_by_language
        if not languages:
            return ""
        return self.reword(
            "Dishes of Wikidata with the country that they come from and what they are made of, in "
            f"{pluralise(len(languages), 'language')}."
        )

    @property
    def tables(self) -> Mapping[str, list[TableInfo]]:
        """Tables by configuration, in the manifest's order."""
        tables: dict[str, list[TableInfo]] = {}
        for table in self.manifest.tables:
            tables.setdefault(table.config, []).append(table)
        return tables

    def total(self, column: str) -> int:
        """Sum of a column of `figures`."""
        return int(self.figures[column].sum())

    @property
    def is_invented(self) -> bool:
        """Whether any of it was made up for demonstration."""
        return any(source.kind == "sample" for source in self.manifest.recipe.sources)


# Credits: under which licence each source came, whom to name, what to cite, and how to betray misuse.

# Never to be changed: with another one, searches would not find the canaries that are in the world already.
_NAMESPACE = UUID("cbc337f8-40a3-50a1-9a1f-e9858634c4af")

_NAMES = {"cc0-1.0": ("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/")}


class _License(NamedTuple):
    """A licence, for people."""

    name: str
    """Usual short name, for example ``CC BY-SA 4.0``; the identifier where none is known."""
    url: str | None
    """Address of its text; null where none is known."""

    @property
    def markdown(self) -> str:
        """Name with a link, if there is one."""
        return self.name if self.url is None else f"[{self.name}]({self.url})"


class _Credit(NamedTuple):
    """A source of a release, and what its users owe to it."""

    name: str
    """What to call the source."""
    about: str
    """What it is, in one sentence."""
    license: _License
    """Its licence."""
    pinned: str
    """What exactly was read: a revision or the beginning of the digest."""


@cache
def source_kinds() -> Mapping[str, Mapping[str, str]]:
    """What cards say of sources, by their kind in a recipe: ``sources.toml`` explains each field."""
    return tomllib.loads(text_of("sources.toml").replace("{sdk}", DISTRIBUTION))


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
    # An entry ends with the first line that is a closing brace.
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
    # A source's own licence, else the usual one of its kind, else the dataset's.
    terms = license_of(source.license or kind.get("license") or recipe.license)
    if source.kind == "contributions":
        terms = _License("as each of them says", None)
    return _Credit(f"{kind['name']}{where}", kind["about"], terms, pinned)


# Contributors on a card: who brought what, named as each agreed to be, and whom to cite.


class _Share(NamedTuple):
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


def shares(contributions: Sequence[Contributed]) -> list[_Share]:
    """The shares of all contributors, in the order of their folders.

    The folder of somebody who is not named may tell who it is; so these are one share, the last.
    """
    rows = [(who, [given]) for given in contributions if (who := _who(given.contributor)) is not None]
    if unnamed := [given for given in contributions if _who(given.contributor) is None]:
        rows.append((f"*{pluralise(len(unnamed), 'contributor')} not named*", unnamed))
    found = []
    for who, parts in rows:
        brought = [of for given in parts for of in given.locales]
        share = _Share(
            who,
            sorted({of.locale for of in brought}),
            questions=sum(of.questions for of in brought),
            responses=sum(of.responses for of in brought),
            reviews=sum(of.reviews for of in brought),
            licenses=[license_of(name) for name in dict.fromkeys(one.contributor.license for one in parts)],
        )
        found.append(share)
    return found


def _cited_authors(recipe: Recipe, contributions: Sequence[Contributed]) -> list[str]:
    """The authors to cite: those of the recipe, then contributors who agreed to be named, each once."""
    agreed = [given.contributor.name for given in contributions if given.contributor.credit == "name"]
    return list(dict.fromkeys([*(recipe.authors or ()), *(name for name in agreed if name)]))


def _who(contributor: Contributor) -> str | None:
    """A contributor as they agreed to be shown, in Markdown; null for who is not named."""
    if contributor.credit == "none":
        return None
    name = markdown_text((contributor.name if contributor.credit == "name" else contributor.pseudonym) or "")
    links = [f"[ORCID](https://orcid.org/{contributor.orcid})"] if contributor.orcid else []
    links += [f"<{contributor.url}>"] if contributor.url else []
    return name if not links else f"{name} ({', '.join(links)})"
