"""Checks of multiple-choice questions in themselves: their columns agree, and answers stand everywhere."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from blend.builders.mcq.published_mcqs import json_by_letter, published_prompt
from blend.builders.mcq.reading import verdict_notes
from blend.builders.mcq.result import why_none_made
from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import REBUILD, Problem, error, info, warning
from blend.schemas.rows import LETTERS, MULTIPLE_CHOICE_CONFIGS, MULTIPLE_CHOICE_QUESTIONS

_REBALANCE = "set `mcq.rebalance` in the recipe to have the options moved"


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


def check_mcq_columns(release: Release) -> Iterator[Problem]:
    """Columns of a question agree.

    * error: `choices` or `prompt` is not what `question` and `options` make; `country`, `locale`,
      `option_regions` and `choice_countries` disagree
    """
    names: dict[str, set[str]] = {}
    for locale in release.locales:
        names.setdefault(locale.region, set()).add(locale.upstream)
    for config in MULTIPLE_CHOICE_CONFIGS:
        rows = release.rows(config)
        texts = rows["options"].explode().drop_nulls().unique()
        made = {
            "choices": json_by_letter("options", {text: text for text in texts}),
            "prompt": published_prompt(),
        }
        for column, expected in made.items():
            for location in rows.filter(pl.col(column) != expected)["location"]:
                yield error(location, f"{column} is not what the question and its options make", REBUILD)
        for row in rows.iter_rows(named=True):
            for what in _region_problems(row, release, names):
                yield error(row["location"], what, REBUILD)


def check_positions(release: Release) -> Iterator[Problem]:
    """Correct answers stand everywhere.

    In every region at every position equally often.

    * warning: in a region, the correct answer stands at one position two or more times oftener than at another;
      info in paper mode, which sorts the options, and of questions that a source has with their options
    """
    known, options = release.locales, release.manifest.recipe.mcq
    # What compact holds was chosen for other reasons.
    rows = release.rows(MULTIPLE_CHOICE_QUESTIONS)
    for (tag,), of_locale in rows.group_by("locale"):
        held = [int((of_locale["answer"] == position).sum()) for position in range(len(LETTERS))]
        if max(held) - min(held) <= 1:
            continue
        shown = ", ".join(f"{letter} {count:,}" for letter, count in zip(LETTERS, held, strict=True))
        where = f"{known.get(str(tag)).prompt_name} ({tag})" if tag in known else tag
        what = f"the correct answers about {where} are not spread evenly: {shown}"
        is_given = of_locale["source"].is_not_null().any()
        # Paper mode sorts the options by text, so that its positions are what they are.
        if options.mode == "default" and not is_given:
            yield warning(MULTIPLE_CHOICE_QUESTIONS, what, REBUILD)
        else:
            fix = _REBALANCE if is_given and not options.rebalance else ""
            yield info(MULTIPLE_CHOICE_QUESTIONS, what, fix)


def _region_problems(row: Mapping[str, Any], release: Release, names: Mapping[str, set[str]]) -> Iterator[str]:
    if row["locale"] in release.locales:
        locale = release.locales.get(row["locale"])
        if row["country"] != locale.upstream:
            yield f"country is {row['country']!r}, that of {locale.tag} is {locale.upstream!r}"
        if row["option_regions"] is not None and row["option_regions"][row["answer"]] != locale.region:
            held = row["option_regions"][row["answer"]]
            yield f"the correct option's region is {held!r}, that of {locale.tag} is {locale.region!r}"
    if row["option_regions"] is None or row["choice_countries"] is None:
        return
    countries = _by_letter(row["choice_countries"])
    if list(countries) != list(LETTERS):
        yield "choice_countries is not a JSON text with the letters A to D"
        return
    for (letter, country), region in zip(countries.items(), row["option_regions"], strict=True):
        if region in names and country not in names[region]:
            yield f"choice_countries has {country!r} for option {letter}, option_regions {region!r}"
    if countries[row["answer_idx"]] != row["country"]:
        yield f"country is {row['country']!r}, the correct option's is {countries[row['answer_idx']]!r}"


def _by_letter(text: str) -> dict[str, Any]:
    """The entries of a JSON object; none if the text is not one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
