"""Probing: candidates in the gap of a prompt about a dish, ranked by how likely a model finds them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from blend.eval.task import CandidateOptions, ScoringOptions
from blend.eval.task_protocol import part
from blend.eval.triples import TripleTask, TripleTaskOptions


@dataclass(frozen=True, kw_only=True)
class ProbingOptions(TripleTaskOptions, CandidateOptions):
    """Options of probing a model."""

    names: str | None = None
    """Language of the items' names in templates of the others; each template's own when absent."""
    candidates: Literal["language", "country"] = "language"
    """What is ranked: every part of the configuration in the language, or those of the item's country."""


@dataclass(frozen=True, kw_only=True)
class ProbingScoring(ScoringOptions):
    """Options of scoring: what ranks are measured with."""

    vectors: Mapping[str, Path] | None = None
    """Files of word vectors in fastText's text format by language; one without a language is for all."""


class Probing(TripleTask):
    """Whether a model knows what a dish is made of, and from whose kitchen."""

    name = "probing"
    title = "Probing"
    measure = "blend-probing"
    asks = "which ingredients belong to a dish, ranked among all candidates ([probing.md](probing.md))"
    reads = "a configuration of triples and its templates"
    options = ProbingOptions
    scoring = ProbingScoring
    compared_by = "mAP in %"
    figure = "mAP"
    figures = ("mAP", "P@1", "P@5")
    decided_by = "precision"
    predicted = "top"
    mark = (
        "Each mark is the mean average precision (mAP) of the dishes from a country: 100 where every "
        "ingredient stands before all other candidates."
    )

    settle = part("tasks.probing.probing_items:settle_probing")
    items = part("tasks.probing.probing_items:probing_items")
    score = part("tasks.probing.probing_scores:score_probing_run")
