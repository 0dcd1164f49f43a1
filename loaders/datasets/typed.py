"""Typed rows: what was loaded from a release, row by row as its models; datasets that give them."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Generic, TypeVar, cast

from datasets import Dataset, IterableDataset
from pydantic import BaseModel, ValidationError

from blend.schemas.arrow import published_names
from blend.schemas.configs import CONFIGS, model_of
from blend.schemas.errors import InputError, RowError
from blend.schemas.misfits import misfits

RowT = TypeVar("RowT", bound=BaseModel)


def as_models(rows: Dataset | IterableDataset, config: str | None = None) -> Iterator[BaseModel]:
    """The rows as models, one after the other; works on whatever `datasets.load_dataset` gives as well.

    Each row is checked against its model. Columns that the model does not know, such as those added by ``map``,
    are left out.

    Args:
        rows: Rows of a release, filtered, sorted, streamed or formatted in any way.
        config: Configuration that they are of; told from the rows when absent.

    Returns:
        Rows in the order of ``rows``; nothing is read before the first is asked for.

    Raises:
        UnknownNameError: If there is no such configuration.
        InputError: If it cannot be told which configuration the rows are of.
        RowError: When a row is reached that is not what its model says, or lacks a column of it.
    """
    return _checked(rows, _model_of(rows, config))


def _model_of(rows: Dataset | IterableDataset, config: str | None) -> type[BaseModel]:
    """The model of the configuration given, of the one loaded, or the only one whose columns are there."""
    if config is not None:
        return model_of(config)
    if rows.info.config_name in CONFIGS:
        return CONFIGS[rows.info.config_name]
    columns = set(rows.column_names or ())
    fitting = {model for model in CONFIGS.values() if columns.issuperset(published_names(model).values())}
    if len(fitting) == 1:
        return fitting.pop()
    raise InputError(
        f"rows with the columns {', '.join(sorted(columns)) or '(unknown)'}: they do not say of which "
        f"configuration they are; name it, as in as_models(rows, {next(iter(CONFIGS))!r})"
    )


def _checked(rows: Dataset | IterableDataset, model: type[BaseModel]) -> Iterator[BaseModel]:
    columns = tuple(published_names(model).values())
    # Arrays of numpy or torch would be no text and no lists.
    for number, row in enumerate(rows.with_format(None)):
        missing = [column for column in columns if column not in row]
        where = f"row {number}"
        if missing:
            raise RowError(
                f"no column {', '.join(missing)}",
                where=where,
                fix=f"keep all columns of {model.__name__}, and load a release that blend built",
            )
        try:
            yield model.model_validate({column: row[column] for column in columns})
        except ValidationError as error:
            first = next(misfits(error))
            raise RowError(
                f"{first.place or 'row'} is not as {model.__name__} has it: {first.message}",
                where=where,
                fix="take typed rows before the rows are changed",
            ) from None


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
