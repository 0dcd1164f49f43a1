"""Options: an answer as it may be shown, or as what it rules out.

An option stands for all its English variants, and for what its locale means by the same words of its own: a
locale that writes both "soccer" and "football" as 축구 says that they are one thing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from typing import NamedTuple

import polars as pl

from blend.builders.mcq.option_sets import OptionSet, union
from blend.builders.mcq.overlap import base_forms, values
from blend.loaders.responses.decisions import answer_key
from blend.schemas.language.answer_formats import AnswerFormat, understood
from blend.schemas.language.characters import scripts_of
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.language.placeholders import is_placeholder
from blend.schemas.language.region_mentions import names_any
from blend.schemas.language.text_comparison import clean, words

LocaleText = tuple[str, str]
"""An answer's text and the tag of its locale."""

LOCAL_VARIANTS = "local-variants"
"""The name under which `LocalVariants` are counted among those who decide."""

_LATIN = frozenset(("LATIN", "MODIFIER", "FEMININE", "MASCULINE", "MICRO"))
"""First words of the Unicode names of such letters."""
_NOTHING: frozenset[str] = frozenset()


class Acceptable(NamedTuple):
    """A variant of an answer that a locale gave, whoever gave it and however few."""

    text: str
    """As an option would show it."""
    values: frozenset[str]
    """What it can mean, see `builders.mcq.overlap.values`."""
    also: frozenset[str] = frozenset()
    """Other English texts that the locale means by the same words of its own, see `LocalVariants.also`."""
    is_verdict: bool = False
    """Whether nobody of the locale gave it: readers refused it as an option."""


class Option(NamedTuple):
    """An answer that may be shown."""

    text: str
    """As shown: clean, lower case, in the canonical spelling of its format."""
    locale: Locale
    """Whose answer it is."""
    votes: int
    """Annotators behind it; 0 for a reviewed filler."""
    values: frozenset[str]
    """What it and its variants can mean."""
    names_region: bool = False
    """Whether it names a region, its people, its capital or its country, see `names_any`."""
    also: frozenset[str] = frozenset()
    """Other English texts that its locale means by the same words of its own, see `LocalVariants.also`."""


def as_option(
    variants: Sequence[str], answer_format: AnswerFormat, locale: Locale, votes: int, *, locales: Registry
) -> Option | str:
    """Make one option of the variants of an answer, spelled as the first that can be shown; or say why not.

    Args:
        variants: English variants, the preferred one first.
        answer_format: Format of the question.
        locale: Whose answer it is.
        votes: Annotators behind it.
        locales: Regions that it may name.

    Returns:
        The option, or ``no-english``, ``placeholder`` (an answer that says there is none), ``out-of-format``,
        ``foreign-script`` (no variant in format is in the script of the question) or ``no-words``.
    """
    found = spelling(tuple(variants), answer_format, locales)
    if isinstance(found, str):
        return found
    return Option(found.text, locale, votes, found.values, names_region=found.names_region)


class Spelling(NamedTuple):
    """Variants of an answer as one option, whoever gave it."""

    text: str
    values: frozenset[str]
    names_region: bool


# Regions that answer the same question say much the same.
@lru_cache(maxsize=1 << 12)
def spelling(variants: tuple[str, ...], answer_format: AnswerFormat, locales: Registry) -> Spelling | str:
    """Spell variants as one option, or say why they are none; see `as_option`."""
    # As shown, and as typed: capitals tell the US from us.
    texts = [(text, typed) for text, typed in zip(map(shown, variants), variants, strict=True) if text]
    if not texts:
        return "no-english"
    if is_placeholder(texts[0][0]):
        return "placeholder"
    read = ((spelled(text, answer_format), typed) for text, typed in texts)
    in_format = [(text, typed) for text, typed in read if text is not None]
    if not in_format:
        return "out-of-format"
    readable = [(text, typed) for text, typed in in_format if is_latin(text)]
    if not readable:
        return "foreign-script"
    # The first variant that passes is shown; the values of all others still count as meant.
    text, typed = readable[0]
    if not values(text, answer_format):
        return "no-words"
    meant = frozenset[str]().union(*(values(text, answer_format) for text, _ in texts))
    return Spelling(_said_once(text), meant, names_any(typed, locales))


