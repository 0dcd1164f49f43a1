"""Unread options: how likely a careful reading would refuse them, and what a build shows of them.

Logistic regressions on what the region asked about and the one that offers the option have answered, and on
what the package's model said of the same answer about other regions.
``benchmarks/option_risk.py`` fits them on what that model read of the 16 published regions. No third region's
answers have a say, so that a further one changes nothing between others.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple, Self

import polars as pl

from blend.builders.mcq.answers import template_formats
from blend.builders.mcq.keyness import answer_index
from blend.builders.mcq.options import Option, shown
from blend.builders.mcq.overlap import base_forms
from blend.builders.mcq.verdicts.reading import Reading
from blend.loaders.responses.shipped import shipped_exclusions, shipped_readings, shipped_risk
from blend.schemas.formats import AnswerFormat
from blend.schemas.frames import KEY
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import Grouping

RULES, READINGS = "rules", "readings"
"""Models of a refusal, without and with what was read about other regions."""

FEATURES = (
    "intercept",
    "asked_gave_on_topic",
    "asked_gave",
    "offering_gave",
    "asked_uses_words",
    "asked_agreement",
    "asked_answers",
    "offering_answers",
    "option_share",
    "shared_here",
    "shared_elsewhere",
    "option_words",
    "is_time",
    "is_integer",
)
"""Features of `RULES`; ``docs/mcq.md`` says what they are."""

READING_FEATURES = ("refused_elsewhere", "template_refusals")
"""Further ones of `READINGS`."""

_MOST_TEMPLATES = 20
"""From which on it no longer counts in how many templates' answers a region uses a word."""

Form = tuple[str, ...]
"""A text by its `base_forms`."""

Coefficients = Mapping[str, float]
"""By feature."""


class _Given(NamedTuple):
    """What a locale has answered."""

    by_template: dict[str, Counter[Form]]
    """By template and base forms, votes."""
    on_topic: Counter[tuple[str | None, Form]]
    """Templates of a topic with an answer."""
    templates: Counter[Form]
    """Templates with an answer."""
    word_templates: Counter[str]
    """Answers, one per template, with a word."""


class OptionRisk:
    """Risk of options about regions.

    Args:
        questions: `frame_columns.QUESTIONS`.
        annotations: `frame_columns.ANNOTATIONS`.
        shipped: Whether what the package's model refused about other regions counts.
        models: Coefficients by `RULES` and `READINGS`; those of the package when absent.
    """

    def __init__(
        self,
        questions: pl.DataFrame,
        annotations: pl.DataFrame,
        *,
        shipped: bool,
        models: Mapping[str, Coefficients] | None = None,
    ) -> None:
        self._models = shipped_risk() if models is None else models
        self._formats = template_formats(questions)
        self._topics: dict[str, str | None] = dict(
            questions.group_by("template_id").agg(pl.col("topic").min()).iter_rows()
        )
        self._given: dict[str, _Given] = defaultdict(lambda: _Given({}, Counter(), Counter(), Counter()))
        self._read_index(answer_index(annotations))
        self._shared: dict[tuple[str, str], tuple[int, int]] = {}
        self._readings = _Readings(annotations) if shipped else None

    def of(self, template_id: str, asked: str, option: Option) -> float:
        """Estimate the probability that an option is refused.

        Args:
            template_id: The template.
            asked: Tag of the locale asked about.
            option: The option.
        """
        values = self.features(template_id, asked, option.text, option.locale.tag)
        return self._probability(READINGS if len(values) > len(FEATURES) else RULES, values)

    def features(self, template_id: str, asked: str, text: str, origin: str) -> dict[str, float]:
        """Compute `FEATURES`, and `READING_FEATURES` where the option was read elsewhere.

        Args:
            template_id: The template.
            asked: Tag of the locale asked about.
            text: The option as shown.
            origin: Tag of the locale whose answer it is.
        """
        form, topic = base_forms(text), self._topics.get(template_id)
        here, there = self._given[asked], self._given[origin]
        ours, theirs = (one.by_template.get(template_id, Counter()) for one in (here, there))
        known = sum(min(here.word_templates[word], _MOST_TEMPLATES) for word in set(form))
        total, total_there = max(sum(ours.values()), 1), max(sum(theirs.values()), 1)
        shared = sum(n for one, n in theirs.items() if one in ours)
        shared_all, of_all = self._shared_by(asked, origin)
        answer_format = self._formats.get(template_id)
        values = (
            1.0,
            math.log1p(here.on_topic[topic, form]),
            math.log1p(here.templates[form]),
            math.log1p(there.templates[form]),
            math.log1p(known / max(len(set(form)), 1)),
            max(ours.values(), default=0) / total,
            math.log1p(len(ours)),
            math.log1p(len(theirs)),
            theirs[form] / total_there,
            shared / total_there,
            (shared_all - shared) / max(of_all - sum(theirs.values()), 1),
            math.log1p(len(text.split())),
            float(answer_format is AnswerFormat.TIME),
            float(answer_format is AnswerFormat.INTEGER),
        )
        found = dict(zip(FEATURES, values, strict=True))
        if self._readings is not None:
            read = self._readings.elsewhere(template_id, asked, text, origin)
            found |= zip(READING_FEATURES, read, strict=False)
        return found

    def _probability(self, model: str, values: Mapping[str, float]) -> float:
        coefficients = self._models[model]
        return 1 / (1 + math.exp(-sum(one * values[name] for name, one in coefficients.items())))

    def _read_index(self, index: pl.DataFrame) -> None:
        forms = {text: base_forms(shown(text)) for text in index["text"].unique()}
        for template_id, tag, text, votes in index.iter_rows():
            if form := forms[text]:
                answers = self._given[tag].by_template.setdefault(template_id, Counter())
                answers[form] = max(answers[form], votes)
        for given in self._given.values():
            for template_id, answers in given.by_template.items():
                topic = self._topics.get(template_id)
                given.on_topic.update((topic, form) for form in answers)
                given.templates.update(answers.keys())
                given.word_templates.update(word for form in answers for word in set(form))

    def _shared_by(self, asked: str, origin: str) -> tuple[int, int]:
        """Count a locale's votes for answers that another one gave to the same template, and all of them."""
        if (asked, origin) not in self._shared:
            here, there = self._given[asked].by_template, self._given[origin].by_template
            both = [(here[one], theirs) for one, theirs in there.items() if one in here]
            shared = sum(n for ours, theirs in both for form, n in theirs.items() if form in ours)
            self._shared[asked, origin] = shared, sum(sum(theirs.values()) for _, theirs in both)
        return self._shared[asked, origin]


