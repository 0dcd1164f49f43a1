"""Multiple choice: one question about one region, four options, one of them correct."""

from collections.abc import Mapping

import polars as pl

from blend.eval.items import ITEMS, TaskItems, part_examples, some_templates, text_digest, with_examples
from blend.eval.tasks.multiple_choice import ChoiceOptions, Style
from blend.eval.tasks.multiple_choice.chosen_options import CONFIDENT_PROMPT
from blend.schemas.frames import filled
from blend.schemas.prompts import ANSWER_KEY, PUBLISHED_PROMPT
from blend.schemas.rows import LETTERS, MULTIPLE_CHOICE_QUESTIONS

PROMPTS: dict[Style, str] = {
    "letters": "{question}\nA. {A}\nB. {B}\nC. {C}\nD. {D}\nAnswer:",
    "texts": "Question: {question}\nAnswer:",
    "json": PUBLISHED_PROMPT,
}
"""The text around a question, by style; the style is also the ``prompt_id``."""

GOLD = pl.Schema(
    {
        **dict.fromkeys(("item_id", "question_id"), pl.String()),
        **dict.fromkeys(("rotation", "answer"), pl.Int64()),
        **dict.fromkeys(("option_texts", "option_regions"), pl.List(pl.String())),
        **dict.fromkeys(("answer_spread", "source_order"), pl.String()),
    }
)
"""One row per item, in the order of the items: the multiple-choice question, by how many places its options are
turned, the index of the correct one from 0, the options and the regions behind them as shown, and in how many
other regions people gave the correct one (`AnswerSpread`; null in paper mode), and of a question that was taken
with its options their letters in that source, as they stand in the release."""


def choice_items(tables: Mapping[str, pl.DataFrame], options: ChoiceOptions) -> TaskItems:
    """The items of multiple choice.

    Args:
        tables: By configuration, questions with the columns of `frame_columns.MCQ_ROWS` and ``region``.
        options: Style, rotations, locales, limit.

    Returns:
        One item per question and rotation, the rotations of a question one after the other. The first is the
        question as published; rotation ``r`` moves every option ``r`` places down, the last ones to the top.
        An item is named by the question, with ``~r`` behind it for a rotation. All rotations have the same
        examples, as they are published.

    Raises:
        InputError: If a locale has too few templates for the examples.
    """
    questions = tables[MULTIPLE_CHOICE_QUESTIONS].with_columns(can_be_example=pl.lit(value=True))
    rows, held_out = part_examples(questions, options)
    turned = _turned(some_templates(rows, options), options.rotations)
    examples = _put(_turned(_one_each(held_out, options.shots_seed), 1), options)
    items = with_examples(_put(turned, options), examples, _answer(options), ["locale"])
    return TaskItems(
        items.select(*ITEMS, *(["examples"] if options.shots else [])).cast(ITEMS),
        turned.with_columns(question_id="mcq_id", option_texts="options").select(*GOLD).cast(GOLD),
        {options.style: _prompt(options)},
        "text" if options.style == "json" else "logprobs",
    )


def _one_each(rows: pl.DataFrame, seed: int) -> pl.DataFrame:
    """One question of every template and locale, whose correct options stand anywhere."""
    digests = pl.Series([text_digest(f"{seed}|{name}") for name in rows["mcq_id"]], dtype=pl.String)
    chosen = rows.with_columns(digests.alias("_digest")).sort("_digest")
    return chosen.unique(["locale", "template_id"], keep="first", maintain_order=True)


def _prompt(options: ChoiceOptions) -> str:
    """The text around a question."""
    return CONFIDENT_PROMPT if options.confidence else PROMPTS[options.style]


def _put(turned: pl.DataFrame, options: ChoiceOptions) -> pl.DataFrame:
    """Questions as they are put."""
    slots, scored = {"question": pl.col("question")}, pl.lit(None, pl.List(pl.String))
    if options.style == "texts":
        scored = pl.col("options")
    else:
        slots |= {letter: pl.col("options").list.get(i) for i, letter in enumerate(LETTERS)}
    if options.style == "letters":
        scored = pl.lit(pl.Series([list(LETTERS)])).first()
    prompt = filled(_prompt(options), slots)
    if options.style == "json" and not options.confidence:
        # As the release publishes it; a rotated question has to be put anew.
        prompt = pl.when(pl.col("rotation") == 0).then(pl.col("prompt")).otherwise(prompt)
    return turned.with_columns(
        prompt_id=pl.lit(options.style),
        language=pl.lit("en"),
        prompt=prompt,
        shown=pl.col("options"),
        options=scored,
    )


def _answer(options: ChoiceOptions) -> pl.Expr:
    """The correct answer to a question as it is put."""
    if options.style == "texts":
        return pl.col("shown").list.get(pl.col("answer"))
    letter = pl.col("answer").replace_strict(range(len(LETTERS)), list(LETTERS), return_dtype=pl.String)
    if options.style == "letters":
        return letter
    sure = ', "confidence":100' if options.confidence else ""
    return pl.concat_str(pl.lit(f'{{"{ANSWER_KEY}":"'), letter, pl.lit(f'"{sure}}}'))


def _turned(rows: pl.DataFrame, rotations: int) -> pl.DataFrame:
    """Every question in every rotation."""
    numbered = rows.with_row_index("_row")
    parts = [
        numbered.with_columns(
            item_id=pl.col("mcq_id") if turn == 0 else pl.format("{}~{}", "mcq_id", pl.lit(str(turn))),
            rotation=pl.lit(turn, pl.Int64),
            answer=(pl.col("answer") + turn) % len(LETTERS),
            options=_turned_list("options", turn),
            option_regions=_turned_list("option_regions", turn),
        )
        for turn in range(rotations)
    ]
    return pl.concat(parts).sort("_row", "rotation") if rotations > 1 else parts[0]


def _turned_list(column: str, turn: int) -> pl.Expr:
    if turn == 0:
        return pl.col(column)
    return pl.concat_list(pl.col(column).list.tail(turn), pl.col(column).list.head(len(LETTERS) - turn))