def _said_once(text: str) -> str:
    """Choose the shortest of several spellings that a text lists: ``cadbury`` of ``cadbury's, cadbury``."""
    listed = text.split(", ")
    if len(listed) == 1:
        return text
    # They are one but for blanks, hyphens, apostrophes, and an s behind.
    spellings = {"".join(words(one)).removesuffix("s") for one in listed}
    return min(listed, key=len) if len(spellings) == 1 else text


def spelled(text: str, answer_format: AnswerFormat) -> str | None:
    """Write the text in the canonical spelling of a format; null where it is not in it."""
    return text if answer_format is AnswerFormat.TEXT else understood(text, answer_format)


# Every locale of a template is compared with every other one.
@lru_cache(maxsize=1 << 12)
def compared_forms(variants: tuple[str, ...], answer_format: AnswerFormat) -> frozenset[str]:
    """Reduce variants of an answer to what is compared; nothing of one that is not in the format."""
    texts = map(shown, variants)
    if answer_format is AnswerFormat.TEXT:
        found = ("".join(base_forms(text)) for text in texts)
    else:
        found = (spelled(text, answer_format) or "" for text in texts)
    return frozenset(form for form in found if form)


@lru_cache(maxsize=1 << 14)
def shown(text: str) -> str:
    """Write the text as an option shows it: clean and in lower case.

    Among BLEnD's English answers only those of the UK and the US have upper-case letters, so that case would
    tell where an option comes from.
    """
    return clean(text.lower())


def is_latin(text: str) -> bool:
    """Whether all letters are Latin, or belong to no script, as questions are asked in English."""
    return text.isascii() or scripts_of(text) <= _LATIN


def are_apart(one: Locale, other: Locale) -> bool:
    """Whether neither region is or contains the other.

    What people of Indonesia answer may well be right in West Java, whether or not anybody there said so, and
    the other way round; it is not a distractor.
    """
    return one.region != other.region and one.parent != other.region and other.parent != one.region


class LocalVariants:
    """English texts that share a local variant in any answer of a locale, to whatever question.

    For a question only that counts which the locale asked about, or the one that offers an option, says about
    words of its own: a further locale has no influence on the questions between others.

    Args:
        annotations: `ANNOTATIONS`.
    """

    def __init__(self, annotations: pl.DataFrame) -> None:
        # Each text once, and tuples: as sets of texts of their own these would take three times the memory.
        once: dict[str, str] = {}
        self._also: dict[str, dict[str, tuple[str, ...]]] = {}
        for tag, found in _meant_by_one_variant(annotations):
            texts, of_locale = [once.setdefault(text, text) for text in found], self._also.setdefault(tag, {})
            for text in texts:
                others = dict.fromkeys((*of_locale.get(text, ()), *texts))
                of_locale[text] = tuple(other for other in others if other != text)

    def also(self, tag: str, *texts: str) -> frozenset[str]:
        """Find the other English texts that a locale has for the words that it has for any of these.

        Args:
            tag: The locale.
            texts: English texts as options show them.
        """
        of_locale = self._also.get(tag, {})
        found = [of_locale[text] for text in texts if text in of_locale]
        return _NOTHING.union(*found) if found else _NOTHING


def _meant_by_one_variant(annotations: pl.DataFrame) -> Iterator[tuple[str, list[str]]]:
    """List locales with the English texts of each local variant that has two or more of them."""
    # One locale after the other: one row per pair of variants takes ten times the memory of the answers.
    for (tag,), of_locale in annotations.select("locale", "annotations").group_by("locale"):
        yield from ((str(tag), texts) for texts in _meant_together(of_locale["annotations"]))


def _meant_together(answers: pl.Series) -> Iterator[list[str]]:
    """List the English texts of each local variant in a locale's answers that has two or more of them."""
    groups = answers.explode().drop_nulls().struct.unnest().with_row_index("number")
    # Each different text is taken apart once, however many groups it stands in. If `words` kept the local ones,
    # they would push out the English ones, which are asked for again.
    apart = words.__wrapped__
    variants = _mapped(groups.select("number", text="answers"), lambda text: " ".join(apart(text)))
    english = _mapped(groups.select("number", text="en_answers"), shown)
    meant = (
        variants.rename({"text": "variant"})
        .join(english, on="number")
        .select("variant", "text")
        .unique()
        .group_by("variant")
        .agg("text")
        .filter(pl.col("text").list.len() > 1)
    )
    return iter(meant["text"].to_list())


