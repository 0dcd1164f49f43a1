"""Free listing: items, the entries that a model wrote, and their precision, recall and F1.

A prompt asks what a dish is made of. First a text is parted into entries (`listed`). An entry names a part if
its words are those of one of the part's accepted names: folded, and brought to base forms where the language
has a lemmatiser. By the rule ``contains`` the words of the name may stand inside the entry, so that ``fresh
basil`` names basil, and ``soy sauce`` names soy as well.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

import polars as pl

from blend.eval.items import ITEMS, TaskItems
from blend.eval.runs.answers import says_nothing
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import UNANSWERED, Score, ScoredItems, missing_share, share_scores
from blend.eval.task import Decision, ItemRule, Progress
from blend.eval.tasks.free_listing import ListingOptions, ListingScoring
from blend.eval.text import primary
from blend.eval.text.lemmatisers import DEFAULT_LEMMAS, TextReader, lemmatiser_names, reader
from blend.eval.triples.triple_prompts import (
    ABOUT_A_DISH,
    DISH_DECIDED,
    asked_dishes,
    asked_languages,
    asked_parts,
    chosen_dishes,
    dishes_of,
    is_about_food,
    probed_config,
    template_texts,
)
from blend.schemas.errors import check_names
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.prompts import ENGLISH, domain_prompts, listing_prompts

GOLD = pl.Schema({**ABOUT_A_DISH, "accepted": pl.List(pl.List(pl.String()))})
"""One row per item, in the order of the items: the dish, and for every part the names that are accepted: its
label in the language first, then as Wikidata writes it where the script was converted, and its labels in
variants of the language (``zh-hans``, ``zh-tw`` for ``zh``)."""

_RELATIONS = ("hasParts", "country")
"""Names of the prompts: without and with the country."""


def settle_listing(
    options: ListingOptions, manifest: ReleaseManifest
) -> tuple[ListingOptions, tuple[str, ...]]:
    """The options with what the release decides, and the configurations to read."""
    config, held = probed_config(options, manifest)
    known = _languages_with_prompts(config).keys() & set(held)
    check_names(f"language with a prompt about {config}", options.languages, known)
    return replace(options, config=config), (config,)


def listing_items(tables: Mapping[str, pl.DataFrame], options: ListingOptions) -> TaskItems:
    """The items of free listing.

    Args:
        tables: The configuration (`rows.TRIPLES`).
        options: Which of it, in which languages; settled.

    Returns:
        One item per language, dish and prompt, ``en/Q396184/hasParts``, as for probing.

    Raises:
        UnknownNameError: If there is no such prompt or country; lists those there are.
    """
    config = options.config or ""
    triples = dishes_of(tables[config]).with_columns(name=pl.col("label"))
    known = _languages_with_prompts(config, options.words)
    languages, warnings = asked_languages(triples, options.languages, known, what="a prompt")
    prompts = _prompts(known, languages, options.prompts)
    dishes = chosen_dishes(triples, languages, options).with_columns(accepted=_accepted(triples))
    items, left_out = asked_dishes(dishes, prompts)
    return TaskItems(
        items.select(list(ITEMS)).cast(ITEMS),
        items.select(list(GOLD)).cast(GOLD),
        template_texts(prompts),
        "text",
        warnings=(*warnings, *left_out),
    )


def _languages_with_prompts(
    config: str, words: Mapping[str, str] | None = None
) -> dict[str, Mapping[str, str]]:
    """The prompts by language; of other domains than food there are English ones only, in their words."""
    if is_about_food(config):
        return {language: known.prompts for language, known in listing_prompts().items()}
    return {ENGLISH: domain_prompts(words["parts"] if words else "parts")}


def _prompts(
    known: Mapping[str, Mapping[str, str]], languages: tuple[str, ...], names: tuple[str, ...] | None
) -> pl.DataFrame:
    check_names("prompt", names, _RELATIONS)
    rows = [
        (language, relation, known[language][relation], relation == "country", False)
        for language in languages
        for relation in names or _RELATIONS
    ]
    return pl.DataFrame(rows, ["language", "relation", "template", "with_country", "published"], orient="row")


def _accepted(triples: pl.DataFrame) -> pl.Expr:
    """The names that are accepted for every part of every dish."""
    variants: dict[tuple[str, str], dict[str, None]] = {}
    for language, parts, original in triples.select("language", "parts", "original_parts").iter_rows():
        for part in (*parts, *original):
            variants.setdefault((primary(language), part["qid"]), {})[part["label"]] = None

    def names(row: Mapping[str, Any]) -> list[list[str]]:
        known = [(part["label"], variants[primary(row["language"]), part["qid"]]) for part in row["parts"]]
        return [list(dict.fromkeys([label, *others])) for label, others in known]

    return pl.struct("language", "parts").map_elements(names, return_dtype=pl.List(pl.List(pl.String)))


# From a text to its entries.

_BULLET = re.compile(
    r"^\s*(?:[-*•·–—▪◦‣+]+|\(?\d{1,3}\s*[.)、．:：]|[a-zA-Z][.)])\s+|^\s*\(?\d{1,3}[.)、．]\s*(?=\D)"
)
_SEPARATOR = re.compile(r"(?<!\d)[,،]|[,،](?!\d)|[，、؛;；/\t]|\s[-–—•·]\s|\s+\(?\d{1,2}[.)、．]\s*(?=\D)")
# In square ones with commas, but for those behind a word, stands the list itself, as JSON has it.
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\],،、，]*\]|(?<=\w)\s*\[[^\[\]]*\]|（[^（）]*）|【[^【】]*】")
_UNITS = (
    "kg|g|gr|mg|ml|cl|dl|l|oz|lb|lbs|cups?|tbsps?|tsps?|tablespoons?|teaspoons?|cloves?|pieces?|slices?|pinch(?:es)?|"
    "cans?|bunch(?:es)?|handfuls?|grams?|liters?|litres?|克|公克|毫升|千克|斤|个|片|勺|杯|그램|개|컵|큰술|작은술|جرام|كوب|"
    "ملعقة|г|гр|кг|мл|л|шт|גרם|כוס|כף|כפית"
)
_AMOUNT = re.compile(
    rf"^\s*(?:ca\.?\s*|about\s+)?\d+(?:\s*[.,/–-]\s*\d+)*\s*(?:[½¼¾⅓⅔])?\s*(?:(?:{_UNITS})\b\.?)?\s*(?:of\s+)?|^[½¼¾⅓⅔]\s*",
    re.IGNORECASE,
)
# Possessive: nothing tells where a number of thousands of digits, which some models write, would begin.
_AMOUNT_BEHIND = re.compile(
    rf"(?<!\d)\d++(?:\s*+[.,/–-]\s*+\d++)*+\s*+[½¼¾⅓⅔]?+\s*+(?:{_UNITS})\.?$", re.IGNORECASE
)
_FENCE = re.compile(r"\s*```\w*\s*")
_AS_MUCH = (
    "to taste|as needed|as desired|as required|if needed|if desired|optional|for garnish(?:ing)?|for serving|"
    "for frying|al gusto|a gusto|opcional|quanto basta|q\\.\\s?b\\.|nach geschmack|nach bedarf|au goût|"
    "selon le goût|facultatif|по вкусу|по желанию|за смаком|適量|适量|少許|少许|お好みで|약간|적당량|"
    "حسب الرغبة|حسب الذوق|حسب الحاجة|לפי הטעם|به میزان لازم|به مقدار لازم|secukupnya|efter smak"
)
_AS_MUCH_AS = re.compile(rf"(?:^|(?<=[\s,，、،]))(?:{_AS_MUCH})[\s.!。！]*$", re.IGNORECASE)
_TABLE_RULE = re.compile(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?)?\s*$")
_EXCLAIMED = re.compile(r"[!?！？؟][\s*_\"”»]*$")
_LAST_EXCLAIMED = re.compile(r"(?<=[.。])\s+[^.。,،，、]*[!！][\s*_]*$")
_SENTENCE = re.compile(r"[.。][\s*_]*$")
_MARKS = re.compile(r"\*\*|__|`|[\"“”„«»「」『』]")
_ENDS = re.compile(r"^[\s.。!！…:：;،,，、*_\[\]{}'–—-]+|[\s.。!！…:：;،,，、*_\[\]{}'–—-]+$")


def listed(text: str, language: str) -> list[str]:
    """The entries of a list, each once, in the order of the text.

    Args:
        text: What a model wrote.
        language: Tag of the language, whose words for *and* part the last two entries.
    """
    lines = unicodedata.normalize("NFC", text).splitlines()
    lines = [line for line in lines if line.strip() and not _FENCE.fullmatch(line)]
    rows = _rows(_cells(lines) or lines, language)
    entries = [entry for line in rows for entry in _entries(line, language)]
    return list(dict.fromkeys(filter(_has_letters, entries)))


def _has_letters(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _cells(lines: list[str]) -> list[str]:
    """List what the rows of a Markdown table name: of each the first cell that is more than an amount."""
    rule = next((i for i, line in enumerate(lines) if i and _TABLE_RULE.match(line)), None)
    if rule is None:
        return []
    rows = takewhile(lambda line: "|" in line, lines[rule + 1 :])
    return [next((cell for cell in row.split("|") if _has_letters(_bare(cell))), "") for row in rows]


def _rows(lines: list[str], language: str) -> list[str]:
    """The lines that hold entries; all of them where none would be left."""
    rows = [line for line in lines if not line.rstrip().rstrip("*").endswith((":", "："))] or lines
    bulleted = [i for i, line in enumerate(rows) if _BULLET.match(line)]
    if len(bulleted) > 1:
        # The first entry often has no bullet: the prompt can end with it.
        rows = [*rows[: bulleted[0]], *(rows[i] for i in bulleted)]
    rows = _unexplained(rows, language)
    return [line for line in rows if not _is_remark(line)] or rows


def _unexplained(rows: list[str], language: str) -> list[str]:
    """The lines of a list without what is said of its entries: ``- Egg: binds all of it``, ``- Egg: 2``.

    Left as they are where most hold lists (``- Dough: flour, water``) or single foods (``- Base: rice``) there,
    or where names differ by numbers alone (``Dish 1: rice with beans``).
    """
    parted = [_BULLET.sub("", _MARKS.sub("", row)).replace("：", ":").partition(":") for row in rows]
    said = [rest for _, _, rest in parted if rest.strip()]
    names = {re.sub(r"[\W\d_]", "", name) for name, _, rest in parted if rest.strip()}
    lists = [rest for rest in said if _SEPARATOR.search(rest) or len(_unjoined(rest, language)) > 1]
    explained = [rest for rest in said if len(rest.split()) > _FOOD_WORDS or not _has_letters(_bare(rest))]
    is_named = len(names) == len(said) >= _EXPLAINED
    if not is_named or len(lists) * 2 >= len(said) or len(explained) * 2 <= len(said):
        return rows
    return [name if rest.strip() else row for row, (name, _, rest) in zip(rows, parted, strict=True)]


def _is_remark(line: str) -> bool:
    """Whether a line says something instead of listing: it exclaims, asks, or is a sentence without commas."""
    if _SEPARATOR.search(_SENTENCE.sub("", line)):
        return False
    return bool(_EXCLAIMED.search(line)) or (bool(_SENTENCE.search(line)) and len(line.split()) > _PAIR_WORDS)


def _entries(line: str, language: str) -> list[str]:
    plain = _BRACKETS.sub(" ", _MARKS.sub("", line))
    plain = _BULLET.sub("", plain)
    plain = _AS_MUCH_AS.sub("", _LAST_EXCLAIMED.sub("", _after_colon(plain)))
    parts = [part for part in _SEPARATOR.split(plain) if part.strip()]
    if len(parts) > 1 or (parts and len(plain.split()) <= _PAIR_WORDS):
        parts = [*parts[:-1], *_unjoined(parts[-1], language)]
    return [_bare(part) for part in parts]


def _bare(part: str) -> str:
    """An entry without what says how much of it."""
    counted = _AMOUNT_BEHIND.sub("", _AMOUNT.sub("", _ENDS.sub("", part)))
    return _ENDS.sub("", _AS_MUCH_AS.sub("", counted))


def _after_colon(line: str) -> str:
    """Find what follows an announcement on its own line: ``Ingredients: egg, milk``."""
    announcement, colon, rest = line.replace("：", ":").partition(":")
    return rest if colon and rest.strip() and not _SEPARATOR.search(announcement) else line


def _joins(language: str) -> tuple[str, ...]:
    known = listing_prompts().get(primary(language))
    return () if known is None else known.joins


def _unjoined(part: str, language: str) -> list[str]:
    """The last entries of a list, parted at the word between them, or without the word before the last."""
    for word in _joins(language):
        if first := re.match(rf"\s*{word}\s+", part, re.IGNORECASE):
            return [part[first.end() :]]
        between = rf"(?<=\w){word}(?=\w)" if primary(language) in _WITHOUT_BLANKS else rf"\s{word}\s"
        halves = re.split(between, part, maxsplit=1, flags=re.IGNORECASE)
        if len(halves) == 2:
            return halves
    return [part]


_WITHOUT_BLANKS = ("zh", "ja")

_ATTACHED = {"ar": "و", "he": "ו"}
"""Languages whose *and* is written onto the next word: nothing tells it from the word's own first letter."""

