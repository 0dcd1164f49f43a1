"""Choices: multiple-choice questions as items, and which option an answer stands for, by each of the rules.

One question is about one region and has four options, of which one is correct. Last stand the files of
SemEval-2026 Task 7, which mark the chosen option.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import polars as pl

from blend.eval.items import ITEMS, TaskItems, part_examples, some_templates, text_digest, with_examples
from blend.eval.recorded_answers import PREDICTION, Predictions
from blend.eval.runs.answers import as_scored, says_nothing
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import UNANSWERED, UNREAD
from blend.eval.task import Decision, ItemRule
from blend.eval.tasks.multiple_choice import ChoiceOptions, Style
from blend.eval.tasks.multiple_choice.reply_options import option_chosen
from blend.loaders.upstream.semeval.task_files import MCQ_PREDICTION
from blend.schemas.errors import UnknownNameError
from blend.schemas.prompts import ANSWER_KEY, INSTRUCTION, PUBLISHED_PROMPT, filled
from blend.schemas.rows import LETTERS, MULTIPLE_CHOICE_QUESTIONS

PROMPTS: dict[Style, str] = {
    "letters": "{question}\nA. {A}\nB. {B}\nC. {C}\nD. {D}\nAnswer:",
    "texts": "Question: {question}\nAnswer:",
    "json": PUBLISHED_PROMPT,
}
"""The text around a question, by style; the style is also the ``prompt_id``."""

_CONFIDENT_PROMPT = PUBLISHED_PROMPT.replace(
    INSTRUCTION,
    INSTRUCTION.replace(f'{{"{ANSWER_KEY}":""}}', f'{{"{ANSWER_KEY}":"", "confidence":""}}')
    + ", where confidence is a number from 0 to 100: how likely it is, in percent, that your answer is correct",
)
"""The published prompt with a field for confidence."""

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
        tables: By configuration, questions with the columns of `frames.MCQ_ROWS` and ``region``.
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
    return _CONFIDENT_PROMPT if options.confidence else PROMPTS[options.style]


def _put(turned: pl.DataFrame, options: ChoiceOptions) -> pl.DataFrame:
    """Questions as they are put."""
    letters = {letter: pl.col("options").list.get(i) for i, letter in enumerate(LETTERS)}
    prompt = filled(_prompt(options), {"question": pl.col("question"), **letters})
    scored: dict[Style, pl.Expr] = {
        "letters": pl.lit(pl.Series([list(LETTERS)])).first(),
        "texts": pl.col("options"),
        "json": pl.lit(None, pl.List(pl.String)),
    }
    if options.style == "json" and not options.confidence:
        # As the release publishes it; a rotated question has to be put anew.
        prompt = pl.when(pl.col("rotation") == 0).then(pl.col("prompt")).otherwise(prompt)
    return turned.with_columns(
        prompt_id=pl.lit(options.style),
        language=pl.lit("en"),
        prompt=prompt,
        shown=pl.col("options"),
        options=scored[options.style],
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
    numbered, shown = rows.with_row_index("_row"), (pl.col("options"), pl.col("option_regions"))
    parts = [
        numbered.with_columns(
            *(pl.concat_list(one.list.tail(turn), one.list.head(len(LETTERS) - turn)) for one in shown),
            item_id=pl.col("mcq_id") if turn == 0 else pl.format("{}~{}", "mcq_id", pl.lit(str(turn))),
            rotation=pl.lit(turn, pl.Int64),
            answer=(pl.col("answer") + turn) % len(LETTERS),
        )
        for turn in range(rotations)
    ]
    return pl.concat(parts).sort("_row", "rotation")


# Which option an answer stands for.

_STATED = r'"confidence"\s*:\s*"?\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*"?\s*(?:,\s*"|,?\s*\}|[ \t]*\n|$)'
"""The field for confidence in an answer with a number and nothing else in it, as a regular expression."""


def stated_confidence(text: pl.Expr) -> pl.Expr:
    """The confidence that answers give in JSON, as a share; null where there is none from 0 to 100.

    A number with a point up to 1, such as 0.9, is taken as the share that it would be a strange percentage for.
    """
    stated = text.str.extract(_STATED)
    number = stated.cast(pl.Float64)
    is_share = stated.str.contains(".", literal=True) & (number <= 1)
    share = pl.when(is_share).then(number).otherwise(number / 100)
    return pl.when(share <= 1).then(share)


DEFAULT = "default"

SEMEVAL = "semeval"
"""Rule of SemEval-2026 Task 7: what chooses no option is wrong, and so is what has no answer; each question
counts once, as published."""

GIVEN = ("text", "logprobs", "option_bytes", "error")
"""Columns of answers that decisions are made of."""

RULES = {"json": ("default", "strict"), "letters": ("default",), "texts": ("default", "sum")}
"""The rules by which answers to questions of a style can be decided, `DEFAULT` first.

