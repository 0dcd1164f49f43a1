"""Clusters: requests in files, answered by a pipeline of datatrove on this machine, on Slurm or on Ray.

Scheduling, repeats, checkpoints and lost nodes are datatrove's business. Its documents are the requests, its
tasks their files, and what it writes is what ``batch_in`` reads.
"""

import dataclasses
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from string import Template
from typing import Any, Literal
from uuid import uuid4

from blend.eval.models import ChatOptions, ModelDescription
from blend.eval.models.server import CHAT_COMPLETIONS, COMPLETIONS, FATAL, RequestForm
from blend.eval.release_items import read_run
from blend.eval.runs.answer_logs import reason_of
from blend.eval.runs.ask_model import keep_results, pending_items, requests_of, write_requests
from blend.eval.runs.run_directory import Run, outcome_of
from blend.loaders.servers import REFUSED, server_address
from blend.schemas.errors import ArgumentError, InputError, MissingExtraError, ServerError
from blend.schemas.texts import pluralise

try:
    # What datatrove imports where it needs it: without aiofiles it saves nothing, and says so in its log alone.
    import aiofiles as _aiofiles  # noqa: F401 - imported by datatrove when it writes
    import httpx as _httpx  # noqa: F401 - imported by datatrove when it asks
    import openai
    from datatrove.executor import LocalPipelineExecutor, RayPipelineExecutor, SlurmPipelineExecutor
    from datatrove.pipeline.inference.run_inference import InferenceConfig, InferenceRunner
    from datatrove.pipeline.inference.servers.endpoint_server import EndpointServer
    from datatrove.pipeline.inference.types import InferenceError
    from datatrove.pipeline.inference.types import ServerError as NobodyAnswersError
    from datatrove.pipeline.readers.jsonl import JsonlReader
    from datatrove.pipeline.writers.jsonl import JsonlWriter
except ImportError as error:
    raise MissingExtraError("asking on a cluster", extra="cluster") from error

FOLDER = "cluster"
"""Folder in that of a run, where every node sees requests, answers, checkpoints and logs."""

_TASK_REQUESTS = 5000
"""Requests of a task, where the user does not say."""

_CHUNK = 1000
"""Requests between two checkpoints that datatrove forgets; so many are written again after a kill."""

_SECONDS = 600.0
"""How long a reply is waited for, where ``request_timeout`` does not say."""

_EXECUTORS: dict[str, tuple[Any, dict[str, Any]]] = {
    # A pool of processes waits forever for one that is killed; here one task follows the other.
    "local": (LocalPipelineExecutor, {"workers": 1}),
    "slurm": (
        SlurmPipelineExecutor,
        {"job_name": "blend", "env_command": f'export PATH="{Path(sys.executable).parent}:$PATH"'},
    ),
    "ray": (RayPipelineExecutor, {}),
}


def run_on_cluster(
    directory: Path,
    *,
    server: str,
    executor: Literal["local", "slurm", "ray"] = "local",
    task_requests: int = _TASK_REQUESTS,
    settings: Mapping[str, Any],
) -> Run | None:
    """Have what a run has no answer to answered on a cluster; the same call goes on where it was stopped.

    Args:
        directory: A run of written answers, begun with ``batch_out`` or a server, which every node sees under
            this path.
        server: Address of an OpenAI-compatible server, or ``vllm`` for an engine that each task starts itself.
        executor: Who schedules the tasks.
        task_requests: Requests of a task.
        settings: Further arguments of datatrove's executor, such as ``partition`` of Slurm, and fields of its
            ``InferenceConfig``, such as ``tp``.

    Returns:
        The run, with how it stands in its ``outcome``; null while Slurm has not ended. Where its jobs have
        died, delete ``cluster/logs/launch_script.slurm`` to submit them again.

    Raises:
        InputError: If the directory holds no run of written answers of a server.
        ArgumentError: If a setting cannot be.
        ServerError: If tasks have ended without all of their answers. What was answered is kept.
        BlendError: As of `ask_model.keep_results`.
    """
    folder, read = directory / FOLDER, directory / f"{FOLDER}.read"
    run, form = _asked_in_files(directory)
    # A second command would have the same requests answered.
    with run.answer_file(FOLDER):
        shutil.rmtree(read, ignore_errors=True)
        requests = folder / "requests"
        if not requests.exists():
            if pending_items(run).is_empty():
                return dataclasses.replace(run, outcome=outcome_of(run))
            requests.mkdir(parents=True)
            write_requests(requests / "requests.jsonl", requests_of(run, form), most=task_requests)
        submitted, reason = folder / "logs" / "launch_script.slurm", "see the logs"
        tasks = _tasks(form, folder.absolute(), server, executor, settings)
        # What was submitted before has not ended before Slurm has.
        if not submitted.exists():
            try:
                tasks.run()
            except Exception as error:  # each step and executor has its own
                submitted.unlink(missing_ok=True)
                reason = reason_of(getattr(error, "error", error))
        if n_left := len(tasks.get_incomplete_ranks()):
            if submitted.exists():
                return None
            raise ServerError(
                f"{pluralise(n_left, 'task')} of {tasks.world_size} ended without all answers ({reason}; "
                f"{folder / 'logs'}); what was answered is kept: mend that, and run the same again"
            )
        run, outcome = keep_results(run, (folder / "answers",))
        # At once: half of a folder would be taken for one that goes on.
        folder.rename(read)
        shutil.rmtree(read)
        return dataclasses.replace(run, outcome=outcome)


