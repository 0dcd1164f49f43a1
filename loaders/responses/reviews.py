"""Files of reviews: which of the reviews in them count, and how they are written."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.atomic import atomic_write, check_own_folder, storage_errors
from blend.loaders.files.content import read_text
from blend.loaders.files.diagnostics import Checked, Diagnostics, Placed
from blend.loaders.files.new_files import is_pulled
from blend.loaders.files.rows import SUFFIXES
from blend.loaders.responses.response_rows import AskedQuestion
from blend.schemas.errors import ConflictError, RowError
from blend.schemas.rows import Response, Review
from blend.schemas.texts import clean, pluralise

OWN = ".own"
"""Ending of the stem of their files: ``ko-KR.own.jsonl`` beside ``ko-KR.jsonl``."""

NOT_ASKED, IN_A_FILE = "not-asked", "reviewed-in-a-file"
"""Kinds of the findings about reviews that are passed over."""


def reviews_that_count(
    reviews: Checked[Review],
    questions: Checked[AskedQuestion],
    responses: Checked[Response],
    diagnostics: Diagnostics,
    *,
    reviewing: bool = False,
) -> Checked[Review]:
    """Reviews without those of questions that are dropped, and with one of two that stand in two files.

    What is left out stays in its file, and counts again with the question, or without the other review. Reviews
    in other files than own ones must be about questions that are asked, unless somebody is ``reviewing``.
    """
    asked = {(row.template_id, row.locale) for _, row in questions.rows} if questions.is_complete else set()
    given = defaultdict[tuple[str, str], set[str]](set)
    for _, response in responses.rows:
        given[response.template_id, response.locale].update(map(clean, response.answers))
    left_out: set[str] = set()
    by_question: dict[tuple[str, str], list[Placed[Review]]] = {}
    for one in reviews.rows:
        key = one.row.template_id, one.row.locale
        # A file without a question is more likely cut off than meant.
        if asked and key not in asked and (reviewing or is_own(one.location)):
            what = f"review of {key[0]!r}, which is not asked in {key[1]} any more"
            diagnostics.oddity(NOT_ASKED, one, f"{what}; not read, and kept until it is")
            left_out.add(one.location)
        else:
            by_question.setdefault(key, []).append(one)
    for key, both in by_question.items():
        if len(both) == 2 and is_own(both[0].location) != is_own(both[1].location):
            answers = given[key] if responses.is_complete else None
            left_out.add(_outdone(both, answers, diagnostics).location)
    return reviews._replace(rows=[one for one in reviews.rows if one.location not in left_out])


def is_own(location: str) -> bool:
    """Whether the file of a review is one of own reviews.

    Args:
        location: Of the row, ``reviews/ko-KR.own.jsonl:3``.
    """
    return Path(location.rpartition(":")[0]).stem.endswith(OWN)


def _outdone(
    both: Sequence[Placed[Review]], given: Set[str] | None, diagnostics: Diagnostics
) -> Placed[Review]:
    """The one of an own review and another one that does not count: an own one, if the other decides on more.

    Args:
        both: Reviews of one question.
        given: Its answers, cleaned; null where any may be given.
        diagnostics: Takes a finding where they differ.
    """
    mine, other = sorted(both, key=lambda one: not is_own(one.location))
    n_mine, n_other = (
        len(decided if given is None else decided & given) for decided in map(_decided_in, (mine, other))
    )
    counting, loser = (other, mine) if n_other > n_mine else (mine, other)
    if loser.row != counting.row:
        further = abs(n_other - n_mine)
        why = f", since it decides on {pluralise(further, 'further answer')}" if further else ""
        detail = (
            f"{loser.row.reviewer} reviewed the question in {loser.location}, {counting.row.reviewer} in "
            f"{counting.location}, which counts{why}; left out"
        )
        diagnostics.oddity(IN_A_FILE, loser, detail)
    return loser


def _decided_in(review: Placed[Review]) -> set[str]:
    """The answers on which a review decides, cleaned."""
    grouped = (answer for group in review.row.groups for answer in group.answers)
    return set(map(clean, [*review.row.invalid, *grouped]))


class _WrittenReviews(NamedTuple):
    """Contents of a file of reviews as written."""

    path: Path
    """Named for its locale, ``ko-KR.jsonl``; ``ko-KR.own.jsonl`` beside one that pulls write."""
    questions: int
    """Questions that were written."""
    groups: int
    """Groups in them."""
    without_english: int
    """Those of the groups that have no English."""
    invalid: int
    """Answers in them that are none."""
    kept: int
    """Questions of the file that were there before and stayed."""
    replaced: Mapping[str, Sequence[str]]
    """Templates that were reviewed in another way or by somebody else, by that reviewer."""

    @property
    def is_beside_pulled(self) -> bool:
        """Whether pulls write the locale's other file."""
        return self.path.stem.endswith(OWN)


