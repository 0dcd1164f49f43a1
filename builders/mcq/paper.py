"""Multiple-choice questions as the BLEnD paper's code makes them, step by step.

The procedure is the published one, with its peculiarities: a question is thrown away for all regions when one
region objects, text is compared by case and inside words, and every combination of three options becomes a
question. `builders.mcq` is the procedure to use; this one repeats published figures.

References:
    Myung et al. (2024), BLEnD, section 3 and Appendix, https://arxiv.org/abs/2406.09948, and its code,
    https://github.com/nlee0212/BLEnD.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import NamedTuple

import polars as pl

from blend.builders.judges import DECIDERS
from blend.builders.mcq.choice import N_DISTRACTORS
from blend.builders.mcq.options import LocaleText
from blend.builders.mcq.published_mcqs import McqRow, mcq_frame
from blend.builders.mcq.result import DROPPED, READING, McqBuild, summarise
from blend.builders.mcq.verdicts import FOUND
from blend.schemas.frames import KEY, empty
from blend.schemas.locales import Locale, Registry
from blend.schemas.texts import pluralise

_MIN_VOTES = 2
"""Votes that an answer needs to be a distractor elsewhere."""
_MAX_NON_ANSWERS = 2
"""Non-answers of all kinds from which on, exclusively, a region objects to a question."""
_MIN_TOP_VOTES = 2
"""Votes of the first answer below which a region objects to a question."""
_FORMAT_LOCALE = "en-GB"
"""Locale whose local question says which format the answers have, for all locales."""


def build_paper(questions: pl.DataFrame, annotations: pl.DataFrame, *, locales: Registry) -> McqBuild:
    """Make multiple-choice questions by the published procedure, with arguments as of `build_mcq`.

    Two crashes of the published code are not repeated: a locale without any usable answer to a kept question
    yields nothing there and, having no options, makes the question short for all; and a question that is short
    is left out wherever it stands, also as the first.
    """
    present = sorted(
        {locales.get(tag) for tag in annotations["locale"].unique()}, key=lambda x: locales.rank(x.tag)
    )
    objecting = _objections(annotations, locales)
    is_kept = ~pl.col("template_id").is_in(list(objecting))
    wordings = _wordings(questions, present)
    names = {locale.tag: locale.upstream for locale in present}
    rows: list[McqRow] = []
    dropped = [
        (template_id, tag, *objecting[template_id])
        for template_id, tag in annotations.filter(~is_kept).select("template_id", "locale").iter_rows()
    ]
    for template_id, votes in _votes_by_template(annotations.filter(is_kept)).items():
        asked = _asked(votes, present, wordings.get(template_id, ""))
        short = _shortage(asked)
        rows += [] if short else _rows(template_id, asked, names)
        dropped += _losses(template_id, asked, short)
    mcqs = mcq_frame(rows)
    losses = pl.DataFrame(dropped, DROPPED, orient="row").sort("template_id", "locale")
    tags = [locale.tag for locale in present]
    return McqBuild(
        mcqs=mcqs,
        questions=questions,
        locales=locales,
        dropped=losses,
        summary=summarise(mcqs, losses, tags),
        deciders=empty(DECIDERS),
        found=empty(FOUND),
        reading=empty(READING),
    )


# Votes, answers and options of one template

Votes = dict[str, int]
"""First English variants of a locale's answers with their votes, in the order of the data."""


def _votes_by_template(annotations: pl.DataFrame) -> dict[str, dict[str, Votes]]:
    """Read the votes of every locale by template."""
    groups = annotations.sort(KEY).explode("annotations").select(*KEY, pl.col("annotations").struct.unnest())
    found: dict[str, dict[str, Votes]] = {}
    for template_id, tag, texts, count in groups.select(*KEY, "en_answers", "count").iter_rows():
        own = found.setdefault(template_id, {}).setdefault(tag, {})
        if texts:
            # Of two groups with the same first variant the published code keeps the last count.
            own[texts[0]] = count
    return found


class _PaperQuestion(NamedTuple):
    """Answers and distractors that one locale has in a template."""

    tag: str
    answers: tuple[str, ...]
    """Correct answers: in format, with the most votes of all."""
    options: tuple[LocaleText, ...]
    """Distractors and their locales' tags, in the order of acceptance."""


def _asked(votes: Mapping[str, Votes], present: Sequence[Locale], wording: str) -> list[_PaperQuestion]:
    """Find answers and distractors of every locale, in registry order."""
    tags = [locale.tag for locale in present]
    usable = {
        tag: {text: n for text, n in votes.get(tag, {}).items() if _is_in_format(text, wording)} for tag in tags
    }
    candidates = [(tag, text, n) for tag in tags for text, n in usable[tag].items() if n >= _MIN_VOTES]
    # A stable sort: of equal votes, locales in registry order and answers in that of the data.
    candidates.sort(key=lambda candidate: -candidate[2])
    overlaps = _overlaps({text for own in usable.values() for text in own})
    return [
        _PaperQuestion(
            tag,
            _correct(votes.get(tag, {}), usable[tag]),
            _options(tag, usable[tag], candidates, overlaps),
        )
        for tag in tags
    ]


def _rows(template_id: str, asked: Sequence[_PaperQuestion], names: Mapping[str, str]) -> list[McqRow]:
    """Write out every combination of three distractors, numbered through the template.

    Args:
        template_id: The template.
        asked: One per locale, in registry order.
        names: Upstream name by tag: options with the same text are ordered by it.
    """
    rows: list[McqRow] = []
    for one in asked:
        for answer in one.answers:
            correct = (answer, one.tag)
            for distractors in combinations(one.options, N_DISTRACTORS):
                options = sorted([*distractors, correct], key=lambda option: (option[0], names[option[1]]))
                mcq_id = f"{template_id}_{len(rows)}"
                rows.append(McqRow(mcq_id, template_id, one.tag, options, options.index(correct), None))
    return rows


