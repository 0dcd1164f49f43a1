"""Asking a judge about the replies of a run: what it is asked, and its run in that one's directory."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from blend.eval.asking import ask
from blend.eval.items import ITEMS, TaskItems, text_digest
from blend.eval.judging import (
    JUDGE,
    JUDGES_FOLDER,
    PROMPT,
    VERSION,
    judge_prompt,
    replies_digest,
)
from blend.eval.models.chosen import Asking, Decoding, Local, Server, TextModel
from blend.eval.release_items import announced, read_run, watched
from blend.eval.report import ScoredRun
from blend.eval.runs import ReleaseItems
from blend.eval.runs.run_directory import Run
from blend.eval.tasks import task_of
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import ArgumentError, InputError

_NAME = re.compile(r"[^\W_][\w.-]*")


def judge_run(
    run: ScoredRun | Run | str | Path,
    *,
    model: str | Path | Local | Server | TextModel,
    name: str | None = None,
    decoding: Decoding | None = None,
    asking: Asking | None = None,
    on_progress: ProgressCallback | None = None,
) -> Run:
    """Ask a model whether the replies of a run are correct; the same call goes on where it was stopped.

    What the string rule is sure of, and replies that were judged already, are not sent. Then
    ``score_run(run, rule="judge")`` scores by the verdicts.

    Args:
        run: The run, or its directory; complete, since a judge that has begun judges these replies alone.
        model: The judge: a `Local` model, or its directory or Hub id alone, a `Server`, or an object that has
            ``generate(prompts)``.
        name: What the judge is called in ``RUN/judges``; the last part of the model's name when absent.
        decoding: As of `evaluation.run_task`, like all that follow.
        asking: See there.
        on_progress: See there.

    Returns:
        The judge's run, in ``RUN/judges/NAME``, with how it stands in its ``outcome``.

    Raises:
        ArgumentError: If a parameter cannot be.
        InputError: If the answers of the run's task cannot be judged, if it has none, if the rule is sure of
            all of them, or if there is another judge of that name.
        BlendError: If the model cannot be asked at all. What it answered until then is kept.
    """
    judged = run.run if isinstance(run, ScoredRun) else run if isinstance(run, Run) else read_run(Path(run))
    used = Local(path=str(model)) if isinstance(model, str | Path) else model
    named = used.path if isinstance(used, Local) else getattr(used, "name", type(used).__name__)
    called = name or _folder_name(named)
    if not _NAME.fullmatch(called):
        raise ArgumentError(f"`name`: {called!r} is not possible (letters, digits, dots, hyphens, underscores)")
    asked = _asked(judged)
    out = judged.directory / JUDGES_FOLDER / called
    try:
        with watched(on_progress) as heard:
            kept, outcome = ask(asked, used, out, decoding or Decoding(), asking or Asking(), heard)
    except InputError as error:
        error.args = (str(error).replace("`out`", "`name`"),)
        raise
    return announced(kept, outcome)


def _asked(run: Run) -> ReleaseItems:
    """What a judge is asked about a run."""
    task = task_of(run.description.task)
    replies = task.replies_to_judge(run)
    if replies is None:
        raise InputError(f"{run.directory}: answers to {task.name} are not judged; short answers are")
    asked = judge_items(replies)
    if asked.items.is_empty():
        if asked.gold.is_empty():
            raise InputError(
                f"{run.directory}: the run has no answers yet that could be judged; ask the model first"
            )
        raise InputError(
            f"{run.directory}: the default rule is sure of every reply, so there is nothing to ask a judge; "
            "score by it"
        )
    options = {"prompt": VERSION, "replies": replies_digest(run)}
    # No release gives a judge's items, so its run keeps them.
    release = run.description.release.model_copy(update={"location": None})
    return ReleaseItems(release, JUDGE, options, asked)


def _folder_name(model: str) -> str:
    """The last part of a model's name, as a directory can be called."""
    return re.sub(r"[^\w.-]+", "-", model.rstrip("/").rpartition("/")[2]).strip("-_.")


REPLIES = pl.Schema(
    {
        "item_id": pl.String(),
        **{name: pl.String() for name in ("locale", "region", "template_id", "topic", "language")},
        "people_of": pl.String(),
        "question": pl.String(),
        "accepted": pl.List(pl.Struct({"texts": pl.List(pl.String()), "votes": pl.Int64()})),
        "reply": pl.String(),
        "verdict": pl.String(),
    }
)
"""One row per reply of a run.

``item_id`` and its columns are those of the run's item; ``people_of`` names in English where the people come
from who answered; ``accepted`` are the accepted answers; ``verdict`` is that of the string rule where it is
sure, and null where a judge is asked.
"""

JUDGED = pl.Schema(dict.fromkeys(("item_id", "reply", "verdict", "asked_as"), pl.String()))
"""One row per row of `REPLIES`, the gold of a judge's run: ``asked_as`` is the judge's item, null where the
string rule is sure."""


def judge_items(replies: Iterable[pl.DataFrame]) -> TaskItems:
    """What a judge is asked: every distinct question and reply once, in the order of the replies.

    Accepted answers stand in an order that depends on region, question and reply alone, so that no answer is
    always first.

    Args:
        replies: `REPLIES`, some at a time.

    Returns:
        The items, with `JUDGED` as their gold.
    """
    asked: dict[str, str] = {}
    parts = [(ITEMS.to_frame(), JUDGED.to_frame()), *(_judged(some, asked) for some in replies)]
    items, gold = map(pl.concat, zip(*parts, strict=True))
    return TaskItems(items, gold, {VERSION: PROMPT}, "text")


def _judged(replies: pl.DataFrame, asked: dict[str, str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Items that are not yet asked, which ``asked`` learns by the digests of their prompts, and the gold."""
    items: list[dict[str, Any]] = []
    judged: list[tuple[Any, ...]] = []
    for row in replies.iter_rows(named=True):
        asked_as = None
        if row["verdict"] is None:
            item = _item(row)
            digest = text_digest(item["prompt"])
            # Two prompts or samples of a question can get one reply.
            if digest not in asked:
                asked[digest] = item["item_id"]
                items.append(item)
            asked_as = asked[digest]
        judged.append((row["item_id"], row["reply"], row["verdict"], asked_as))
    return pl.DataFrame(items, schema=ITEMS), pl.DataFrame(judged, schema=JUDGED, orient="row")


def _item(row: Mapping[str, Any]) -> dict[str, Any]:
    """A reply as an item, with its accepted answers in an order that a digest gives."""
    known = {name: row[name] for name in ITEMS if name in REPLIES}
    key = "|".join((row["people_of"], row["question"], row["reply"]))
    accepted = sorted(row["accepted"], key=lambda one: text_digest(f"{key}|{one['texts']}"))
    prompt = judge_prompt(row["people_of"], row["question"], accepted, row["reply"])
    return {**known, "prompt_id": VERSION, "prompt": prompt, "options": None}
