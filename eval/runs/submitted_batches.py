"""Batches on a server: submitted once, waited for, and fetched, by however many processes it takes.

``batches.json`` in the run directory names every batch; a process that is killed is followed by one that waits
for the same batches. Before a batch is created, the id of its file of requests is kept: by that the server is
asked whether a process that was killed right then had created it.
"""

import asyncio
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from blend.eval.models.server import ServerModel
from blend.eval.models.server_requests import VERSION, TextRequest
from blend.eval.runs.batch_files import write_requests
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.servers import ask_side_by_side
from blend.schemas.base.field_errors import first_reason
from blend.schemas.base.frozen_model import FrozenModel
from blend.schemas.errors import InputError, ServerError

if TYPE_CHECKING:
    import openai
    from openai.types import Batch

BATCHES_NAME = "batches.json"
BATCHES_FOLDER = "batches"

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
"""Seconds between two questions how far a batch is; they grow."""

_ENDED = ("completed", "failed", "expired", "cancelled")


class SubmittedBatch(FrozenModel):
    """Batch on a server."""

    file: str
    """Name of its file of requests, in the folder ``batches`` until it is read."""
    endpoint: str
    """Where its requests go, for example ``/v1/chat/completions``."""
    file_id: str | None = None
    """What the server calls the file; null before it has it."""
    batch_id: str | None = None
    """What the server calls the batch; null before it has it."""
    is_read: bool = False
    """Whether its results are in the answers, or it failed as a whole."""


class _Batches(FrozenModel):
    """The file of the batches of a run."""

    batches: tuple[SubmittedBatch, ...] = ()
    """Every batch, in the order in which they were submitted."""


class BatchLog:
    """The batches of a run, kept on disk at every step."""

    def __init__(self, directory: Path) -> None:
        """Read what was submitted.

        Raises:
            InputError: If the file is not one of batches.
        """
        self._path = directory / BATCHES_NAME
        self.folder = directory / BATCHES_FOLDER
        """Folder of requests and results that are under way."""
        try:
            kept = _Batches.model_validate_json(read_content(self._path)) if self._path.exists() else _Batches()
        except ValidationError as error:
            raise InputError(
                f"{self._path}: not the batches of a run ({first_reason(error)}); restore it from a copy, or "
                "delete it to submit again what has no answer"
            ) from error
        self.batches = list(kept.batches)
        """Every batch."""

    def under_way(self) -> list[int]:
        """Numbers of the batches that are not read yet."""
        return [number for number, batch in enumerate(self.batches) if not batch.is_read]

    def begin(self, requests: Iterable[tuple[str, TextRequest]], endpoint: str) -> None:
        """Write requests for new batches; what a killed process has written before it could say so goes."""
        self.folder.mkdir(exist_ok=True)
        self._clear()
        files = write_requests(self.folder / f"{secrets.token_hex(4)}.jsonl", requests)
        self.batches += [SubmittedBatch(file=path.name, endpoint=endpoint) for path in files]
        self._save()

    def end(self) -> None:
        """Keep that everything under way is read, and remove its files."""
        self.batches = [batch.model_copy(update={"is_read": True}) for batch in self.batches]
        self._save()
        self._clear()

    def _clear(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()

    def update(self, number: int, **changes: Any) -> None:
        """Keep what is now known of a batch."""
        self.batches[number] = self.batches[number].model_copy(update=changes)
        self._save()

    def _save(self) -> None:
        atomic_write(self._path, _Batches(batches=tuple(self.batches)).model_dump_json(indent=2) + "\n")


def fetch_batches(log: BatchLog, model: ServerModel, heard: Callable[[int], None]) -> list[Path]:
    """Submit the batches that are not submitted yet, wait for all of them, and fetch what came.

    Args:
        log: The batches.
        model: The model that is asked.
        heard: Hears how many requests of all batches under way are done.

    Returns:
        Files of results.

    Raises:
        ServerError: If the server cannot be asked, knows no batches, or refuses one; the next call goes on.
    """
    found: list[Path] = []
    done: dict[int, int] = {}

    async def carry(client: "openai.AsyncOpenAI", number: int) -> bool:
        def count(n_done: int) -> None:
            done[number] = n_done
            heard(sum(done.values()))

        batch = await _ended(client, await _submitted(client, log, number, model.server.where), count)
        for file_id in (batch.output_file_id, batch.error_file_id):
            if file_id is not None:
                path = log.folder / f"{log.batches[number].file}.{file_id}.results"
                atomic_write(path, (await client.files.content(file_id)).content)
                found.append(path)
        if batch.output_file_id is None and batch.error_file_id is None:
            log.update(number, is_read=True)
            raise ServerError(
                f"{model.server.where}: batch {batch.id} is {batch.status} without results ({_why(batch)}); "
                "mend that and run again: what it asked is submitted anew"
            )
        return True

    ask_side_by_side(model.server, log.under_way(), carry)
    return sorted(found)


async def _submitted(client: "openai.AsyncOpenAI", log: BatchLog, number: int, where: str) -> str:
    """The id of a batch, which is submitted unless it was."""
    from openai import NotFoundError

    batch = log.batches[number]
    if batch.batch_id is not None:
        return batch.batch_id
    try:
        if batch.file_id is not None:
            before = await _created_before(client, batch.file_id)
        else:
            file = await client.files.create(file=log.folder / batch.file, purpose="batch")
            log.update(number, file_id=file.id)
            before = None
        created = before or await _created(client, log.batches[number])
    except NotFoundError as error:
        raise ServerError(
            f"{where}: the server takes no batches ({VERSION}/files, {VERSION}/batches); write files with "
            "`batch_out`, or leave `batch` out to ask one by one"
        ) from error
    log.update(number, batch_id=created.id)
    return created.id


async def _created(client: "openai.AsyncOpenAI", batch: SubmittedBatch) -> "Batch":
    assert batch.file_id is not None
    endpoint: Any = batch.endpoint
    # Once: where the answer is lost, the next process looks whether the batch is there, and a second request
    # would pay for all of it again.
    once = client.with_options(max_retries=0)
    return await once.batches.create(completion_window="24h", endpoint=endpoint, input_file_id=batch.file_id)


async def _created_before(client: "openai.AsyncOpenAI", file_id: str) -> "Batch | None":
    """The batch that a process created and could not note before it was killed."""
    async for batch in client.batches.list(limit=100):
        if batch.input_file_id == file_id:
            return batch
    return None


async def _ended(client: "openai.AsyncOpenAI", batch_id: str, heard: Callable[[int], None]) -> "Batch":
    wait_s = FIRST_WAIT_S
    while True:
        batch = await client.batches.retrieve(batch_id)
        if batch.request_counts is not None:
            heard(batch.request_counts.completed + batch.request_counts.failed)
        if batch.status in _ENDED:
            return batch
        await asyncio.sleep(wait_s)
        wait_s = min(1.5 * wait_s, LONGEST_WAIT_S)


def _why(batch: "Batch") -> str:
    errors = batch.errors.data if batch.errors is not None else None
    return next((error.message for error in errors or () if error.message), "the server does not say why")
