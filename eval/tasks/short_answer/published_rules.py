"""The published rules of short-answer scoring: that of BLEnD, and that of SemEval-2026 Task 7 with its files.

The scorer of SemEval-2026 Task 7 looks for the lemmas of an accepted answer in those of the prediction. It
reads each language with a library of its own, in a container with Python 3.9; here the lemmatisers of
`paper_rule` stand in for them.

References:
    Myung et al. (2024), BLEnD, section 4.1, and the scorer published with it.
"""

import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from unicodedata import normalize

import polars as pl

from blend.eval.items import TaskItems
from blend.eval.recorded_answers import PREDICTION, Predictions
from blend.eval.runs.answers import as_scored
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import ALL, Score, percent, percents
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates, macro_estimate
from blend.eval.tasks.short_answer.replies import AnswerMatch, Reply, Rule, Variant
from blend.eval.text.lemmatisers import loaded
from blend.loaders.upstream.semeval.task_files import ENGLISH, SAQ_PREDICTION, in_english, task_id
from blend.schemas.errors import InputError
from blend.schemas.formats import AnswerFormat, Calendar

LEMMATISERS: Mapping[str, str] = {
    "am": "words", "ar": "simplemma", "as": "words", "az": "words", "el": "simplemma", "en": "simplemma",
    "es": "simplemma", "eu": "snowball", "fa": "snowball", "ha": "hausastemmer", "id": "simplemma",
    "ko": "particles", "ms": "simplemma", "su": "words", "sv": "simplemma", "ta": "snowball", "tl": "simplemma",
    "zh": "jieba",
}  # fmt: skip
"""What the published scorer, or its stand-in for English, uses where it can be installed. The other languages
keep what the published decisions were compared with: a new default is none of this rule."""

