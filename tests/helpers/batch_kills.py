"""Runs a task in batches on a server, and dies at the n-th moment: around a request, a write or a removal.

``python batch_kills.py RELEASE URL FOLDER`` tries every moment in a process of its own, in ``FOLDER/0``,
``FOLDER/1`` …, as a model of that number, until one lives to the end, and prints those at which it died;
numbers behind it are moments to try alone.
"""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import httpx

import blend
from blend.eval.runs import answer_files, batch_files, run_directory, submitted_batches
from helpers.kill_points import Moments

REQUESTS_OF_A_FILE = 5


def limits() -> list[tuple[ModuleType, str, float]]:
    """What to set, so that a run of few questions has several batches and does not wait for them."""
    return [(batch_files, "MAX_REQUESTS", REQUESTS_OF_A_FILE), (submitted_batches, "FIRST_WAIT_S", 0.01)]


def run_in_batches(release: Path, url: str, out: Path) -> blend.Run:
    """One run of a few questions in several batches, as the model with the name of its folder."""
    options = {"max_tokens": 64, "limit": 1, "concurrency": 1, "on_progress": lambda *_: None}
    return blend.run_task(
        release, "multiple-choice", model=out.name, server=url, out=out, batch=True, **options
    )


def die_at(chosen: int, release: Path, url: str, out: Path) -> None:
    moment = Moments(chosen, signal.SIGKILL)
    for limit in limits():
        setattr(*limit)
    send = httpx.AsyncClient.send

    async def sending(*arguments, **options):
        moment()
        reply = await send(*arguments, **options)
        moment()
        return reply

    httpx.AsyncClient.send = sending
    submitted_batches.atomic_write = moment.around(submitted_batches.atomic_write)
    run_directory.atomic_write = moment.around(run_directory.atomic_write)
    answer_files.write_frame = run_directory.write_frame = moment.around(answer_files.write_frame)
    answer_files.Journal.append = moment.around(answer_files.Journal.append)
    Path.unlink = moment.around(Path.unlink)
    run_in_batches(release, url, out)


def main(release: Path, url: str, folder: Path, moments: Sequence[int]) -> None:
    """Die at some moments, or at every one; print those at which the run died."""
    for moment in moments or range(200):
        child = os.fork()
        if child == 0:
            die_at(moment, release, url, folder / str(moment))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, "the run failed otherwise than by a kill"
            assert not moments, f"the run has no moment {moment}"
            return
        print(moment)
    assert moments, "no run came to its end"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), [int(moment) for moment in sys.argv[4:]])
