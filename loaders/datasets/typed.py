"""Typed rows: what was loaded from a release, row by row as its models."""

from collections.abc import Iterator
from typing import TypeVar, overload

from datasets import Dataset, IterableDataset
from pydantic import BaseModel, ValidationError

from blend.schemas.base.arrow_types import published_names
from blend.schemas.base.field_errors import field_errors
from blend.schemas.errors import InputError, RowError
from blend.schemas.rows.configs import CONFIGS, model_of

RowT = TypeVar("RowT", bound=BaseModel)


@overload
def as_models(rows: Dataset | IterableDataset, config: type[RowT]) -> Iterator[RowT]: ...
@overload
def as_models(rows: Dataset | IterableDataset, config: str | None = None) -> Iterator[BaseModel]: ...
def as_models(
    rows: Dataset | IterableDataset, config: str | type[BaseModel] | None = None
) -> Iterator[BaseModel]:
    """Give the rows as models, one after the other; those of plain `datasets.load_dataset` as well.

    Each row is checked against its model. Columns that the model does not know, such as those added by ``map``,
    are left out.

    Args:
        rows: Rows of a release, filtered, sorted, streamed or formatted in any way.
        config: Configuration that they are of, or its model, which type checkers and editors then know the
            rows by; told from the rows when absent.

    Returns:
        Rows in the order of ``rows``; nothing is read before the first is asked for.

    Raises:
        UnknownNameError: If there is no such configuration.
        InputError: If it cannot be told which configuration the rows are of.
        RowError: When a row is reached that is not what its model says, or lacks a column of it.
    """
    return _checked(rows, _model_of(rows, config))


def _model_of(rows: Dataset | IterableDataset, config: str | type[BaseModel] | None) -> type[BaseModel]:
    """The model given, that of the configuration given or loaded, or the only one whose columns are there."""
    if config is not None:
        return model_of(config) if isinstance(config, str) else config
    if rows.info.config_name in CONFIGS:
        return CONFIGS[rows.info.config_name]
    columns = set(rows.column_names or ())
    matching = {model for model in CONFIGS.values() if columns.issuperset(published_names(model).values())}
    if len(matching) == 1:
        return matching.pop()
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
            first = next(field_errors(error))
            raise RowError(
                f"{first.location or 'row'} is not as {model.__name__} has it: {first.message}",
                where=where,
                fix="take typed rows before the rows are changed",
            ) from None
