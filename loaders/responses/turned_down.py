"""Turned down: options that readers of BLEnD's 16 regions turned down, and right answers that are none.

Five annotators do not say everything: who eats cod likes crab as well. An answer that is right all the same is
not a distractor there. Whether two answers mean the same is for decisions (`loaders.responses.decisions`), what
people of a region turn down for files of one's own (`loaders.responses.exclusions`).
"""

import csv
import io
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

TURNED_DOWN_NAME = "turned_down.tsv"
"""Name of the file in the package: template, locale, question in English, option, kind, who, when, and why."""

Asked = tuple[str, str, str]
"""Template, locale, and the question in English: a template of the same name elsewhere asks something else."""


class TurnedDown(NamedTuple):
    """An option that a reader turned down."""

    option: str
    kind: str
    """``also-right``, ``silly``, or ``wrong`` for a right answer that is none: `schemas.frames.EXCLUSIONS`."""


@cache
def shipped_turned_down() -> Mapping[Asked, tuple[TurnedDown, ...]]:
    """What was turned down, by question, in the order of the file.

    The blend team read every option that may be shown about the 16 regions; no native checked them.
    """
    text = files("blend.loaders").joinpath("responses", TURNED_DOWN_NAME).read_text(encoding="utf-8")
    found: dict[Asked, list[TurnedDown]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(text), delimiter="\t"):
        asked = row["template_id"], row["locale"], row["question"]
        found[asked].append(TurnedDown(row["option"], row["kind"]))
    return MappingProxyType({asked: tuple(options) for asked, options in found.items()})
