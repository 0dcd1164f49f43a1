"""Multiple-choice questions as the BLEnD paper's code makes them, step by step.

The procedure is the published one, with its peculiarities: a question is thrown away for all regions when one
region objects, text is compared by case and inside words, and every combination of three options becomes a
question. `builders.mcq.default` is the procedure to use; this one repeats published figures.

References:
    Myung et al. (2024), BLEnD, section 3 and Appendix, https://arxiv.org/abs/2406.09948, and its code,
    https://github.com/nlee0212/BLEnD.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
import polars as pl

from blend.builders.judges.bench import Bench, pair, settle
from blend.builders.judges.equivalence import Judge, Pair
from blend.builders.mcq.coded import CodedRows, Numbers, Shown, numbers_of
from blend.builders.mcq.paper_rules import Overlaps, anything, formats, objected, objections
from blend.builders.mcq.result import DROPPED, FILLERS_USED, OUTCOMES, McqBuild, summarise
from blend.schemas.frames import empty
from blend.schemas.locales import Locale, Registry
from blend.schemas.text import counted

MIN_VOTES = 2
"""Votes that an answer needs to be a distractor elsewhere."""
N_DISTRACTORS: Final = 3
"""Distractors of a question."""


def build_paper(
    questions: pl.DataFrame, annotations: pl.DataFrame, *, judges: Sequence[Judge], locales: Registry
) -> McqBuild:
    """Multiple-choice questions by the published procedure; see `builders.mcq.build_mcq` for the arguments.

    Two crashes of the published code are not repeated: a locale without any usable answer to a kept question
    yields nothing there and, having no options, makes the question short for all; and a question that is short
    is left out wherever it stands, also as the first.
    """
    bench = Bench(judges)
    present = sorted(
        {locales.get(tag) for tag in annotations["locale"].unique()}, key=lambda x: locales.rank(x.tag)
    )
    objecting = objections(annotations, locales)
    kept = annotations.join(objecting, on="template_id", how="anti")
    in_format = formats(questions, present)
    plans: list[PaperPlan] = []
    dropped: list[tuple[str, str, str, str]] = []
    for template_id, votes in _votes_by_template(kept):
        plan = _plan(template_id, votes, present, in_format.get(template_id, anything), bench)
        short = _shortage(plan)
        if short is None:
            plans.append(plan)
        dropped.extend(_losses(plan, short))
    losses = pl.concat([objected(annotations, objecting), pl.DataFrame(dropped, DROPPED, orient="row")])
    losses = losses.sort("template_id", "locale")
    tags = [locale.tag for locale in present]
    return McqBuild(
        plans=plans,
        questions=questions,
        locales=locales,
        dropped=losses,
        summary=summarise(plans, losses, tags),
        deciders=bench.deciders(),
        outcomes=empty(OUTCOMES),
        fillers=empty(FILLERS_USED),
    )


# Votes, answers and options of one template

Votes = dict[str, int]
"""First English variants of a locale's answers with their votes, in the order of the data."""


def _votes_by_template(annotations: pl.DataFrame) -> Iterator[tuple[str, dict[str, Votes]]]:
    """Template by template, the votes of every locale."""
    groups = (
        annotations.sort("template_id", "locale")
        .explode("annotations")
        .select(
            "template_id",
            "locale",
            text=pl.col("annotations").struct.field("en_answers").list.first(),
            count=pl.col("annotations").struct.field("count"),
        )
    )
    template_id: str | None = None
    votes: dict[str, Votes] = {}
    for template, locale, text, count in groups.iter_rows():
        if template != template_id:
            if template_id is not None:
                yield template_id, votes
            template_id, votes = template, {}
        own = votes.setdefault(locale, {})
        if text is not None:
            # Of two groups with the same first variant the published code keeps the last count.
            own[text] = count
    if template_id is not None:
        yield template_id, votes


@dataclass(frozen=True, slots=True)
class Part:
    """What one locale has in a template."""

    locale: Locale
    answers: tuple[str, ...]
    """Right answers: in format, with the most votes of all."""
    options: tuple[Shown, ...]
    """Distractors and their locales' tags, in the order of acceptance."""

    @property
    def n_mcqs(self) -> int:
        """Questions it yields: one per right answer and combination of three distractors."""
        return len(self.answers) * comb(len(self.options), N_DISTRACTORS)

    def shown(self) -> Iterator[Shown]:
        """All options of its questions, right and wrong."""
        yield from self.options
        yield from ((answer, self.locale.tag) for answer in self.answers)


