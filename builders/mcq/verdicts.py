"""Verdicts: what people or models that read options and questions said of them, and what follows for a build.

One table holds all of them (`frames.VERDICTS`): the recipe's own and the one of the package are read and
applied alike.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.builders.mcq.options import Option, shown, spelled, spelling
from blend.builders.mcq.result import FOUND, ON_NOTHING, VOID
from blend.loaders.responses.shipped import shipped_verdicts
from blend.loaders.responses.verdicts import MODEL_KIND, NATIVE
from blend.schemas.errors import RowError, UnknownNameError, raise_all
from blend.schemas.formats import AnswerFormat
from blend.schemas.frames import KEY, VERDICTS, empty
from blend.schemas.locales import Locale, Registry
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import Grouping
from blend.schemas.sheets import (
    ALL_VERDICTS,
    OK,
    PROPOSED,
    READ,
    REWORDED,
    SILLY,
    SILLY_ANYWHERE,
    SLIP,
    WRONG,
    stands_by_natives,
)
from blend.schemas.texts import pluralise

NATIVES, OTHERS, MODEL, BY_QUESTION = "natives", "others", "model", "by_question"
"""Who has read an option: at least one native of the region asked about; people of whom none is known to be
one; a model alone; a model of which it is known which questions it has read, and not which options it
accepted."""

_ABOUT = [*KEY, "question"]
_NAMED = 5
"""Options that a finding names at most."""


class Reader(NamedTuple):
    """Reader of an option."""

    name: str
    """Pseudonym."""
    kind: str
    """``native`` of the region asked about, ``other`` or ``model``."""
    verdict: str
    confidence: float = 1.0
    """How sure a model is of it, a fraction; 1 of people, and of a model that does not say."""

    def __str__(self) -> str:
        sure = f" ({self.confidence:g})" if self.confidence < 1 else ""
        return f"{self.name}{' (native)' if self.kind == NATIVE else ''}: {self.verdict}{sure}"


class Excluded(NamedTuple):
    """Options excluded about a template and locale, as options show them."""

    distractors: tuple[str, ...] = ()
    """Not to be shown as wrong, sorted."""
    golds: frozenset[str] = frozenset()
    """Not to be shown as correct."""


class Proposal(NamedTuple):
    """Option that a reviewer proposes as a distractor."""

    tag: str | None
    """The locale asked about; null for any."""
    option: str
    origin: Locale
    """Whose answer it is."""


class Verdicts:
    """Verdicts of a recipe and of the package, as far as the questions are asked that they are about.

    Args:
        own: `frames.VERDICTS` of the recipe, or null for none.
        questions: The questions, `frames.QUESTIONS`.
        locales: Known locales.
        shipped: Whether those of the package count as well (`loaders.responses.shipped`).
        annotations: Answers, `frames.ANNOTATIONS`, of which a model may have read the published ones;
            none when absent.
        model_confidence: From where on a model's verdict counts, see `counting`.

    Raises:
        RowError, RowErrors: If a row names an unknown locale or region, or a template that is not asked without
            quoting a question.
    """

    def __init__(
        self,
        own: pl.DataFrame | None,
        questions: pl.DataFrame,
        locales: Registry,
        *,
        shipped: bool,
        annotations: pl.DataFrame | None = None,
        model_confidence: float = McqOptions().model_confidence,
    ) -> None:
        own = empty(VERDICTS) if own is None else own
        _check(own, set(questions["template_id"]), locales)
        parts = [shipped_verdicts(), own] if shipped else [own]
        every, self._model_confidence = pl.concat(parts), model_confidence
        self.questions, self.slips = _without_slips(questions, every)
        """The questions as they are asked, and `FOUND`: those that are asked in other words than before."""
        by_part = [_in_force(part, [questions, self.questions], every) for part in parts]
        in_force = pl.concat(by_part)
        self._shown_as = _by_template(in_force.filter(verdict=SLIP).drop_nulls("option"), "with")
        self._silly_anywhere = _by_template(in_force.filter(verdict=SILLY_ANYWHERE), "verdict")
        self.proposed: dict[str, list[Proposal]] = {}
        """By template: options for questions that are short of them."""
        for template_id, tag, option, region in (
            own.filter(verdict=PROPOSED).select(*KEY, "option", "with").sort("option", "with").iter_rows()
        ):
            self.proposed.setdefault(template_id, []).append(Proposal(tag, option, locales.find(region)))
        self._own = self._on_options(by_part[-1]).join(questions, on=KEY, how="semi", maintain_order="left")
        judged = self._on_options(in_force)
        self.found = pl.concat([_void(every, in_force, questions), _unasked(own, questions)])
        """`FOUND`: verdicts on questions that are asked in other words, or not at all."""
        self._readers = _readers(judged)
        self._excluded, self._refused = self._refusals(locales)
        self._questions_read = frozenset(in_force.filter(verdict=READ).select(KEY).rows())
        # What the model of the package has read are published answers of these regions, and nobody else's.
        of_regions = pl.col("locale").is_in(every.filter(verdict=READ)["locale"].unique().to_list())
        is_published = pl.col("grouping") == Grouping.UPSTREAM.value
        published = (
            () if annotations is None else annotations.filter(is_published, of_regions).select(KEY).rows()
        )
        self._published = frozenset[tuple[str, str]](published)

    # What questions and options are shown as

    def text(self, template_id: str, text: str) -> str:
        """Write an option as shown, without a slip in its English."""
        return self._shown_as.get(template_id, {}).get(text, text)

    def texts(self, template_id: str, variants: Iterable[str]) -> tuple[str, ...]:
        """Put before each variant of an answer what is shown in its place; it still counts as meant."""
        corrections = self._shown_as.get(template_id)
        if corrections is None:
            return tuple(variants)
        pairs = ((corrections.get(shown(one)), one) for one in variants)
        return tuple(text for pair in pairs for text in pair if text is not None)

    def _on_options(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Verdicts on options of a question about a locale, the options as questions show them."""
        rows = rows.filter(pl.col("verdict").is_in(ALL_VERDICTS))
        named = rows.select("template_id", "option").iter_rows()
        texts = [self.text(template_id, shown(option)) for template_id, option in named]
        return rows.with_columns(option=pl.Series(texts, dtype=pl.String))

    # What is not shown

    def _refusals(
        self, locales: Registry
    ) -> tuple[dict[tuple[str, str], Excluded], dict[tuple[str, str], frozenset[str]]]:
        """Sort what verdicts that count refuse: by template and locale, and by template and own region."""
        excluded: dict[tuple[str, str], Excluded] = {}
        refused: dict[tuple[str, str], frozenset[str]] = {}
        for template_id, tag, option in sorted(self._readers):
            verdicts = {one.verdict for one in self.counting(template_id, tag, option)} - {OK}
            there = excluded.get((template_id, tag), _NOTHING)
            if WRONG in verdicts:
                there = there._replace(golds=there.golds | {option})
            if verdicts - {WRONG}:
                there = there._replace(distractors=(*there.distractors, option))
            excluded[template_id, tag] = there
            if not verdicts.isdisjoint((SILLY, WRONG)):
                key = template_id, locales.get(tag).region
                refused[key] = refused.get(key, frozenset()) | {option}
        return excluded, refused

    def of(self, template_id: str, tag: str) -> Excluded:
        """Find what is not to be shown in a template's questions about a locale."""
        return self._excluded.get((template_id, tag), _NOTHING)

    def refused(self, template_id: str, region: str) -> frozenset[str]:
        """Find what is silly or wrong about a region: where its own people gave that, no other is shown it."""
        anywhere = self._silly_anywhere.get(template_id, {})
        return self._refused.get((template_id, region), frozenset()).union(anywhere)

    # Who has read what

    def readers(self, template_id: str, tag: str, option: str) -> Sequence[Reader]:
        """List who has given which verdict on an option as shown, in the order of the file."""
        return self._readers.get((template_id, tag, option), ())

    def counting(self, template_id: str, tag: str, option: str) -> Sequence[Reader]:
        """List those of them whose verdicts count: people's, or without any, those of models that are sure.

        Where most of three or more natives accept the option, only those who accept it count.
        """
        readers = self.readers(template_id, tag, option)
        if not readers:
            return ()
        people = [reader for reader in readers if reader.kind != MODEL_KIND]
        if stands_by_natives([reader.verdict for reader in people if reader.kind == NATIVE]):
            return [reader for reader in people if reader.verdict == OK]
        return people or [reader for reader in readers if reader.confidence >= self._model_confidence]

    def read_by(self, template_id: str, asked: str, text: str, origin: str) -> str | None:
        """Say who has read an option about a locale: `NATIVES`, `OTHERS`, `MODEL`, `BY_QUESTION`, or null.

        Args:
            template_id: The template.
            asked: Tag of the locale asked about.
            text: The option as shown.
            origin: Tag of the locale whose answer it is.
        """
        kinds = {reader.kind for reader in self.counting(template_id, asked, text)}
        if kinds - {MODEL_KIND}:
            return NATIVES if NATIVE in kinds else OTHERS
        if kinds:
            return MODEL
        is_read = (template_id, asked) in self._questions_read and (template_id, origin) in self._published
        if not is_read and any(shown(one.option) == text for one in self.proposals(template_id, asked)):
            return OTHERS
        return BY_QUESTION if is_read else None

    def has_read(self, template_id: str, asked: str, option: Option) -> bool:
        """Whether a person or a model has read an option about a locale; who proposed one has."""
        return self.read_by(template_id, asked, option.text, option.locale.tag) is not None

    def proposals(self, template_id: str, asked: str) -> list[Proposal]:
        """List what was proposed for a template's question about a locale."""
        return [one for one in self.proposed.get(template_id, ()) if one.tag in (None, asked)]

    def beside_models(self) -> pl.DataFrame:
        """List what models of the recipe's table say, and what people say of the same, as far as it counts.

        Returns:
            ``template_id``, ``locale``, ``option`` as shown, ``verdict``, ``reader``, ``kind`` and
            ``confidence`` of `VERDICTS`, null elsewhere.
        """
        rows: list[tuple[Any, ...]] = []
        for about, models in _readers(self._own.filter(kind=MODEL_KIND)).items():
            people = [reader for reader in self.counting(*about) if reader.kind != MODEL_KIND]
            rows += [(*about, *one[:3], None) for one in people]
            rows += [(*about, *one[:3], one.confidence) for one in models]
        columns = (*KEY, "option", "reader", "kind", "verdict", "confidence")
        named = [dict(zip(columns, row, strict=True)) for row in rows]
        return pl.DataFrame(named, VERDICTS)

    # What is told

    def on_nothing(
        self, index: pl.DataFrame, formats: Mapping[str, AnswerFormat], locales: Registry
    ) -> pl.DataFrame:
        """Tell of own verdicts on options that nobody gave: the column of options may have moved.

        Args:
            index: `keyness.ANSWER_INDEX`.
            formats: By template.
            locales: Known locales.

        Returns:
            `FOUND`, a row per question: a key that is wrong is an answer of the locale, all else one of any
            region, or proposed.
        """
        given = {
            (template_id, None, shown(one.option))
            for template_id, proposals in self.proposed.items()
            for one in proposals
        }
        read = index["template_id"].is_in(self._own["template_id"].unique().implode())
        for template_id, tag, text, _ in index.filter(read).iter_rows():
            answer_format = formats.get(template_id, AnswerFormat.TEXT)
            for one in _spellings(self.text(template_id, shown(text)), answer_format, locales) | {shown(text)}:
                given |= {(template_id, None, one), (template_id, tag, one)}
        unknown: dict[tuple[str, str], list[str]] = {}
        columns = (*KEY, "option", "verdict", "source")
        for template_id, tag, option, verdict, source in (
            self._own.select(columns).sort(KEY, maintain_order=True).iter_rows()
        ):
            texts = (option, spelled(option, formats.get(template_id, AnswerFormat.TEXT)))
            if given.isdisjoint((template_id, tag if verdict == WRONG else None, text) for text in texts):
                unknown.setdefault((template_id, tag), []).append(f"{option!r} ({source})")
        found = [(*key, ON_NOTHING, _on_options_of_nobody(options)) for key, options in unknown.items()]
        return pl.DataFrame(found, FOUND, orient="row")


