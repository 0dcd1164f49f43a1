"""Published multiple-choice questions: rows with the columns of the public BLEnD dataset, and typed ones."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from blend.builders.mcq.options import LocaleText, Option
from blend.builders.templates.localise import prompt_question
from blend.schemas.formats import AnswerFormat, magnitude
from blend.schemas.frames import KEY, MCQ_ROWS, MCQS, TRUE_FALSE_ROWS
from blend.schemas.locales import Registry
from blend.schemas.prompts import FORMAT_REQUEST, PUBLISHED_PROMPT, TRUE_FALSE_PROMPT, filled
from blend.schemas.rows import LETTERS
from blend.schemas.texts import digest, pluralise


class McqRow(NamedTuple):
    """A multiple-choice question, before it has its published columns."""

    mcq_id: str
    template_id: str
    locale: str
    """Tag of the locale asked about."""
    options: Sequence[LocaleText]
    """The options as they are shown, in order."""
    answer: int
    """Position of the correct one, from 0."""
    answer_spread: str | None
    """`AnswerSpread` of the correct one; null in paper mode."""


def mcq_frame(rows: Sequence[McqRow]) -> pl.DataFrame:
    """Make `MCQS` of rows, in their order."""
    shown = [option for row in rows for option in row.options]
    return pl.DataFrame(
        {
            "mcq_id": [row.mcq_id for row in rows],
            "template_id": [row.template_id for row in rows],
            "locale": [row.locale for row in rows],
            "options": _in_fours([text for text, _ in shown]),
            "option_locales": _in_fours([tag for _, tag in shown]),
            "answer": [row.answer for row in rows],
            "answer_spread": [row.answer_spread for row in rows],
        },
        schema=MCQS,
    )


def _in_fours(texts: Sequence[str]) -> pl.Series:
    """List every four texts; a series per question would take far longer to make than one of all of them."""
    return pl.Series(texts, dtype=pl.String).reshape((-1, len(LETTERS))).arr.to_list()


def published_rows(mcqs: pl.DataFrame, questions: pl.DataFrame, *, locales: Registry) -> pl.DataFrame:
    """Add every published column to multiple-choice questions.

    Args:
        mcqs: `frames.MCQS`.
        questions: `frames.QUESTIONS`, with the question of every row in ``mcqs``.
        locales: Names of the regions.

    Returns:
        `frames.MCQ_ROWS`, in the order of ``mcqs``. ``question`` is the English question of the row's
        own locale and names its region (the published dataset asks about the UK in all rows); ``prompt`` is the
        question, the published instruction, one line per option, and ``Answer:``. ``choices`` and
        ``choice_countries`` are JSON texts as Python's ``json.dumps(…, ensure_ascii=False)`` writes them.

    Raises:
        UnknownNameError: If a row's locale is not registered.
    """
    asked = _asked(mcqs, questions, locales)
    return _published(
        mcqs.join(asked, on=KEY, how="left", maintain_order="left").with_columns(
            source=None, source_order=None
        ),
        locales,
    )


def _published(rows: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Add what follows from ``question``, ``locale``, ``options``, ``option_locales`` and ``answer``."""
    named = rows["locale"].append(rows["option_locales"].explode()).drop_nulls().unique()
    of_tags = {tag: locales.get(tag) for tag in named}
    upstream = {tag: locale.upstream for tag, locale in of_tags.items()}
    region = {tag: locale.region for tag, locale in of_tags.items()}
    return rows.with_columns(
        country=pl.col("locale").replace_strict(upstream, return_dtype=pl.String),
        prompt=_published_prompt(),
        choices=_json_by_letter("options", {text: text for text in rows["options"].explode().unique()}),
        choice_countries=_json_by_letter("option_locales", upstream),
        answer_idx=pl.col("answer").replace_strict(dict(enumerate(LETTERS)), return_dtype=pl.String),
        option_regions=pl.col("option_locales").list.eval(
            pl.element().replace_strict(region, return_dtype=pl.String)
        ),
    ).select(pl.col(name).cast(of) for name, of in MCQ_ROWS.items())