def _asked_in_files(directory: Path) -> tuple[Run, RequestForm]:
    """The run in a directory, and the form of its requests."""
    run = read_run(directory)
    asked, model = run.description, run.description.model
    if asked.decoding is None or not isinstance(model, ModelDescription) or model.backend != "server":
        raise InputError(
            f"{directory}: not a run of written answers of a server; begin one with a `server` or `batch_out`"
        )
    return run, RequestForm(model.id, model.chat, asked.decoding, asked.chat_options or ChatOptions())


def _tasks(form: RequestForm, folder: Path, server: str, executor: str, settings: Mapping[str, Any]) -> Any:
    """The executor of datatrove with all that it runs."""
    of_config = {field.name for field in dataclasses.fields(InferenceConfig)} & {*settings}
    kind, usual = _EXECUTORS[executor]
    try:
        config = InferenceConfig(
            server_type="vllm" if server == "vllm" else "endpoint",
            endpoint_url=server if server == "vllm" else server_address(server, where="`server`"),
            model_name_or_path=form.model,
            # The key is read where somebody asks, and stands in no file.
            api_key="none",
            use_chat=form.chat,
            # datatrove has vLLM run whatever code a repository brings along.
            model_kwargs={"trust-remote-code": False},
            **{name: settings[name] for name in of_config},
        )
        runner = _Runner(
            _ask,
            config,
            _Writer(str(folder / "answers"), "${rank}-${chunk_index}.jsonl", compression=None),
            checkpoints_local_dir=str(folder / "checkpoints"),
            records_per_chunk=_CHUNK,
        )
        # Its cache of replies writes to disk for every one, in a row, and checkpoints hold the same.
        runner.request_cache.enabled = False
        requests = folder / "requests"
        reader = JsonlReader(str(requests), adapter=_document, compression=None, add_file_path=False)
        theirs = {name: value for name, value in settings.items() if name not in of_config}
        n_tasks = len([*requests.glob("*.jsonl")])
        return kind([reader, runner], tasks=n_tasks, logging_dir=str(folder / "logs"), **usual | theirs)
    except TypeError as error:
        raise ArgumentError(f"`settings`: datatrove says {' '.join(str(error).split())}; correct it") from error


def _document(_: Any, request: dict[str, Any], __: str, ___: int) -> dict[str, Any]:
    return {"text": request["url"], "id": request["custom_id"], "metadata": {"request": request["body"]}}


async def _ask(document: Any, generate: Callable[[Any], Awaitable[Any]]) -> Any:
    """Ask one request; an error is its result."""
    try:
        # Taken out, so that no answer is written with its request.
        return await generate(document.metadata.pop("request"))
    except InferenceError as error:
        return {"error": error.error if isinstance(error.error, dict) else str(error.error)}


class _Runner(InferenceRunner):  # type: ignore[misc]  # datatrove has no types
    def _init_server(self, rank: int) -> Any:
        if self.config.server_type == "endpoint":
            return _Endpoint(self.config, rank)
        return super()._init_server(rank)


class _Writer(JsonlWriter):  # type: ignore[misc]  # as above
    """Writes to files of this process: one that was thought dead may still write to its own."""

    def __enter__(self) -> Any:
        self.output_filename = Template(f"${{rank}}-${{chunk_index}}-{uuid4().hex[:8]}.jsonl")
        return super().__enter__()

    def _write(self, document: dict[str, Any], file_handler: Any, filename: str) -> None:
        super()._write(document, file_handler, filename)
        # datatrove removes the last checkpoint before it closes the file.
        file_handler.flush()


class _Endpoint(EndpointServer):  # type: ignore[misc]  # as above
    """A server that runs already. datatrove's own leaves out fields that OpenAI does not know, and thoughts."""

    async def start_server(self) -> None:
        self.client = openai.AsyncOpenAI(
            base_url=self.config.endpoint_url,
            api_key=os.environ.get("OPENAI_API_KEY") or "none",
            timeout=self.config.request_timeout or _SECONDS,
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
        )

    async def is_ready(self) -> bool:
        return True

    async def _make_request(self, payload: dict[str, Any]) -> Any:
        path = CHAT_COMPLETIONS if self.config.use_chat else COMPLETIONS
        try:
            reply: Any = await self.client.post(path, cast_to=object, body=payload)
            # The one field that comes through is where the name of who answered stands.
            reply["usage"] = {**(reply.get("usage") or {}), "model": reply.get("model")}
            reply["choices"][0].setdefault("finish_reason", None)
        except openai.APIStatusError as error:
            if error.status_code in (*REFUSED, 500):
                # The body tells what a content filter held back.
                raise InferenceError(None, error.body or str(error)) from error
            raise (NobodyAnswersError if error.status_code in FATAL else ConnectionError)(error) from error
        except (openai.APIConnectionError, ValueError, TypeError, LookupError, AttributeError) as error:
            raise ConnectionError(f"the reply cannot be read ({error})") from error
        return reply
