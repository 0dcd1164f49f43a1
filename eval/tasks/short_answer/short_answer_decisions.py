"""Short answers: from what a model wrote to decisions, by comparing it with what annotators answered.

``docs/short-answers.md`` says what every rule does, and how far `default` is from `paper`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import polars as pl

from blend.eval.scores_json import UNANSWERED
from blend.eval.tasks.short_answer import paper_rule
from blend.eval.tasks.short_answer.answer_match import Rule
from blend.eval.tasks.short_answer.default_rule import DefaultRule
from blend.eval.tasks.short_answer.replies import read_reply
from blend.eval.tasks.short_answer.reply_words import ENGLISH, reply_words
from blend.eval.tasks.short_answer.semeval_rule import SEMEVAL, SemevalRule
from blend.eval.text.language_readers import primary
from blend.eval.text.text_reader import DEFAULT_LEMMAS, NO_LEMMAS, lemmatiser_names, loaded
from blend.loaders.upstream.semeval.task_files import is_non_answer
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.language.answer_formats import format_of
from blend.schemas.language.calendars import Calendar
from blend.schemas.language.characters import scripts_of
from blend.schemas.language.locales import registry
from blend.schemas.prompts.short_answer_prompts import is_scored
from blend.schemas.rows.frame_columns import KEY

RESPONSES = pl.Schema(
    {
        "item_id": pl.String(),
        "locale": pl.String(),
        "template_id": pl.String(),
        "prompt_id": pl.String(),
        "prompt": pl.String(),
        "response": pl.String(),
    }
)
"""One row per item: ``prompt`` is the exact text that was asked, ``response`` what the model said, null or
blank where it did not answer."""

DECISIONS = pl.Schema(
    {
        "item_id": pl.String(),
        "locale": pl.String(),
        "template_id": pl.String(),
        "prompt_id": pl.String(),
        "correct": pl.Boolean(),
        "weight": pl.Float64(),
        "rule": pl.String(),
        "why": pl.String(),
        "matched": pl.String(),
        "n_answers": pl.Int64(),
    }
)
"""One row per item: whether it is correct (null where the question is not scored), its weight (0 to 1), the
rule, why in a word (`WHYS`), the annotators' answer that it matched (null for none), and how many answers the
response lists (null without a response, and where the question is not scored)."""

WHYS = ("value", "words", "containment", "lemmas", "no match", "hedged", "refused", UNANSWERED, "not scored")
"""Why an item is correct or wrong: the step that matched, or that none did; ``hedged`` of a response that lists
too many answers (`listed_answers.MAX_LISTED`), ``refused`` of one that says that it does not answer."""

AskedIn = Literal["local", "english"]
"""Language in which the questions were asked."""


class _Kind(NamedTuple):
    """A rule, and the lemmatisers that it takes by default where they are not the registry's."""

    make: Callable[[str | None, Mapping[str, str | None], Calendar], Rule]
    preferred: Mapping[str, str]


RULES: dict[str, _Kind] = {
    "default": _Kind(DefaultRule, {}),
    "paper": _Kind(paper_rule.PaperRule, paper_rule.LEMMATISERS),
    SEMEVAL: _Kind(SemevalRule, paper_rule.LEMMATISERS),
}
"""The rules by name."""


def decide_short_answers(
    responses: pl.DataFrame,
    annotations: pl.DataFrame,
    *,
    rule: str = "default",
    lemmas: str = DEFAULT_LEMMAS,
    language: AskedIn = "local",
) -> pl.DataFrame:
    """Decide for every response whether it is correct, and how common its answer is.

    Answer groups are tried in order, most votes first, in each the local answers before the English ones. The
    first group that matches decides: its weight is its votes divided by those of the first group. Weights are
    null where votes are unknown. A question that `short_answer_prompts.is_scored` leaves out is not scored, nor
    is one that accepts non-answers alone, except by the rule `SEMEVAL`.

    Args:
        responses: `RESPONSES`; ``item_id`` unique.
        annotations: The configuration ``annotations`` of a release (`published_rows.Annotation`), with every
            question of the responses.
        rule: Name of `RULES`.
        lemmas: ``none``, ``default`` or names of lemmatisers; see `eval.text.text_reader.lemmatiser_names`.
        language: ``english`` counts English answers only, as for questions that were asked in English; by the
            rule ``default`` also a local answer in Latin script that is the whole reply (*Nasi goreng*).

    Returns:
        `DECISIONS`, in the order of the responses.

    Raises:
        UnknownNameError: If there is no such rule or lemmatiser; lists those there are.
        MissingExtraError: If a lemmatiser's package is missing; says what to install.
        InputError: If a response is to a question that is not annotated; names the first.
    """
    decide = short_answer_rule(responses, annotations, rule=rule, lemmas=lemmas, language=language)
    decided = [decide(row) for row in responses.iter_rows(named=True)]
    return pl.DataFrame(decided, schema=DECISIONS, orient="row")


