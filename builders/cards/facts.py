"""Release facts: everything that a release's documents are written from."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from blend.builders.cards.credits import cited_authors
from blend.builders.stats import Stats
from blend.builders.stats.dataset import CulturalStats, TripleStats
from blend.schemas.locales import Locale
from blend.schemas.manifest import ReleaseManifest, TableInfo
from blend.schemas.personal_data import Contributed
from blend.schemas.recipe import Domain
from blend.schemas.reports import AuditReport, Datasheet, ModelReport
from blend.schemas.rows import NOT_BY_LANGUAGE, language_of_split
from blend.schemas.texts import escape_controls, pluralise


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """Facts of a release once its tables are written."""

    manifest: ReleaseManifest
    """The release; all tables named, and at least the files that hold them."""
    loaded_bytes: Mapping[str, int]
    """Bytes that the rows of each file of a table take once they are loaded, by path."""
    locales: tuple[Locale, ...]
    """The locales of its questions, in order; none where it holds no questions."""
    figures: pl.DataFrame
    """One row per locale: ``locale``, ``questions``, ``answered``, ``groups``, ``votes``, ``mcqs`` and
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
    triples: TripleStats | None
    """Figures of these items in the language with most of them; null where it holds none."""
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
        return cited_authors(self.manifest.recipe, self.contributions)

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
