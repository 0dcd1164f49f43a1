"""Merging: the rows of all folders one behind the other, and what two folders say of one thing.

Rows of one folder that contradict each other are not looked at here: `loaders.responses.links` does that.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from blend.loaders.contributions.contributors import annotator_id, owner_of
from blend.loaders.files.diagnostics import Checked, Diagnostics, Placed
from blend.loaders.responses.response_rows import ResponseRows
from blend.schemas.personal_data import contact_data
from blend.schemas.rows import Response
from blend.schemas.texts import clean, pluralise

FEWEST_COPIED = 3
"""Equal responses from which on two files are taken for copies, where they are half of one of them as well.

Annotators of two contributors may share a pseudonym and a few short answers by chance.
"""

_ONCE = {
    "templates": (
        "template {0.template_id!r}",
        ("template_id",),
        ("text", "topic", "source_locale"),
        "write the same, or give this template an id of its own",
    ),
    "questions": (
        "question {0.template_id!r} in {0.locale}",
        ("template_id", "locale"),
        ("question", "en_question"),
        "agree on one wording, since a locale is asked a question in the same words by everybody",
    ),
    "prompts": (
        "prompt {0.prompt_id!r} of {0.locale}",
        ("prompt_id", "locale"),
        ("prompt", "en_prompt"),
        "agree on one wording, or give this prompt an id of its own",
    ),
    "reviews": (
        "review of {0.template_id!r} in {0.locale}",
        ("template_id", "locale"),
        ("invalid", "groups"),
        "delete it in one of the two folders, then let `blend reviews propose` take up the question again",
    ),
}
"""What counts once: how it is called, what makes two rows speak of one thing, in which columns they must agree,
and what to do where they do not."""


def with_owners(rows: ResponseRows, contributor: str, diagnostics: Diagnostics) -> ResponseRows:
    """A contributor's rows, with annotators and reviewers as the release tells them apart.

    Responses that hold an e-mail address or a phone number are problems, which name the location and the kind.
    They are left out: no other problem quotes what they hold.
    """
    kept = []
    for location, row in rows.responses.rows:
        found = list(_contacts(row))
        for what in found:
            fix = "take it out: files in a repository stay public for ever"
            diagnostics.problem(what, where=location, fix=fix)
        if not found:
            kept.append(Placed(location, _renamed(row, "annotator", contributor)))
    is_complete = rows.responses.is_complete and len(kept) == len(rows.responses.rows)
    reviews = [Placed(where, _renamed(row, "reviewer", contributor)) for where, row in rows.reviews.rows]
    return rows._replace(responses=Checked(kept, is_complete), reviews=rows.reviews._replace(rows=reviews))


def merge_rows(parts: Sequence[ResponseRows], diagnostics: Diagnostics) -> ResponseRows:
    """The rows of all contributors as one set of rows.

    A template, question, prompt or review that an earlier part has as well is left out: with a finding where
    both say the same, with a problem where they do not.

    Args:
        parts: What all share, then what each brings, in the order in which the first counts.
        diagnostics: Takes findings and problems.
    """
    _check_copied(parts, diagnostics)
    merged = {}
    for kind in ResponseRows._fields:
        of_kind = [getattr(part, kind) for part in parts]
        rows = [placed for part in of_kind for placed in part.rows]
        if kind in _ONCE:
            rows = list(_first_of_each(rows, kind, diagnostics))
        merged[kind] = Checked(rows, all(part.is_complete for part in of_kind))
    return ResponseRows(**merged)


def _first_of_each(rows: Sequence[Placed[Any]], kind: str, diagnostics: Diagnostics) -> Iterator[Placed[Any]]:
    """The rows, without those that an earlier folder has as well."""
    called, key, fields, fix = _ONCE[kind]
    first: dict[tuple[str, ...], Placed[Any]] = {}
    for placed in rows:
        location, row = placed
        earlier = first.setdefault(tuple(getattr(row, name) for name in key), placed)
        if owner_of(earlier.location) == owner_of(location):
            yield placed
            continue
        named = called.format(row)
        other = next((name for name in fields if not _agree(row, earlier.row, name)), None)
        if other is None:
            detail = f"{named} says the same as in {earlier.location}; left out here"
            diagnostics.oddity("repeated-row", placed, detail)
        else:
            places = f"{location}, column {other}", f"{earlier.location}, column {other}"
            _tell_both(*places, f"{named} says something else than in", fix, diagnostics)


def _check_copied(parts: Sequence[ResponseRows], diagnostics: Diagnostics) -> None:
    """Note responses that two contributors have alike: a copied file would count every annotator twice."""
    given: defaultdict[str, defaultdict[str, dict[Any, str]]] = defaultdict(lambda: defaultdict(dict))
    for part in parts:
        for location, row in part.responses.rows:
            owner = owner_of(location)
            typed = row.annotator.removeprefix(annotator_id(owner, "")), row.template_id, row.answers
            if row.answers:
                given[row.locale][owner][typed] = location
    for by_owner in given.values():
        for one, other in combinations(by_owner.values(), 2):
            same = one.keys() & other.keys()
            if len(same) >= max(FEWEST_COPIED, min(len(one), len(other)) / 2):
                files = [min(rows[typed] for typed in same).rpartition(":")[0] for rows in (other, one)]
                what = f"{pluralise(len(same), 'response')} of the same annotators are also in"
                fix = "keep them in the folder of whoever collected them, and delete them in the other"
                _tell_both(files[0], files[1], what, fix, diagnostics)


def _tell_both(later: str, earlier: str, what: str, fix: str, diagnostics: Diagnostics) -> None:
    """Note a contradiction at both locations, since either contributor may be the one who is mistaken.

    What all share is no contributor's; then the later alone is told. The other location comes behind ``what``.
    """
    for here, there in ((later, earlier), (earlier, later)):
        if owner_of(here):
            diagnostics.problem(f"{what} {there.partition(',')[0]}", where=here, fix=fix)


def _renamed(row: Any, field: str, contributor: str) -> Any:
    return row.model_copy(update={field: annotator_id(contributor, getattr(row, field))})


def _agree(one: Any, other: Any, field: str) -> bool:
    """Whether two rows say the same in a field, but for blanks; one that is not recorded is like a blank."""
    values = getattr(one, field) or "", getattr(other, field) or ""
    if isinstance(values[0], str) and isinstance(values[1], str):
        return clean(values[0]) == clean(values[1])
    return values[0] == values[1]


def _contacts(response: Response) -> Iterator[str]:
    for number, answer in enumerate(response.answers, start=1):
        for kind in contact_data(answer, is_answer=True):
            yield f"answer {number} holds {kind} (not shown)"
    for kind in contact_data(response.reason or "", is_answer=False):
        yield f"the reason holds {kind} (not shown)"
