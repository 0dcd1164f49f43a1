"""Reply forms: how fluent answers inflect and frame a word, and what short-answer scoring accepts of them.

``tests/eval/text/reply_forms`` has a file per language: its grammar, the forms as frames around a column of the
words, and at least 40 everyday answers with every form written out. ``-`` stands where a word has no such form.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers

FOLDER = Path(__file__).parents[1] / "eval" / "text" / "reply_forms"
KINDS = ("bare", "sentence", "plural", "definite", "article", "case", "polite")
"""What a form is a kind of, its first word, in the order of the table in the docs."""

N_OTHERS = 6
"""Other answers that a reply is compared with: those whose rows follow its own at growing distances."""

LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


class Reply(NamedTuple):
    """A reply that names one answer."""

    gold: str
    """The answer, as an annotator writes it."""
    form: str
    """How the reply puts it: a kind, with the case or the like in parentheses."""
    text: str
    """The reply."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Replies of one form that are accepted, and those that are accepted as another answer."""

    n_replies: int
    n_accepted: int
    n_others: int
    """Pairs of a reply and one of the `N_OTHERS` other gold answers that it is compared with."""
    n_false: int
    """Such pairs in which the reply is accepted."""

    @property
    def share(self) -> float:
        """Accepted replies, fraction."""
        return self.n_accepted / self.n_replies

    @property
    def false_share(self) -> float:
        """Accepted pairs of a reply and another answer, fraction."""
        return self.n_false / self.n_others


@cache
def replies(language: str) -> tuple[Reply, ...]:
    """The replies of a language, form by form."""
    table = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    columns = _cells(table["words"]["columns"])
    words = [
        dict(zip(columns, _cells(line), strict=True)) for line in table["words"]["rows"].strip().splitlines()
    ]
    return tuple(
        Reply(row["gold"], form, frame.format(**row))
        for form, frame in table["forms"].items()
        for row in words
        if not any(f"{{{column}}}" in frame and row[column] == "-" for column in columns)
    )


def accepted(language: str, *, lemmas: str = "default") -> dict[str, Accepted]:
    """Count by form what the default rule accepts, of the right answer and of others.

    Args:
        language: One of `LANGUAGES`.
        lemmas: As for `decide_short_answers`.
    """
    asked = replies(language)
    golds = list(dict.fromkeys(reply.gold for reply in asked))
    matched = _matched(language, asked, golds, lemmas)
    counts: dict[str, Accepted] = {}
    for form in dict.fromkeys(reply.form for reply in asked):
        of_form = [(reply, matched[index]) for index, reply in enumerate(asked) if reply.form == form]
        n_accepted = sum(reply.gold in found for reply, found in of_form)
        n_false = sum(len(found - {reply.gold}) for reply, found in of_form)
        counts[form] = Accepted(len(of_form), n_accepted, len(of_form) * N_OTHERS, n_false)
    return counts


def _matched(language: str, asked: Sequence[Reply], golds: Sequence[str], lemmas: str) -> list[set[str]]:
    """The gold answers that each reply is accepted for."""
    annotations = pl.DataFrame(
        {
            "template_id": golds,
            "locale": language,
            "language": language,
            "en_question": "What?",
            "annotations": [[{"answers": [gold], "en_answers": [], "count": 1}] for gold in golds],
            "idks": [{"idk": 0, "no-answer": 0, "not-applicable": 0}] * len(golds),
        }
    )
    rows = list(_responses(asked, golds))
    responses = pl.DataFrame(rows, schema=["item_id", "template_id", "response"], orient="row").with_columns(
        locale=pl.lit(language), prompt_id=pl.lit("p"), prompt=pl.lit("")
    )
    found = decide_short_answers(responses, annotations, lemmas=lemmas).filter("correct")
    matched: list[set[str]] = [set() for _ in asked]
    for item_id, gold in found.select("item_id", "template_id").iter_rows():
        matched[int(item_id.partition("-")[0])].add(gold)
    return matched


def _responses(asked: Sequence[Reply], golds: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Every reply to the question of its gold answer and to those of others."""
    for index, reply in enumerate(asked):
        own = golds.index(reply.gold)
        for step in range(N_OTHERS + 1):
            gold = golds[(own + step * (step + 1) // 2) % len(golds)]
            yield f"{index}-{gold}", gold, reply.text


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]
