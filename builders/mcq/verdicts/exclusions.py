"""Exclusions: what people or models that read options have excluded is not shown about a region again."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.builders.mcq.options import shown
from blend.builders.mcq.result import FOUND
from blend.builders.mcq.verdicts.wordings import OptionReading, quotable
from blend.loaders.responses.exclusions import models_in
from blend.loaders.responses.shipped import shipped_exclusions
from blend.schemas.errors import RowError, UnknownNameError, raise_all
from blend.schemas.frames import EXCLUSIONS, KEY
from blend.schemas.locales import Locale, Registry
from blend.schemas.personal_data import is_model
from blend.schemas.recipe import McqOptions
from blend.schemas.sheets import OK, stands_by_natives
from blend.schemas.texts import pluralise

WRONG = "wrong"
"""Kind of an exclusion that takes a correct answer away; all others take away a distractor."""

Row = Mapping[str, str | None]
"""A row by column."""

SILLY = "silly"
"""Kind of an exclusion of what does not answer the question at all."""

VOID = "void-verdicts"
"""Finding, and note of the build report: verdicts quote a question in other words than it is asked in."""

# All but the question, which a recipe's wordings may put into other words.
_OF_PACKAGE = (*KEY, "kind", "reviewer", "source")

_KINDS = ("also-right", SILLY, WRONG, OK)


class Reader(NamedTuple):
    """Reader of an option."""

    name: str
    """Pseudonym."""
    native: bool
    """Whether this is a native of the region asked about."""
    kind: str
    """The verdict."""
    confidence: float = 1.0
    """How sure a model is of it, a fraction; 1 of people, and of a model that does not say."""

    @property
    def is_model(self) -> bool:
        """Whether this is a language model."""
        return is_model(self.name)

    def __str__(self) -> str:
        sure = f" ({self.confidence:g})" if self.confidence < 1 else ""
        return f"{self.name}{' (native)' if self.native else ''}: {self.kind}{sure}"


def counting(readers: Sequence[Reader], model_confidence: float) -> Sequence[Reader]:
    """Choose whose verdicts on an option count: people's; where there are none, those of models that are sure.

    Where most of three or more natives accept the option, only those who accept it count.

    Args:
        readers: Who has read the option.
        model_confidence: From where on a model is sure.
    """
    people = [reader for reader in readers if not reader.is_model]
    if stands_by_natives([reader.kind for reader in people if reader.native]):
        return [reader for reader in people if reader.kind == OK]
    return people or [reader for reader in readers if reader.confidence >= model_confidence]


class Excluded(NamedTuple):
    """Options excluded about a template and locale, as options show them."""

    distractors: tuple[str, ...] = ()
    """Not to be shown as wrong, sorted."""
    golds: frozenset[str] = frozenset()
    """Not to be shown as correct."""


class Exclusions:
    """Options that were excluded, checked.

    Args:
        rows: `frame_columns.EXCLUSIONS`, or null for none.
        questions: The questions, `frame_columns.QUESTIONS`.
        locales: Known locales.
        shipped: Whether to add those that come with the package (`loaders.responses.shipped`).
        model_confidence: From where on a model's verdict counts, see `counting`.
        asked: The questions without slips (`wordings.put_right`), where they are at hand.

    Raises:
        RowError, RowErrors: If a row names an unknown template, locale or kind, or lacks anything but ``why``.
    """

    def __init__(
        self,
        rows: pl.DataFrame | None,
        questions: pl.DataFrame,
        locales: Registry,
        *,
        shipped: bool,
        model_confidence: float = McqOptions().model_confidence,
        asked: pl.DataFrame | None = None,
    ) -> None:
        self._model_confidence = model_confidence
        own = pl.DataFrame(schema=EXCLUSIONS) if rows is None else rows
        _check(own, questions, locales)
        wordings = quotable(questions, asked)
        self.options = OptionReading(wordings, shipped=shipped)
        """What was said of options whatever the region; verdicts are about the texts that it shows."""
        every = _as_shown(pl.concat([shipped_exclusions(), own]) if shipped else own, self.options)
        in_force = _in_force(every, wordings)
        self.own = in_force.join(shipped_exclusions(), on=_OF_PACKAGE, how="anti") if shipped else in_force
        """`frame_columns.EXCLUSIONS` in force that are not of the package, as questions show the options."""
        self.void = _void(every.join(in_force, on=[*KEY, "option"], how="anti"), questions)
        """`FOUND`: questions asked in other words than verdicts quote, so that these do not count."""
        self._readers = _readers(in_force)
        refusals = [
            Refusal(*about, kind)
            for about, readers in self._readers.items()
            for kind in {reader.kind for reader in counting(readers, model_confidence)} - {OK}
        ]
        self._excluded = _excluded(refusals)
        self._refused = _refused(refusals, self.options, locales)

    def of(self, template_id: str, tag: str) -> Excluded:
        """Find what is not to be shown in a template's questions about a locale."""
        return self._excluded.get((template_id, tag), _NOTHING)

    def readers(self, template_id: str, tag: str, option: str) -> Sequence[Reader]:
        """List who has given which verdict on an option as shown, in the order of the file."""
        return self._readers.get((template_id, tag, option), ())

    def counting(self, template_id: str, tag: str, option: str) -> Sequence[Reader]:
        """List those of them whose verdicts count; see `counting`."""
        readers = self.readers(template_id, tag, option)
        return counting(readers, self._model_confidence) if readers else ()

    def beside_models(self) -> pl.DataFrame:
        """List what models of the recipe's file say, and what people say of the same, as far as it counts.

        Returns:
            `frame_columns.EXCLUSIONS` without question and source, of options as shown.
        """
        rows: list[dict[str, Any]] = []
        is_model = pl.col("reviewer").is_in(models_in(self.own))
        for about, models in _readers(self.own.filter(is_model)).items():
            people = [reader for reader in self.counting(*about) if not reader.is_model]
            option = dict(zip((*KEY, "option"), about, strict=True))
            rows += [option | _verdict(reader) for reader in (*models, *people)]
        return pl.DataFrame(rows, EXCLUSIONS)

    def refused(self, template_id: str, region: str) -> frozenset[str]:
        """Find what is silly or wrong about a region: where its own people gave that, no other is shown it."""
        return self._refused.get((template_id, region), self.options.refused(template_id))


