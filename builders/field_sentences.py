"""Field sentences: what row models say of themselves and their fields, for people who never see the models."""

from pydantic import BaseModel


def first_sentence(model: type[BaseModel]) -> str:
    """The first line of a model's docstring."""
    return (model.__doc__ or "").strip().splitlines()[0]


def markdown(text: str) -> str:
    """A docstring as one line of Markdown: its double backticks become single ones."""
    return _line(text).replace("``", "`")


def plain(text: str) -> str:
    """A docstring as one line of plain text: what stood in backticks stands in quotation marks."""
    return _line(text).replace("``", '"')


def _line(text: str) -> str:
    return " ".join(text.split())