Texts are read leniently, or only where they are exactly the JSON that was asked for; of log-probabilities the
likeliest option is taken, per byte of its text, or in all (``sum``, and of letters).
"""


class ReplyReader(NamedTuple):
    """A reader of replies that choose one of some words."""

    words: Sequence[str]
    """What can be chosen."""
    strict: str
    """Pattern of a reply that is what was asked for and no more; its group is one of the words, in any case."""
    read: Callable[[str, Sequence[str]], int | None]
    """Reads any other reply, to options as they are shown: the index of the word that it chooses, or null."""
    confidence: pl.Expr = pl.lit(None, pl.Float64)
    """How sure a ``text`` says that it is, as a share; null where it does not."""


_OBJECT = rf'^\s*\{{\s*"{ANSWER_KEY}"\s*:\s*"([{LETTERS}])"\s*'
BY_LETTER = ReplyReader(LETTERS, _OBJECT + r"\}\s*$", option_chosen)
"""Strict is what the published prompt asks for: a JSON object with the one key ``answer_choice`` and a capital
letter, white space around it allowed."""
CONFIDENT = BY_LETTER._replace(
    strict=_OBJECT + r'(?:,\s*"confidence"\s*:\s*"?\s*[0-9][^,}\n]*\s*)?\}\s*$',
    confidence=stated_confidence(pl.col("text")),
)
"""Strict may have a field for confidence as well."""


def read_replies(rows: pl.DataFrame, reader: ReplyReader) -> pl.DataFrame:
    """Read which word each ``text`` chooses of items with ``option_texts``: its index by each rule, or null."""
    indices = {word.lower(): index for index, word in enumerate(reader.words)}
    stated = pl.col("text").str.extract(reader.strict).str.to_lowercase()
    # Of a question that is asked several times, the same answer is read once.
    read = cache(reader.read)
    pairs = zip(rows["text"].to_list(), rows["option_texts"].to_list(), strict=True)
    chosen = [None if text is None else read(text, tuple(options)) for text, options in pairs]
    return rows.select(
        strict=stated.replace_strict(indices, default=None, return_dtype=pl.Int64),
        default=pl.Series(chosen, dtype=pl.Int64),
    )


def decided(
    rows: pl.DataFrame,
    *,
    style: str,
    rule: str,
    reader: ReplyReader = BY_LETTER,
) -> pl.DataFrame:
    """Decide items by the options that answers choose.

    Args:
        rows: A row per item with its gold, of that ``option_texts`` and the index of the correct option
            ``answer``, and what was answered: `GIVEN`, null where there is no answer.
        style: Style of the questions; ``json`` wherever answers are texts.
        rule: One of `RULES` of the style, or `SEMEVAL`, by which what has no answer is wrong.
        reader: Reads the texts.

    Returns:
        The rows without what was answered, with ``rule``; ``answered``, whether there is an answer, of whatever
        sort; ``chosen``, the index of the option from 0, null where an answer names none, the first of equally
        likely ones; ``correct``; ``why``: ``likeliest``, ``strict``, ``lenient``, ``unparsable``,
        ``unanswered``, ``error`` or ``missing``; ``confidence``, the share of the chosen option in the softmax
        of the scores that chose it, of texts that which they state; and by its name whether the choice of each
        further rule is correct.

    Raises:
        UnknownNameError: If there is no such rule for these answers; lists the rules.
    """
    rules, used = RULES[style], DEFAULT if rule == SEMEVAL else rule
    if used not in rules:
        raise UnknownNameError("rule", used, rules)
    if style == "json":
        by_rule = read_replies(rows, reader)
        is_strict = pl.when(by_rule["strict"].is_not_null()).then(pl.lit("strict")).otherwise(pl.lit("lenient"))
        why = pl.when(by_rule[used].is_null()).then(pl.lit(UNREAD)).otherwise(is_strict)
        sure = reader.confidence
    else:
        in_all = pl.col("logprobs")
        measures = {DEFAULT: in_all / pl.col("option_bytes") if style == "texts" else in_all, "sum": in_all}
        # Of equal options the first is taken.
        by_rule = rows.select(measures[name].list.arg_max().cast(pl.Int64).alias(name) for name in rules)
        why = pl.lit("likeliest")
        best = measures[used]
        sure = 1 / (best - best.list.max()).list.eval(pl.element().exp()).list.sum()
    given = pl.any_horizontal(pl.col("text", "logprobs").is_not_null())
    absent = pl.when(pl.col("error").is_not_null()).then(pl.lit("error")).otherwise(pl.lit("missing"))
    or_unanswered = pl.when(says_nothing("text")).then(pl.lit(UNANSWERED)).otherwise(why)

    def correct(name: str) -> pl.Expr:
        # An answer that chooses none is wrong, no answer is null.
        is_decided = pl.lit(value=True) if rule == SEMEVAL else given
        return pl.when(is_decided).then((by_rule[name] == pl.col("answer")).fill_null(value=False))

    return rows.with_columns(
        answered=given,
        chosen=by_rule[used],
        why=pl.when(given).then(or_unanswered).otherwise(absent),
        confidence=pl.when(by_rule[used].is_not_null()).then(sure),
        rule=pl.lit(rule),
        correct=correct(used),
        **{name: correct(name) for name in rules if name != DEFAULT},
    ).drop(*GIVEN, "option_texts")


def choice_rules(asked: TaskItems) -> dict[str, ItemRule]:
    """See `Task.item_rules`."""
    return rules_of_words(asked, BY_LETTER)


def rules_of_words(asked: TaskItems, reader: ReplyReader) -> dict[str, ItemRule]:
    """By ``item_id`` what decides on replies that choose one of some words; gold with ``option_texts``."""

    def decide(options: Sequence[str], answer: int, reply: str) -> Decision:
        chosen = reader.read(reply, options)
        if chosen is None:
            return Decision(0.0, None, UNREAD)
        return Decision(float(chosen == answer), reader.words[chosen])

    return {
        item_id: ItemRule([reader.words[answer]], partial(decide, options, answer))
        for item_id, answer, options in asked.gold.select("item_id", "answer", "option_texts").iter_rows()
    }


_NO_LETTER = "–"
"""Text of a row that marks no single letter; what its cells hold could be read as a letter, and is not kept."""

_MARKS = {"0": 0, "0.0": 0, "1": 1, "1.0": 1}


def predictions() -> Predictions:
    """The task's file for multiple choice."""
    return Predictions(MCQ_PREDICTION, ("id", *LETTERS), _items, _answer_text, _rows, values=LETTERS)


