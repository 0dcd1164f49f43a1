"""Checks of multiple-choice questions in themselves: letters, texts, regions and prompt tell the same."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from blend.builders.mcq.published_mcqs import published_prompt
from blend.builders.mcq.result import why_none_made
from blend.builders.mcq.verdicts.reading import verdict_notes
from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import REBUILD, Problem, error, info, warning
from blend.schemas.rows import LETTERS, MULTIPLE_CHOICE_CONFIGS, MULTIPLE_CHOICE_QUESTIONS

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

    * error: `answer_idx`, `choices` or `prompt` is not what `question`, `options` and `answer` make
    """
    columns = ["question", "options", "answer", "answer_idx", "choices", "prompt"]
    for batch in release.batches(*MULTIPLE_CHOICE_CONFIGS, columns=columns):
        rows = _usual(batch.complete().rows, "options").with_columns(expected=published_prompt())
        for row in rows.iter_rows(named=True):
            by_letter = dict(zip(LETTERS, row["options"], strict=True))
            letter = LETTERS[row["answer"]]
            where = batch.location(row["MCQID"])
            if row["answer_idx"] != letter:
                what = f"answer_idx is {row['answer_idx']!r}, but the answer is option {letter!r}"
                yield error(where, what, REBUILD)
            if _object(row["choices"]) != list(by_letter.items()):
                yield error(where, "choices is not the JSON text of the letters and options", REBUILD)
            if row["prompt"] != row["expected"]:
                what = "prompt is not the published prompt with the question and its options"
                yield error(where, what, REBUILD)


def check_mcq_regions(release: Release) -> Iterator[Problem]:
    """Regions and countries agree.

    * error: `country`, `locale`, `option_regions` and `choice_countries` disagree
    """
    names: dict[str, set[str]] = {}
    for locale in release.locales:
        names.setdefault(locale.region, set()).add(locale.upstream)
    columns = ["country", "locale", "option_regions", "choice_countries", "answer"]
    for batch in release.batches(*MULTIPLE_CHOICE_CONFIGS, columns=columns):
        for row in _usual(batch.complete().rows, "option_regions").iter_rows(named=True):
            for what in _region_problems(row, release, names):
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
    known, options = release.locales, release.manifest.recipe.mcq
    for (config, locale), held in sorted(counts.items()):
        if max(held) - min(held) > 1:
            shown = ", ".join(f"{letter} {count:,}" for letter, count in zip(LETTERS, held, strict=True))
            where = f"{known.get(locale).prompt_name} ({locale})" if locale in known else locale
            what = f"the correct answers about {where} are not spread evenly: {shown}"
            # Paper mode sorts the options by text, so that its positions are what they are.
            if options.mode == "default" and locale not in given:
                yield warning(config, what, REBUILD)
            else:
                yield info(config, what, "" if locale not in given or options.rebalance else REBALANCE)


def _usual(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """The rows with four options and an answer among them; the check of rows tells of the others."""
    n_letters = len(LETTERS)
    return rows.filter(pl.col(column).list.len() == n_letters, pl.col("answer").is_between(0, n_letters - 1))


def _region_problems(row: Mapping[str, Any], release: Release, names: Mapping[str, set[str]]) -> Iterator[str]:
    regions, answer = row["option_regions"], row["answer"]
    countries = _object(row["choice_countries"])
    if [letter for letter, _ in countries] != list(LETTERS):
        yield "choice_countries is not a JSON text with the letters A to D"
    else:
        for (letter, country), region in zip(countries, regions, strict=True):
            if region in names and country not in names[region]:
                yield f"choice_countries has {country!r} for option {letter}, option_regions {region!r}"
        if countries[answer][1] != row["country"]:
            yield f"country is {row['country']!r}, the correct option's is {countries[answer][1]!r}"
    if row["locale"] in release.locales:
        locale = release.locales.get(row["locale"])
        if row["country"] != locale.upstream:
            yield f"country is {row['country']!r}, that of {locale.tag} is {locale.upstream!r}"
        if regions[answer] != locale.region:
            held = regions[answer]
            yield f"the correct option's region is {held!r}, that of {locale.tag} is {locale.region!r}"


def _object(text: str) -> list[tuple[str, Any]]:
    """The entries of a JSON object in order, repeated keys too; none if the text is not such an object."""
    try:
        pairs = json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return []
    return list(pairs) if isinstance(pairs, tuple) else []
