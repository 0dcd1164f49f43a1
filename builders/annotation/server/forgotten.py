"""The forgotten: people whose work is left out of everything that is pulled.

Who they are lies beside the project file, under pseudonyms alone, and goes wherever the project goes; what they
did lies in the pull folder.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from blend.builders.annotation.forgotten_answers import without_answers
from blend.builders.annotation.project import ProjectFile
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.label_studio.export import Task
from blend.schemas.errors import InputError

FORGOTTEN, NAMES = "forgotten.json", "forgotten.txt"
"""Their records in the pull folder, and their pseudonyms beside the project file."""

_PSEUDONYM = re.compile(r"p-[0-9a-f]{12}")
_HEADING = "# Who asked to be forgotten: no pull writes what they did. Keep this file with the project file."

Done = dict[str, list[tuple[int, int]]]
"""What somebody did, by `projects.StageLocale.label`: task and annotation, as they are numbered on the
server."""


@dataclass(frozen=True)
class Record:
    """Answers and annotations to leave out of pulls, and those of somebody that the server still has."""

    annotations: Done = field(default_factory=dict)
    """Sent in, and on the server as far as is known."""
    drafts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Begun and not sent in, by the same labels."""
    answers: frozenset[str] = frozenset()
    """Ids (`answer_sheets.digest_of`) of answers that nobody else gave; reviews show them."""
    accounts: frozenset[int] = frozenset()
    """Numbers of their accounts on the server."""

    def merged(self, other: "Record") -> "Record":
        """Both together."""
        return Record(
            _merged(self.annotations, other.annotations),
            _merged(self.drafts, other.drafts),
            self.answers | other.answers,
            self.accounts | other.accounts,
        )


def forgotten(file: ProjectFile) -> dict[str, Record]:
    """Those who asked to be forgotten, by pseudonym; the record is empty where this pull folder has none.

    Raises:
        InputError: If a file of them is damaged: their work must not come back because of that.
    """
    return {**dict.fromkeys(_names(file.base / NAMES), Record()), **_records(file.pulled / FORGOTTEN)}


def new_here(file: ProjectFile) -> list[str]:
    """Pseudonyms of those who were forgotten elsewhere, with another pull folder than this one."""
    return sorted(_names(file.base / NAMES) - _records(file.pulled / FORGOTTEN).keys())


def _names(path: Path) -> set[str]:
    if not path.exists():
        return set()
    lines = read_content(path).decode("utf-8-sig", errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#") and not _PSEUDONYM.fullmatch(line.strip()):
            raise InputError(
                f"{path}:{number}: {line!r} is no pseudonym, and whoever is not named here would come back; "
                "write p- and 12 digits and letters, one a line, or bring the file back"
            )
    return {line.strip() for line in lines if _PSEUDONYM.fullmatch(line.strip())}


def _records(path: Path) -> dict[str, Record]:
    if not path.exists():
        return {}
    try:
        found = json.loads(read_content(path))
        return {name: _record(value) for name, value in found.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError(
            f'{path}: is damaged; write it again with pseudonyms as keys, {{"p-…": {{}}}}'
        ) from None


def remember(file: ProjectFile, people: Mapping[str, Record]) -> None:
    """Write down who is to be forgotten, with those who are, in the pull folder and beside the project file."""
    before = _records(file.pulled / FORGOTTEN)
    known = forgotten(file)
    for name, record in people.items():
        known[name] = known.get(name, Record()).merged(record)
    if known != before:
        _write(file.pulled, known)
    names = {name for name in known if _PSEUDONYM.fullmatch(name)}
    if names != _names(file.base / NAMES):
        atomic_write(file.base / NAMES, "".join(f"{line}\n" for line in (_HEADING, *sorted(names))))


def note_on_server(file: ProjectFile, label: str, found: Mapping[str, Record]) -> None:
    """Write down what of the forgotten the server has in a stage: what was found there, and nothing else.

    Args:
        file: The project.
        label: Of the stage.
        found: By pseudonym, from `without_people`.
    """
    known = forgotten(file)
    now: dict[str, Record] = {}
    for name, record in known.items():
        here = found.get(name, Record())
        annotations = {at: done for at, done in record.annotations.items() if at != label}
        drafts = {at: done for at, done in record.drafts.items() if at != label}
        now[name] = replace(record, annotations=annotations, drafts=drafts).merged(here)
    if now != known:
        _write(file.pulled, now)


def without_people(
    raw: Path, annotator: Callable[[Any], str | None], people: Collection[str], *, label: str = ""
) -> dict[str, Record]:
    """Remove the annotations and drafts of some people from an export; it stays as it is where there are none.

    Args:
        raw: The export, a JSON list of tasks; it is replaced as a whole.
        annotator: From what an annotation says of its author to a pseudonym.
        people: Pseudonyms.
        label: Of the stage, for what is returned.

    Returns:
        What was removed, by pseudonym.
    """
    removed: dict[str, Record] = {}
    if not people:
        return removed
    tasks = json.loads(read_content(raw))
    for task in tasks:
        for name in ("annotations", "drafts"):
            listed = task.get(name)
            if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
                continue
            task[name] = [one for one in listed if _author(one, annotator) not in people]
            for one in listed:
                if (author := _author(one, annotator)) in people and author is not None:
                    what = (
                        Record(annotations={label: [(int(task["id"]), int(one["id"]))]})
                        if name == "annotations"
                        else Record(drafts={label: [int(one["id"])]})
                    )
                    removed[author] = removed.get(author, Record()).merged(what)
    if removed:
        atomic_write(raw, json.dumps(tasks, ensure_ascii=True))
    return removed


def without_their_answers(raw: Path, gone: Collection[str], given: Mapping[str, int]) -> None:
    """Remove answers from the export of reviews; it stays as it is where it has none of them.

    Args:
        raw: The export; it is replaced as a whole.
        gone: Ids of answers.
        given: How many people give each answer, by its id; these stay.
    """
    gone = set(gone) - set(given)
    if not gone:
        return
    tasks: list[Task] = json.loads(read_content(raw))
    kept = [without_answers(task, gone, given) for task in tasks]
    if kept != tasks:
        atomic_write(raw, json.dumps([task for task in kept if task is not None], ensure_ascii=True))


def _author(annotation: dict[str, Any], annotator: Callable[[Any], str | None]) -> str | None:
    return annotator(annotation.get("completed_by", annotation.get("user")))


def _merged(one: Mapping[str, Sequence[Any]], other: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {at: sorted({*one.get(at, ()), *other.get(at, ())}) for at in {**one, **other}}


def _record(value: Any) -> Record:
    if unknown := set(value) - {"annotations", "drafts", "answers", "accounts"}:
        raise ValueError(unknown)
    return Record(
        {
            at: [(int(task), int(one)) for task, one in done]
            for at, done in value.get("annotations", {}).items()
        },
        {at: [int(one) for one in done] for at, done in value.get("drafts", {}).items()},
        frozenset(map(str, value.get("answers", ()))),
        frozenset(map(int, value.get("accounts", ()))),
    )


def _write(pulled: Path, known: Mapping[str, Record]) -> None:
    content: dict[str, Any] = {}
    for name, record in known.items():
        parts: Iterable[tuple[str, Any]] = (
            ("annotations", record.annotations),
            ("drafts", record.drafts),
            ("answers", sorted(record.answers)),
            ("accounts", sorted(record.accounts)),
        )
        content[name] = {part: value for part, value in parts if value}
    atomic_write(pulled / FORGOTTEN, json.dumps(content, indent=1, sort_keys=True) + "\n")