_EXPLAINED = 2
"""Lines with a colon from which on what stands behind it may explain an entry."""
_FOOD_WORDS = 3
"""Words up to which what stands there may be the entry itself, and the name that of its kind."""

_PAIR_WORDS = 5
"""Words up to which a line without commas is two entries joined by *and*, and no sentence."""


DECISIONS = pl.Schema(
    {
        **DISH_DECIDED,
        **dict.fromkeys(("gold", "named", "found", "correct_entries"), pl.List(pl.String())),
        **dict.fromkeys(("precision", "recall", "f1"), pl.Float64()),
        "correct": pl.Boolean(),
    }
)
"""One row per item: the labels of the parts, the entries that the model named, the labels of those that it
found, the entries that name a part, the shares, and whether it named any. Null without an answer."""

_JUDGED = {name: kind for name, kind in DECISIONS.items() if name not in DISH_DECIDED}

_SCOPES = {"country": "region", "language": "language", "prompt": "prompt_id"}


def score_listing_run(run: Run, options: ListingScoring, _on_progress: Progress) -> ScoredItems:
    """Decide the lists of a run, and score them.

    Raises:
        UnknownNameError: If there is no such lemmatiser; lists those there are.
    """
    languages = run.items("language")["language"].unique().to_list()
    readers = _readers(languages, options.lemmas or DEFAULT_LEMMAS)
    made = []
    for rows in run.answered_items():
        judged = [
            _judged(row, readers[primary(row["language"])], options.rule) for row in rows.iter_rows(named=True)
        ]
        decided = pl.concat([rows, pl.DataFrame(judged, schema=_JUDGED, orient="row")], how="horizontal")
        made.append(decided.select(*DECISIONS, says_nothing("text").alias(UNANSWERED)))
    decided = pl.concat(made, rechunk=True)
    kept = decided.filter(pl.col("named").is_not_null())
    asked = run.description.options
    return ScoredItems(
        decided.select(list(DECISIONS)).cast(DECISIONS),
        (*_scores(kept, options.seed), missing_share(kept.height, decided.height)),
        {
            "cfg": asked["config"],
            **asked_parts(asked, ("languages", "countries", "prompts")),
            "lemma": "+".join(one.signature for one in readers.values()),
        },
    )


