"""Runs on Ray: what a run has no answer to yet is asked by the workers of a cluster, shard by shard."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from blend.eval.models.protocols import Generator, OpenedModel
from blend.eval.models.vllm_model import VllmModel
from blend.eval.ray_vllm import on_gpu, shards_asked_of_vllm
from blend.eval.ray_workers import n_workers, shards_asked
from blend.eval.runs.answer_counts import count_answers
from blend.eval.runs.answer_files import close_journal
from blend.eval.runs.ask_model import outcome_of, with_budget
from blend.eval.runs.asked_shards import OnStatus, Standing, ask_shards
from blend.eval.runs.pending_shards import ShardOutcome, pending_shards
from blend.eval.runs.run_directory import Run, RunOutcome
from blend.eval.runs.shards import ItemShard, ShardStore, settle_store
from blend.eval.runs.usage import Price, Spending, timed
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import ArgumentError

SHARD_ITEMS = 1000
"""Items of a shard, where the user does not say."""


@dataclass(frozen=True)
class RayMode:
    """Which cluster is asked, and where it keeps answers."""

    address: str
    """``auto``, or ``host:port``."""
    out: str | None = None
    """Folder or object store of the shards; the run's own folder when absent."""
    items: int = SHARD_ITEMS
    """Items of a shard."""

    @property
    def named(self) -> dict[str, object]:
        """The parameter that chose it, as a user gave it."""
        return {"ray": self.address}


def ray_mode(ray: str | None, ray_out: str | None, ray_items: int | None) -> RayMode | None:
    """The way that the parameters of `evaluation.run_task` choose; null where no cluster is asked.

    Raises:
        ArgumentError: If one of them needs ``ray``.
    """
    if ray is not None:
        return RayMode(ray, ray_out, SHARD_ITEMS if ray_items is None else ray_items)
    for name, value in (("ray_out", ray_out), ("ray_items", ray_items)):
        if value is not None:
            raise ArgumentError(f"`{name}={value}` makes sense only with `ray`; leave it out")
    return None


def opened_on_gpu(open_model: Callable[[], OpenedModel]) -> OpenedModel:
    """Open a model of vLLM on a node that could compute it, and bring it here without its weights.

    Raises:
        ServerError: If the cluster has no GPU.
    """
    return on_gpu(partial(_described, open_model))


def _described(open_model: Callable[[], OpenedModel]) -> OpenedModel:
    model = open_model()
    assert isinstance(model, VllmModel)
    return model.described_here()


def run_on_ray(
    run: Run,
    model: Generator,
    mode: RayMode,
    *,
    price: Price | None,
    budget: float | None,
    on_progress: ProgressCallback,
    on_status: OnStatus | None = None,
) -> RunOutcome:
    """Ask what a run has no answer to yet on the cluster that this process is connected to.

    Args:
        run: A run of written answers that this process has opened.
        model: Who writes; every worker gets a copy.
        mode: Which cluster, and where shards lie.
        price: Price of its tokens.
        budget: Cost of the run at that price from which on no shard is begun; none when absent.
        on_progress: Hears how many items of all are answered.
        on_status: Hears now and then how fast, for how much and how much longer; nobody when absent.

    Raises:
        BlendError: If the cluster or the model cannot be asked. What was answered until then is kept.
    """
    store = settle_store(run.answers_folder, mode.out)
    store.recover()
    close_journal(run.answers_folder)
    counts = count_answers(run.answers_folder)
    standing = Standing(run.description.n_items, counts.n_answers - counts.n_failed, price, on_progress)
    spending = None if price is None or budget is None else Spending(run.answers_folder, price, budget)
    with timed(run):
        ask = partial(asked_on_ray, model, store)
        ask_shards(ask, pending_shards(run, mode.items), standing, spending, on_status)
    counts = count_answers(run.answers_folder)
    stands = outcome_of(run.description.n_items, counts, n_asked=standing.n_asked)
    return stands if spending is None else with_budget(spending, stands)


def asked_on_ray(model: Generator, store: ShardStore, shards: Iterator[ItemShard]) -> Iterator[ShardOutcome]:
    """Ask a model on the cluster that this process is connected to; yields what came of each shard."""
    with store.signed() as seen:
        if isinstance(model, VllmModel):
            yield from shards_asked_of_vllm(model, seen, shards)
        else:
            yield from shards_asked(model, seen, shards, n_workers)