@dataclass(frozen=True, slots=True)
class PaperPlan:
    """One template's questions; see `builders.mcq.result.TemplatePlan`."""

    template_id: str
    parts: tuple[Part, ...]
    """One per locale, in registry order."""
    names: Mapping[str, str]
    """Upstream name by tag: options with the same text would be ordered by it."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Questions by locale, for locales that have any."""
        return {part.locale.tag: part.n_mcqs for part in self.parts if part.n_mcqs}

    def rows(self) -> CodedRows:
        """All questions, numbered through the template."""
        shown = sorted({option for part in self.parts for option in part.shown()}, key=self._shown_order)
        rank = {option: i for i, option in enumerate(shown)}
        options = np.concatenate([_combined(part, rank) for part in self.parts])
        # Options are numbered in the order in which they are shown.
        ordered = np.sort(options, axis=1)
        answer = (ordered == options[:, -1:]).argmax(axis=1)
        ids = [f"{self.template_id}_{i}" for i in range(len(options))]
        asked = [(part.locale.tag, part.n_mcqs) for part in self.parts]
        return CodedRows(self.template_id, ids, asked, shown, ordered, answer)

    def _shown_order(self, option: Shown) -> Shown:
        text, tag = option
        return text, self.names[tag]


def _combined(part: Part, rank: Mapping[Shown, int]) -> Numbers:
    """The questions of a locale as numbers of three distractors and the right answer, shape ``(n_mcqs, 4)``.

    Right answer by right answer, with all combinations of distractors.
    """
    right = [[(answer, part.locale.tag)] for answer in part.answers]
    (distractors, *rights) = numbers_of([part.options, *right], rank)
    triples = distractors[_combinations(len(part.options))]
    return np.column_stack(
        [np.tile(triples, (len(rights), 1)), np.repeat(np.array(rights, np.int64), len(triples))]
    )


@cache
def _combinations(n: int) -> Numbers:
    """Combinations of ``n`` distractors in the order of `itertools.combinations`, shape ``(n_triples, 3)``."""
    return np.array(list(combinations(range(n), N_DISTRACTORS)), np.int64).reshape(-1, N_DISTRACTORS)


def _plan(
    template_id: str,
    votes: Mapping[str, Votes],
    present: Sequence[Locale],
    in_format: Callable[[str], bool],
    bench: Bench,
) -> PaperPlan:
    tags = [locale.tag for locale in present]
    usable = {tag: {text: n for text, n in votes.get(tag, {}).items() if in_format(text)} for tag in tags}
    candidates = [(tag, text, n) for tag in tags for text, n in usable[tag].items() if n >= MIN_VOTES]
    candidates.sort(key=lambda candidate: -candidate[2])
    overlaps = Overlaps({text for own in usable.values() for text in own})

    def choose(known: Mapping[Pair, bool]) -> dict[str, dict[str, str]]:
        overlaps.add(asked for asked, same in known.items() if same)
        return {tag: _options(tag, usable[tag], candidates, overlaps) for tag in tags}

    def relied_on(chosen: Mapping[str, Mapping[str, str]]) -> Iterator[Pair]:
        for tag, options in chosen.items():
            texts = list(options.values())
            for i, text in enumerate(texts):
                yield from (pair(text, other) for other in (*usable[tag], *texts[:i]))

    chosen, _ = settle(bench, choose, relied_on)
    parts = tuple(
        Part(
            locale, _right(votes.get(tag, {}), usable[tag]), tuple((text, o) for o, text in chosen[tag].items())
        )
        for tag, locale in zip(tags, present, strict=True)
    )
    return PaperPlan(template_id, parts, {locale.tag: locale.upstream for locale in present})


def _right(votes: Votes, usable: Votes) -> tuple[str, ...]:
    """The right answers: strings with the most votes of all that have the format."""
    top = max(votes.values(), default=0)
    return tuple(text for text, count in usable.items() if count == top)


def _options(
    tag: str, own: Votes, candidates: Iterable[tuple[str, str, int]], overlaps: Overlaps
) -> dict[str, str]:
    """Distractors of a locale, at most one per other locale, in the order of acceptance."""
    options: dict[str, str] = {}
    taken = overlaps.bits(own)
    for other, text, _ in candidates:
        if other != tag and other not in options and not overlaps.masks[text] & taken:
            options[other] = text
            taken |= overlaps.bits([text])
    return options


# Accounts


def _shortage(plan: PaperPlan) -> str | None:
    """Why a template yields nothing for any locale, if so."""
    fewest = min(plan.parts, key=lambda part: len(part.options))
    if len(fewest.options) >= N_DISTRACTORS:
        return None
    found = f"{counted(len(fewest.options), 'distractor')} for {fewest.locale.tag}"
    return f"{found}, {N_DISTRACTORS} are needed in every locale"


def _losses(plan: PaperPlan, short: str | None) -> Iterator[tuple[str, str, str, str]]:
    for part in plan.parts:
        if short is not None:
            yield plan.template_id, part.locale.tag, "short", short
        elif not part.answers:
            yield plan.template_id, part.locale.tag, "out-of-format", "no top answer has the question's format"