def _marked_letter(cells: Mapping[str, str]) -> str | None:
    """The letter that a row gives or marks; null if it is blank, or not one cell is 1 and the others are 0."""
    if LETTERS[0] not in cells:
        return cells[PREDICTION] or None
    marks = [_MARKS.get(cells[letter]) for letter in LETTERS]
    return LETTERS[marks.index(1)] if sorted(map(str, marks)) == ["0", "0", "0", "1"] else None


def _items(asked: TaskItems) -> Iterator[tuple[str, str, str]]:
    """Every question as published, and the letters of its options in the source."""
    gold = asked.gold.filter(rotation=0).with_columns(pl.col("source_order").fill_null("".join(LETTERS)))
    return gold.select("item_id", "question_id", "source_order").iter_rows()


def _answer_text(cells: Mapping[str, str], order: str) -> str:
    """The letter as the release shows it, in the published JSON; what marks no single letter names none."""
    letter = _marked_letter(cells)
    if letter is None:
        return _NO_LETTER
    return f'{{"{ANSWER_KEY}":"{LETTERS[order.index(letter)]}"}}'


def _rows(run: Run) -> Iterator[Sequence[str]]:
    answers = as_scored(run.answers(), run.description).select("item_id", *GIVEN)
    # Of a question that is asked several times the first answer counts.
    gold = run.gold().filter(~pl.col("item_id").str.contains(r"#\d+$"), rotation=0)
    rows = gold.join(answers, on="item_id", how="left", maintain_order="left")
    style = "json" if run.description.holds_texts else run.description.options["style"]
    chosen = decided(rows, style=style, rule=DEFAULT)["chosen"]
    for question_id, order, index in zip(rows["question_id"], rows["source_order"], chosen, strict=True):
        letter = None if index is None else order[index]
        yield question_id, *("1" if letter == one else "0" for one in LETTERS)
