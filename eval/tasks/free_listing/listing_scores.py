"""Lists: what a model named against what a release says, by precision, recall and F1.

An entry names a part if its words are those of one of the part's accepted names: folded, and brought to base
forms where the language has a lemmatiser. By the rule ``contains`` the words of the name may stand inside the
entry, so that ``fresh basil`` names basil, and ``soy sauce`` names soy as well.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import polars as pl

from blend.eval.items import TaskItems
from blend.eval.judging.replies import REPLIES
from blend.eval.judging.verdicts import JUDGE
from blend.eval.runs.written_answers import packed, says_nothing, unpacked
from blend.eval.scores_json import UNANSWERED, Score, ScoredItems, missing_share
from blend.eval.share_scores import share_scores
from blend.eval.task import Decision, ItemRule
from blend.eval.tasks.free_listing.list_entries import ATTACHED, listed
from blend.eval.text.language_readers import languages as known_languages
from blend.eval.text.language_readers import primary
from blend.eval.text.normalising import normalised, words_of
from blend.eval.text.text_reader import DEFAULT_LEMMAS, NO_LEMMAS, TextReader, lemmatiser_names, reader
from blend.eval.triples.triple_decisions import DISH_DECIDED
from blend.schemas.errors import UnknownNameError

RULES = ("default", "contains")

DECISIONS = pl.Schema(
    {
        **DISH_DECIDED,
        "gold": pl.List(pl.String()),
        "named": pl.List(pl.String()),
        "found": pl.List(pl.String()),
        "correct_entries": pl.List(pl.String()),
        "precision": pl.Float64(),
        "recall": pl.Float64(),
        "f1": pl.Float64(),
        "correct": pl.Boolean(),
    }
)
"""One row per item: the labels of the parts, the entries that the model named, the labels of those that it
found, the entries that name a part, the shares, and whether it named any. Null without an answer."""

_JUDGED = {
    name: DECISIONS[name]
    for name in ("gold", "named", "found", "correct_entries", "precision", "recall", "f1", "correct")
}

_SCOPES = {"country": "region", "language": "language", "prompt": "prompt_id"}


def score_lists(
    parts: Iterable[tuple[pl.DataFrame, pl.DataFrame]],
    gold: Iterable[pl.DataFrame],
    languages: Sequence[str],
    *,
    rule: str,
    lemmas: str | None,
    verdicts: pl.DataFrame | None = None,
    seed: int,
) -> ScoredItems:
    """Judge free answers.

    Args:
        parts: Items, some at a time, each part with the answers to it (`runs.written_answers`).
        gold: `tasks.free_listing.listing_items.GOLD` of each part, row by row the same items.
        languages: Languages of the items.
        rule: Of `RULES`.
        lemmas: Lemmatisers, see `text.text_reader.lemmatiser_names`; the usual ones when absent.
        verdicts: What a judge says of entries in which the rule finds no part, `judging.verdicts.VERDICTS`: one
            that is correct names the part that the judge says, if it says one. A list with a verdict that
            cannot be read counts as without an answer.
        seed: Seed of the intervals.

    Raises:
        UnknownNameError: If there is no such rule or lemmatiser; lists those there are.
    """
    if rule not in RULES:
        raise UnknownNameError("rule", rule, RULES)
    readers = _readers(languages, lemmas or DEFAULT_LEMMAS)
    asked = None if verdicts is None else verdicts.filter(decided_by=JUDGE)
    by_judge = {} if asked is None else asked.rows_by_key("item_id", named=True)
    made = []
    for (items, answers), known in zip(parts, gold, strict=True):
        rows = _with_texts(items, known, answers)
        judged = [
            _judged(row, readers[primary(row["language"])], rule, by_judge.get(row["item_id"], ()))
            for row in rows.iter_rows(named=True)
        ]
        decided = pl.concat([rows, pl.DataFrame(judged, schema=_JUDGED, orient="row")], how="horizontal")
        made.append(packed(decided.select(*DECISIONS, says_nothing("text").alias(UNANSWERED))))
    decided = unpacked(made)
    kept = decided.filter(pl.col("named").is_not_null())
    used = sorted(one.signature for one in readers.values() if one is not None)
    return ScoredItems(
        decided.select(list(DECISIONS)).cast(DECISIONS),
        (*_scores(kept, seed), missing_share(kept.height, decided.height)),
        {"lemma": "+".join(used) or NO_LEMMAS},
    )


def list_rules(asked: TaskItems) -> dict[str, ItemRule]:
    """By ``item_id`` what decides on lists, by the default rule: their F1."""
    readers = _readers(asked.items["language"].unique().to_list(), DEFAULT_LEMMAS)

    def decide(row: Mapping[str, Any], text: str) -> Decision:
        judged = _judged({**row, "text": text}, readers[primary(row["language"])], "default", ())
        decided = dict(zip(_JUDGED, judged, strict=True))
        return Decision(decided["f1"], ", ".join(decided["named"]) or None)

    rows = pl.concat([asked.items, asked.gold.drop("item_id")], how="horizontal")
    return {
        row["item_id"]: ItemRule([names[0] for names in row["accepted"]], partial(decide, row))
        for row in rows.iter_rows(named=True)
    }


def _readers(languages: Sequence[str], lemmas: str) -> dict[str, TextReader | None]:
    """A reader per primary language; null where the registry does not know how the language is read."""
    known = [language for language in languages if primary(language) in known_languages()]
    names = lemmatiser_names(lemmas, known)
    others = dict.fromkeys(sorted({primary(language) for language in languages}))
    return others | {language: reader(language, name) for language, name in names.items()}


def entries_to_judge(
    items: pl.DataFrame, gold: pl.DataFrame, answers: pl.DataFrame, *, question: str
) -> pl.DataFrame:
    """The entries of lists, with what the default rule is sure of: those in which it finds a part.

    Args:
        items: `items.ITEMS`.
        gold: `tasks.free_listing.listing_items.GOLD`, row by row the same items.
        answers: Answers to them as they are scored (`written_answers.as_scored`).
        question: What is asked about a dish, with ``{label}`` for its name and ``{country}``.

    Returns:
        `judging.replies.REPLIES`.
    """
    rows = _with_texts(items, gold, answers).drop_nulls("text")
    readers = _readers(rows["language"].unique().to_list(), DEFAULT_LEMMAS)
    lists, entries = [], []
    for number, row in enumerate(rows.iter_rows(named=True)):
        named = listed(row["text"], row["language"])
        sure = set().union(*_hits(named, row, readers[primary(row["language"])], "default"))
        lists += [number] * len(named)
        entries += [(i, entry, "correct" if i in sure else None) for i, entry in enumerate(named)]
    about = rows.select("label", "country").iter_rows()
    asked = rows.with_columns(
        people_of=pl.lit(None, pl.String),
        question=pl.Series(
            [question.format(label=label, country=country) for label, country in about], dtype=pl.String
        ),
        accepted=pl.col("accepted").list.eval(pl.struct(texts=pl.element(), votes=pl.lit(None, pl.Int64))),
    )
    own = {name: REPLIES[name] for name in ("entry", "reply", "verdict")}
    of_entries = pl.DataFrame(entries, schema=own, orient="row")
    return pl.concat([asked[lists], of_entries], how="horizontal").select(list(REPLIES))


def _with_texts(items: pl.DataFrame, gold: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """Items with their gold and the text of their answer, null where there is none."""
    given = answers.filter(pl.col("error").is_null()).select("item_id", "text")
    return pl.concat([items, gold.drop("item_id")], how="horizontal").join(
        given, on="item_id", how="left", maintain_order="left"
    )


def _judged(
    row: Mapping[str, Any], known: TextReader | None, rule: str, by_judge: Sequence[Mapping[str, Any]]
) -> tuple[Any, ...]:
    """What the rule decides of a list, and what a judge says of entries in which it finds no part."""
    labels = [names[0] for names in row["accepted"]]
    if row["text"] is None or any(one["verdict"] is None for one in by_judge):
        return (labels, *(None,) * 7)
    named = listed(row["text"], row["language"])
    hits = _hits(named, row, known, rule)
    agreed = [one for one in by_judge if one["verdict"] == "correct"]
    for one in agreed:
        if one["position"] is not None:
            hits[one["position"]].add(one["entry"])
    correct = {one["entry"] for one in agreed}.union(*hits)
    found = [label for label, entries in zip(labels, hits, strict=True) if entries]
    precision = len(correct) / len(named) if named else 0.0
    recall = len(found) / len(labels)
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return labels, named, found, [named[i] for i in sorted(correct)], precision, recall, f1, bool(correct)


def _hits(named: Sequence[str], row: Mapping[str, Any], known: TextReader | None, rule: str) -> list[set[int]]:
    """For every part the entries that name it, by their positions."""
    language = row["language"]
    entries = [[_words(text, language, known) for text in texts] for texts in _readings(named, language)]
    hits = []
    for names in row["accepted"]:
        accepted = [words for name in names if (words := _words(name, language, known))]
        hits.append(
            {
                i
                for i, readings in enumerate(entries)
                if any(_names(words, one, rule) for words in readings for one in accepted)
            }
        )
    return hits


def _readings(named: Sequence[str], language: str) -> list[list[str]]:
    """Every entry; the last one of several also without an *and* that may be written onto it."""
    readings = [[entry] for entry in named]
    attached = ATTACHED.get(primary(language))
    if attached and len(named) > 1 and named[-1].startswith(attached):
        readings[-1].append(named[-1][len(attached) :].lstrip())
    return readings


def _words(text: str, language: str, known: TextReader | None) -> tuple[str, ...]:
    if known is None:
        return _plain_words(text, language)
    lemmas = known.lemmas(text)
    return known.words(text) if lemmas is None else lemmas


@lru_cache(maxsize=1 << 16)
def _plain_words(text: str, language: str) -> tuple[str, ...]:
    return words_of(normalised(text, language))


def _names(entry: tuple[str, ...], name: tuple[str, ...], rule: str) -> bool:
    if rule == "default":
        return entry == name
    width = len(name)
    return any(entry[start : start + width] == name for start in range(len(entry) - width + 1))


def _scores(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Means over dishes of precision, recall and F1, and the share of all named entries that is correct."""
    measures = {name: (pl.col(name), pl.lit(1.0)) for name in ("f1", "precision", "recall")}
    # A ratio over all entries; the others are means over items.
    measures["accuracy"] = (pl.col("correct_entries").list.len(), pl.col("named").list.len())
    measures["nothing-correct"] = (~pl.col("correct"), pl.lit(1.0))
    measures[UNANSWERED] = (pl.col(UNANSWERED), pl.lit(1.0))
    return [
        score
        for metric, (value, denominator) in measures.items()
        for score in share_scores(
            metric, rows.with_columns(value=value, denominator=denominator), _SCOPES, seed
        )
    ]
