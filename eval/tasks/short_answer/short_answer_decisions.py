"""Short answers: from what a model wrote to decisions, by comparing it with what annotators answered.

``docs/short-answers.md`` says what every rule does, and how far `default` is from `paper`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from blend.eval.scores_json import UNANSWERED
from blend.eval.tasks.short_answer import AskedIn
from blend.eval.tasks.short_answer.replies import ENGLISH, Rule, Variant, read_reply, reply_words
from blend.eval.tasks.short_answer.rules import SEMEVAL, rule_named
from blend.eval.text import primary
from blend.eval.text.lemmatisers import DEFAULT_LEMMAS, NO_LEMMAS, lemmatiser_names, loaded
from blend.loaders.upstream.semeval.task_files import is_non_answer
from blend.schemas.errors import InputError
from blend.schemas.formats import Calendar, format_of
from blend.schemas.frames import KEY, is_scored
from blend.schemas.locales import registry
from blend.schemas.texts import scripts_of

DECISIONS = pl.Schema(
    {
        **dict.fromkeys(("item_id", "locale", "template_id", "prompt_id"), pl.String()),
        "correct": pl.Boolean(),
        "weight": pl.Float64(),
        **dict.fromkeys(("rule", "why", "matched"), pl.String()),
        "n_answers": pl.Int64(),
    }
)
"""One row per item: whether it is correct (null where the question is not scored), its weight (0 to 1), the
rule, why in a word (`WHYS`), the annotators' answer that it matched (null for none), and how many answers the
response lists (null without a response, and where the question is not scored)."""

WHYS = ("value", "words", "containment", "lemmas", "no match", "hedged", "refused", UNANSWERED, "not scored")
"""Why an item is correct or wrong: the step that matched, or that none did; ``hedged`` of a response that lists
too many answers (`replies.MAX_LISTED`), ``refused`` of one that says that it does not answer."""


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
    null where votes are unknown. A question that `frames.is_scored` leaves out is not scored, nor
    is one that accepts non-answers alone, except by the rule `SEMEVAL`.

    Args:
        responses: A row per item: ``item_id``, ``locale``, ``template_id``, ``prompt_id``, ``prompt`` (the
            exact text that was asked) and ``response`` (what the model said; null or blank for nothing).
        annotations: The configuration ``annotations`` of a release (`rows.Annotation`), with every
            question of the responses.
        rule: ``default``, ``paper`` or ``semeval``.
        lemmas: ``none``, ``default`` or names of lemmatisers; see `eval.text.lemmatisers.lemmatiser_names`.
        language: In which the questions were asked, where responses have no column ``asked_in`` that says it.
            ``english`` counts English answers only; by the rule ``default`` also a local answer in Latin script
            that is the whole reply (*Nasi goreng*).

    Returns:
        `DECISIONS`, in the order of the responses.

    Raises:
        UnknownNameError: If there is no such rule or lemmatiser; lists those there are.
        MissingExtraError: If a lemmatiser's package is missing; says what to install.
        InputError: If a response is to a question that is not annotated; names the first.
    """
    asked = responses
    if "asked_in" not in responses.columns:
        asked = responses.with_columns(asked_in=pl.lit(language))
    decide = short_answer_rule(asked, annotations, rule=rule, lemmas=lemmas)
    decided = [decide(row) for row in asked.iter_rows(named=True)]
    return pl.DataFrame(decided, schema=DECISIONS, orient="row")


