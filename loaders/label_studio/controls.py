"""Controls: which annotations a labelling configuration can show, so that no change of it orphans any."""

from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError, fromstring

_OPTIONS = {"Choice", "Label", "Bucket"}


class Control(NamedTuple):
    """Something that an annotation may refer to."""

    tag: str
    name: str
    to: str
    option: str | None
    """Option of it; null for the control itself."""


def controls(config: str) -> frozenset[Control]:
    """The controls of a configuration, and the options of each.

    Raises:
        ParseError: If it is not XML.
    """
    # It refuses what is not a labelling configuration.
    return frozenset(_controls(fromstring(config)))  # noqa: S314 - ours, or what the server has taken


def lost(old: str, new: str) -> list[str]:
    """List what annotations made with one configuration may refer to and another one lacks.

    As messages name it.
    """
    try:
        before = controls(old)
    except ParseError:
        return ["all of it: what is there is not XML"]
    missing = sorted(before - controls(new), key=lambda control: (control.name, control.option or ""))
    gone = {control.name for control in missing if control.option is None}
    return [
        f"{control.tag} {control.name!r}"
        if control.option is None
        else f"{control.option!r} of {control.name!r}"
        for control in missing
        if control.option is None or control.name not in gone
    ]


def _controls(root: Element) -> Iterator[Control]:
    for element in root.iter():
        name, to = element.get("name"), element.get("toName")
        if name is None or to is None:
            continue
        yield Control(element.tag, name, to, None)
        for inner in element.iter():
            if inner.tag in _OPTIONS:
                yield Control(
                    element.tag, name, to, inner.get("alias") or inner.get("value") or inner.get("name")
                )