MISSING = frozenset(
    {
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
        "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    }
)  # fmt: skip
"""Responses that count as missing, since pandas reads them so."""

_PUNCTUATION = str.maketrans({"：": ":", "、": ",", "，": ",", "。": "."})
_LABEL = re.compile(r"(\w+:)\s")
_ACUTE = "\u0301"
_ENGLISH = re.compile(
    # Abbreviations and initials keep their full stops, contractions are two tokens.
    r"(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|Jr|Inc|Ltd|Co|vs)\.(?=\s)|(?:[^\W\d_]\.){2,}"
    r"|[^\W\d_]+?(?=n['’]t\b)|n['’]t\b|['’](?:s|m|re|ve|d|ll)\b"
    # A unit is a token of its own; times, dates and names such as covid-19 and A+ are one.
    r"|\d+(?:[./:,]\d+)*(?=(?:km/h|kmh|km|cm|mm|m|kg|mg|g|lb|oz|ft|in|mph|am|pm)\b)"
    r"|\d+(?:[./:,~]\d+)+\w*|[^\W\d_]+-\d+|[^\W\d_]\+|\w+|[^\w\s]"
)
"""Tokens of English texts, to which spaCy's rules, which the published scorer uses, come down in answers: the
published decisions come out, and of a million pairs of published answers four are decided otherwise."""


def _english_tokens(text: str) -> list[str]:
    """The tokens of an English text, in order; punctuation is a token of its own."""
    return _ENGLISH.findall(text)


def paper_rule(local: str | None, names: Mapping[str, str | None], calendar: Calendar) -> Rule:
    """The published rule for one locale.

    An answer matches when it is contained in the response as written, or with hyphens as blanks, or with blanks
    as hyphens; else when all its lemmas are among the response's, in any order. All texts are compared in
    NFC, which changes no published decision; outer blanks of an answer count, as published.

    Args:
        local: Primary subtag of the local language; null where only English counts.
        names: Primary subtag to lemmatiser, null for containment only.
        calendar: Of the region; this rule knows no days.
    """
    del calendar
    readers = {
        english: _token_sets(language, name)
        for english, language in ((True, "en"), (False, local))
        if language is not None and (name := names[language]) is not None
    }

    def match(reply: Reply, variants: Iterable[Variant], answer_format: AnswerFormat) -> AnswerMatch | None:
        del answer_format
        if reply.response in MISSING:
            return None
        plain = _normalised_response(reply.response, reply.prompt)
        for index, is_english, variant in variants:
            answer = _composed(variant)
            # As published: anywhere in the response, inside words as well.
            if answer in plain or answer.replace("-", " ") in plain or answer.replace(" ", "-") in plain:
                return AnswerMatch(index, variant, "containment")
            tokens = readers.get(is_english)
            if tokens is not None and tokens(answer) <= tokens(plain):
                return AnswerMatch(index, variant, "lemmas")
        return None

    return match


def _normalised_response(response: str, prompt: str) -> str:
    """The response in NFC, without the prompt, a label that it ends with, outer blanks and full stops."""
    prompt = _composed(prompt)
    text = normalize("NFC", response)
    text = text.replace(prompt, "") if prompt else text
    text = text.translate(_PUNCTUATION).lower()
    label = _LABEL.match(text)
    if label and label[1][:-1] in prompt.translate(_PUNCTUATION).lower():
        text = text.replace(label[1], "")
    return text.strip().strip(".").lower()


@lru_cache(maxsize=1 << 16)
def _composed(text: str) -> str:
    """The text in NFC: a release composes answers that were published decomposed, and models write either."""
    return normalize("NFC", text)


def _token_sets(language: str, name: str) -> Callable[[str], frozenset[str]]:
    """What finds the lemmas of a text, which it remembers."""
    lemmatiser = loaded(language, name)
    # Word by word as the published scorer takes them; other lemmatisers are given words without punctuation.
    split = _english_tokens if language == "en" else lemmatiser.split

    @cache
    def tokens(text: str) -> frozenset[str]:
        return frozenset(
            normalize("NFD", lemma).replace(_ACUTE, "").lower()
            for lemma in lemmatiser.lemmas(split(text))
            if lemma not in string.punctuation
        )

    return tokens


SEMEVAL = "semeval"
"""Name of the rule."""


def semeval_rule(local: str | None, names: Mapping[str, str | None], calendar: Calendar) -> Rule:
    """`published_rules.paper_rule` whatever the case: accepted answers have capitals here."""
    match = paper_rule(local, names, calendar)

    def match_in_lower_case(
        reply: Reply, variants: Iterable[Variant], answer_format: AnswerFormat
    ) -> AnswerMatch | None:
        lower = ((index, is_english, text.lower()) for index, is_english, text in variants)
        return match(reply, lower, answer_format)

    return match_in_lower_case


NOT_REPEATED = (
    "the task's scorer reads each language with a library that runs in its container alone, so short answers "
    "are decided with others here, and figures differ; docs/semeval.md says how"
)
"""What is said of figures by the rule."""


def code_scores(decisions: pl.DataFrame, *, seed: int) -> tuple[Score, ...]:
    """Accuracy by the codes of the task, language asked in and region, and their plain mean.

    Args:
        decisions: With ``locale``, ``template_id``, ``language`` and ``correct``; those that are not scored
            (null) are left out. Of several rows under one id of the task the last counts.
        seed: Seed of the intervals.
    """
    region = pl.col("locale").str.extract(r"-([A-Z]{2})$")
    ids = [_asked_id(*row) for row in decisions.select("template_id", "language").iter_rows()]
    rows = (
        decisions.with_columns(pl.Series("task_id", ids, dtype=pl.String))
        .with_columns(code=pl.when(language="en").then(pl.format("en-{}", region)).otherwise("locale"))
        .drop_nulls("correct")
        .unique(["code", "task_id"], keep="last", maintain_order=True)
    )
    sums = cluster_sums(rows["correct"].cast(pl.Float64), rows["template_id"], rows["code"])
    return (
        percent("accuracy-macro", "overall", ALL, macro_estimate(sums, seed=seed)),
        *percents("accuracy", "code", sums.groups, estimates(sums, seed=seed)),
    )


def predictions() -> Predictions:
    """The task's file for short answers."""
    return Predictions(SAQ_PREDICTION, ("id", PREDICTION), _items, _answer_text, _rows)


def _asked_id(template_id: str, language: str) -> str:
    """The task's id of a question in the language that it is asked in: ``en-ET_001`` of ``am-ET_001``."""
    return in_english(template_id) if language == ENGLISH else template_id


def _items(asked: TaskItems) -> Iterator[tuple[str, str, None]]:
    for item_id, template_id, language in asked.items.select("item_id", "template_id", "language").iter_rows():
        yield item_id, _asked_id(template_id, language), None


def _answer_text(cells: Mapping[str, str], _: None) -> str:
    return cells[PREDICTION]


def _rows(run: Run) -> Iterator[Sequence[str]]:
    items = run.items("item_id", "template_id", "language")
    answers = as_scored(run.answers(), run.description).select("item_id", "text")
    written: set[str] = set()
    for template_id, language, text in (
        items.join(answers, on="item_id", how="left", maintain_order="left").drop("item_id").iter_rows()
    ):
        if task_id(template_id) is None:
            raise InputError(
                f"{run.directory}: asks {template_id!r}, which is no question of SemEval's; run on a "
                "release made with `blend build --semeval`"
            )
        row_id = _asked_id(template_id, language)
        # A question is asked with every prompt; the first one counts.
        if row_id not in written:
            written.add(row_id)
            yield row_id, " ".join((text or "").split())
