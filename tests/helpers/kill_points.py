"""Runs a script of answers into a directory, and dies at the n-th moment: before, within or after a write.

``python kill_points.py FOLDER SIGKILL 1`` (or ``SIGINT``, Ctrl-C) tries every moment in a process of its own,
in ``FOLDER/0``, ``FOLDER/1`` …, until one lives to the end, and prints those at which it died. Every question
is asked as often as the third argument says; numbers behind it are moments to try alone.
"""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from blend.eval.items import ITEMS, TaskItems, repeated
from blend.eval.models.protocols import Generation, ModelDescription
from blend.eval.runs import answers, ask_model, run_directory
from blend.eval.runs.run_description import AskedRelease, ReleaseItems
from blend.eval.runs.run_directory import opened
from blend.eval.tasks.multiple_choice import ChoiceOptions

N_ITEMS = 24
BATCH = 3


class Echo:
    """Answers with the prompt turned around, a few at a time, in an order of its own."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.asked: list[tuple[str, int]] = []

    def describe(self) -> ModelDescription:
        return ModelDescription(backend="server", id="echo", chat=False, delimiter="")

    def generate(self, prompts, *, samples=None, keep=None):
        draws = samples or [0] * len(prompts)
        self.asked += zip(prompts, draws, strict=True)
        for start in range(0, len(prompts), BATCH):
            rows = list(range(start, min(start + BATCH, len(prompts))))[::-1]
            keep(rows, [self._answer(prompts[row], draws[row]) for row in rows])
        return []

    def _answer(self, prompt: str, draw: int) -> Generation:
        if self.fails and prompt == "prompt 7\n":
            return Generation.failed("timed out")
        return Generation(f"{draw}{prompt[::-1]}", len(prompt), 3, "stop")


def asked(
    name: str = "sample", version: str = "1.0.0", samples: int = 1, n_items: int = N_ITEMS
) -> ReleaseItems:
    rows = [
        {"item_id": f"i{n}", "locale": "ko-KR", "region": "KR", "template_id": f"t{n}", "topic": "Food"}
        | {"prompt_id": "json", "language": "en", "prompt": f"prompt {n}\n", "options": None}
        for n in range(n_items)
    ]
    gold = pl.DataFrame({"item_id": [row["item_id"] for row in rows]})
    tables = {"multiple-choice-questions/test": "0" * 64}
    release = AskedRelease(name=name, version=version, tables=tables)
    options = ChoiceOptions(style="json", samples=samples).kept()
    items = repeated(TaskItems(pl.DataFrame(rows, ITEMS), gold, {"json": "{question}"}, "text"), samples)
    return ReleaseItems(release, "multiple-choice", options, items)


def run_all(out: Path, model: Echo, samples: int = 1) -> None:
    with opened(out, asked(samples=samples), model.describe(), None) as run:
        ask_model.ask_model(run, model)


class Moments:
    """Counts moments, and sends the process a signal at the chosen one."""

    def __init__(self, chosen: int, death: signal.Signals) -> None:
        self.left = chosen
        self.death = death

    def __call__(self) -> None:
        self.left -= 1
        if self.left == -1:
            os.kill(os.getpid(), self.death)

    def around(self, function):
        def call(*arguments, **options):
            self()
            result = function(*arguments, **options)
            self()
            return result

        return call


def die_at(chosen: int, death: signal.Signals) -> None:
    """Have this process die at a moment of what it writes into runs and files of requests from now on."""
    moment = Moments(chosen, death)

    class Halting:
        """A file in which a write can end in the middle of a line."""

        def __init__(self, file) -> None:
            self.file = file

        def write(self, data: bytes) -> None:
            moment()
            self.file.write(data[: len(data) // 2])
            self.file.flush()
            moment()
            self.file.write(data[len(data) // 2 :])

        def __getattr__(self, name: str):
            return getattr(self.file, name)

    opens = answers.AnswerFile.__init__

    def opening(self, path: Path) -> None:
        opens(self, path)
        self._file = Halting(self._file)

    answers.AnswerFile.__init__ = opening
    run_directory.write_frame = moment.around(run_directory.write_frame)
    run_directory.atomic_write = moment.around(run_directory.atomic_write)
    ask_model.atomic_write = moment.around(ask_model.atomic_write)


def _die_at(chosen: int, out: Path, death: signal.Signals, samples: int) -> None:
    # As the command does: polars takes over Ctrl-C when it is imported.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    die_at(chosen, death)
    run_all(out, Echo(fails=True), samples)


_INTERRUPTED = 130


def main(folder: Path, death: signal.Signals, samples: int, moments: Sequence[int]) -> None:
    """Die at some moments, or at every one; print those at which the run died."""
    for moment in moments or range(200):
        child = os.fork()
        if child == 0:
            try:
                _die_at(moment, folder / str(moment), death, samples)
            except KeyboardInterrupt:
                os._exit(_INTERRUPTED)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) != _INTERRUPTED:
            assert os.WEXITSTATUS(status) == 0, "the run failed otherwise than by a kill"
            assert not moments, f"the run has no moment {moment}"
            return
        print(moment)
    assert moments, "no run came to its end"


if __name__ == "__main__":
    main(Path(sys.argv[1]), signal.Signals[sys.argv[2]], int(sys.argv[3]), [int(one) for one in sys.argv[4:]])