_NOTHING = Excluded()


def _verdict(reader: Reader) -> dict[str, Any]:
    sure = reader.confidence if reader.is_model else None
    native = "yes" if reader.native else None
    return {"kind": reader.kind, "reviewer": reader.name, "native": native, "confidence": sure}


class Refusal(NamedTuple):
    """Verdict that counts, and takes an option away."""

    template_id: str
    tag: str
    option: str
    kind: str


def _as_shown(verdicts: pl.DataFrame, options: OptionReading) -> pl.DataFrame:
    """Let verdicts name options as questions show them."""
    named = verdicts.select("template_id", "option").iter_rows()
    texts = [options.text(template_id, shown(option)) for template_id, option in named]
    return verdicts.with_columns(option=pl.Series(texts, dtype=pl.String))


def _in_force(verdicts: pl.DataFrame, wordings: pl.DataFrame) -> pl.DataFrame:
    """Keep verdicts that quote no question, then those whose question is asked in these words, slips apart."""
    in_its_words = verdicts.join(wordings, on=wordings.columns, how="semi")
    return pl.concat([verdicts.filter(pl.col("question").is_null()), in_its_words])


def _readers(verdicts: pl.DataFrame) -> dict[tuple[str, str, str], list[Reader]]:
    """List by template, locale and option who has read it, in the order of the verdicts."""
    found: dict[tuple[str, str, str], list[Reader]] = {}
    for template_id, tag, option, kind, who, native, confidence in verdicts.select(
        *KEY, "option", "kind", "reviewer", "native", "confidence"
    ).iter_rows():
        reader = Reader(who, native == "yes", kind, 1.0 if confidence is None else confidence)
        found.setdefault((template_id, tag, option), []).append(reader)
    return found