def short_answer_rule(
    asked: pl.DataFrame,
    annotations: pl.DataFrame,
    *,
    rule: str = "default",
    lemmas: str = DEFAULT_LEMMAS,
    language: AskedIn = "local",
) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Make ready what decides on single responses; see `decide_short_answers` for the arguments and errors.

    Args:
        asked: The questions that responses will be to: ``template_id`` and ``locale``.
        annotations: As for `decide_short_answers`, like the other arguments.
        rule: Likewise.
        lemmas: Likewise.
        language: Likewise.

    Returns:
        A function from a row of `RESPONSES` to one of `DECISIONS`.
    """
    kind = _kind(rule)
    questions = _questions(annotations, asked)
    names = lemmatiser_names(
        lemmas,
        _languages(questions, language),
        preferred=kind.preferred,
        others=annotations["language"].unique(),
    )
    rules = {
        tag: kind.make(None if language == "english" else tag, names, _calendar(tag))
        for tag in {primary(question["language"]) for question in questions.values()}
    }
    return lambda row: _decided(row, questions[row["template_id"], row["locale"]], rules, rule, language)


def lemmas_signature(
    annotations: pl.DataFrame,
    *,
    rule: str = "default",
    lemmas: str = DEFAULT_LEMMAS,
    language: AskedIn = "local",
    others: Collection[str] = (),
) -> str:
    """Say what the texts were read with, for a signature: ``en=simplemma-2.0.0+ko=particles-1``.

    Args:
        annotations: The annotations of all locales that are scored; columns ``language``.
        rule: As for `decide_short_answers`, like the other arguments.
        lemmas: Likewise.
        language: Likewise.
        others: Languages of the other answers of the run, which ``lemmas`` may name as well.
    """
    languages = {"en"} if language == "english" else {"en", *annotations["language"].unique().to_list()}
    others = {*others, *annotations["language"].unique()}
    names = lemmatiser_names(lemmas, languages, preferred=_kind(rule).preferred, others=others)
    return "+".join(
        f"{tag}={NO_LEMMAS if name is None else loaded(tag, name).signature}"
        for tag, name in sorted(names.items())
    )


def _calendar(language: str) -> Calendar:
    """The calendar beside the Gregorian one in the packaged locales of a language; else that."""
    calendars = (locale.calendar for locale in registry() if primary(locale.language) == language)
    return next((calendar for calendar in calendars if calendar != "gregory"), "gregory")


def _kind(rule: str) -> _Kind:
    if rule not in RULES:
        raise UnknownNameError("rule", rule, RULES)
    return RULES[rule]


def _questions(annotations: pl.DataFrame, asked: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """The annotated questions that are asked, by template and locale."""
    asked = asked.select(KEY).unique(maintain_order=True)
    for template_id, locale in asked.join(annotations, on=KEY, how="anti", maintain_order="left").iter_rows():
        raise InputError(
            f"{locale}, {template_id}: there is no such question in the annotations; "
            "score against the release that the model was asked from"
        )
    columns = ("language", "en_question", "annotations")
    found = annotations.join(asked, on=KEY, how="semi").select(*KEY, *columns, scored=is_scored())
    return {(row["template_id"], row["locale"]): row for row in found.iter_rows(named=True)}


def _languages(questions: Mapping[tuple[str, str], dict[str, Any]], language: AskedIn) -> set[str]:
    """The languages of the answers that count."""
    local = {question["language"] for question in questions.values()} if language == "local" else set()
    return {"en", *local}


def _decided(
    row: Mapping[str, Any],
    question: Mapping[str, Any],
    rules: Mapping[str, Rule],
    rule: str,
    language: AskedIn,
) -> tuple[Any, ...]:
    """A row of `DECISIONS`."""
    ids = (row["item_id"], row["locale"], row["template_id"], row["prompt_id"])
    groups = question["annotations"]
    counting = [*variants(groups, language, as_given=rule == SEMEVAL, in_latin=rule == "default")]
    accepts_none = not counting and any(group["count"] is None for group in groups)
    if not question["scored"] or accepts_none:
        return *ids, None, None, rule, "not scored", None, None
    response = row["response"]
    if response is None or not response.strip():
        return *ids, False, _wrong(groups), rule, UNANSWERED, None, None
    tag = primary(question["language"])
    reply = read_reply(response, row["prompt"] or "", reply_words(ENGLISH if language == "english" else tag))
    found = rules[tag].match(reply, counting, format_of(question["en_question"]))
    if found is None:
        why = "refused" if reply.refused else "hedged" if reply.hedged else "no match"
        return *ids, False, _wrong(groups), rule, why, None, reply.n_answers
    return *ids, True, _weight(groups, found.group), rule, found.why, found.answer, reply.n_answers


def _weight(groups: list[dict[str, Any]], group: int) -> float | None:
    """Votes of a group by those of the first, which has most; null where votes are unknown."""
    votes, most = groups[group]["count"], groups[0]["count"]
    return None if votes is None or most is None else votes / most


def _wrong(groups: list[dict[str, Any]]) -> float | None:
    """Weight of a wrong answer: none, and null where votes are unknown, as of a correct one."""
    return None if groups[0]["count"] is None else 0.0


def variants(
    groups: list[dict[str, Any]], language: AskedIn, *, as_given: bool, in_latin: bool = False
) -> Iterator[tuple[int, bool, str]]:
    """The answers that count; ``as_given``, all that are accepted in the language asked in, whatever they say.

    Otherwise non-answers that a source accepts without votes do not count. With ``in_latin`` local answers in
    Latin script follow the English ones of their group where English is asked in.
    """
    for index, group in enumerate(groups):
        all_count = as_given or group["count"] is not None
        columns = ["answers", "en_answers"] if language == "local" else ["en_answers"]
        for column in columns[:1] if as_given else columns:
            for answer in group[column]:
                if all_count or not is_non_answer(answer):
                    yield index, column == "en_answers", answer
        if in_latin and language == "english":
            for answer in group["answers"]:
                if scripts_of(answer) == {"LATIN"} and (all_count or not is_non_answer(answer)):
                    yield index, False, answer
