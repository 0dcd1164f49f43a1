"""Short answers: from what a model wrote to decisions, by a rule or by a judge.

``docs/short-answers.md`` says what every rule does, and how far `default` is from `paper`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from blend.eval.judging import JUDGE, judge_signature, read_judge
from blend.eval.judging.judge_run import REPLIES
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import UNANSWERED, ScoredItems
from blend.eval.tasks.short_answer import AskedIn
from blend.eval.tasks.short_answer.replies import ENGLISH, Rule, Variant, read_reply, reply_words
from blend.eval.tasks.short_answer.rules import SEMEVAL, rule_named
from blend.eval.text import normalised, primary, words_of
from blend.eval.text.lemmatisers import DEFAULT_LEMMAS, NO_LEMMAS, lemmatiser_names, loaded
from blend.loaders.upstream.semeval.task_files import is_non_answer
from blend.schemas.formats import Calendar, format_of
from blend.schemas.frames import KEY, is_scored
from blend.schemas.locales import Locale, registry
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
) -> pl.DataFrame:
    """Decide for every response whether it is correct, and how common its answer is.

    Answer groups are tried in order, most votes first, in each the local answers before the English ones. The
    first group that matches decides: its weight is its votes divided by those of the first group. Weights are
    null where votes are unknown. A question that `frames.is_scored` leaves out is not scored, nor
    is one that accepts non-answers alone, except by the rule `SEMEVAL`.

    Args:
        responses: A row per item: ``item_id``, ``locale``, ``template_id``, ``prompt_id``, ``asked_in``,
            ``prompt`` (the exact text that was asked) and ``response`` (what the model said; null or blank for
            nothing). Asked in ``english`` only English answers count; by the rule ``default`` also a local
            answer in Latin script that is the whole reply (*Nasi goreng*).
        annotations: The configuration ``annotations`` of a release (`rows.Annotation`), with every
            question of the responses.
        rule: ``default``, ``paper`` or ``semeval``.
        lemmas: ``none``, ``default`` or names of lemmatisers; see `eval.text.lemmatisers.lemmatiser_names`.

    Returns:
        `DECISIONS`, in the order of the responses.

    Raises:
        UnknownNameError: If there is no such rule or lemmatiser; lists those there are.
        MissingExtraError: If a lemmatiser's package is missing; says what to install.
    """
    decide = short_answer_rule(responses, annotations, rule=rule, lemmas=lemmas)
    decided = [decide(row) for row in responses.iter_rows(named=True)]
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
    names = lemmatiser_names(lemmas, {ENGLISH, *annotations["language"].unique()}, preferred=preferred)
    rules = {
        (tag, way): make(None if way == "english" else tag, names, _calendar(tag))
        for tag, way in {(primary(language), way) for language, way in ways}
    }
    return lambda row: _decided(row, questions[row["template_id"], row["locale"]], rules, rule)


def lemmas_signature(read: Iterable[str], *, rule: str, lemmas: str, languages: Iterable[str]) -> str:
    """Say what the texts were read with, for a signature: ``en=simplemma-2.0.0+ko=particles-1``.

    Args:
        read: Languages of local answers that count, by primary subtag.
        rule: As for `decide_short_answers`.
        lemmas: Likewise.
        languages: Those of all answers of the run, which ``lemmas`` may name.
    """
    names = lemmatiser_names(lemmas, {ENGLISH, *languages}, preferred=rule_named(rule)[1])
    return "+".join(
        f"{tag}={NO_LEMMAS if (name := names[tag]) is None else loaded(tag, name).signature}"
        for tag in sorted({ENGLISH, *read})
    )


def _calendar(language: str) -> Calendar:
    """The calendar beside the Gregorian one in the packaged locales of a language; else that."""
    calendars = (locale.calendar for locale in registry() if primary(locale.language) == language)
    return next((calendar for calendar in calendars if calendar != "gregory"), "gregory")


def _questions(annotations: pl.DataFrame, asked: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """The annotated questions that are asked, by template and locale."""
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


# A judge, which is asked where the default rule is unsure, and what becomes of its verdicts.

_NOT_JUDGED = "not judged"
"""Why a reply is neither correct nor wrong by a judge's verdict; all others have the verdict itself."""