def _asked(mcqs: pl.DataFrame, questions: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Find question and topic of every template and locale in ``mcqs``: one row each."""
    rows = questions.join(mcqs.select(KEY).unique(), on=KEY, how="semi").select(*KEY, "topic", "en_question")
    asked = [
        (template_id, tag, topic, prompt_question(text, locales.get(tag)))
        for template_id, tag, topic, text in rows.iter_rows()
    ]
    columns = {"template_id": pl.String, "locale": pl.String, "topic": pl.String, "question": pl.String}
    return pl.DataFrame(asked, columns, orient="row")


def _published_prompt() -> pl.Expr:
    """Make the published prompt from ``question`` and ``options``; null without four options."""
    options = {letter: _of_letter("options", i) for i, letter in enumerate(LETTERS)}
    return filled(PUBLISHED_PROMPT, {"question": pl.col("question"), **options})


def _json_by_letter(column: str, names: Mapping[str, str]) -> pl.Expr:
    """Write the four entries of a list column as the JSON text of an object by letter.

    Args:
        column: The column.
        names: What stands in the JSON for every text of the column. It is quoted and escaped once, however many
            rows show it.

    Returns:
        Text as Python's ``json.dumps(…, ensure_ascii=False)`` writes it; null where an entry has no name.
    """
    quoted = {text: json.dumps(name, ensure_ascii=False) for text, name in names.items()}
    entries = [
        pl.format(
            '"{}": {}',
            pl.lit(letter),
            _of_letter(column, i).replace_strict(quoted, default=None, return_dtype=pl.String),
        )
        for i, letter in enumerate(LETTERS)
    ]
    return pl.concat_str(pl.lit("{"), pl.concat_str(entries, separator=", "), pl.lit("}"))


def _of_letter(column: str, position: int) -> pl.Expr:
    return pl.col(column).list.get(position, null_on_oob=True)


# Questions that a source has with their options: in its order or in a balanced one


def given_rows(given: pl.DataFrame, *, rebalance: bool, seed: int, locales: Registry) -> pl.DataFrame:
    """Multiple-choice questions of a source with every published column.

    Args:
        given: `frames.GIVEN_MCQS`.
        rebalance: Whether the correct option moves, so that it stands in every position equally often in every
            locale; the others keep their order around it. ``source_order`` has the letters of the source.
        seed: Seed of the positions.
        locales: Names of the regions.

    Returns:
        `MCQ_ROWS`, in the order of ``given``; regions of options and spread are null, since nobody knows them.
    """
    positions = given["answer"].to_list()
    if rebalance:
        placed = balanced_positions(given.select("locale", "mcq_id").iter_rows(), seed)
        positions = [placed[one] for one in given.select("locale", "mcq_id").iter_rows()]
    orders = [_order(answer, to) for answer, to in zip(given["answer"], positions, strict=True)]
    moved = given.with_columns(
        options=pl.Series(
            [[options[i] for i in order] for options, order in zip(given["options"], orders, strict=True)],
            dtype=pl.List(pl.String),
        ),
        answer=pl.Series(positions, dtype=pl.Int64),
        source_order=pl.Series(["".join(LETTERS[i] for i in order) for order in orders], dtype=pl.String),
        source=pl.col("origin"),
        option_locales=pl.lit(None, pl.List(pl.String)),
        answer_spread=None,
    )
    return _published(moved, locales)


def balanced_positions(ids: Iterable[tuple[str, str]], seed: int) -> dict[tuple[str, str], int]:
    """Place the correct answers of questions, each position as often as any other in a group, or once more.

    A question prefers a position by its own digest; of those that would be too many at one, the ones with the
    largest digests move. So a further question changes the position of few others.

    Args:
        ids: Group and id of every question.
        seed: Seed of the preferences.
    """
    digests: dict[str, dict[tuple[str, str], int]] = {}
    for group, mcq_id in ids:
        digests.setdefault(group, {})[group, mcq_id] = digest(seed, "position", mcq_id)
    placed: dict[tuple[str, str], int] = {}
    for of_group in digests.values():
        held: list[list[tuple[str, str]]] = [[] for _ in LETTERS]
        for one in sorted(of_group, key=of_group.__getitem__):
            held[of_group[one] % len(LETTERS)].append(one)
        equal, more = divmod(len(of_group), len(LETTERS))
        # What is left after equal shares goes to the positions that most questions prefer, so that few move.
        by_demand = sorted(range(len(LETTERS)), key=lambda position: -len(held[position]))
        shares = {position: equal + (rank < more) for rank, position in enumerate(by_demand)}
        moving = [one for position, share in shares.items() for one in held[position][share:]]
        free = [position for position, share in shares.items() for _ in range(share - len(held[position]))]
        placed |= {one: position for position, share in shares.items() for one in held[position][:share]}
        placed |= dict(zip(moving, free, strict=True))
    return placed


def _order(answer: int, to: int) -> list[int]:
    """Old positions in their new order, with the correct option at ``to``."""
    order = [i for i in range(len(LETTERS)) if i != answer]
    order.insert(to, answer)
    return order


# True-false questions: every option of multiple-choice questions by itself

MORE_VOTES = 2
"""Votes that an answer needs beyond those with which it is asked about: by default all five."""

_NEAR = 0.25
"""Share of the larger of two numbers up to which they are near."""


def true_false_rows(mcqs: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Make a row of every option of multiple-choice questions.

    Args:
        mcqs: `frames.MCQ_ROWS` that were made here, so that regions are known and options differ.
        locales: Names of the regions.

    Returns:
        `frames.TRUE_FALSE_ROWS`: four rows per question, in its order and that of its options.
    """
    names = {tag: locales.get(tag).prompt_name for tag in mcqs["locale"].unique()}
    slots = {
        "question": pl.col("question").str.replace(FORMAT_REQUEST, "?"),
        "region": pl.col("locale").replace_strict(names, return_dtype=pl.String),
        "option": pl.col("option"),
    }
    is_correct = pl.col("position") == pl.col("correct")
    return (
        mcqs.rename({"answer": "correct", "options": "option", "option_regions": "option_region"})
        .with_columns(
            # The rank of its text among the options: whatever their order, an option has the same id.
            number=pl.col("option").list.eval(pl.element().rank("ordinal")),
            position=pl.int_ranges(pl.col("option").list.len()),
        )
        .explode("option", "option_region", "number", "position")
        .with_columns(
            true_false_id=pl.format("{}_{}", "mcq_id", "number"),
            prompt=filled(TRUE_FALSE_PROMPT, slots),
            answer=pl.when(is_correct).then(pl.lit("yes")).otherwise(pl.lit("no")),
        )
        .select(list(TRUE_FALSE_ROWS))
        .cast(TRUE_FALSE_ROWS)
    )


def unsure(
    gold: Option, wrong: Iterable[Option], answer_format: AnswerFormat, *, least: int
) -> tuple[str, str] | None:
    """Say why the options of a question are not asked one by one: reason and detail; null if they are.

    Args:
        gold: The correct answer.
        wrong: The distractors.
        answer_format: Format of the question.
        least: Votes that the correct answer needs. Where an option stands by itself, what four of five said
            readers doubted now and then.
    """
    if gold.votes < least:
        detail = f"{pluralise(gold.votes, 'vote')} for {gold.text!r}; {least} needed"
        return "few-votes-true-false", detail
    near = [one.text for one in wrong if _is_near(one.text, gold.text, answer_format)]
    return ("near-number", f"{near[0]!r} beside {gold.text!r}") if near else None


def _is_near(text: str, other: str, answer_format: AnswerFormat) -> bool:
    """Whether two numbers, minutes of the day or days of the year are near each other."""
    values = [magnitude(one, answer_format) for one in (text, other)]
    if None in values:
        return False
    low, high = sorted(value for value in values if value is not None)
    return high - low <= _NEAR * high
