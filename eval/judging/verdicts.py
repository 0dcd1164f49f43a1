"""Verdicts: what judges have said of a run's replies, read from its directory."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from blend.eval.items import PART
from blend.eval.judging.families import model_names, shared_families
from blend.eval.judging.judge_prompt import parse_verdict
from blend.eval.runs.answers import answers_digest
from blend.eval.runs.run_description import RecordedAnswers, read_description
from blend.eval.runs.run_directory import ANSWERS_FOLDER, MAX_MISSING, Run, kept_items
from blend.eval.runs.written_answers import split_answers
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.texts import pluralise

JUDGE = "judge"
"""Name of the rule; ``judge:NAME`` where a run has several judges."""

JUDGES_FOLDER = "judges"

VERDICTS = pl.Schema(
    {
        "item_id": pl.String(),
        "entry": pl.Int64(),
        "reply": pl.String(),
        "verdict": pl.String(),
        "position": pl.Int64(),
        "reason": pl.String(),
        "decided_by": pl.String(),
        "asked_as": pl.String(),
    }
)
"""One row per reply of a run, or per entry of a list (``entry``, from 0), in the order of the run.

``verdict`` is ``correct``, ``partly``, ``wrong`` or ``refused``, null where the judge gave none that can be
read; ``position`` is that of the accepted answer that the reply means, from 0 in the order of the gold, null
where the judge names none; ``decided_by`` is ``rule`` where the string rule is sure, else ``judge``;
``asked_as`` is the item of the judge's run, one for equal replies to a question."""


def is_judge(rule: str) -> bool:
    """Whether a rule, as it is named, scores by the verdicts of a judge."""
    return rule.partition(":")[0] == JUDGE


def judges_of(run: Run) -> tuple[str, ...]:
    """Names of the judges that have answered anything about a run, sorted."""
    return tuple(
        sorted({path.parts[-3] for path in run.directory.glob(f"{JUDGES_FOLDER}/*/{ANSWERS_FOLDER}/*")})
    )


def read_judge(run: Run, rule: str = JUDGE) -> Run:
    """The run of the judge that a rule names.

    Args:
        run: The run whose replies it judged.
        rule: ``judge`` where there is one judge, ``judge:NAME`` else.

    Raises:
        UnknownNameError: If there is no judge of that name; lists those there are.
        InputError: If there is none at all, or several and no name; or if replies have changed since.
    """
    folder = _folder_of_judge(run, rule)
    description = read_description(folder)
    judge = Run(folder, description, lambda: kept_items(folder, description))
    if judge.description.options.get("replies") != replies_digest(run):
        raise InputError(
            f"{judge.directory}: judges other replies than the run holds now; have them judged again under "
            "another name"
        )
    return judge


def _folder_of_judge(run: Run, rule: str) -> Path:
    held, name = judges_of(run), rule.partition(":")[2]
    if not held:
        raise InputError(
            f"{run.directory}: nobody has judged this run yet; ask a judge with "
            f"`blend eval judge {run.directory} --model MODEL`"
        )
    if name and name not in held:
        raise UnknownNameError("judge", name, held)
    if not name and len(held) > 1:
        raise InputError(
            f"{run.directory}: several judges have been asked ({', '.join(held)}); name one, "
            f"such as `rule={JUDGE}:{held[0]}`"
        )
    return run.directory / JUDGES_FOLDER / (name or held[0])


def verdicts_digest(run: Run, rule: str) -> str | None:
    """SHA-256 that is another one as soon as the judge that a rule names says anything more or else.

    Null where a rule names no judge.

    Raises:
        UnknownNameError, InputError: As of `read_judge`, but for replies that have changed.
    """
    return answers_digest(_folder_of_judge(run, rule) / ANSWERS_FOLDER) if is_judge(rule) else None


def replies_digest(run: Run) -> str:
    """SHA-256 of the replies of a run, whatever the order in which they came."""
    answers = run.answers("item_id", "text", "error").filter(pl.col("error").is_null())
    digest = hashlib.sha256()
    for some in answers.select("item_id", "text").sort("item_id").iter_slices(PART):
        digest.update(some.write_ndjson().encode())
    return digest.hexdigest()


def read_verdicts(run: Run, rule: str = JUDGE) -> pl.DataFrame:
    """What the judge that a rule names has said of a run's replies; see `read_judge` for the arguments.

    Returns:
        `VERDICTS`.

    Raises:
        BlendError: As of `read_judge`.
        InputError: If more than 1 % of what it was asked has no answer.
    """
    judge = read_judge(run, rule)
    judged, stated = judge.gold(), _said_by(judge).rename({"item_id": "asked_as"})
    joined = judged.join(stated, on="asked_as", how="left", maintain_order="left")
    shown = pl.col("shown").list.get(pl.col("answer") - 1, null_on_oob=True)
    is_rule = pl.col("verdict").is_not_null()
    return joined.with_columns(
        verdict=pl.coalesce("verdict", "stated"),
        position=shown,
        decided_by=pl.when(is_rule).then(pl.lit("rule")).otherwise(pl.lit(JUDGE)),
    ).select(list(VERDICTS))


def _said_by(judge: Run) -> pl.DataFrame:
    """``item_id``, ``stated``, ``answer`` and ``reason`` of what a judge was asked and has answered.

    Raises:
        InputError: If more than 1 % has no answer.
    """
    answers = split_answers(judge.answers(), judge.description).filter(pl.col("error").is_null())
    n_items = judge.description.n_items
    n_missing = n_items - answers.height
    if n_missing > MAX_MISSING * n_items:
        raise InputError(
            f"{judge.directory}: the judge has not answered {n_missing:,} of {pluralise(n_items, 'question')}; "
            "run the same `blend eval judge` again to ask them"
        )
    n_shown = judge.gold("asked_as", "shown").drop_nulls("asked_as").unique("asked_as")
    numbers = dict(n_shown.select("asked_as", pl.col("shown").list.len()).iter_rows())
    rows = [
        (item_id, *parse_verdict(text or "", numbers.get(item_id, 0)))
        for item_id, text in answers.select("item_id", "text").iter_rows()
    ]
    columns = {"item_id": pl.String, "stated": pl.String, "answer": pl.Int64, "reason": pl.String}
    return pl.DataFrame(rows, schema=columns, orient="row")


def judge_signature(run: Run, judge: Run) -> dict[str, str]:
    """The parts of a signature that say who judged and how."""
    used = judge.description
    assert not isinstance(used.model, RecordedAnswers)
    how: Mapping[str, Any] = {
        "model": used.model.model_dump(include={"id", "revision", "served_as", "chat", "dtype"}),
        **used.model_dump(mode="json", include={"decoding", "chat_options", "thought_marks", "prompts"}),
    }
    digest = hashlib.sha256(json.dumps(how, sort_keys=True).encode()).hexdigest()[:8]
    # A signature is parted by |, and its locales by +.
    name = re.sub(r"[|\s]+", "-", used.model.id.rstrip("/").rpartition("/")[2])
    own = shared_families(model_names(used.model), model_names(run.description.model))
    return {JUDGE: f"{name}#{digest}", **({"own-family": "+".join(own)} if own else {})}
