"""Runs a script of answers into a directory, and dies at the n-th moment: before, within or after a write.

Tests run it in a process of its own: ``python kill_points.py moments|command|full ARGUMENTS``, of the functions
at its end. Every moment is tried in another process, which is forked from it.
"""

import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl

from blend.eval.items import ITEMS, TaskItems, repeated
from blend.eval.models import Generation, ModelDescription
from blend.eval.release_items import read_run
from blend.eval.runs import AskedRelease, ReleaseItems, answers, ask_model, run_directory
from blend.eval.runs.run_directory import open_run
from blend.eval.tasks.multiple_choice import ChoiceOptions

N_ITEMS = 24
BATCH = 3
INTERRUPTED = 130


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
    run = open_run(out, asked(samples=samples), model.describe(), None)
    ask_model.ask_model(run, model)


def digest(directory: Path) -> dict[str, object]:
    """Every file; of answers the lines, in whatever order they came, without the errors that were mended."""
    found: dict[str, object] = {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.suffix != ".jsonl"
    }
    return found | {"answers": read_run(directory).answers().sort("item_id").to_dicts()}


def die_at(chosen: int, death: signal.Signals) -> None:
    """Have this process die at a moment of what it writes into runs and files of requests from now on."""
    left = chosen

    def moment() -> None:
        nonlocal left
        left -= 1
        if left == -1:
            os.kill(os.getpid(), death)

    def around(function):
        def call(*arguments, **options):
            moment()
            result = function(*arguments, **options)
            moment()
            return result

        return call

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
    run_directory.write_frame = around(run_directory.write_frame)
    run_directory.atomic_write = around(run_directory.atomic_write)
    ask_model.atomic_write = around(ask_model.atomic_write)


def forked(work: Callable[[], object]) -> int:
    """How a process of its own ends that does some work: its exit code, or less the signal."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code: object = 1
    try:
        work()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(code if isinstance(code, int) else 1)


def run_at_moments(folder: str, death: str, samples: str, *moments: str) -> None:
    """Die at some moments, or at every one until a run lives to its end; print those at which one died.

    Args:
        folder: Where the runs are, each in a directory named by its moment.
        death: ``SIGKILL``, or ``SIGINT`` as of Ctrl-C.
        samples: How often every question is asked.
        moments: To be tried alone.
    """

    def run(moment: int) -> None:
        # As the command does: polars takes over Ctrl-C when it is imported.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        die_at(moment, signal.Signals[death])
        run_all(Path(folder) / str(moment), Echo(fails=True), int(samples))

    for moment in map(int, moments) if moments else range(200):
        code = forked(partial(run, moment))
        if code == 0:
            assert not moments, f"the run has no moment {moment}"
            return
        assert code in (-signal.SIGKILL, INTERRUPTED), "the run failed otherwise than by a kill"
        print(moment, flush=True)
    assert moments, "no run came to its end"


def run_command(moments: str, *command: str) -> None:
    """Print how a command ends that is killed at some moments, one after the other, and then not at all."""
    import blend.eval.evaluation  # noqa: F401 - imported once for all of the processes
    from blend.cli import main

    if "--server" not in command:
        from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2LMHeadModel  # noqa: F401

    def run(moment: int | None) -> None:
        if moment is not None:
            die_at(moment, signal.SIGKILL)
        sys.argv[1:] = command
        main()

    tried = [*(int(moment) for moment in moments.split(",") if moment), None]
    print("ended", *(forked(partial(run, moment)) for moment in tried))


def run_on_full_disk(out: str, n_bytes: str) -> None:
    """Ask where no file may grow beyond so much: the description fits, and all answers do not."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(n_bytes),) * 2)
    run_all(Path(out), Echo(), 20)


if __name__ == "__main__":
    ways = {"moments": run_at_moments, "command": run_command, "full": run_on_full_disk}
    ways[sys.argv[1]](*sys.argv[2:])
