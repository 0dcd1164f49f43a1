"""Unread options: how likely a careful reading would refuse them, and what a build shows of them.

Logistic regressions on what the region asked about and the one that offers the option have answered, and on
what the package's model said of the same answer about other regions.
``benchmarks/option_risk.py`` fits them on what that model read of the 16 published regions. No third region's
answers have a say, so that a further one changes nothing between others.
"""

import math
from collections import Counter, defaultdict
from typing import NamedTuple

import polars as pl

from blend.builders.mcq.answers import LeftOutBy, template_formats
from blend.builders.mcq.keyness import answer_index
from blend.builders.mcq.options import Option, base_forms, shown
from blend.builders.mcq.verdicts import Verdicts
from blend.loaders.responses.shipped import shipped_risk, shipped_verdicts
from blend.schemas.formats import AnswerFormat
from blend.schemas.frames import KEY
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import Grouping
from blend.schemas.sheets import ALL_VERDICTS, READ

RULES, READINGS = "rules", "readings"
"""Models of a refusal, without and with what was read about other regions."""

READING_FEATURES = ("refused_elsewhere", "template_refusals")
"""Features of `READINGS` that those of `RULES` lack; ``docs/mcq.md`` says what they are."""

_MOST_TEMPLATES = 20
"""From which on it no longer counts in how many templates' answers a region uses a word."""

Form = tuple[str, ...]
"""A text by its `base_forms`."""


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
        questions: `frames.QUESTIONS`.
        annotations: `frames.ANNOTATIONS`.
        shipped: Whether what the package's model refused about other regions counts.
    """

    def __init__(self, questions: pl.DataFrame, annotations: pl.DataFrame, *, shipped: bool) -> None:
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
        coefficients = shipped_risk()[READINGS if READING_FEATURES[0] in values else RULES]
        return 1 / (1 + math.exp(-sum(one * values[name] for name, one in coefficients.items())))

    def features(self, template_id: str, asked: str, text: str, origin: str) -> dict[str, float]:
        """Compute the features, `READING_FEATURES` only where the option was read elsewhere.

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
        found = {
            "intercept": 1.0,
            "asked_gave_on_topic": math.log1p(here.on_topic[topic, form]),
            "asked_gave": math.log1p(here.templates[form]),
            "offering_gave": math.log1p(there.templates[form]),
            "asked_uses_words": math.log1p(known / max(len(set(form)), 1)),
            "asked_agreement": max(ours.values(), default=0) / total,
            "asked_answers": math.log1p(len(ours)),
            "offering_answers": math.log1p(len(theirs)),
            "option_share": theirs[form] / total_there,
            "shared_here": shared / total_there,
            "shared_elsewhere": (shared_all - shared) / max(of_all - sum(theirs.values()), 1),
            "option_words": math.log1p(len(text.split())),
            "is_time": float(answer_format is AnswerFormat.TIME),
            "is_integer": float(answer_format is AnswerFormat.INTEGER),
        }
        if self._readings is not None:
            read = self._readings.elsewhere(template_id, asked, text, origin)
            found |= zip(READING_FEATURES, read, strict=False)
        return found

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
        annotations: `frames.ANNOTATIONS`.
    """

    def __init__(self, annotations: pl.DataFrame) -> None:
        upstream = annotations.filter(pl.col("grouping") == Grouping.UPSTREAM.value)
        self._published = frozenset(upstream.select(KEY).rows())
        self._read: defaultdict[str, set[str]] = defaultdict(set)
        """By template, the locales about which it was read."""
        self._refused: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        """By template and option, the locales about which it was refused."""
        for template_id, tag, option, verdict in (
            shipped_verdicts().select(*KEY, "option", "verdict").iter_rows()
        ):
            if verdict == READ:
                self._read[template_id].add(tag)
            elif verdict in ALL_VERDICTS:
                self._refused[template_id][shown(option)].add(tag)

    def elsewhere(self, template_id: str, asked: str, text: str, origin: str) -> tuple[float, ...]:
        """Compute `READING_FEATURES`; empty where too few regions were read about with this option."""
        read = self._read[template_id] - {asked, origin}
        if (template_id, origin) not in self._published or len(read) < _FEWEST_READ:
            return ()
        refused = self._refused[template_id]
        of_template = sum(len(tags & read) for tags in refused.values())
        return len(refused[text] & read) / len(read), math.log((of_template + 1) / (len(read) + 1))


def unread_rule(
    questions: pl.DataFrame, annotations: pl.DataFrame, verdicts: Verdicts, options: McqOptions
) -> LeftOutBy:
    """Make the rule by which options that nobody has read are left out; what has been read is shown.

    Args:
        questions: `frames.QUESTIONS`.
        annotations: `frames.ANNOTATIONS`.
        verdicts: Who has read what.
        options: The recipe's; ``unread`` may drop all of them, and ``max_risk`` those that are likely refused.
    """
    max_risk = options.max_risk
    if options.unread == "drop":
        return lambda *about: None if verdicts.has_read(*about) else "mcq.unread"
    if max_risk is None:
        return lambda *_: None
    risk = OptionRisk(questions, annotations, shipped=options.judge.shipped)

    def left_out_by(template_id: str, asked: str, option: Option) -> str | None:
        if verdicts.has_read(template_id, asked, option) or risk.of(template_id, asked, option) <= max_risk:
            return None
        return "mcq.max_risk"

    return left_out_by