def list_rules(asked: TaskItems) -> dict[str, ItemRule]:
    """By ``item_id`` what decides on lists, by the default rule: their F1."""
    readers = _readers(asked.items["language"].unique().to_list(), DEFAULT_LEMMAS)

    def decide(row: Mapping[str, Any], text: str) -> Decision:
        judged = _judged({**row, "text": text}, readers[primary(row["language"])], "default")
        decided = dict(zip(_JUDGED, judged, strict=True))
        return Decision(decided["f1"], ", ".join(decided["named"]) or None)

    rows = pl.concat([asked.items, asked.gold.drop("item_id")], how="horizontal")
    return {
        row["item_id"]: ItemRule([names[0] for names in row["accepted"]], partial(decide, row))
        for row in rows.iter_rows(named=True)
    }


def _readers(languages: Sequence[str], lemmas: str) -> dict[str, TextReader]:
    """A reader per primary language."""
    return {tag: reader(tag, name) for tag, name in lemmatiser_names(lemmas, languages).items()}


def _judged(row: Mapping[str, Any], known: TextReader, rule: str) -> tuple[Any, ...]:
    """What the rule decides of a list."""
    labels = [names[0] for names in row["accepted"]]
    if row["text"] is None:
        return (labels, *(None,) * 7)
    named = listed(row["text"], row["language"])
    hits = _hits(named, row, known, rule)
    correct = set[int]().union(*hits)
    found = [label for label, entries in zip(labels, hits, strict=True) if entries]
    precision = len(correct) / len(named) if named else 0.0
    recall = len(found) / len(labels)
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return labels, named, found, [named[i] for i in sorted(correct)], precision, recall, f1, bool(correct)


