"""The forgotten: people whose work is left out of everything that is pulled, by the pseudonyms in one file.

It lies beside the project file and goes wherever the project goes. Whoever is forgotten stands there under the
pseudonym of their address and that of their account, so that neither another address nor a removed account
brings them back.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from blend.builders.annotation.forgotten_answers import shown_in, without_answers
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, pseudonym
from blend.builders.annotation.stages.answer import ANSWERS
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.export import Task
from blend.schemas.errors import InputError
from blend.schemas.language.text_comparison import clean
from blend.schemas.sheets.answer_sheets import digest_of

NAMES = "forgotten.txt"

_PSEUDONYM = re.compile(r"p-[0-9a-f]{12}")
_HEADING = "# Who asked to be forgotten: no pull writes what they did. Keep this file with the project file."
_SOMEBODY = "somebody who is forgotten"


def forgotten(file: ProjectFile) -> frozenset[str]:
    """Those who asked to be forgotten.

    Raises:
        InputError: If a line of the file is damaged: their work must not come back because of that.
    """
    path: Path = file.base / NAMES
    if not path.exists():
        return frozenset()
    lines = read_content(path).decode("utf-8-sig", errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#") and not _PSEUDONYM.fullmatch(line.strip()):
            raise InputError(
                f"{path}:{number}: {line!r} is not a pseudonym, and whoever is not named here would come back; "
                "write p- and 12 digits and letters, one a line, or bring the file back"
            )
    return frozenset(line.strip() for line in lines if _PSEUDONYM.fullmatch(line.strip()))


def remember(file: ProjectFile, names: Iterable[str]) -> None:
    """Write down who is to be forgotten, with those who are."""
    known = forgotten(file)
    if not known >= (now := known | set(names)):
        atomic_write(file.base / NAMES, "".join(f"{line}\n" for line in (_HEADING, *sorted(now))))


def without_people(tasks: Iterable[Task], people: People, gone: Collection[str]) -> list[Task]:
    """Tasks without the annotations of some people; who changed one of somebody else's is not named."""
    return [
        {
            **task,
            "annotations": [
                one for one in task["annotations"] if people.aliases(one.get("completed_by")).isdisjoint(gone)
            ],
        }
        for task in tasks
    ]


def is_theirs(line: Line, gone: Collection[str], key: bytes) -> bool:
    """Whether a line of the events is about what one of some people did."""
    account = line.get("account")
    return line.get("annotator") in gone or (account is not None and pseudonym(account, key) in gone)


def unnamed(line: Line, gone: Collection[str]) -> Line:
    """A line of somebody else's, which names nobody for a change that one of some people has made."""
    return {**line, "changed_by": _SOMEBODY} if line.get("changed_by") in gone else line


def answer_ids(lines: Iterable[Line]) -> set[str]:
    """Ids of all answers that lines of the events hold, corrected ones included, as reviews show them."""
    found: set[str] = set()
    for line in lines:
        stage, _, rest = str(line.get("blend_id") or "").partition("/")
        tag, _, template_id = rest.partition("/")
        for result in line.get("result") or () if stage == "answer" else ():
            texts = (result.get("value") or {}).get("text") if result.get("from_name") == ANSWERS else None
            for text in [texts] if isinstance(texts, str) else texts or ():
                found.add(digest_of(template_id, tag, clean(str(text))))
    return found


def without_shown(tasks: Sequence[Task], gone: Callable[[set[str]], Collection[str]]) -> list[Task]:
    """Tasks of reviews without some answers; one that shows no other goes.

    Args:
        tasks: As the server exports them.
        gone: Says which of the ids that a task shows are to go.
    """
    kept = (without_answers(task, gone(shown_in(task["data"]))) for task in tasks)
    return [task for task in kept if task is not None]


def line_without(line: Line, gone: Collection[str]) -> Line | None:
    """A line of the events without some answers, if it is of a review; null if it decides on no other."""
    if "data" not in line or not str(line["blend_id"]).startswith("review/"):
        return line
    task = {"data": line["data"], "annotations": [{"result": line["result"]}]}
    left = without_answers(task, gone)
    return None if left is None else {**line, "data": left["data"], "result": left["annotations"][0]["result"]}
