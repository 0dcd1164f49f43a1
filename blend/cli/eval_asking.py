"""Asking, as ``blend eval run`` does it: a model or a file of answers, and no option without a meaning."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from blend.exit_codes import UsageError

if TYPE_CHECKING:
    from blend.eval.runs.running import Outcome
    from blend.eval.tasks.asking import AskedOfRelease


def given(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def read_batch_size(text: str) -> int | None:
    """The number of questions computed at a time; null for ``auto``."""
    if text == "auto":
        return None
    if not (text.isdecimal() and int(text) > 0):
        raise UsageError(f"--batch-size {text}: expected a number from 1 on, or 'auto'")
    return int(text)


def refuse(options: Mapping[str, Any], where: str) -> None:
    """Refuse options that would change nothing, by the first of them."""
    for name, value in options.items():
        option = f"--{name.replace('_', '-')} {value}"
        if isinstance(value, bool):
            option = f"--{name}" if value else f"--no-{name}"
        raise UsageError(f"{option} makes sense only {where}; leave one of the two out")


def ask_model_named(
    asked: "AskedOfRelease", model: str, out: Path, *, decoding: Mapping[str, Any], how: Mapping[str, Any]
) -> "Outcome":
    """Ask a model what a run has no answer to yet."""
    from blend.eval.models import open_model
    from blend.eval.models.protocols import Decoding
    from blend.eval.runs import opened
    from blend.eval.runs.running import ask_model
    from blend.views.progress import shown_progress

    is_written = asked.asked.kind == "text"
    if not is_written:
        refuse(decoding, "where answers are written, and here the likeliest option is the answer")
    writes = Decoding(**decoding)
    used = open_model(model, asked_for=asked.asked.kind, decoding=writes, **how)
    with (
        opened(out, asked, used.describe(), writes if is_written else None) as run,
        shown_progress(unit="questions") as notify,
    ):
        return ask_model(run, used, notify=notify)


def keep_answers(asked: "AskedOfRelease", answers: Path, model: str | None, out: Path) -> "Outcome":
    """Keep the answers in a file as those of a run."""
    from blend.eval.runs import opened
    from blend.eval.runs.recorded import read_recorded
    from blend.eval.runs.running import keep_recorded

    recorded = read_recorded(answers, asked.asked, model=model)
    for remark in recorded.remarks:
        typer.echo(f"note: {answers.name}: {remark}", err=True)
    with opened(out, asked, recorded.description, None) as run:
        return keep_recorded(run, recorded)


def print_outcome(outcome: "Outcome", out: Path) -> None:
    """Say how the run stands, and how to go on."""
    kept = outcome.n_items - outcome.n_missing
    typer.echo(f"{kept:,} of {outcome.n_items:,} items are answered in {out}. Score them:")
    typer.echo(f"  blend eval score {out}")
    if outcome.first_error is not None:
        from blend.views.safe import shown

        typer.echo(
            f"note: {outcome.n_failed:,} failed (first: {shown(outcome.first_error)}); "
            "the same command asks them again",
            err=True,
        )