def _hits(named: Sequence[str], row: Mapping[str, Any], known: TextReader, rule: str) -> list[set[int]]:
    """For every part the entries that name it, by their positions."""

    def words(text: str) -> tuple[str, ...]:
        lemmas = known.lemmas(text)
        return known.words(text) if lemmas is None else lemmas

    entries = [[words(entry)] for entry in named]
    attached = _ATTACHED.get(primary(row["language"]))
    if attached and len(named) > 1 and named[-1].startswith(attached):
        # The last one of several also without an *and* that may be written onto it.
        entries[-1].append(words(named[-1][len(attached) :].lstrip()))
    hits = []
    for names in row["accepted"]:
        accepted = [of_name for name in names if (of_name := words(name))]
        found = (
            number
            for number, readings in enumerate(entries)
            if any(_names(entry, name, rule) for entry in readings for name in accepted)
        )
        hits.append(set(found))
    return hits


def _names(entry: tuple[str, ...], name: tuple[str, ...], rule: str) -> bool:
    """Whether the words of an entry are those of a name, or by the rule ``contains`` hold them."""
    if rule == "default":
        return entry == name
    width = len(name)
    return any(entry[start : start + width] == name for start in range(len(entry) - width + 1))


def _scores(rows: pl.DataFrame, seed: int) -> Iterator[Score]:
    """Means over answers, each answer the same."""
    for name in ("f1", "precision", "recall", UNANSWERED):
        yield from share_scores(name, rows.with_columns(value=name), _SCOPES, seed)
