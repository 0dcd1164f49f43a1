"""Merging: what several contributors bring becomes one set of rows; what contradicts is told with both places.

Rows of one folder that contradict each other are not looked at here: `loaders.responses.links` does that.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, combinations
from pathlib import PurePosixPath
from typing import Any, TypeVar

from blend.loaders.contributions.contributors import annotator_id
from blend.loaders.contributions.layout import owner_of
from blend.loaders.contributions.review_merging import both_told, merge_reviews
from blend.loaders.files.checked import Checked, Placed, R
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.response_rows import ResponseRows
from blend.schemas.language.text_comparison import clean, pluralise
from blend.schemas.rows.published_rows import Response, Review

FEWEST_COPIED = 3
"""Equal responses from which on two files are taken for copies, where they are half of one of them as well.

Annotators of two contributors may share a pseudonym and a few short answers by chance.
"""

_Copied = tuple[str, str, tuple[str, ...]]
"""Annotator, template and answers of a response."""
_PersonRow = TypeVar("_PersonRow", Response, Review)


def with_owners(rows: ResponseRows, contributor: str) -> ResponseRows:
    """A contributor's rows, with annotators and reviewers as the release tells them apart."""
    return rows._replace(
        responses=_renamed(rows.responses, "annotator", contributor),
        reviews=_renamed(rows.reviews, "reviewer", contributor),
    )


def merge_rows(parts: Sequence[ResponseRows], diagnostics: Diagnostics) -> ResponseRows:
    """The rows of all contributors as one set of rows.

    A template, question or prompt that an earlier part has as well is left out: with a finding where both say
    the same, with a problem where they do not. Reviews of one question become one.

    Args:
        parts: What all share, then what each brings, in the order in which the first counts.
        diagnostics: Takes findings and problems.
    """
    check_copied(parts, diagnostics)
    return ResponseRows(
        templates=_merged(
            [part.templates for part in parts],
            lambda row: (row.template_id,),
            "template {0!r}",
            ("text", "topic", "source_locale"),
            "write the same, or give this template an id of its own",
            diagnostics,
        ),
        questions=_merged(
            [part.questions for part in parts],
            lambda row: (row.template_id, row.locale),
            "question {0!r} in {1}",
            ("question", "en_question"),
            "agree on one wording, since a locale is asked a question in the same words by everybody",
            diagnostics,
        ),
        responses=_joined([part.responses for part in parts]),
        reviews=merge_reviews([part.reviews for part in parts], diagnostics),
        prompts=_merged(
            [part.prompts for part in parts],
            lambda row: (row.prompt_id, row.locale),
            "prompt {0!r} of {1}",
            ("prompt", "en_prompt"),
            "agree on one wording, or give this prompt an id of its own",
            diagnostics,
        ),
    )


def check_copied(parts: Sequence[ResponseRows], diagnostics: Diagnostics) -> None:
    """Note responses that two contributors have alike: a copied file would count every annotator twice."""
    given: defaultdict[str, dict[str, dict[_Copied, str]]] = defaultdict(lambda: defaultdict(dict))
    for location, row in chain.from_iterable(part.responses.rows for part in parts):
        owner = owner_of(location)
        if row.answers:
            typed = row.annotator.removeprefix(annotator_id(owner, "")), row.template_id, row.answers
            given[row.locale][owner][typed] = location
    for by_owner in given.values():
        for one, other in combinations(by_owner.values(), 2):
            same = one.keys() & other.keys()
            if len(same) >= max(FEWEST_COPIED, min(len(one), len(other)) / 2):
                earlier, later = (sorted({_file(rows[key]) for key in same}) for rows in (one, other))
                what = f"{pluralise(len(same), 'response')} of the same annotators are also in "
                fix = "keep them in the folder of whoever collected them, and delete them in the other"
                both_told(later[0], earlier[0], what, fix, diagnostics)


def _renamed(rows: Checked[_PersonRow], field: str, contributor: str) -> Checked[_PersonRow]:
    renamed = [
        Placed(location, row.model_copy(update={field: annotator_id(contributor, getattr(row, field))}))
        for location, row in rows.rows
    ]
    return rows._replace(rows=renamed)


def _joined(parts: Sequence[Checked[R]]) -> Checked[R]:
    return Checked([row for part in parts for row in part.rows], all(part.is_complete for part in parts))


def _merged(
    parts: Sequence[Checked[R]],
    key: Callable[[R], tuple[str, ...]],
    what: str,
    fields: Sequence[str],
    fix: str,
    diagnostics: Diagnostics,
) -> Checked[R]:
    """The rows of all parts, each key from the first folder that has it.

    Args:
        parts: In the order in which the first counts.
        key: What makes two rows speak of one thing.
        what: What that is called, with the parts of the key.
        fields: Columns in which they must agree.
        fix: What to do where they do not.
        diagnostics: Takes findings and problems.
    """
    joined = _joined(parts)
    first: dict[tuple[str, ...], Placed[R]] = {}
    kept: list[Placed[R]] = []
    for placed in joined.rows:
        earlier = first.setdefault(key(placed.row), placed)
        if owner_of(earlier.location) == owner_of(placed.location):
            kept.append(placed)
            continue
        named = what.format(*key(placed.row))
        other = next((name for name in fields if not _agree(placed.row, earlier.row, name)), None)
        if other is None:
            detail = f"{named} says the same as in {earlier.location}; left out here"
            diagnostics.finding("repeated-row", placed.location, detail, **_about(placed.row))
        else:
            what = f"{named} says something else than in "
            both_told(placed.location, earlier.location, what, fix, diagnostics, columns=(other, other))
    return joined._replace(rows=kept)


def _agree(one: Any, other: Any, field: str) -> bool:
    """Whether two rows say the same in a field, but for blanks; one that is not recorded is like a blank."""
    return clean(getattr(one, field) or "") == clean(getattr(other, field) or "")


def _about(row: Any) -> Mapping[str, str | None]:
    return {name: getattr(row, name, None) for name in ("locale", "template_id")}


def _file(location: str) -> str:
    """The file of a location such as ``mina-ko/responses/ko-KR.csv:7``."""
    folder, name = PurePosixPath(location).parent, PurePosixPath(location).name
    return str(folder / name.partition(":")[0].partition("[")[0])
