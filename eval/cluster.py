"""Clusters: requests in files, answered by a pipeline of datatrove on this machine, on Slurm or on Ray.

Scheduling, repeats, checkpoints and lost nodes are datatrove's business. Its documents are the requests, its
tasks their files, and what it writes is what ``batch_in`` reads.
"""

import dataclasses
import inspect
import json
import os
import subprocess
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any, Literal, NamedTuple
from uuid import uuid4

from blend.eval.models.server_requests import CHAT_COMPLETIONS, COMPLETIONS, VERSION
from blend.loaders.files.content import open_content
from blend.schemas.errors import ArgumentError, InputError, MissingExtraError, ServerError, UnknownNameError
from blend.schemas.language.text_comparison import pluralise

try:
    # What datatrove imports where it needs it: without aiofiles it saves nothing, and says so in its log alone.
    import aiofiles as _aiofiles  # noqa: F401
    import httpx as _httpx  # noqa: F401
    import openai
    from datatrove.executor import LocalPipelineExecutor, RayPipelineExecutor, SlurmPipelineExecutor
    from datatrove.pipeline.inference.run_inference import InferenceConfig, InferenceRunner
    from datatrove.pipeline.inference.servers import InferenceServer
    from datatrove.pipeline.inference.types import InferenceError
    from datatrove.pipeline.inference.types import ServerError as NobodyAnswersError
    from datatrove.pipeline.readers.jsonl import JsonlReader
    from datatrove.pipeline.writers.jsonl import JsonlWriter
except ImportError as error:
    raise MissingExtraError("asking on a cluster", extra="cluster") from error

ExecutorName = Literal["local", "slurm", "ray"]
"""Who schedules the tasks."""

CHUNK = 1000
"""Requests between two checkpoints that datatrove forgets; so many are written again after a kill."""

MOST_IN_A_ROW = 100
"""Requests that fail one after the other before a task ends: it is not the requests then."""

_EXECUTORS = {"local": LocalPipelineExecutor, "slurm": SlurmPipelineExecutor, "ray": RayPipelineExecutor}
_OF_THE_REQUEST = (400, 413, 422, 500)
"""Statuses that the same request would get again."""
_REFUSED = (301, 302, 307, 308, 401, 403, 404, 405)
"""Statuses that every request would get."""


class ClusterOutcome(NamedTuple):
    """How requests on a cluster stand."""

    n_requests: int
    """Requests."""
    n_answered: int
    """Requests with a result, which may be an error."""
    is_under_way: bool
    """Whether Slurm has not ended yet."""


def answer_requests(
    parts: Path, out: Path, *, server: str, executor: ExecutorName = "local", settings: Mapping[str, Any]
) -> ClusterOutcome:
    """Have requests answered; the same call goes on where it was stopped.

    Args:
        parts: Folder of files of requests (``*.jsonl``), as ``batch_out`` writes them, for one model; each is a
            task.
        out: Folder of the answers (in ``answers``), checkpoints and logs, which every node sees under this path.
        server: Address of an OpenAI-compatible server, or ``vllm`` for an engine that each task starts itself.
        executor: Who schedules the tasks.
        settings: Further arguments of datatrove's executor, such as ``partition`` of Slurm, and fields of its
            ``InferenceConfig``, such as ``tp``.

    Raises:
        InputError: If there are no requests.
        UnknownNameError: If there is no such setting; lists those there are.
        ArgumentError: If one cannot be.
        ServerError: If tasks have ended without all of their answers. What was answered is kept.
    """
    files = sorted(parts.glob("*.jsonl"))
    if not files:
        raise InputError(f"{parts}: holds no requests; write some with `batch_out` (*.jsonl)")
    out = out.absolute()
    chosen = _executor(
        executor, parts.absolute(), out, len(files), _config(files[0], server, settings), settings
    )
    reason = "" if executor == "slurm" and _is_queued(chosen.job_name) else _run(chosen)
    n_left = len(chosen.get_incomplete_ranks())
    is_under_way = executor == "slurm" and _is_queued(chosen.job_name)
    if n_left and not is_under_way:
        raise ServerError(
            f"{pluralise(n_left, 'task')} of {len(files)} ended without all answers ({reason or 'see its log'}; "
            f"{out / 'logs' / 'logs'}); what was answered is kept: mend that, and run the same again"
        )
    asked = {name for path in files for name in _ids(path, "custom_id")}
    found = {name for path in (out / "answers").glob("*.jsonl") for name in _ids(path, "id")}
    return ClusterOutcome(len(asked), len(asked & found), is_under_way)


def _config(first: Path, server: str, settings: Mapping[str, Any]) -> Any:
    with open_content(first) as file:
        request = json.loads(file.readline())
    if request["url"] not in (VERSION + CHAT_COMPLETIONS, VERSION + COMPLETIONS):
        raise InputError(f"{first}: the requests go to {request['url']}; write them anew with `batch_out`")
    ours = {name: value for name, value in settings.items() if name in _fields()}
    return InferenceConfig(
        server_type="vllm" if server == "vllm" else "endpoint",
        endpoint_url=server,
        model_name_or_path=request["body"]["model"],
        use_chat=request["url"].endswith(CHAT_COMPLETIONS),
        # datatrove has vLLM run whatever code a repository brings along.
        model_kwargs={"trust-remote-code": False},
        **ours,
    )


def _fields() -> set[str]:
    return {field.name for field in dataclasses.fields(InferenceConfig)}


