"""What forgetting somebody changed, and what is left to do, for a terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from blend.schemas.text import counted

if TYPE_CHECKING:
    from blend.builders.annotation.project import ProjectFile
    from blend.builders.annotation.server.erasing import Erased
    from blend.builders.annotation.server.forgetting import Forgotten

_LISTED = 20


def forgotten_lines(file: "ProjectFile", done: "Forgotten", erased: "Erased | None") -> Iterator[str]:
    """What forgetting somebody changed, and what is left to do; null for ``erased``: no server was asked."""
    total = sum(map(len, done.record.annotations.values()))
    what = f"{counted(total, 'annotation')} and {counted(done.history, 'line')} of the history"
    yield f"{done.annotator}: {what} removed from {file.pulled}; they will not come back."
    if erased is not None:
        deleted = f"{counted(erased.annotations, 'annotation')} and {counted(erased.drafts, 'draft')} deleted"
        cleared = f"their answers removed from {counted(erased.reviews, 'review')}"
        yield f"On {file.project.server.url}: {deleted}; {cleared}."
    for written in done.pull.written:
        if written.changed:
            yield f"{written.path}: {counted(written.rows, 'row')} now"
    yield from _reopened(done)
    yield "Left to do by hand:"
    yield from (f"  {line}" for line in _left(file, done, is_erased=erased is not None))


def _reopened(done: "Forgotten") -> Iterator[str]:
    if done.reopened.is_empty():
        return
    listed = [f"{row['template_id']} in {row['locale']}" for row in done.reopened.to_dicts()]
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    yield (
        f"{counted(len(listed), 'question')} with too few responses now: "
        f"{', '.join(listed[:_LISTED])}{more}; `blend annotate top-up` asks for more."
    )


def _left(file: "ProjectFile", done: "Forgotten", *, is_erased: bool) -> Iterator[str]:
    record = done.record
    if not is_erased:
        for label, numbers in record.annotations.items():
            named = [f"{annotation} (task {task})" for task, annotation in numbers]
            yield f"delete on the server, in {label}: annotation {', '.join(named)}"
        for label, drafts in record.drafts.items():
            yield f"delete on the server, in {label}: draft {', '.join(map(str, drafts))}"
        if record.answers:
            yield "reviews on the server show their answers: run this without --local-only, which removes them"
    for number in sorted(record.accounts):
        yield f"delete account {number} on the server, unless the person works in another project there"
    if done.projects:
        copies = " ".join(f"export/project-{number}-at-* media/export/{number}/" for number in done.projects)
        yield f"delete the copies of exports in the data folder of the server: {copies}"
    yield f"delete exports and copies of {file.pulled} that you kept elsewhere, and pages of --html"
    for place in done.named_in:
        yield f"remove the person from {file.path}, {place}"
    if any(label.startswith("collect ") for label in record.annotations):
        yield f"look for questions that they wrote in the templates of {file.collected}"
    yield "publish a new version of releases that hold what they answered (docs/publishing.md)"