def short_answer_rule(
    asked: pl.DataFrame, annotations: pl.DataFrame, *, rule: str = "default", lemmas: str = DEFAULT_LEMMAS
) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Make ready what decides on single responses; see `decide_short_answers` for the arguments and errors.

    Args:
        asked: The questions that responses will be to: ``template_id``, ``locale`` and ``asked_in``.
        annotations: As for `decide_short_answers`, like the other arguments.
        rule: Likewise.
        lemmas: Likewise.

    Returns:
        A function from a row of responses, with ``asked_in``, to one of `DECISIONS`.
    """
    make, preferred = rule_named(rule)
    questions = _questions(annotations, asked)
    keys = asked.select(*KEY, "asked_in").unique().iter_rows()
    ways = {(questions[template_id, locale]["language"], way) for template_id, locale, way in keys}
    names = lemmatiser_names(
        lemmas,
        {"en", *(tag for tag, way in ways if way == "local")},
        preferred=preferred,
        others=annotations["language"].unique(),
    )
    rules = {
        (tag, way): make(None if way == "english" else tag, names, _calendar(tag))
        for tag, way in {(primary(language), way) for language, way in ways}
    }
    return lambda row: _decided(row, questions[row["template_id"], row["locale"]], rules, rule)


def lemmas_signature(languages: Iterable[str], *, rule: str, lemmas: str, others: Iterable[str]) -> str:
    """Say what the texts were read with, for a signature: ``en=simplemma-2.0.0+ko=particles-1``.

    Args:
        languages: Those of local answers that count.
        rule: As for `decide_short_answers`.
        lemmas: Likewise.
        others: Languages of all answers of the run, which ``lemmas`` may name as well.
    """
    read = {"en", *languages}
    names = lemmatiser_names(lemmas, read, preferred=rule_named(rule)[1], others={*others, *read})
    return "+".join(
        f"{tag}={NO_LEMMAS if name is None else loaded(tag, name).signature}"
        for tag, name in sorted(names.items())
    )


def _calendar(language: str) -> Calendar:
    """The calendar beside the Gregorian one in the packaged locales of a language; else that."""
    calendars = (locale.calendar for locale in registry() if primary(locale.language) == language)
    return next((calendar for calendar in calendars if calendar != "gregory"), "gregory")


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


def _decided(
    row: Mapping[str, Any],
    question: Mapping[str, Any],
    rules: Mapping[tuple[str, AskedIn], Rule],
    rule: str,
) -> tuple[Any, ...]:
    """A row of `DECISIONS`."""
    language = row["asked_in"]
    ids = (row["item_id"], row["locale"], row["template_id"], row["prompt_id"])
    groups = question["annotations"]
    counting = [*variants(groups, language, as_given=rule == SEMEVAL, in_latin=rule == "default")]
    accepts_none = not counting and any(group["count"] is None for group in groups)
    if not question["scored"] or accepts_none:
        return *ids, None, None, rule, "not scored", None, None
    # Votes of the first group, which has most. Where they are unknown, so are weights, also of a wrong answer.
    most = groups[0]["count"]
    of_wrong = None if most is None else 0.0
    response = row["response"]
    if response is None or not response.strip():
        return *ids, False, of_wrong, rule, UNANSWERED, None, None
    tag = primary(question["language"])
    reply = read_reply(response, row["prompt"] or "", reply_words(ENGLISH if language == "english" else tag))
    found = rules[tag, language](reply, counting, format_of(question["en_question"]))
    if found is None:
        why = "refused" if reply.refused else "hedged" if reply.hedged else "no match"
        return *ids, False, of_wrong, rule, why, None, reply.n_answers
    votes = groups[found.group]["count"]
    weight = None if votes is None or most is None else votes / most
    return *ids, True, weight, rule, found.why, found.answer, reply.n_answers


def variants(
    groups: list[dict[str, Any]], language: AskedIn, *, as_given: bool, in_latin: bool = False
) -> Iterator[Variant]:
    """The answers that count; ``as_given``, all that are accepted in the language asked in, whatever they say.

    Otherwise non-answers that a source accepts without votes do not count. With ``in_latin`` local answers in
    Latin script follow the English ones of their group where English is asked in.
    """
    columns = ["answers", "en_answers"] if language == "local" else ["en_answers"]
    if as_given:
        columns = columns[:1]
    elif in_latin and language == "english":
        columns.append("answers")
    for index, group in enumerate(groups):
        for column in columns:
            is_local_word = language == "english" and column == "answers"
            for answer in group[column]:
                counts = as_given or group["count"] is not None or not is_non_answer(answer)
                if counts and (not is_local_word or scripts_of(answer) == {"LATIN"}):
                    yield index, column == "en_answers", answer
