"""Datasets that give typed rows: those of ``datasets`` with ``as_models()``, also when filtered or sorted."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Generic, TypeVar, cast

from datasets import Dataset, IterableDataset
from pydantic import BaseModel

from blend.loaders.datasets.typed import as_models

RowT = TypeVar("RowT", bound=BaseModel)


def typed(rows: Any) -> Any:
    """The same dataset, as one that gives typed rows; anything else as it is."""
    # Changing the class of the object keeps everything that it holds: indices, format, files in the cache.
    for plain, with_models in ((Dataset, TypedDataset), (IterableDataset, TypedIterableDataset)):
        if type(rows) is plain:
            rows.__class__ = with_models
    return rows


def _keeping(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with a typed dataset as its result: many methods of ``datasets`` make a plain one."""

    @wraps(method)
    def kept(*args: Any, **options: Any) -> Any:
        return typed(method(*args, **options))

    return kept


class TypedDataset(Dataset, Generic[RowT]):  # type: ignore[misc] # datasets has no types
    """A `datasets.Dataset` of a release; ``to_polars()`` and everything else of it works as always."""

    def as_models(self) -> Iterator[RowT]:
        """The rows as models; see `blend.loaders.as_models`.

        Raises:
            RowError: When a row is reached that was changed into something that its model refuses.
        """
        return cast("Iterator[RowT]", as_models(self))

    add_column = _keeping(Dataset.add_column)
    filter = _keeping(Dataset.filter)
    flatten_indices = _keeping(Dataset.flatten_indices)
    map = _keeping(Dataset.map)
    repeat = _keeping(Dataset.repeat)
    select = _keeping(Dataset.select)
    shard = _keeping(Dataset.shard)
    shuffle = _keeping(Dataset.shuffle)
    skip = _keeping(Dataset.skip)
    sort = _keeping(Dataset.sort)
    take = _keeping(Dataset.take)
    to_iterable_dataset = _keeping(Dataset.to_iterable_dataset)


class TypedIterableDataset(IterableDataset, Generic[RowT]):  # type: ignore[misc] # datasets has no types
    """A `datasets.IterableDataset` of a release, which reads rows as they are asked for."""

    def as_models(self) -> Iterator[RowT]:
        """The rows as models; see `blend.loaders.as_models`.

        Raises:
            RowError: When a row is reached that was changed into something that its model refuses.
        """
        return cast("Iterator[RowT]", as_models(self))

    add_column = _keeping(IterableDataset.add_column)
    filter = _keeping(IterableDataset.filter)
    map = _keeping(IterableDataset.map)
    repeat = _keeping(IterableDataset.repeat)
    shard = _keeping(IterableDataset.shard)
    shuffle = _keeping(IterableDataset.shuffle)
    skip = _keeping(IterableDataset.skip)
    take = _keeping(IterableDataset.take)
    with_format = _keeping(IterableDataset.with_format)
