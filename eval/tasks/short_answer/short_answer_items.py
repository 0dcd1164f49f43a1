"""Short answers: a question in the local language or in English, and a model that answers in its own words."""

from collections.abc import Mapping

import polars as pl

from blend.eval.items import ITEMS, TaskItems, part_examples, some_templates, with_examples
from blend.eval.tasks.short_answer import AskedIn, ShortAnswerOptions
from blend.eval.tasks.short_answer.replies import ENGLISH
from blend.loaders.upstream.semeval.task_files import in_english, task_id
from blend.schemas.errors import check_names
from blend.schemas.frames import KEY, PUBLISHED_PROMPTS, is_scored
from blend.schemas.rows import ANNOTATIONS, QUESTION_SLOT, SHORT_ANSWER_PROMPTS, SHORT_ANSWER_QUESTIONS

_GOLD_COLUMNS = (*KEY, "question", "en_question", "answer_format", "annotations", "idks")
"""One row per question asked, in the order of the release: its text, and the answers of natives with votes."""

_PREFIX: Mapping[AskedIn, str] = {"local": "", "english": "en_"}
"""Beginning of the columns with what is said in a language."""


def short_answer_items(tables: Mapping[str, pl.DataFrame], options: ShortAnswerOptions) -> TaskItems:
    """The items of short answers.

    Args:
        tables: ``short-answer-questions``, ``short-answer-prompts`` and ``annotations``, named by their models'
            fields, each with ``region``.
        options: Prompts, languages, locales, limit.

    Returns:
        One item per question, prompt and language, ``KR/Al-en-01/inst-4/ko``: of questions that scoring counts
        (`frames.is_scored`); all others are `TaskItems.skipped`. The slot of the prompt takes the
        question in every place.

    Raises:
        UnknownNameError: If no locale has a prompt of a name that is asked for; lists the names.
        InputError: If a locale has too few templates for the examples.
    """
    annotated = tables[SHORT_ANSWER_QUESTIONS].join(
        tables[ANNOTATIONS].select(*KEY, "annotations", "idks", scored=is_scored()),
        on=KEY,
        how="left",
        maintain_order="left",
    )
    rest, held_out = part_examples(annotated.with_columns(can_be_example=_is_solved(options)), options)
    questions = some_templates(rest, options)
    prompts = _chosen_prompts(tables[SHORT_ANSWER_PROMPTS], options.prompts)
    pairs, solved = (
        rows.join(
            prompts.select("locale", "prompt_id", "prompt", "en_prompt"),
            on="locale",
            how="inner",
            maintain_order="left_right",
        )
        for rows in (questions, held_out)
    )
    items = _in_languages(pairs, options)
    answer = pl.col("annotations").list.first().struct
    in_english = pl.col("asked_in") == "english"
    first = pl.when(in_english).then(answer.field("en_answers")).otherwise(answer.field("answers")).list.first()
    by = ["locale", "prompt_id", "language"]
    asked = with_examples(items.filter(pl.col("scored")), _in_languages(solved, options), first, by)
    return TaskItems(
        asked.select(*ITEMS, *(["examples"] if options.shots else [])).cast(ITEMS),
        questions.filter(pl.col("scored")).select(_GOLD_COLUMNS),
        _prompt_texts(pairs, options),
        "text",
        items.filter(~pl.col("scored").fill_null(value=False)).select("item_id", "locale", "template_id"),
    )


def _is_solved(options: ShortAnswerOptions) -> pl.Expr:
    """Whether a question has an answer in every language asked in, so that it can be an example."""
    first = pl.col("annotations").list.first().struct
    held = [
        (pl.col(f"{prefix}question") != "") & (first.field(f"{prefix}answers").list.len() > 0)
        for prefix in (_PREFIX[language] for language in options.languages)
    ]
    return (pl.col("scored") & pl.all_horizontal(held)).fill_null(value=False)


def _in_languages(pairs: pl.DataFrame, options: ShortAnswerOptions) -> pl.DataFrame:
    """Every question with every prompt in every language, once where English is the local one.

    Questions of SemEval's have ids by language, and regions with several languages one English one for all.
    """
    items = pl.concat([_items(pairs, language) for language in dict.fromkeys(options.languages)])
    ids = {one: in_english(one) for one in pairs["template_id"].unique() if task_id(one) is not None}
    of_task = pl.col("template_id").replace_strict(ids, default=None, return_dtype=pl.String)
    in_english_once = pl.when(language=ENGLISH).then(pl.concat_str(of_task, "prompt_id", separator="/"))
    once = pl.coalesce(in_english_once, "item_id")
    return items.with_columns(_once=once).unique("_once", keep="first", maintain_order=True).drop("_once")


def _chosen_prompts(prompts: pl.DataFrame, names: tuple[str, ...] | None) -> pl.DataFrame:
    check_names("prompt", names, prompts["prompt_id"].unique().to_list())
    # A culture of one's own that has other prompts than BLEnD's regions is asked as well, with all of its own.
    published = pl.col("prompt_id").is_in(PUBLISHED_PROMPTS)
    usual = published | ~published.any().over("locale")
    return prompts.filter(usual if names is None else pl.col("prompt_id").is_in(names))


def _items(pairs: pl.DataFrame, language: AskedIn) -> pl.DataFrame:
    """Every question with every prompt in one language; without those that nobody wrote in English."""
    prefix = _PREFIX[language]
    tag = pl.col("language") if language == "local" else pl.lit(ENGLISH)
    if language == "english":
        pairs = pairs.filter(pl.col("en_question") != "")
    return pairs.with_columns(
        language=tag,
        asked_in=pl.lit(language),
        prompt=pl.col(f"{prefix}prompt").str.replace_all(
            QUESTION_SLOT, pl.col(f"{prefix}question"), literal=True
        ),
        options=pl.lit(None, pl.List(pl.String)),
        item_id=pl.concat_str("region", "template_id", "prompt_id", tag, separator="/"),
    )


def _prompt_texts(pairs: pl.DataFrame, options: ShortAnswerOptions) -> dict[str, str]:
    """Every text of a prompt that is used, one line of locale, language and text after the other."""
    used = pairs.unique(["locale", "prompt_id"]).sort("prompt_id", "locale")
    texts: dict[str, list[str]] = {}
    for row in used.iter_rows(named=True):
        for language in options.languages:
            prompt = row[f"{_PREFIX[language]}prompt"]
            texts.setdefault(row["prompt_id"], []).append(f"{row['locale']} {language}: {prompt}")
    return {prompt_id: "\n".join(lines) for prompt_id, lines in texts.items()}
