"""Vega-Lite: the libraries that write and draw its charts, and what the specifications of all charts share."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from blend.schemas.errors import MissingExtraError

Spec = dict[str, Any]
"""A Vega-Lite specification as JSON has it."""

Rows = Sequence[Mapping[str, Any]]


def load_altair() -> Any:
    """The charting library.

    Raises:
        MissingExtraError: If it is not installed.
    """
    return _library("altair")


def chart_library() -> str:
    """The JavaScript that draws the charts, complete, for one script element.

    Raises:
        MissingExtraError: If it is not installed.
    """
    return str(_library("vl_convert").javascript_bundle())


def spec_of(chart: Any, description: str, *, height: int) -> Spec:
    """A chart as a specification that fits its place on the page, with what it shows in words."""
    alt = load_altair()
    sized = chart.properties(
        width="container",
        height=height,
        description=description,
        background="transparent",
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
    )
    spec: Spec = sized.to_dict()
    spec.pop("config", None)  # the page has one for light and one for dark
    return spec


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError("the report", extra="report") from None