def _excluded(refusals: Iterable[Refusal]) -> dict[tuple[str, str], Excluded]:
    """Sort refused options, by template and locale: correct answers that are wrong, and distractors."""
    distractors: dict[tuple[str, str], set[str]] = {}
    golds: dict[tuple[str, str], set[str]] = {}
    for one in refusals:
        of_kind = golds if one.kind == WRONG else distractors
        of_kind.setdefault((one.template_id, one.tag), set()).add(one.option)
    return {
        asked: Excluded(tuple(sorted(distractors.get(asked, ()))), frozenset(golds.get(asked, ())))
        for asked in distractors.keys() | golds.keys()
    }


def _refused(
    refusals: Iterable[Refusal], options: OptionReading, locales: Registry
) -> dict[tuple[str, str], frozenset[str]]:
    """Find by template and region what is silly or wrong about it, with what is in any region."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    for one in refusals:
        if one.kind in (SILLY, WRONG):
            key = one.template_id, locales.get(one.tag).region
            found[key] = found.get(key, options.refused(one.template_id)) | {one.option}
    return found


def _void(verdicts: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Say which verdicts quote their question in other words than it is asked in."""
    counts = verdicts.group_by(*KEY, "question").len("n")
    rows = counts.join(questions.select(*KEY, "en_question"), on=KEY).sort(*KEY, "question")
    found = [
        (template_id, tag, VOID, f"{pluralise(n, 'verdict')} on {before!r}, asked as {now!r}")
        for template_id, tag, before, n, now in rows.iter_rows()
    ]
    return pl.DataFrame(found, FOUND, orient="row")


def _check(rows: pl.DataFrame, questions: pl.DataFrame, locales: Registry) -> None:
    """Check all rows, and raise for every one that names what is not there, or lacks what it needs."""
    templates = set(questions["template_id"])
    problems: list[RowError] = []
    for number, row in enumerate(rows.iter_rows(named=True), start=1):
        try:
            _check_exclusion(row, row["source"] or f"exclusions, row {number}", templates, locales)
        except RowError as error:
            problems.append(error)
    raise_all(problems)


def check_kinds(rows: pl.DataFrame) -> None:
    """Check what the verdicts of a file are.

    Args:
        rows: `frame_columns.EXCLUSIONS`.

    Raises:
        RowError, RowErrors: If one is of an unknown kind.
    """
    problems: list[RowError] = []
    for kind, source in rows.select("kind", "source").iter_rows():
        try:
            _check_kind(kind, source)
        except RowError as error:
            problems.append(error)
    raise_all(problems)


def _check_kind(kind: str | None, where: str) -> None:
    if kind not in _KINDS:
        raise RowError(f"unknown kind {kind!r}", where=where, fix=f"the kinds are {', '.join(_KINDS)}")


def _check_exclusion(row: Row, where: str, templates: Collection[str], locales: Registry) -> None:
    """Check an exclusion; one that quotes its question may be of a template that is not built."""
    built = templates if row["question"] is None else None
    check_reviewed(row, "an exclusion", ("locale", "option", "kind", "reviewer"), where=where, templates=built)
    _check_kind(row["kind"], where)
    known_locale(locales.get, str(row["locale"]), where=where)


# What all rows that reviewers write must keep to


def check_reviewed(
    row: Row, thing: str, needed: Sequence[str], *, where: str, templates: Collection[str] | None
) -> None:
    """Check that a row has its template and all else that is needed, and that the template is built.

    Args:
        row: The row.
        thing: What it is, in words.
        needed: Columns that must be filled in beside ``template_id``.
        where: Where it stands.
        templates: The templates that are built; null where any will do.

    Raises:
        RowError: If not.
    """
    if missing := [name for name in ("template_id", *needed) if not (row[name] or "").strip()]:
        what = f"{thing} without {', '.join(missing)}"
        raise RowError(what, where=where, fix="fill it in or delete the row")
    if templates is not None and row["template_id"] not in templates:
        fix = "write the id of a template that is built"
        raise RowError(f"unknown template {row['template_id']!r}", where=where, fix=fix)


def known_locale(find: Callable[[str], Locale], name: str, *, where: str) -> Locale:
    """Find the locale that a row names.

    Raises:
        RowError: If there is none; proposes others.
    """
    try:
        return find(name)
    except UnknownNameError as error:
        what, _, fix = str(error).partition("; ")
        raise RowError(what, where=where, fix=fix) from None