def answers_to_judge(
    items: pl.DataFrame, gold: pl.DataFrame, decided: pl.DataFrame, by_region: Mapping[str, Locale]
) -> pl.DataFrame:
    """The replies of a run, with what the default rule is sure of.

    It is sure of a reply that is, word for word, the answer that it matches, and of a reply that says nothing.

    Args:
        items: `items.ITEMS`.
        gold: As `short_answer_items` gives it.
        decided: Decisions by the default rule, with ``asked_in`` and ``response``; what is not scored is left
            out.
        by_region: What is known of regions, by their code in the items.

    Returns:
        `judging.judge_run.REPLIES`.
    """
    scored = decided.drop_nulls("correct").select("item_id", "asked_in", "response", "why", "matched")
    rows = items.join(scored, on="item_id", how="inner", maintain_order="left").join(
        gold.select(*KEY, "question", "en_question", "annotations"), on=KEY, how="left", maintain_order="left"
    )
    people_of = {code: locale.prompt_name for code, locale in by_region.items()}
    return pl.DataFrame(
        [
            {
                **{name: row[name] for name in REPLIES if name in row},
                "people_of": people_of.get(row["region"], row["region"]),
                "question": _question(row),
                "accepted": _accepted(row),
                "reply": row["response"] or "",
                "verdict": _sure(row),
            }
            for row in rows.iter_rows(named=True)
        ],
        schema=REPLIES,
    )


def decided_by_judge(decided: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    """Decisions by a judge's verdicts in place of the default rule's.

    Args:
        decided: Decisions by the default rule.
        verdicts: `judging.VERDICTS`.

    Returns:
        The rows, with ``verdict``, ``reason``, ``decided_by`` and ``by_rule``, what the default rule says. Only
        ``correct`` is correct; without a verdict that can be read ``correct`` is null. Weights are null: a
        verdict has no votes.
    """
    stated = verdicts.select("item_id", "verdict", "reason", "decided_by")
    rows = decided.join(stated, on="item_id", how="left", maintain_order="left")
    is_judged = pl.col("decided_by") == JUDGE
    return rows.with_columns(
        by_rule="correct",
        correct=pl.when(pl.col("correct").is_not_null()).then(pl.col("verdict") == "correct"),
        weight=pl.lit(None, pl.Float64),
        rule=pl.lit(JUDGE),
        why=pl.when(is_judged).then(pl.coalesce("verdict", pl.lit(_NOT_JUDGED))).otherwise("why"),
        matched=pl.when(~is_judged).then("matched"),
    )


def _question(row: Mapping[str, Any]) -> str:
    """The question as it was asked, with its translation."""
    if row["asked_in"] == "english" or not row["question"]:
        return str(row["en_question"])
    is_same = row["question"] == row["en_question"] or not row["en_question"]
    return str(row["question"]) if is_same else f"{row['question']} (in English: {row['en_question']})"


def _accepted(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The answers that count in the language asked in, a group each, with its votes."""
    groups: dict[int, dict[str, None]] = {}
    for index, _, answer in variants(row["annotations"], row["asked_in"], as_given=False):
        groups.setdefault(index, {})[answer] = None
    return [
        {"texts": list(texts), "votes": row["annotations"][index]["count"]} for index, texts in groups.items()
    ]


def _sure(row: Mapping[str, Any]) -> str | None:
    """The verdict of the default rule where it is sure; null where a judge is to be asked."""
    if row["why"] == UNANSWERED:
        return "wrong"
    if row["matched"] is None:
        return None
    reply, answer = (words_of(normalised(row[name], row["language"])) for name in ("response", "matched"))
    return "correct" if reply and reply == answer else None


_MAX_UNREADABLE = 0.01
"""Share of verdicts that cannot be read above which a reader is warned."""


def with_judge(scored: ScoredItems, run: Run, rule: str, verdicts: pl.DataFrame) -> ScoredItems:
    """Add to what a judge decided who it is, and a warning where many of its verdicts cannot be read.

    Args:
        scored: Decisions and figures by the verdicts of the judge that the rule names.
        run: The run that it judged.
        rule: As for `judging.read_judge`.
        verdicts: `judging.VERDICTS` that this judge gave.
    """
    judge, asked = read_judge(run, rule), verdicts.filter(decided_by=JUDGE)
    warnings, n_unreadable = scored.warnings, asked["verdict"].null_count()
    if n_unreadable > _MAX_UNREADABLE * asked.height:
        unread = (
            f"{n_unreadable:,} of {asked.height:,} verdicts of {judge.description.model.id} cannot be read, so "
            "no figure counts these replies; take another judge, or a server that holds it to JSON "
            "(docs/short-answers.md)"
        )
        warnings = (*warnings, unread)
    signature_parts = {**scored.signature_parts, **judge_signature(judge)}
    return scored._replace(signature_parts=signature_parts, warnings=warnings)