def write_reviews(reviews: pl.DataFrame, out: Path, *, update: bool = False) -> list[_WrittenReviews]:
    """Write reviews as JSON Lines, one file per locale, which is named for it.

    Where pulls write a file of that name (`new_files.is_pulled`), it is ``ko-KR.own.jsonl`` instead.

    Either all files are written or, after an error, none is changed that was looked at.

    Args:
        reviews: `frames.REVIEWS`.
        out: Folder of the files, made if it is not there.
        update: Whether files may be there: then their reviews of other questions stay.

    Returns:
        What was written, by locale.

    Raises:
        ConflictError: If a file is there and ``update`` is not asked for.
        InputError: If the place of the folder holds something else; `RowError` if a file to update cannot be
            read.
        StorageError: If it cannot be written.
    """
    check_own_folder(out, what="a folder of reviews", is_ours=_is_review_file)
    parts = reviews.drop("source").sort("locale", "template_id").partition_by("locale", as_dict=True)
    paths = {tag: _path(out, tag) for (tag,) in parts}
    existing = [path for path in paths.values() if path.exists()]
    if existing and not update:
        raise ConflictError(
            f"{existing[0]}: exists, and may hold somebody's work; choose another `out`, or give "
            "`update=True`: its reviews of other questions stay"
        )
    there = {tag: _there(path) for tag, path in paths.items()}
    written = []
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        for tag, path in paths.items():
            rows = {row["template_id"]: row for row in parts[(tag,)].drop("locale").to_dicts()}
            kept = [line for line, review in there[tag] if review["template_id"] not in rows]
            atomic_write(path, "".join(f"{line}\n" for line in [*kept, *map(_line, rows.values())]))
            written.append(_account(path, rows, [review for _, review in there[tag]]))
    return written


def _path(out: Path, tag: str) -> Path:
    path = out / f"{tag}.jsonl"
    return path.with_name(f"{tag}{OWN}.jsonl") if is_pulled(path) else path


def _is_review_file(name: str) -> bool:
    """Whether a file of this name can be one of reviews, which are named for their locale; or is hidden."""
    return name.startswith(".") or (Path(name).suffix in SUFFIXES and "-" in name.partition(".")[0])


def _there(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The lines of a file, as they stand there, with the reviews that they are; none where there is no file."""
    if not path.exists():
        return []
    lines = read_text(path).split("\n")
    numbered = ((row, line) for row, line in enumerate(lines, start=1) if line.strip())
    return [(line, _review(line, path, row)) for row, line in numbered]


def _review(line: str, path: Path, row: int) -> dict[str, Any]:
    """The review in a line, at least with the template that it is about."""
    try:
        review = json.loads(line)
        template_id = review["template_id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        template_id = None
    if not isinstance(template_id, str):
        raise RowError(
            "not a review", where=f"{path.name}:{row}", fix="correct it, as docs/responses.md describes reviews"
        )
    return dict(review)


def _line(review: Mapping[str, Any]) -> str:
    return json.dumps(_filled(review), ensure_ascii=False)


def _filled(review: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in review.items() if value or name == "groups"}


def _account(
    path: Path, rows: Mapping[str, Mapping[str, Any]], there: Sequence[Mapping[str, Any]]
) -> _WrittenReviews:
    groups = [group for row in rows.values() for group in row["groups"]]
    invalid = sum(len(row["invalid"]) for row in rows.values())
    without_english = sum(not group["en_answers"] for group in groups)
    about = [(review, rows.get(review["template_id"])) for review in there]
    replaced = defaultdict[str, list[str]](list)
    for review, row in about:
        if row is not None and _filled(review) != _filled(row):
            replaced[str(review.get("reviewer") or "nobody named")].append(row["template_id"])
    kept = sum(row is None for _, row in about)
    return _WrittenReviews(
        path, len(rows), len(groups), without_english, invalid, kept, dict(sorted(replaced.items()))
    )
