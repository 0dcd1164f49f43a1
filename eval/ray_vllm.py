"""vLLM on a Ray cluster: Ray Data streams the prompts of a run through an engine on every GPU.

The engines are those of `ray.data.llm`, which keep a GPU busy from one batch to the next. They are handed
tokens and give tokens back, so that prompts, thoughts and errors are those of `vllm_model`. A shard is a block
of the dataset, which a worker keeps when its answers are there: texts come to the driver only of a shard that
Ray has spread over blocks.

References:
    https://docs.ray.io/en/latest/data/working-with-llms.html
"""

import json
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import polars as pl

from blend.eval.models.protocols import Generation
from blend.eval.models.vllm_model import VllmModel
from blend.eval.runs.ask_model import generated
from blend.eval.runs.pending_shards import ShardOutcome, keep_shard
from blend.eval.runs.shards import ItemShard, ShardName, ShardStore
from blend.schemas.errors import ServerError

T = TypeVar("T")

BATCH = 256
"""Prompts that an engine is handed at a time; eight such batches overlap."""

_SHARD = "shard"
_SIZE = "shard_size"
_KEYS = ("position", "item_id", "locale", "prompt_id")


def on_gpu(function: Callable[[], T]) -> T:
    """Call a function where there is a GPU, such as one that finds out how a model would be computed.

    Raises:
        ServerError: If the cluster has none.
    """
    import ray

    n_engines()
    remote: Any = ray.remote  # its types know no options
    found: T = ray.get(remote(num_gpus=1)(_called).remote(function))
    return found


def _called(function: Callable[[], T]) -> T:
    return function()


def n_engines() -> int:
    """How many engines the cluster has room for, each on a GPU and a CPU.

    Raises:
        ServerError: If there is room for none.
    """
    import ray

    has = ray.cluster_resources()
    # Ray Data waits for ever where engines have taken the last CPU: prompts are made on others.
    room = min(int(has.get("GPU", 0)), int(has.get("CPU", 0)) - 1)
    if room < 1:
        raise ServerError(
            "the cluster has no GPU with two CPUs, which vLLM needs; add a node that has them, or ask "
            "a `server`"
        )
    return room


def shards_asked_of_vllm(
    model: VllmModel, store: ShardStore, shards: Iterator[ItemShard]
) -> Iterator[ShardOutcome]:
    """Ask engines on the cluster that this process is connected to.

    Args:
        model: The model; its folder is at the same path on every node.
        store: Where the answers are kept.
        shards: What to ask; all prompts go to the object store of the cluster at once.

    Yields:
        What came of each shard, when it is kept.
    """
    import ray

    held: list[Any] = [ray.put(_block(shard)) for shard in shards]
    if not held:
        return
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    asked = processor(model, n_engines())(ray.data.from_arrow_refs(held))
    kept = asked.map_batches(partial(kept_of_block, store), batch_size=None, batch_format="pyarrow")
    coming: dict[str, dict[str, dict[str, Any]]] = {}
    for row in kept.iter_rows():
        if not row["rest"]:
            yield ShardOutcome(row["n_items"], row["tokens_in"], row["tokens_out"])
            continue
        for item_id, answer in json.loads(row["rest"]).items():
            coming.setdefault(answer[_SHARD], {})[item_id] = answer
        if len(coming[answer[_SHARD]]) == answer[_SIZE]:
            yield _kept(store, coming.pop(answer[_SHARD]))


def _block(shard: ItemShard) -> Any:
    named = {_SHARD: pl.lit(shard.name.file), _SIZE: pl.lit(shard.items.height)}
    return shard.items.with_columns(**named).to_arrow()


def kept_of_block(store: ShardStore, block: Any) -> dict[str, list[Any]]:
    """Keep the shards whose answers are all in a block of the dataset, an Arrow table.

    Returns:
        A row for each shard that has some there: ``n_items``, ``tokens_in`` and ``tokens_out`` of one that was
        kept, and in ``rest`` the answers of one that was not, as JSON.
    """
    shards: dict[str, dict[str, dict[str, Any]]] = {}
    for row in block.to_pylist():
        shards.setdefault(row[_SHARD], {})[row["item_id"]] = row
    found: dict[str, list[Any]] = {"n_items": [], "tokens_in": [], "tokens_out": [], "rest": []}
    for rows in shards.values():
        is_whole = len(rows) == next(iter(rows.values()))[_SIZE]
        outcome = _kept(store, rows) if is_whole else ShardOutcome(0, 0, 0)
        for name in ("n_items", "tokens_in", "tokens_out"):
            found[name].append(getattr(outcome, name))
        found["rest"].append("" if is_whole else json.dumps(rows, default=str))
    return found


def processor(model: VllmModel, most: int) -> Any:
    """The processor of `ray.data.llm` for a model: a dataset of prompts goes in, one of answers comes out.

    Args:
        model: The model.
        most: Engines at most, each on a GPU of its own.
    """
    from ray.data.llm import build_processor, vLLMEngineProcessorConfig

    # We make tokens of prompts and texts of tokens; an item that fails is an error of its own.
    stages = ("chat_template_stage", "tokenize_stage", "detokenize_stage")
    config = vLLMEngineProcessorConfig(
        model_source=model.folder,
        engine_kwargs=model.engine_options,
        concurrency=(1, most),
        batch_size=BATCH,
        should_continue_on_error=True,
        log_engine_metrics=False,
        **dict.fromkeys(stages, False),
    )
    return build_processor(config, preprocess=partial(_asked, model), postprocess=partial(_answered, model))


def _asked(model: VllmModel, row: dict[str, Any]) -> dict[str, Any]:
    """What the engine reads of a row."""
    (request,) = model.requests([row["prompt"]], [row["sample"]])
    if request.problem is not None:
        # Every row goes through the engine; what cannot be asked takes a token of it.
        return {"tokenized_prompt": request.prompt[:1], "sampling_params": {"max_tokens": 1}}
    sampling = {name: value for name, value in request.sampling.items() if value is not None}
    return {"tokenized_prompt": request.prompt, "sampling_params": sampling}


def _answered(model: VllmModel, row: dict[str, Any]) -> dict[str, Any]:
    """The answer in a row that the engine has been through."""
    (request,) = model.requests([row["prompt"]], [row["sample"]])
    answer = (
        model.read(request, [int(token) for token in row["generated_tokens"]])
        if request.problem is None
        else Generation.failed(request.problem, tokens_in=len(request.prompt))
    )
    return {**{name: row[name] for name in (*_KEYS, _SHARD, _SIZE)}, **generated(answer)}


def _kept(store: ShardStore, rows: dict[str, dict[str, Any]]) -> ShardOutcome:
    in_order = sorted(rows.values(), key=lambda row: int(row["position"]))
    keys = pl.DataFrame([{key: row[key] for key in _KEYS} for row in in_order])
    answers = {item: _answer(row) for item, row in rows.items()}
    found = ShardName.of(in_order[0][_SHARD])
    assert found is not None
    return keep_shard(store, ItemShard(found, keys), answers)


def _answer(row: dict[str, Any]) -> dict[str, Any]:
    """The columns of an answer, of one that the engine failed at too."""
    key = {name: row[name] for name in _KEYS[1:]}
    if problem := row.get("__inference_error__"):
        return {**key, **generated(Generation.failed(f"vLLM failed: {problem}"))}
    return {**key, **{name: row[name] for name in generated(Generation("", None, None, "stop"))}}
