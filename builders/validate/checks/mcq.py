"""Checks of multiple-choice questions in themselves: letters, texts, regions and prompt tell the same."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import polars as pl

from blend.builders.mcq.result import why_none_made
from blend.builders.mcq.verdicts.reading import verdict_notes
from blend.builders.validate.checked_release import Release
from blend.builders.validate.repeated import regions_agree, texts_agree, upstream_names
from blend.builders.validate.report import REBUILD, Problem, error, info, warning
from blend.schemas.language.locales import Registry
from blend.schemas.rows.configs import MULTIPLE_CHOICE_CONFIGS, MULTIPLE_CHOICE_QUESTIONS
from blend.schemas.rows.published_rows import LETTERS

REBALANCE = "set `mcq.rebalance` in the recipe to have the options moved"


def check_mcq_made(release: Release) -> Iterator[Problem]:
    """Questions become multiple-choice questions.

    A release that asks questions and holds no multiple-choice question is seldom meant.

    * warning: there are questions and no multiple-choice question was made of them
    """
    why = why_none_made(release.manifest)
    if why is not None:
        yield warning(MULTIPLE_CHOICE_QUESTIONS, why.rstrip("."))


def check_verdicts(release: Release) -> Iterator[Problem]:
    """Options have been read.

    As the build report says, and the findings.

    * info: questions show options that nobody has read, or are asked in other words than verdicts quote
    """
    for note, remedy in verdict_notes(release.manifest):
        yield info(MULTIPLE_CHOICE_QUESTIONS, note, remedy)


def check_mcq_texts(release: Release) -> Iterator[Problem]:
    """Letters, texts and prompts agree.

    Letter, choices and prompt show the question, its options and its answer.

    * error: `answer_idx` and `answer`, `choices` and `options`, or the prompt's question, lettered lines and
      ending disagree
    """
    columns = ["question", "options", "answer", "answer_idx", "choices", "prompt"]
    for batch in release.suspect_rows("texts", *MULTIPLE_CHOICE_CONFIGS, columns=columns):
        rows = batch.complete().rows
        for row in rows.filter(~texts_agree(rows)).iter_rows(named=True):
            for what in _text_problems(row):
                yield error(batch.location(row["MCQID"]), what, REBUILD)


def check_mcq_regions(release: Release) -> Iterator[Problem]:
    """Regions and countries agree.

    * error: `country`, `locale`, `option_regions` and `choice_countries` disagree
    """
    columns = ["country", "locale", "option_regions", "choice_countries", "answer"]
    names = _Names(release.locales)
    for batch in release.suspect_rows("regions", *MULTIPLE_CHOICE_CONFIGS, columns=columns):
        rows = batch.complete().rows
        for row in rows.filter(~regions_agree(rows, release.locales)).iter_rows(named=True):
            for what in names.problems(row):
                yield error(batch.location(row["MCQID"]), what, REBUILD)


def check_positions(release: Release) -> Iterator[Problem]:
    """Correct answers stand everywhere.

    In every region at every position equally often.

    * warning: in a region, the correct answer stands at one position two or more times oftener than at another;
      info in paper mode, which sorts the options, and of questions that a source has with their options
    """
    counts: dict[tuple[str, str], list[int]] = {}
    given: set[str] = set()
    # What compact holds was chosen for other reasons.
    for batch in release.batches(MULTIPLE_CHOICE_QUESTIONS, columns=["locale", "answer", "source"]):
        given.update(batch.rows.filter(pl.col("source").is_not_null())["locale"])
        complete = batch._replace(rows=batch.rows.drop("source", strict=False)).complete()
        for locale, answer, rows in complete.rows.group_by("locale", "answer").len().iter_rows():
            if answer in range(len(LETTERS)):
                counts.setdefault((batch.table.config, locale), [0] * len(LETTERS))[answer] += rows
    # Paper mode sorts the options by text, so that its positions are what they are.
    known = release.locales
    options = release.manifest.recipe.mcq
    for (config, locale), held in sorted(counts.items()):
        if max(held) - min(held) > 1:
            shown = ", ".join(f"{letter} {count:,}" for letter, count in zip(LETTERS, held, strict=True))
            where = f"{known.get(locale).prompt_name} ({locale})" if locale in known else locale
            what = f"the correct answers about {where} are not spread evenly: {shown}"
            if options.mode == "default" and locale not in given:
                yield warning(config, what, REBUILD)
            else:
                yield info(config, what, "" if locale not in given or options.rebalance else REBALANCE)


def _text_problems(row: Mapping[str, Any]) -> Iterator[str]:
    options, answer = row["options"], row["answer"]
    if len(options) != len(LETTERS) or answer not in range(len(LETTERS)):
        return  # told by the check of rows
    if row["answer_idx"] != LETTERS[answer]:
        yield f"answer_idx is {row['answer_idx']!r}, but answer is {answer}, which is {LETTERS[answer]!r}"
    if _object(row["choices"]) != tuple(zip(LETTERS, options, strict=True)):
        yield "choices is not the JSON text of the letters and options"
    if not row["prompt"].startswith(f"{row['question']} "):
        yield "prompt does not begin with the question and a blank"
    lines = "".join(f"{letter}. {option}\n" for letter, option in zip(LETTERS, options, strict=True))
    if f"\n\n{lines}\n" not in row["prompt"]:
        yield "prompt does not show the options, one lettered line each"
    if not row["prompt"].endswith("\nAnswer:"):
        yield "prompt does not end with 'Answer:'"


class _Names:
    """What the registry says about the regions of a row."""

    def __init__(self, locales: Registry) -> None:
        self._locales = locales
        self._upstream = upstream_names(locales)

    def problems(self, row: Mapping[str, Any]) -> Iterator[str]:
        regions, answer = row["option_regions"], row["answer"]
        if len(regions) != len(LETTERS) or answer not in range(len(LETTERS)):
            return
        countries = _object(row["choice_countries"])
        if [letter for letter, _ in countries] != list(LETTERS):
            yield "choice_countries is not a JSON text with the letters A to D"
        else:
            yield from self._of_options(countries, regions)
            if countries[answer][1] != row["country"]:
                yield f"country is {row['country']!r}, the correct option's is {countries[answer][1]!r}"
        if row["locale"] in self._locales:
            locale = self._locales.get(row["locale"])
            if row["country"] != locale.upstream:
                yield f"country is {row['country']!r}, that of {locale.tag} is {locale.upstream!r}"
            if regions[answer] != locale.region:
                held = regions[answer]
                yield f"the correct option's region is {held!r}, that of {locale.tag} is {locale.region!r}"

    def _of_options(self, countries: tuple[tuple[str, Any], ...], regions: list[str]) -> Iterator[str]:
        for (letter, country), region in zip(countries, regions, strict=True):
            known = self._upstream.get(region)
            if known is not None and country not in known:
                yield f"choice_countries has {country!r} for option {letter}, option_regions {region!r}"


@lru_cache(maxsize=1 << 12)
def _object(text: str) -> tuple[tuple[str, Any], ...]:
    """The entries of a JSON object in order, repeated keys too; none if the text is not such an object."""
    try:
        pairs = json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return ()
    return pairs if isinstance(pairs, tuple) else ()
