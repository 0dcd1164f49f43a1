"""Typed rows: what was loaded from a release, row by row as its models."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from blend.schemas.arrow import published_names
from blend.schemas.configs import CONFIGS, model_of
from blend.schemas.errors import InputError, RowError

if TYPE_CHECKING:
    from datasets import Dataset, IterableDataset


def as_models(rows: "Dataset | IterableDataset", config: str | None = None) -> Iterator[BaseModel]:
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


def _model_of(rows: "Dataset | IterableDataset", config: str | None) -> type[BaseModel]:
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


def _checked(rows: "Dataset | IterableDataset", model: type[BaseModel]) -> Iterator[BaseModel]:
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
            first = error.errors()[0]
            column = ".".join(map(str, first["loc"])) or "row"
            raise RowError(
                f"{column} is not as {model.__name__} has it: {first['msg']}",
                where=where,
                fix="take typed rows before the rows are changed",
            ) from None
