"""Verdicts: what people or models that read options and questions said of them, and what follows for a build.

One table holds all of them (`frames.VERDICTS`): the recipe's own and the one of the package are read and
applied alike.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.builders.mcq.options import Option, shown, spelled
from blend.loaders.responses.verdicts import MODEL_KIND, NATIVE, shipped_verdicts
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
    SILLY,
    SILLY_ANYWHERE,
    SLIP,
    WRONG,
    stands_by_natives,
)
from blend.schemas.texts import pluralise

VOID = "void-verdicts"
"""Finding, and note of the build report: verdicts quote a question in other words than it is asked in."""
ON_NOTHING = "verdicts-on-nothing"
"""The same: verdicts are on options that nobody gave, or on questions that are not asked."""

FOUND = pl.Schema(
    {"template_id": pl.String(), "locale": pl.String(), "reason": pl.String(), "detail": pl.String()}
)
"""One row per question that is asked otherwise than before, or about which verdicts do not count; ``reason`` is
the kind of a finding."""

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


class _Proposal(NamedTuple):
    """Option that a reviewer proposes as a distractor."""

    tag: str | None
    """The locale asked about; null for any."""
    option: str
    origin: Locale
    """Whose answer it is."""


_About = tuple[str, str, str]
"""Template, locale asked about, and option as shown."""


class Verdicts:
    """Verdicts of a recipe and of the package, as far as the questions are asked that they are about.

    Args:
        own: `frames.VERDICTS` of the recipe, or null for none.
        questions: The questions, `frames.QUESTIONS`.
        locales: Known locales.
        shipped: Whether those of the package count as well (`loaders.responses.verdicts`).
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
        in_force = [_in_force(part, [questions, self.questions], is_own=part is own) for part in parts]
        counting = pl.concat(in_force)
        self._shown_as = _by_template(counting.filter(verdict=SLIP).drop_nulls("option"), "with")
        self._silly_anywhere = _by_template(counting.filter(verdict=SILLY_ANYWHERE), "verdict")
        self.proposed: defaultdict[str, list[_Proposal]] = defaultdict(list)
        """By template: options for questions that are short of them."""
        proposed = own.filter(verdict=PROPOSED).sort("option", "with").select(*KEY, "option", "with")
        for template_id, tag, option, region in proposed.iter_rows():
            self.proposed[template_id].append(_Proposal(tag, option, locales.find(region)))
        # The last part is the recipe's, with or without those of the package before it.
        self._own = self._on_options(in_force[-1].join(questions, on=KEY, how="semi", maintain_order="left"))
        """The recipe's verdicts on options of questions that are asked."""
        self._anywhere = own.filter(pl.col("verdict").is_in([SILLY_ANYWHERE, SLIP])).drop_nulls("option")
        """Those on options in all regions."""
        unasked = own.drop_nulls("locale").join(questions, on=KEY, how="anti", maintain_order="left")
        self._unasked = self._on_options(unasked, PROPOSED)
        """Those on options of questions that are not asked."""
        self.void = _void(every, counting, questions)
        """`FOUND`: verdicts on questions that are asked in other words."""
        self._readers = _readers(self._on_options(counting))
        self._counting = {about: self._of_those(readers) for about, readers in self._readers.items()}
        self._refused, self._refused_at_home = self._refusals(locales)
        self._read_by_question = frozenset(counting.filter(verdict=READ).select(KEY).rows())
        # What the model of the package has read are published answers of these regions, and nobody else's.
        of_regions = pl.col("locale").is_in(every.filter(verdict=READ)["locale"].unique().to_list())
        is_published = pl.col("grouping") == Grouping.UPSTREAM.value
        published = (
            [] if annotations is None else annotations.filter(is_published, of_regions).select(KEY).rows()
        )
        self._published = frozenset[tuple[Any, ...]](published)

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

    def _on_options(self, rows: pl.DataFrame, *more: str) -> pl.DataFrame:
        """Verdicts on options of a question about a locale, the options as questions show them."""
        rows = rows.filter(pl.col("verdict").is_in([*ALL_VERDICTS, *more]))
        named = rows.select("template_id", "option").iter_rows()
        texts = [self.text(template_id, shown(option)) for template_id, option in named]
        return rows.with_columns(option=pl.Series(texts, dtype=pl.String))

    # Who has read what

    def readers(self, template_id: str, tag: str, option: str) -> Sequence[Reader]:
        """List who has given which verdict on an option as shown, in the order of the file."""
        return self._readers.get((template_id, tag, option), ())

    def counting(self, template_id: str, tag: str, option: str) -> Sequence[Reader]:
        """List those of them whose verdicts count: people's, or without any, those of models that are sure.

        Where most of three or more natives accept the option, only those who accept it count.
        """
        return self._counting.get((template_id, tag, option), ())

    def _of_those(self, readers: Sequence[Reader]) -> Sequence[Reader]:
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
        if kinds:
            return NATIVES if NATIVE in kinds else MODEL if kinds == {MODEL_KIND} else OTHERS
        if (template_id, asked) in self._read_by_question and (template_id, origin) in self._published:
            return BY_QUESTION
        return OTHERS if any(shown(one.option) == text for one in self.proposals(template_id, asked)) else None

    def has_read(self, template_id: str, asked: str, option: Option) -> bool:
        """Whether a person or a model has read an option about a locale; who proposed one has."""
        return self.read_by(template_id, asked, option.text, option.locale.tag) is not None

    def proposals(self, template_id: str, asked: str) -> list[_Proposal]:
        """List what was proposed for a template's question about a locale."""
        return [one for one in self.proposed.get(template_id, ()) if one.tag in (None, asked)]

    # What is not shown

    def _refusals(
        self, locales: Registry
    ) -> tuple[dict[tuple[str, str], dict[str, set[str]]], dict[tuple[str, str], set[str]]]:
        """Sort what verdicts that count refuse: by template and locale, and by template and own region."""
        refused: defaultdict[tuple[str, str], dict[str, set[str]]] = defaultdict(dict)
        at_home: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        # Sorted, as `refused` lists what is refused.
        for (template_id, tag, option), readers in sorted(self._counting.items()):
            verdicts = {reader.verdict for reader in readers} - {OK}
            if verdicts:
                refused[template_id, tag][option] = verdicts
            if not verdicts.isdisjoint((SILLY, WRONG)):
                at_home[template_id, locales.get(tag).region].add(option)
        return refused, at_home

    def refused(self, template_id: str, tag: str) -> tuple[str, ...]:
        """List what a question about a locale is not to show as wrong, as shown and sorted."""
        about = self._refused.get((template_id, tag), {})
        # What is only wrong as a key may well be shown as wrong.
        return tuple(option for option, verdicts in about.items() if verdicts != {WRONG})

    def wrong(self, template_id: str, tag: str) -> set[str]:
        """List what it is not to show as correct."""
        about = self._refused.get((template_id, tag), {})
        return {option for option, verdicts in about.items() if WRONG in verdicts}

    def refused_at_home(self, template_id: str, region: str) -> set[str]:
        """List what is silly or wrong about a region: where its own people gave that, no other is shown it."""
        anywhere = self._silly_anywhere.get(template_id, {})
        return self._refused_at_home.get((template_id, region), set()).union(anywhere)

    # What is told

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
        return pl.DataFrame([dict(zip(columns, row, strict=True)) for row in rows], VERDICTS)

    def on_nothing(self, index: pl.DataFrame, formats: Mapping[str, AnswerFormat]) -> pl.DataFrame:
        """Tell of own verdicts on options that nobody gave: the column of options may have moved.

        Args:
            index: `offers.ANSWER_INDEX`.
            formats: By template.

        Returns:
            `FOUND`, a row per locale, and one for verdicts on all regions: a key that is wrong is an answer of
            the locale, all else one of any region, or proposed, if the question is asked at all.
        """

        def as_given(template_id: str, text: str) -> str:
            return spelled(text, formats.get(template_id, AnswerFormat.TEXT)) or text

        given: set[tuple[str, str | None, str]] = set()
        for template_id, proposals in self.proposed.items():
            given |= {(template_id, None, as_given(template_id, shown(one.option))) for one in proposals}
        read = index["template_id"].is_in({*self._own["template_id"], *self._anywhere["template_id"]})
        for template_id, tag, typed, _ in index.filter(read).iter_rows():
            text = as_given(template_id, self.text(template_id, shown(typed)))
            given |= {(template_id, None, text), (template_id, tag, text)}
            # A slip names what was typed.
            given.add((template_id, None, as_given(template_id, shown(typed))))
        unknown = defaultdict[str | None, list[str]](list)
        for tag, option, source in self._unasked.select("locale", "option", "source").iter_rows():
            unknown[tag].append(f"{option!r} ({source})")
        for template_id, option, source in self._anywhere.select("template_id", "option", "source").iter_rows():
            if (template_id, None, as_given(template_id, shown(option))) not in given:
                unknown[None].append(f"{option!r} ({source})")
        own = self._own.select(*KEY, "option", "verdict", "source")
        for template_id, tag, option, verdict, source in own.iter_rows():
            about = template_id, tag if verdict == WRONG else None, as_given(template_id, option)
            if about not in given:
                unknown[tag].append(f"{option!r} ({source})")
        found = [
            (None, tag, ON_NOTHING, _on_options_of_nobody(unknown[tag])) for tag in sorted(unknown, key=str)
        ]
        return pl.DataFrame(found, FOUND, orient="row")


