"""Asking with everything in one breath, as the command line does: options find the object they belong to."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

import blend
from blend.eval.items import ITEMS, TaskItems
from blend.eval.models.chosen import Asking, Decoding, Local, Recorded, Server, writes_alone
from blend.eval.tasks import task_of

OnWarning = Callable[[str], Any] | None


@contextmanager
def heard(on_warning: OnWarning) -> Iterator[None]:
    """Hand on what the library warns of while the block runs; as it is where nobody hears."""
    if on_warning is None:
        yield
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", blend.BlendWarning)
        yield
    for one in caught:
        if issubclass(one.category, blend.BlendWarning):
            on_warning(str(one.message))


def ask(
    release: Path | str,
    task: str,
    out: Path,
    *,
    model: Any = None,
    on_warning: OnWarning = None,
    **options: Any,
) -> blend.Run:
    """`blend.run_task` with the fields of its objects, and ``answers``, beside its parameters."""
    decoding = _taken(options, Decoding.model_fields.keys())
    asking = _taken(options, Asking.model_fields.keys())
    server = options.pop("server", None)
    if "answers" in options:
        model = Recorded(path=options.pop("answers"), name=model)
    elif server is not None or asking.keys() & {"batch_out", "batch_in"}:
        model = Server(name=model, url=server, **_taken(options, Server.model_fields.keys()))
    elif isinstance(model, str | Path):
        model = Local(path=str(model), **_taken(options, Local.model_fields.keys()))
    elif writes_alone(model):
        # It would be so all the same, and said.
        options = {**task_of(task).of_texts, **options}
    with heard(on_warning):
        how = {"decoding": Decoding(**decoding), "asking": Asking(**asking)}
        return blend.run_task(release, task, model, out, **how, **options)


def recorded(
    release: Path | str,
    task: str,
    answers: pl.DataFrame,
    out: Path,
    *,
    model: str | None = None,
    **options: Any,
) -> blend.Run:
    """A run of answers that a file beside its folder holds; nobody hears what is warned of."""
    file = out.with_name("answers.parquet")
    answers.write_parquet(file)
    return ask(release, task, out, answers=file, model=model, on_warning=lambda _: None, **options)


def score(run: Any, *, on_warning: OnWarning = None, **options: Any) -> blend.ScoredRun:
    """`blend.score_run`, whose warnings somebody hears."""
    with heard(on_warning):
        return blend.score_run(run, **options)


def _taken(options: dict[str, Any], names: Any) -> dict[str, Any]:
    return {name: options.pop(name) for name in list(options) if name in names}


def texts_asked(*names: tuple[str, str, str], skipped: tuple[str, ...] = ()) -> TaskItems:
    """Items to be answered in words, by ``(item_id, locale, template_id)``."""
    rows = [
        {"item_id": item_id, "locale": locale, "region": locale[-2:], "template_id": template_id}
        | {"topic": "Food", "prompt_id": "p", "language": "en", "prompt": "?", "options": None}
        for item_id, locale, template_id in names
    ]
    left_out = pl.DataFrame({"item_id": skipped, "locale": ["ko-KR"] * len(skipped), "template_id": skipped})
    return TaskItems(pl.DataFrame(rows, ITEMS), pl.DataFrame(), {}, "text", left_out)
