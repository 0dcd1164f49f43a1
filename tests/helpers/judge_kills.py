"""Judges a run, and dies at the n-th moment: around an answer, a write or a removal.

``python judge_kills.py RUN FOLDER`` tries moments in a process of its own each, on a copy of the run in
``FOLDER/0``, ``FOLDER/1`` …, until one lives to the end, and prints those at which it died.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

from blend.eval.judging.judge_run import judge_run
from blend.eval.models import callers_model
from blend.eval.runs import answers, run_directory
from helpers.judged_runs import OwnJudge, finds_the_answer
from helpers.kill_points import Moments

AT_A_TIME = 5


def judged(run: Path, judge: OwnJudge) -> None:
    """Ask a judge a few replies at a time."""
    callers_model.PROMPTS_AT_A_TIME = AT_A_TIME
    judge_run(run, model=judge, on_progress=lambda *_: None)


def die_at(chosen: int, run: Path) -> None:
    moment = Moments(chosen, signal.SIGKILL)
    run_directory.atomic_write = moment.around(run_directory.atomic_write)
    run_directory.write_frame = moment.around(run_directory.write_frame)
    answers.AnswerFile.append = moment.around(answers.AnswerFile.append)
    Path.unlink = moment.around(Path.unlink)
    judged(run, OwnJudge("strict", finds_the_answer))


def main(run: Path, folder: Path) -> None:
    """Die at every moment, and print those at which the judge died."""
    for moment in range(200):
        shutil.copytree(run, folder / str(moment))
        child = os.fork()
        if child == 0:
            die_at(moment, folder / str(moment))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, "the judge failed otherwise than by a kill"
            return
        print(moment)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