def _without_slips(questions: pl.DataFrame, verdicts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Put slips in the English of questions right: the questions, and `FOUND`."""
    slips: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    of_questions = verdicts.filter(pl.col("option").is_null(), verdict=SLIP)
    for template_id, slip, corrected in of_questions.select("template_id", "question", "with").iter_rows():
        slips[template_id].append((slip, corrected))
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


def _on_options_of_nobody(options: Sequence[str]) -> str:
    named = ", ".join([*options[:_NAMED], *(["…"] if len(options) > _NAMED else [])])
    return (
        f"{pluralise(len(options), 'verdict')} on options that nobody gave to a question that is asked: {named}"
    )


def _by_template(rows: pl.DataFrame, column: str) -> dict[str, dict[str, str]]:
    """Read by template a column of verdicts on an option in any region, by the option as shown."""
    found: dict[str, dict[str, str]] = {}
    for template_id, option, value in rows.select("template_id", "option", column).iter_rows():
        found.setdefault(template_id, {})[shown(option)] = value
    return found


def _readers(verdicts: pl.DataFrame) -> dict[_About, list[Reader]]:
    """List by template, locale and option who has read it, in the order of the verdicts."""
    found: defaultdict[_About, list[Reader]] = defaultdict(list)
    rows = verdicts.select(*KEY, "option", "reader", "kind", "verdict", pl.col("confidence").fill_null(1.0))
    for template_id, tag, option, *of_reader in rows.iter_rows():
        found[template_id, tag, option].append(Reader(*of_reader))
    return found


# Which verdicts are about questions that are asked


def _in_force(rows: pl.DataFrame, asked: Sequence[pl.DataFrame], *, is_own: bool) -> pl.DataFrame:
    """Keep verdicts that quote no question, and those whose question is asked so.

    What the package says of an option in all regions counts if any of its verdicts on the template does, since
    another dataset may have the same ids.

    Args:
        rows: `VERDICTS`.
        asked: `QUESTIONS` as they stand, and without slips.
        is_own: Whether they are of the recipe.
    """
    words = pl.concat([frame.select(*KEY, question="en_question") for frame in asked]).unique()
    quoted = rows.filter(pl.col("locale").is_not_null()).drop_nulls("question").select(_ABOUT).unique()
    asked_so = quoted.join(words, on=_ABOUT, how="semi").with_columns(is_asked=True)
    elsewhere = set() if is_own else set(quoted["template_id"]).difference(asked_so["template_id"])
    counts = (
        pl.when(pl.col("locale").is_null())
        .then((pl.col("verdict") == PROPOSED) | ~pl.col("template_id").is_in(list(elsewhere)))
        .otherwise(pl.col("question").is_null() | pl.col("is_asked"))
    )
    return (
        rows.join(asked_so, on=_ABOUT, how="left", maintain_order="left").filter(counts).select(list(VERDICTS))
    )


def _void(every: pl.DataFrame, in_force: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Say which verdicts on options quote their question in other words than it is asked in."""
    given = every.filter(pl.col("verdict").is_in(ALL_VERDICTS)).drop_nulls("question")
    rows = given.join(in_force, on=_ABOUT, how="anti").group_by(_ABOUT).len("n").join(questions, on=KEY)
    found = [
        (*key, VOID, f"{pluralise(n, 'verdict')} on {before!r}, asked as {now!r}")
        for *key, before, n, now in rows.sort(_ABOUT).select(*_ABOUT, "n", "en_question").iter_rows()
    ]
    return pl.DataFrame(found, FOUND, orient="row")


def _check(own: pl.DataFrame, templates: set[str], locales: Registry) -> None:
    """Check that templates, locales and regions are known, and raise for every row in which they are not."""
    raise_all([error for row in own.iter_rows(named=True) for error in _unknown_names(row, templates, locales)])


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
