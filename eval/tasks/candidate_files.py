"""Files of candidates: what is ranked in place of the parts that a release names."""

from pathlib import Path
from typing import NamedTuple

from blend.eval.tasks.items import text_digest
from blend.loaders.files.notes import Notes
from blend.loaders.files.rows import SUFFIXES, Columns, read_rows
from blend.schemas.errors import InputError

_DIGITS = 12


class CandidateFile(NamedTuple):
    """The candidates of a file."""

    by_language: dict[str, tuple[str, ...]]
    """By language, in code-point order, each once; the empty language for those of all languages."""
    digest: str
    """Beginning of the SHA-256 of languages and candidates."""


def read_candidate_file(path: Path) -> CandidateFile:
    """The candidates in a table, JSON Lines or Parquet file.

    Args:
        path: File with a column ``candidate``, and perhaps ``language`` (a blank one means all); further
            columns are left out.

    Raises:
        InputError: If there is no such file, or if it holds no candidate.
        RowError, RowErrors: If it cannot be read, or a candidate is blank; names file and row.
    """
    if not path.is_file():
        raise InputError(
            f"{path}: no such file; --candidates is 'language', 'country', or a file of candidates "
            f"({', '.join(SUFFIXES)})"
        )
    notes = Notes()
    found: dict[str, set[str]] = {}
    for row in read_rows(path, path.parent, notes, Columns(("candidate",), ("language",), others=True)):
        candidate, language = row.values["candidate"], row.values.get("language") or ""
        if not isinstance(candidate, str) or not candidate.strip():
            notes.problem(
                f"column candidate: {candidate!r} is not text",
                where=row.place,
                fix="write it, or delete the row",
            )
            continue
        found.setdefault(language, set()).add(candidate.strip())
    notes.raise_problems()
    if not found:
        raise InputError(f"{path}: no candidates; write one row per candidate")
    by_language = {language: tuple(sorted(texts)) for language, texts in sorted(found.items())}
    lines = [f"{language}\t{text}" for language, texts in by_language.items() for text in texts]
    return CandidateFile(by_language, text_digest("\n".join(lines))[:_DIGITS])
