"""Asking, as ``blend eval run`` does it: a model or a file of answers, and no option without a meaning."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from blend.exit_codes import UsageError, check_known

if TYPE_CHECKING:
    from blend.cli.eval_options import Machine, Questions
    from blend.eval.models.protocols import Decoding
    from blend.eval.runs.directory import Shard
    from blend.eval.runs.running import Outcome
    from blend.eval.tasks.asking import AskedOfRelease


def given(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def chosen_task(name: str | None, config: str | None, questions: "Questions") -> str:
    """The task of this name, or the one that is meant where none is named."""
    from blend.eval.tasks import IN_LANGUAGES, TASKS

    task = name or ("multiple-choice" if config is None else "probe")
    check_known("task", task, TASKS)
    if questions.locales is not None and task in IN_LANGUAGES:
        asks = "probing asks in languages (--language) about countries (--country)"
        refuse({"locales": questions.locales[0]}, f"where regions are asked about, and {asks}")
    return task


def task_options(questions: "Questions", *, task: str, config: str | None, is_recorded: bool) -> dict[str, Any]:
    """What a task is told, but for regions and their number; what was not given is left out."""
    style = questions.style or ("json" if is_recorded and task == "multiple-choice" else None)
    return given(
        style=style,
        rotations=questions.rotations,
        prompts=_tuple(questions.prompts),
        languages=_tuple(questions.language),
        config=config,
        causal=questions.causal,
        max_masks=questions.max_masks,
        names=questions.names,
        countries=_tuple(questions.countries),
        samples=questions.samples,
        kinds=_tuple(questions.kinds),
        nationalities=_tuple(questions.nationalities),
        **_read_candidates(questions.candidates),
    )


def machine_options(machine: "Machine") -> dict[str, Any]:
    """Where a model computes, and with what; what was not given is left out."""
    return given(**{**vars(machine), "batch_size": _read_batch_size(machine.batch_size)})


def _tuple(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def _read_candidates(given_as: str | None) -> dict[str, Any]:
    """The options of a task that say which candidates are ranked."""
    if given_as is None:
        return {}
    if given_as in ("language", "country"):
        return {"candidates": given_as}
    from blend.eval.tasks.candidate_files import read_candidate_file

    read = read_candidate_file(Path(given_as))
    return {"candidates": read.digest, "candidate_texts": read.by_language}


def _read_batch_size(text: str) -> int | None:
    """The number of questions computed at a time; null for ``auto``."""
    if text == "auto":
        return None
    if not (text.isdecimal() and int(text) > 0):
        raise UsageError(f"--batch-size {text}: expected a number from 1 on, or 'auto'")
    return int(text)


def read_vector_files(given_as: Sequence[str] | None) -> dict[str, Path]:
    """Files of word vectors by language; without one, for all."""
    files: dict[str, Path] = {}
    for text in given_as or ():
        # A path can hold the sign as well; no tag of a language holds a slash or a dot.
        language, sign, path = text.partition("=")
        is_named = bool(sign) and not set("/.") & set(language)
        key = language if is_named else ""
        if key in files:
            what = f"for {key!r}" if key else "for all languages"
            raise UsageError(f"--vectors {text}: there are vectors {what} already; name one file")
        files[key] = Path(path if is_named else text)
    return files


def print_remarks(asked: "AskedOfRelease") -> None:
    """Say what a user should know about what is asked."""
    for remark in asked.asked.remarks:
        typer.echo(f"note: {remark}", err=True)


_WRITTEN = {
    "languages": "--language",
    "countries": "--country",
    "kinds": "--kind",
    "nationalities": "--nationality",
}
"""Options that a task knows by another name, since they can be repeated."""


def refuse(options: Mapping[str, Any], where: str) -> None:
    """Refuse options that would change nothing, by the first of them."""
    for name, value in options.items():
        first = value[0] if isinstance(value, tuple) else value
        option = f"{_WRITTEN.get(name, '--' + name.replace('_', '-'))} {first}"
        if isinstance(value, bool):
            option = f"--{name}" if value else f"--no-{name}"
        raise UsageError(f"{option} makes sense only {where}; leave one of the two out")


def ask_model_named(
    asked: "AskedOfRelease",
    model: str,
    out: Path,
    *,
    decoding: Mapping[str, Any],
    how: Mapping[str, Any],
    shard: "Shard | None" = None,
) -> "Outcome":
    """Ask a model what a run has no answer to yet."""
    if shard is not None and asked.asked.kind != "text":
        refuse({"shard": f"{shard.number}/{shard.of}"}, "where answers are written")
    if asked.asked.kind == "candidates":
        return _probe(asked, model, out, {**decoding, **how})
    from blend.eval.models import open_model
    from blend.eval.models.protocols import Decoding
    from blend.eval.runs import opened
    from blend.eval.runs.running import ask_model
    from blend.views.progress import shown_progress

    is_written = asked.asked.kind == "text"
    if not is_written:
        refuse(decoding, "where answers are written, and here the likeliest option is the answer")
    writes = Decoding(**decoding)
    _check_samples(asked, writes)
    used = open_model(model, asked_for=asked.asked.kind, decoding=writes, **how)
    with (
        opened(out, asked, used.describe(), writes if is_written else None, shard=shard) as run,
        shown_progress(unit="questions") as notify,
    ):
        return ask_model(run, used, notify=notify)


def _check_samples(asked: "AskedOfRelease", decoding: "Decoding") -> None:
    n_samples = asked.options.get("samples") or 1
    if n_samples > 1 and not decoding.temperature:
        raise UsageError(
            f"{n_samples} samples at temperature 0 are one text {n_samples} times; "
            "give a --temperature above 0, or --samples 1"
        )


def is_table_of_texts(path: Path, encoding: str | None) -> bool:
    """Whether a file holds texts by group and topic, and not answers to the items of a release."""
    from blend.eval.runs.texts import is_table_of_texts

    return is_table_of_texts(path, encoding=encoding)


def keep_texts(path: Path, model: str | None, out: Path, encoding: str | None) -> "Outcome":
    """Keep a table of texts as a run of its own."""
    from blend.eval.runs.texts import keep_texts

    return keep_texts(path, out, model=model, encoding=encoding)


def _probe(asked: "AskedOfRelease", model: str, out: Path, how: dict[str, Any]) -> "Outcome":
    """Ask a model for its scores of candidates."""
    from blend.eval.models.probing import open_prober
    from blend.eval.runs import opened
    from blend.eval.runs.probing import ask_prober
    from blend.views.progress import shown_progress

    fits = ("revision", "device", "dtype", "batch_size")
    refuse(
        {name: value for name, value in how.items() if name not in fits},
        "where a model writes or chooses, and probing reads the scores of candidates of a model on this "
        "machine",
    )
    options = asked.options
    prober = open_prober(model, causal=options["causal"], max_masks=options["max_masks"], **how)
    with opened(out, asked, prober.describe(), None) as run, shown_progress(unit="prompts") as notify:
        return ask_prober(run, prober, notify=notify)


def keep_answers(
    asked: "AskedOfRelease", answers: Path, model: str | None, out: Path, encoding: str | None
) -> "Outcome":
    """Keep the answers in a file as those of a run."""
    from blend.eval.runs import opened
    from blend.eval.runs.recorded import read_recorded
    from blend.eval.runs.running import keep_recorded

    if asked.asked.kind == "candidates":
        raise UsageError("--answers holds texts, and probing keeps scores of candidates; name a --model")
    recorded = read_recorded(answers, asked.asked, model=model, encoding=encoding)
    for remark in recorded.remarks:
        typer.echo(f"note: {answers.name}: {remark}", err=True)
    with opened(out, asked, recorded.description, None) as run:
        return keep_recorded(run, recorded)


def print_outcome(outcome: "Outcome", out: Path) -> None:
    """Say how the run stands, and how to go on."""
    from blend.schemas.text import agreeing

    kept = outcome.n_items - outcome.n_missing
    are, them = agreeing(kept, "is", "are"), agreeing(kept, "it", "them")
    typer.echo(f"{kept:,} of {outcome.n_items:,} items {are} answered in {out}. Score {them}:")
    typer.echo(f"  blend eval score {out}")
    for remark in outcome.remarks:
        typer.echo(f"note: {remark}", err=True)
    if outcome.first_error is not None:
        from blend.views.safe import shown

        typer.echo(
            f"note: {outcome.n_failed:,} failed (first: {shown(outcome.first_error)}); "
            "the same command asks them again",
            err=True,
        )
