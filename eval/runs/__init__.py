"""Runs: what was asked of whom, the answers, and going on where a run stopped; nothing of scoring rules."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from blend.eval.models.protocols import Decoding, ModelDescription
from blend.eval.runs.description import AskedRelease, RecordedAnswers, RunDescription
from blend.eval.runs.directory import Run, Shard, open_run
from blend.eval.tasks.asking import AskedOfRelease
from blend.eval.tasks.items import text_digest
from blend.version import __version__


@contextmanager
def opened(
    directory: Path,
    asked: AskedOfRelease,
    model: ModelDescription | RecordedAnswers,
    decoding: Decoding | None,
    *,
    shard: Shard | None = None,
) -> Iterator[Run]:
    """The directory of a run, for this process alone while the block runs; see `directory.open_run`.

    Args:
        directory: Where the run is kept.
        asked: What is asked.
        model: Who is asked.
        decoding: How texts are generated; null where none are.
        shard: Which of several machines that write to the run this is; one alone when absent.
    """
    description = RunDescription(
        sdk_version=__version__,
        release=AskedRelease.of(asked.manifest, asked.configs),
        task=asked.task,
        options=asked.options,
        kind=asked.asked.kind,
        n_items=asked.asked.items.height,
        prompts=_digests(asked.asked.prompts),
        model=model,
        decoding=decoding,
    )
    with open_run(directory, description, asked.asked, shard=shard) as run:
        yield run


def _digests(prompts: Mapping[str, str]) -> dict[str, str]:
    return {prompt_id: text_digest(text) for prompt_id, text in prompts.items()}
