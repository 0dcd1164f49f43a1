"""Unread options: how likely a careful reading would refuse them, and what a build shows of them.

Logistic regressions on what the region asked about and the one that offers the option have answered, and on
what the package's model said of the same answer about other regions.
``benchmarks/option_risk.py`` fits them on what that model read of the 16 published regions. No third region's
answers have a say, so that a further one changes nothing between others.
"""

import math
from collections import Counter, defaultdict

import polars as pl

from blend.builders.mcq.answers import LeftOutBy
from blend.builders.mcq.keyness import answer_index
from blend.builders.mcq.options import Option, base_forms, shown
from blend.builders.mcq.verdicts import Verdicts
from blend.loaders.responses.shipped import shipped_risk, shipped_verdicts
from blend.schemas.frames import KEY
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import Grouping
from blend.schemas.sheets import ALL_VERDICTS, READ

FEATURES = ("intercept", "asked_uses_words", "offering_gave", "option_words", "asked_answers")
"""What a refusal is estimated from: in how many answers the region asked about uses the words of the option, to
how many templates the offering region gave it, how many words it has, and how many answers the region asked
about gave to the template."""

REFUSED_ELSEWHERE = "refused_elsewhere"
"""A further one where the option was read about other regions: the share of them in which it was refused."""

_MOST_TEMPLATES = 20
"""From which on it no longer counts in how many templates' answers a region uses a word."""

_FEWEST_READ = 3
"""Regions about which an answer was read, from which on that says something about another one."""


class OptionRisk:
    """Risk of options about regions.

    Args:
        annotations: `frames.ANNOTATIONS`.
        shipped: Whether what the package's model refused about other regions counts.
    """

    def __init__(self, annotations: pl.DataFrame, *, shipped: bool) -> None:
        self._gave: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
        """By locale, templates with an answer, by its `base_forms`."""
        self._uses: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """By locale, answers with a word, one per template."""
        self._answers: Counter[tuple[str, str]] = Counter()
        """By template and locale."""
        index = answer_index(annotations).select(*KEY, "text").iter_rows()
        for template_id, tag, form in {(*key, base_forms(shown(text))) for *key, text in index}:
            if form:
                self._gave[tag][form] += 1
                self._uses[tag].update(set(form))
                self._answers[template_id, tag] += 1
        published = annotations.filter(pl.col("grouping") == Grouping.UPSTREAM.value)
        self._published = frozenset(published.select(KEY).rows() if shipped else ())
        self._read: defaultdict[str, set[str]] = defaultdict(set)
        """By template, the locales about which the model read it, whether these are built or not."""
        self._refused: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        """By template and option, the locales about which it was refused."""
        for template_id, tag, option, verdict in (
            shipped_verdicts().select(*KEY, "option", "verdict").iter_rows()
        ):
            if verdict == READ:
                self._read[template_id].add(tag)
            elif verdict in ALL_VERDICTS:
                self._refused[template_id, shown(option)].add(tag)

    def of(self, template_id: str, asked: str, option: Option) -> float:
        """Estimate the probability that an option is refused.

        Args:
            template_id: The template.
            asked: Tag of the locale asked about.
            option: The option.
        """
        values = self.features(template_id, asked, option.text, option.locale.tag)
        coefficients = shipped_risk()["readings" if REFUSED_ELSEWHERE in values else "rules"]
        return 1 / (1 + math.exp(-sum(one * values[name] for name, one in coefficients.items())))

    def features(self, template_id: str, asked: str, text: str, origin: str) -> dict[str, float]:
        """Compute `FEATURES`, and `REFUSED_ELSEWHERE` where the option was read about regions enough.

        Args:
            template_id: The template.
            asked: Tag of the locale asked about.
            text: The option as shown.
            origin: Tag of the locale whose answer it is.
        """
        form = base_forms(text)
        known = [min(self._uses[asked][word], _MOST_TEMPLATES) for word in set(form)]
        counts = (
            sum(known) / max(len(known), 1),
            self._gave[origin][form],
            len(text.split()),
            self._answers[template_id, asked],
        )
        found = dict(zip(FEATURES, (1.0, *map(math.log1p, counts)), strict=True))
        read = self._read[template_id] - {asked, origin}
        if (template_id, origin) in self._published and len(read) >= _FEWEST_READ:
            found[REFUSED_ELSEWHERE] = len(self._refused[template_id, text] & read) / len(read)
        return found


def unread_rule(annotations: pl.DataFrame, verdicts: Verdicts, options: McqOptions) -> LeftOutBy:
    """Make the rule by which options that nobody has read are left out; what has been read is shown.

    Args:
        annotations: `frames.ANNOTATIONS`.
        verdicts: Who has read what.
        options: The recipe's; ``unread`` may drop all of them, and ``max_risk`` those that are likely refused.
    """
    max_risk = options.max_risk
    if options.unread == "drop":
        return lambda *about: None if verdicts.has_read(*about) else "mcq.unread"
    if max_risk is None:
        return lambda *_: None
    risk = OptionRisk(annotations, shipped=options.judge.shipped)

    def left_out_by(template_id: str, asked: str, option: Option) -> str | None:
        if verdicts.has_read(template_id, asked, option) or risk.of(template_id, asked, option) <= max_risk:
            return None
        return "mcq.max_risk"

    return left_out_by
