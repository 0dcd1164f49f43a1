"""Also right: answers that nobody gave to a question and that a reader holds for right all the same.

They come with the package and concern BLEnD's 16 regions. Five annotators do not say everything: who eats cod
likes crab as well. Such an answer is not a distractor there; whether two answers mean the same is for decisions
(`loaders.responses.decisions`).
"""

import csv
import io
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

ALSO_RIGHT_NAME = "also_right.tsv"
"""Name of the file in the package: template, locale, question in English, answer, who says so, and when."""

Asked = tuple[str, str, str]
"""Template, locale, and the question in English: a template of the same name elsewhere asks something else."""


@cache
def shipped_also_right() -> Mapping[Asked, tuple[str, ...]]:
    """The answers by question, in the order of the file.

    The blend team read questions whose wording allows several answers; no native checked them.
    """
    text = files("blend.loaders").joinpath("responses", ALSO_RIGHT_NAME).read_text(encoding="utf-8")
    found: dict[Asked, list[str]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(text), delimiter="\t"):
        found[row["template_id"], row["locale"], row["question"]].append(row["answer"])
    return MappingProxyType({asked: tuple(answers) for asked, answers in found.items()})