def _correct(votes: Votes, usable: Votes) -> tuple[str, ...]:
    """List the correct answers: strings with the most votes of all that have the format."""
    # The most votes of all answers: where only one out of format has them, nothing is correct.
    top = max(votes.values(), default=0)
    return tuple(text for text, count in usable.items() if count == top)


def _options(
    tag: str, own: Votes, candidates: Iterable[tuple[str, str, int]], overlaps: Mapping[str, Set[str]]
) -> tuple[LocaleText, ...]:
    """Choose the distractors of a locale, at most one per other locale, in the order of acceptance."""
    options: dict[str, str] = {}
    taken = set(own)
    for other, text, _ in candidates:
        if other != tag and other not in options and overlaps[text].isdisjoint(taken):
            options[other] = text
            taken.add(text)
    return tuple((text, other) for other, text in options.items())


# Accounts


def _shortage(asked: Sequence[_PaperQuestion]) -> str | None:
    """Say why a template yields nothing for any locale, if so."""
    fewest = min(asked, key=lambda one: len(one.options))
    if len(fewest.options) >= N_DISTRACTORS:
        return None
    found = f"{pluralise(len(fewest.options), 'distractor')} for {fewest.tag}"
    return f"{found}, {N_DISTRACTORS} are needed in every locale"


def _losses(
    template_id: str, asked: Sequence[_PaperQuestion], short: str | None
) -> Iterator[tuple[str, str, str, str]]:
    for one in asked:
        if short is not None:
            yield template_id, one.tag, "short", short
        elif not one.answers:
            yield template_id, one.tag, "out-of-format", "no top answer has the question's format"


# Who objects to a question, and which format it asks for


def _objections(annotations: pl.DataFrame, locales: Registry) -> dict[str, tuple[str, str]]:
    """List templates that a locale objects to, with reason and detail of the first that does."""
    idks, first = pl.col("idks").struct, pl.col("annotations").list.first().struct
    others = idks.field("others").list.eval(pl.element().struct.field("count")).list.sum()
    rows = annotations.select(
        "template_id",
        "locale",
        idks.field("not-applicable"),
        idks.field("idk") + idks.field("no-answer") + others,
        pl.when(first.field("en_answers").list.len() > 0).then(first.field("count")),
    )
    found: dict[str, tuple[str, str]] = {}
    for template_id, tag, *counts in sorted(rows.iter_rows(), key=lambda row: locales.rank(row[1])):
        if template_id not in found and (reason := _objection(*counts)):
            found[template_id] = reason[0], f"{tag} objects: {reason[1]}"
    return found


def _objection(not_applicable: int, unanswered: int, top_votes: int | None) -> tuple[str, str] | None:
    """Say why a locale objects to a question; its first answer counts only if it has an English variant."""
    if not_applicable:
        return "not-applicable", f"{pluralise(not_applicable, 'vote')} for not applicable"
    if unanswered > _MAX_NON_ANSWERS:
        return "non-answers", pluralise(unanswered, "non-answer")
    if top_votes is not None and top_votes < _MIN_TOP_VOTES:
        return "few-votes", f"{pluralise(top_votes, 'vote')} for the first answer"
    return None


def _wordings(questions: pl.DataFrame, present: Sequence[Locale]) -> dict[str, str]:
    """Find by template the question whose words say which format answers have.

    It is the UK's own question; where there is none, the English question of the first locale that has one.
    """
    own = questions.filter(pl.col("locale") == _FORMAT_LOCALE).select("template_id", "question").iter_rows()
    rank = {locale.tag: i for i, locale in enumerate(present)}
    others = questions.filter(pl.col("locale").is_in(list(rank))).select("template_id", "locale", "en_question")
    texts: dict[str, str] = {}
    for template_id, _, text in sorted(others.iter_rows(), key=lambda row: rank[row[1]]):
        texts.setdefault(template_id, text)
    return texts | dict(own)


def _is_in_format(text: str, question: str) -> bool:
    """Whether a string has the format that a question asks for."""
    if "HH:MM" in question:
        # The form alone counts, not the hour: 25:99 passes.
        return re.match(r"\d\d:\d\d$", text) is not None
    if "MM/DD" in question:
        return re.match(r"\d{1,2}/\d{1,2}$", text) is not None
    # Questions that want a number say "in Arabic numerals".
    return "Arabic" not in question or _number(text) is not None


# What overlaps


def _overlaps(texts: Iterable[str]) -> dict[str, set[str]]:
    """Find by string of a template those that overlap with it, itself among them."""
    described = [(text, _number(text), frozenset(_tokens(text))) for text in sorted(texts)]
    overlaps: dict[str, set[str]] = {text: set() for text, *_ in described}
    for i, (a, number_a, tokens_a) in enumerate(described):
        # From itself on: a string overlaps with itself, so that none is taken twice.
        for b, number_b, tokens_b in described[i:]:
            if number_a is not None and number_b is not None:
                overlap = number_a == number_b
            else:
                overlap = a in b or b in a or not tokens_a.isdisjoint(tokens_b)
            if overlap:
                overlaps[a].add(b)
                overlaps[b].add(a)
    return overlaps


def _number(text: str) -> float | None:
    try:
        # Whatever Python reads as a number is one, "1e3", "inf" and "nan" as well.
        return float(text)
    except ValueError:
        return None


def _tokens(text: str) -> list[str]:
    return [token for part in text.split("/") for token in part.split()]