_FEWEST_READ = 3
"""Regions about which an answer was read, from which on that says something about another one."""


class _Readings:
    """What the package's model read about other regions, whether these are built or not.

    Args:
        annotations: `frame_columns.ANNOTATIONS`.
    """

    def __init__(self, annotations: pl.DataFrame) -> None:
        upstream = annotations.filter(pl.col("grouping") == Grouping.UPSTREAM.value)
        self._published = frozenset(upstream.select(KEY).rows())

    def elsewhere(self, template_id: str, asked: str, text: str, origin: str) -> tuple[float, ...]:
        """Compute `READING_FEATURES`; empty where too few regions were read about with this option."""
        read = self._read.get(template_id, frozenset()) - {asked, origin}
        if (template_id, origin) not in self._published or len(read) < _FEWEST_READ:
            return ()
        refused = self._refused.get(template_id, {})
        of_option = len(refused.get(text, set()) & read)
        of_template = sum(len(tags & read) for tags in refused.values())
        return of_option / len(read), math.log((of_template + 1) / (len(read) + 1))

    @cached_property
    def _read(self) -> dict[str, frozenset[str]]:
        rows = shipped_readings().group_by("template_id").agg("locale").iter_rows()
        return {template_id: frozenset(tags) for template_id, tags in rows}

    @cached_property
    def _refused(self) -> dict[str, dict[str, set[str]]]:
        found: dict[str, dict[str, set[str]]] = {}
        for template_id, tag, option in shipped_exclusions().select(*KEY, "option").iter_rows():
            found.setdefault(template_id, {}).setdefault(shown(option), set()).add(tag)
        return found


class UnreadOptions:
    """Options that nobody has read, and which of them a build shows.

    Args:
        risk: How likely they are refused; null where the recipe sets no limit.
        reading: Who has read what.
        options: The recipe's; ``max_risk`` says how likely they may be.
    """

    def __init__(self, risk: OptionRisk | None, reading: Reading, options: McqOptions) -> None:
        self._risk, self._reading, self._unread = risk, reading, options.unread
        self._max_risk = 1.0 if options.max_risk is None else options.max_risk

    @classmethod
    def of(
        cls, questions: pl.DataFrame, annotations: pl.DataFrame, reading: Reading, options: McqOptions
    ) -> Self:
        """Estimate risks where the recipe sets a limit to them."""
        if options.max_risk is None:
            return cls(None, reading, options)
        return cls(OptionRisk(questions, annotations, shipped=options.judge.shipped), reading, options)

    def left_out_by(self, template_id: str, asked: str, option: Option) -> str | None:
        """Find the key of the recipe by which an option is left out about a locale.

        Null where it is shown, as what has been read is, at any risk.

        Args:
            template_id: The template.
            asked: Tag of the locale asked about.
            option: An option of another region.
        """
        if (self._risk is None and self._unread != "drop") or self._reading.has_read(
            template_id, asked, option
        ):
            return None
        if self._unread == "drop":
            return "mcq.unread"
        assert self._risk is not None
        return "mcq.max_risk" if self._risk.of(template_id, asked, option) > self._max_risk else None