def _executor(
    name: ExecutorName, parts: Path, out: Path, n_tasks: int, config: Any, settings: Mapping[str, Any]
) -> Any:
    kind = _EXECUTORS[name]
    theirs = {name: value for name, value in settings.items() if name not in _fields()}
    known = {*inspect.signature(kind).parameters, *_fields()}
    for unknown in theirs.keys() - known:
        raise UnknownNameError("setting", unknown, known)
    runner = _Runner(
        _Ask(),
        config,
        _Writer(str(out / "answers"), "${rank}-${chunk_index}.jsonl", compression=None),
        checkpoints_local_dir=str(out / "checkpoints"),
        records_per_chunk=CHUNK,
    )
    # Its cache of replies writes to disk for every one, in a row, and checkpoints hold the same.
    runner.request_cache.enabled = False
    reader = JsonlReader(str(parts), adapter=_document, compression=None, add_file_path=False)
    # A pool of processes waits forever for one that is killed; here one task is answered after the other.
    usual = {"local": {"workers": 1}, "slurm": {"job_name": f"blend-{_digest(out)}"}, "ray": {}}[name]
    try:
        return kind([reader, runner], tasks=n_tasks, logging_dir=str(out / "logs"), **{**usual, **theirs})
    except TypeError as error:
        raise ArgumentError(f"`settings`: {str(error).partition(' ')[2]}; give it") from error


def _digest(out: Path) -> str:
    return sha256(str(out).encode()).hexdigest()[:12]


def _run(executor: Any) -> str:
    """Run tasks that have not ended; returns why one of them could not, as far as anybody says."""
    if isinstance(executor, RayPipelineExecutor):
        import ray

        ray.init(os.environ.get("RAY_ADDRESS", "auto"), ignore_reinit_error=True)
    try:
        executor.run()
    except Exception as error:  # each step and executor has its own
        return " ".join(str(error).split())[:300] or type(error).__name__
    return ""


def _is_queued(job_name: str) -> bool:
    """Whether Slurm has a job of this name that has not ended."""
    try:
        queued = subprocess.run(["squeue", "--noheader", f"--name={job_name}"], capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise InputError(f"Slurm cannot be asked here ({error}); run this where `sbatch` works") from error
    return bool(queued.stdout.strip())


def _ids(path: Path, key: str) -> set[str]:
    """Ids in the whole lines of a file; a kill leaves half of one."""
    with open_content(path) as file:
        return {json.loads(line)[key] for line in file if line.endswith(b"}\n")}


def _document(_: Any, request: dict[str, Any], __: str, ___: int) -> dict[str, Any]:
    return {"text": request["url"], "id": request["custom_id"], "metadata": {"request": request["body"]}}


class _Ask:
    """Asks one request; an error is its result, unless nobody gets anything else."""

    def __init__(self) -> None:
        self._in_a_row = 0

    async def __call__(self, document: Any, generate: Callable[[Any], Awaitable[Any]]) -> Any:
        try:
            # Taken out, so that no answer is written with its request.
            answer = await generate(document.metadata.pop("request"))
        except InferenceError as error:
            self._in_a_row += 1
            if self._in_a_row > MOST_IN_A_ROW:
                raise
            return {"error": _reason(str(error.error))}
        self._in_a_row = 0
        return answer


def _reason(error: str) -> Any:
    """The body of an error in its text, by which a content filter is known."""
    try:
        return json.JSONDecoder().raw_decode(error, error.index("{"))[0]
    except ValueError:
        return {"message": error}


class _Runner(InferenceRunner):  # type: ignore[misc]
    def _init_server(self, rank: int) -> Any:
        if self.config.server_type == "endpoint":
            return _Endpoint(self.config, rank)
        return super()._init_server(rank)


class _Writer(JsonlWriter):  # type: ignore[misc]
    """Writes to files of this process: one that was thought dead may still write to its own."""

    def __enter__(self) -> Any:
        self.output_filename = Template(f"${{rank}}-${{chunk_index}}-{uuid4().hex[:8]}.jsonl")
        return super().__enter__()

    def _write(self, document: dict[str, Any], file_handler: Any, filename: str) -> None:
        super()._write(document, file_handler, filename)
        # datatrove removes the last checkpoint before it closes the file.
        file_handler.flush()


class _Endpoint(InferenceServer):  # type: ignore[misc]
    """A server that runs already. datatrove's own leaves out fields that OpenAI does not know, and thoughts."""

    async def start_server(self) -> None:
        self._client = openai.AsyncOpenAI(
            base_url=self.config.endpoint_url,
            api_key=os.environ.get("OPENAI_API_KEY") or "none",
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
        )

    async def monitor_health(self) -> None:
        import asyncio

        await asyncio.Event().wait()

    async def is_ready(self) -> bool:
        return True

    async def _make_request(self, payload: dict[str, Any]) -> Any:
        path = CHAT_COMPLETIONS if self.config.use_chat else COMPLETIONS
        try:
            reply: Any = await self._client.post(path, cast_to=object, body=payload)
            # The one field that comes through is where the name of who answered stands.
            reply["usage"] = {**(reply.get("usage") or {}), "model": reply.get("model")}
            reply["choices"][0].setdefault("finish_reason", None)
        except openai.APIStatusError as error:
            said = f"HTTP {error.status_code}: {json.dumps(error.body)}"
            if error.status_code in _OF_THE_REQUEST:
                raise InferenceError(None, said) from error
            raise (NobodyAnswersError if error.status_code in _REFUSED else ConnectionError)(said) from error
        except (openai.APIConnectionError, ValueError, TypeError, LookupError, AttributeError) as error:
            raise ConnectionError(f"the reply cannot be read ({error})") from error
        return reply
