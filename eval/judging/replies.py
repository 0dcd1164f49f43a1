"""Replies to be judged, as every task gives them, and what judges are asked about them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from blend.eval.items import ITEMS, ItemParts, TaskItems, text_digest
from blend.eval.judging.judge_prompt import OF_A_LIST, OF_PEOPLE, PROMPT, VERSION, judge_prompt
from blend.eval.runs.written_answers import packed, unpacked

REPLIES = pl.Schema(
    {
        "item_id": pl.String(),
        "entry": pl.Int64(),
        **{name: pl.String() for name in ("locale", "region", "template_id", "topic", "language")},
        "people_of": pl.String(),
        "question": pl.String(),
        "accepted": pl.List(pl.Struct({"texts": pl.List(pl.String()), "votes": pl.Int64()})),
        "reply": pl.String(),
        "verdict": pl.String(),
    }
)
"""One row per reply of a run, or per entry of a list.

``item_id`` and its columns are those of the run's item; ``entry`` counts the entries of a list from 0, null
where the whole reply is judged; ``people_of`` names in English where the people come from who answered, null of
a list; ``accepted`` are the accepted answers; ``verdict`` is that of the string rule where it is sure, and null
where a judge is asked.
"""

JUDGED = pl.Schema(
    {
        "item_id": pl.String(),
        "entry": pl.Int64(),
        "reply": pl.String(),
        "verdict": pl.String(),
        "asked_as": pl.String(),
        "shown": pl.List(pl.Int64()),
    }
)
"""One row per row of `REPLIES`, the gold of a judge's run: ``asked_as`` is the judge's item, null where the
string rule is sure; ``shown`` are the positions of the accepted answers, from 0, in the order that it saw."""


def judge_items(replies: Iterable[pl.DataFrame]) -> TaskItems:
    """What a judge is asked: every distinct question and reply once, in the order of the replies.

    Accepted answers stand in an order that depends on region, question and reply alone, so that no answer is
    always first.

    Args:
        replies: `REPLIES`, some at a time.

    Returns:
        The items in as many parts, with `JUDGED` as their gold.
    """
    asked: dict[str, str] = {}
    parts, n_items = [], 0
    for some in replies:
        items, gold = _judged(some, asked)
        parts.append((packed(items), packed(gold)))
        n_items += items.height
    made = ItemParts(n_items, lambda: ((unpacked([items]), unpacked([gold])) for items, gold in parts))
    prompts = {VERSION: f"{PROMPT}\n{OF_PEOPLE}\n{OF_A_LIST}"}
    return TaskItems(pl.DataFrame(schema=ITEMS), pl.DataFrame(schema=JUDGED), prompts, "text", parts=made)


def _judged(replies: pl.DataFrame, asked: dict[str, str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Items that are not yet asked, which ``asked`` learns by the digests of their prompts, and the gold."""
    items: list[dict[str, Any]] = []
    judged: list[tuple[Any, ...]] = []
    for row in replies.iter_rows(named=True):
        asked_as, order = None, None
        if row["verdict"] is None:
            order = _order(row)
            item = _item(row, order)
            digest = text_digest(item["prompt"])
            # Two prompts or samples of a question can get one reply.
            if digest not in asked:
                asked[digest] = item["item_id"]
                items.append(item)
            asked_as = asked[digest]
        judged.append((row["item_id"], row["entry"], row["reply"], row["verdict"], asked_as, order))
    return pl.DataFrame(items, schema=ITEMS), pl.DataFrame(judged, schema=JUDGED, orient="row")


def _item(row: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """A reply as an item, with its accepted answers in an order."""
    known = {name: row[name] for name in ITEMS if name in REPLIES}
    entry = "" if row["entry"] is None else f"/{row['entry']}"
    accepted = [row["accepted"][position] for position in order]
    prompt = judge_prompt(row["people_of"], row["question"], accepted, row["reply"])
    return {**known, "item_id": row["item_id"] + entry, "prompt_id": VERSION, "prompt": prompt, "options": None}


def _order(row: Mapping[str, Any]) -> list[int]:
    """Positions of the accepted answers in the order in which they are shown."""
    key = "|".join((row["people_of"] or "", row["question"], row["reply"]))
    digests = [text_digest(f"{key}|{one['texts']}") for one in row["accepted"]]
    return sorted(range(len(digests)), key=digests.__getitem__)