_NOTHING = Excluded()


def _without_slips(questions: pl.DataFrame, verdicts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Put slips in the English of questions right: the questions, and `FOUND`."""
    slips: dict[str, list[tuple[str, str]]] = {}
    of_questions = verdicts.filter(pl.col("option").is_null(), verdict=SLIP)
    for template_id, slip, corrected in of_questions.select("template_id", "question", "with").iter_rows():
        slips.setdefault(template_id, []).append((slip, corrected))
    found, texts = [], []
    for template_id, tag, text in questions.select(*KEY, "en_question").iter_rows():
        asked = text
        for slip, corrected in slips.get(template_id, ()):
            if asked and slip in asked:
                asked = asked.replace(slip, corrected)
                found.append((template_id, tag, "slip-in-wording", f"{slip!r} is asked as {corrected!r}"))
        texts.append(asked)
    asked_as = questions.with_columns(en_question=pl.Series(texts, dtype=pl.String))
    return asked_as, pl.DataFrame(found, FOUND, orient="row").sort(KEY)


def _spellings(text: str, answer_format: AnswerFormat, locales: Registry) -> set[str]:
    found = spelling((text,), answer_format, locales)
    return {text} if isinstance(found, str) else {text, found.text}


def _on_options_of_nobody(options: Sequence[str]) -> str:
    more = ", …" if len(options) > _NAMED else ""
    return (
        f"{pluralise(len(options), 'verdict')} on options that nobody gave: {', '.join(options[:_NAMED])}{more}"
    )


def _by_template(rows: pl.DataFrame, column: str) -> dict[str, dict[str, str]]:
    """Read by template a column of verdicts on an option in any region, by the option as shown."""
    found: dict[str, dict[str, str]] = {}
    for template_id, option, value in rows.select("template_id", "option", column).iter_rows():
        found.setdefault(template_id, {})[shown(option)] = value
    return found


def _readers(verdicts: pl.DataFrame) -> dict[tuple[str, str, str], list[Reader]]:
    """List by template, locale and option who has read it, in the order of the verdicts."""
    found: dict[tuple[str, str, str], list[Reader]] = {}
    rows = verdicts.select(*KEY, "option", "reader", "kind", "verdict", pl.col("confidence").fill_null(1.0))
    for template_id, tag, option, *of_reader in rows.iter_rows():
        found.setdefault((template_id, tag, option), []).append(Reader(*of_reader))
    return found


# Which verdicts are about questions that are asked


def _in_force(rows: pl.DataFrame, asked: Sequence[pl.DataFrame], every: pl.DataFrame) -> pl.DataFrame:
    """Keep verdicts that quote no question, and those whose question is asked so.

    Slips apart, and changes of wording. What is said of an option in all regions counts if any verdict of its
    template does, since another dataset may have the same ids.

    Args:
        rows: `VERDICTS`.
        asked: `QUESTIONS` as they stand, and without slips.
        every: `VERDICTS` with the changes of wording.
    """
    words = set(pl.concat([frame.select(*KEY, "en_question") for frame in asked]).iter_rows())
    changes: dict[str, list[tuple[str, str]]] = {}
    for template_id, before, now in (
        every.filter(verdict=REWORDED).select("template_id", "question", "with").iter_rows()
    ):
        changes.setdefault(template_id, []).append((before, now or ""))
    quoted = rows.filter(pl.col("locale").is_not_null()).drop_nulls("question").select(_ABOUT).unique()
    asked_so = [
        (template_id, tag, text)
        for template_id, tag, text in quoted.iter_rows()
        if any((template_id, tag, one) in words for one in _worded(text, changes.get(template_id, ())))
    ]
    elsewhere = set(quoted["template_id"]).difference(template_id for template_id, *_ in asked_so)
    counts = (
        pl.when(pl.col("locale").is_null())
        .then((pl.col("verdict") == PROPOSED) | ~pl.col("template_id").is_in(list(elsewhere)))
        .otherwise(pl.col("question").is_null() | pl.col("is_asked"))
    )
    marked = pl.DataFrame(asked_so, quoted.schema, orient="row").with_columns(is_asked=True)
    return rows.join(marked, on=_ABOUT, how="left", maintain_order="left").filter(counts).select(list(VERDICTS))


def _worded(question: str, changes: Iterable[tuple[str, str]]) -> set[str]:
    """List what a question becomes by any of some changes of wording, in their order.

    A change may have come to some regions only.
    """
    found = {question}
    for before, now in changes:
        found |= {text.replace(before, now) for text in found}
    return found


def _void(every: pl.DataFrame, in_force: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Say which verdicts on options quote their question in other words than it is asked in."""
    given = every.filter(pl.col("verdict").is_in(ALL_VERDICTS)).drop_nulls("question")
    counts = given.join(in_force, on=_ABOUT, how="anti").group_by(_ABOUT).len("n")
    rows = counts.join(questions.select(*KEY, "en_question"), on=KEY).sort(_ABOUT)
    found = [
        (template_id, tag, VOID, f"{pluralise(n, 'verdict')} on {before!r}, asked as {now!r}")
        for template_id, tag, before, n, now in rows.iter_rows()
    ]
    return pl.DataFrame(found, FOUND, orient="row")


def _unasked(own: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Say by locale how many of a recipe's verdicts are on questions that it does not ask."""
    given = own.filter(pl.col("verdict").is_in(ALL_VERDICTS))
    by_locale = (
        given.join(questions, on=KEY, how="anti").group_by("locale").agg(pl.len(), pl.col("source").first())
    )
    sentence = "{} on questions that are not asked, the first in {}"
    found = [
        (None, tag, ON_NOTHING, sentence.format(pluralise(n, "verdict"), first))
        for tag, n, first in by_locale.sort("locale").iter_rows()
    ]
    return pl.DataFrame(found, FOUND, orient="row")


def _check(own: pl.DataFrame, templates: set[str], locales: Registry) -> None:
    """Check that templates, locales and regions are known, and raise for every row in which they are not."""
    problems: list[RowError] = []
    for row in own.iter_rows(named=True):
        problems += _unknown_names(row, templates, locales)
    raise_all(problems)


def _unknown_names(row: Mapping[str, Any], templates: set[str], locales: Registry) -> Iterator[RowError]:
    where = row["source"]
    # A verdict that quotes its question may be of a template that is not built.
    if row["template_id"] is not None and row["question"] is None and row["template_id"] not in templates:
        fix = "write the id of a template that is built"
        yield RowError(f"unknown template {row['template_id']!r}", where=where, fix=fix)
    try:
        if row["locale"] is not None:
            locales.get(row["locale"])
        if row["verdict"] == PROPOSED:
            locales.find(row["with"])
    except UnknownNameError as error:
        what, _, fix = str(error).partition("; ")
        yield RowError(what, where=where, fix=fix)