def _mapped(texts: pl.DataFrame, spell: Callable[[str], str]) -> pl.DataFrame:
    """Spell every text of a list column ``text`` by a function, one row each.

    Without those that are then empty: a variant without letter or digit, such as "-", says nothing.
    """
    single = texts.explode("text").drop_nulls("text")
    by_text = {text: spell(text) for text in single["text"].unique()}
    return single.with_columns(text=pl.col("text").replace_strict(by_text, return_dtype=pl.String)).filter(
        pl.col("text") != ""
    )


class SharedAnswers:
    """Options of a template by what they share with an answer: a value, or words of a locale's own.

    Args:
        options: The options, by number.
    """

    def __init__(self, options: Sequence[Option]) -> None:
        numbered = list(enumerate(options))
        self._options = options
        self._with_value = _sets((value, i) for i, option in numbered for value in option.values)
        self._named = _sets((option.text, i) for i, option in numbered)
        self._also_named = _sets((text, i) for i, option in numbered for text in option.also)

    def named(self, texts: Iterable[str]) -> OptionSet:
        """List the options that are shown as one of some texts."""
        return _with_any(self._named, texts)

    def by_text(self) -> Iterable[tuple[str, OptionSet]]:
        """List the texts that are shown, each with the options that show it."""
        return self._named.items()

    def same_local_answer(self, answer: Option | Acceptable) -> OptionSet:
        """List the options that their locale or that of the answer writes in the same words."""
        also_named = self._also_named.get(answer.text, 0)
        # Mostly there are no other words.
        return also_named | self.named(answer.also) if answer.also else also_named

    def any_same_local_answer(self, answers: Collection[Acceptable]) -> OptionSet:
        """List what `same_local_answer` lists for any of some answers."""
        also_named = _with_any(self._also_named, (answer.text for answer in answers))
        return also_named | self.named(_NOTHING.union(*(answer.also for answer in answers)))

    def overlapping(self, held: Iterable[str]) -> OptionSet:
        """List the options that have any of some values."""
        return _with_any(self._with_value, held)

    def any_overlapping(self, answers: Iterable[Acceptable]) -> OptionSet:
        """List the options that share a value with any of some answers."""
        return self.overlapping(_NOTHING.union(*(answer.values for answer in answers)))

    def with_answer(self, answer: Option | Acceptable) -> OptionSet:
        """List the options that share anything with an answer."""
        return self.overlapping(answer.values) | self.same_local_answer(answer)

    def only_unshown(self, answer: Acceptable) -> OptionSet:
        """List the options of free text that share something with an answer, and their shown texts nothing."""
        shown = _with_any(self._with_shown_value, answer.values) | self.same_local_answer(answer)
        return self.overlapping(answer.values) & ~shown

    def both_as_shown(self, option: Option) -> OptionSet:
        """List the options of free text that share anything with the shown text of another one."""
        shown = values(option.text, AnswerFormat.TEXT)
        return _with_any(self._with_shown_value, shown) | self.same_local_answer(option)

    @cached_property
    def _with_shown_value(self) -> dict[str, OptionSet]:
        shown = (values(option.text, AnswerFormat.TEXT) for option in self._options)
        return _sets((value, i) for i, held in enumerate(shown) for value in held)


class JudgedBeside(dict[str, OptionSet]):
    """By text, the options of a template beside which a judge may have an opinion on it.

    Args:
        options: The options, by number.
        partners: By text, answers beside which one may have, see `JudgePanel.partners`; all when absent.
    """

    def __init__(self, options: Sequence[Option], partners: Mapping[str, Set[str]] | None) -> None:
        super().__init__()
        self._partners = partners
        self._by_key = _sets((answer_key(option.text), i) for i, option in enumerate(options))
        self._everything = union(self._by_key.values())

    def __missing__(self, text: str) -> OptionSet:
        found = self._everything
        if self._partners is not None:
            # Most texts have no partner, and some have hundreds.
            known = self._partners[text]
            found = _with_any(self._by_key, known and self._by_key.keys() & known)
        self[text] = found
        return found


def _with_any(by_name: Mapping[str, OptionSet], names: Iterable[str]) -> OptionSet:
    """Collect the options under any of some names."""
    found = 0
    for name in names:
        found |= by_name.get(name, 0)
    return found


def _sets(entries: Iterable[tuple[str, int]]) -> dict[str, OptionSet]:
    """Collect numbers by name."""
    found: dict[str, OptionSet] = {}
    for name, number in entries:
        found[name] = found.get(name, 0) | 1 << number
    return found
