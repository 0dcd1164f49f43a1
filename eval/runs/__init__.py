"""Runs: what was asked of whom, the answers, and going on where a run stopped; nothing of scoring rules."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from blend.eval.items import text_digest
from blend.eval.models.protocols import ChatOptions, Decoding, ModelDescription
from blend.eval.models.thoughts import Marks
from blend.eval.release_items import ReleaseItems
from blend.eval.runs.run_description import AskedRelease, RecordedAnswers, RunDescription
from blend.eval.runs.run_directory import Run, Shard, open_run
from blend.version import __version__


@contextmanager
def opened(
    directory: Path,
    asked: ReleaseItems,
    model: ModelDescription | RecordedAnswers,
    decoding: Decoding | None,
    *,
    chat_options: ChatOptions | None = None,
    thought_marks: tuple[Marks, ...] | None = None,
    shard: Shard | None = None,
) -> Iterator[Run]:
    """The directory of a run, for this process alone while the block runs; see `run_directory.open_run`.

    Args:
        directory: Where the run is kept.
        asked: What is asked.
        model: Who is asked.
        decoding: How texts are generated; null where none are.
        chat_options: What is said besides the prompts; null where nothing is.
        thought_marks: Pairs of marks around thoughts besides the usual ones; null where there are none.
        shard: Which of several machines that write to the run this is; one alone when absent.
    """
    release = asked.manifest
    if not isinstance(release, AskedRelease):
        release = AskedRelease.of(release, asked.configs, asked.location)
    description = RunDescription(
        sdk_version=__version__,
        release=release,
        task=asked.task,
        options=asked.options,
        kind=asked.asked.kind,
        n_items=asked.asked.n_items,
        prompts=_digests(asked.asked.prompts),
        model=model,
        decoding=decoding,
        chat_options=chat_options,
        thought_marks=thought_marks,
    )
    with open_run(directory, description, asked.asked, shard=shard) as run:
        yield run


def _digests(prompts: Mapping[str, str]) -> dict[str, str]:
    return {prompt_id: text_digest(text) for prompt_id, text in prompts.items()}
