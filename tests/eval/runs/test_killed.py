"""Runs that are stopped: killed at every moment of their writing, interrupted, out of space, two at a time."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from blend.eval.release_items import read_run
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import opened
from blend.schemas.errors import BlendError, ConflictError, InputError
from helpers import kill_points
from helpers.kill_points import N_ITEMS, Echo, asked, run_all
from helpers.tiers import rest_nightly

TESTS = Path(__file__).parents[2]

ONE_MOMENT = (("SIGKILL", 1, [9]), ("SIGKILL", 3, [20]))
"""In the middle of what the run writes, and of one that asks every question three times."""
ALL = (("SIGKILL", 1, None), ("SIGINT", 1, None), ("SIGKILL", 3, None))


def digest(directory: Path) -> dict[str, object]:
    """Every file; of answers the lines, in whatever order they came, without the errors that were mended."""
    found: dict[str, object] = {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.suffix != ".jsonl"
    }
    return found | {"answers": read_run(directory).answers().sort("item_id").to_dicts()}


@pytest.mark.sampled
@pytest.mark.integration
@pytest.mark.parametrize(("death", "samples", "moments"), rest_nightly([*ONE_MOMENT, *ALL], *ONE_MOMENT))
def test_killed_at_a_moment_and_gone_on_with_is_the_run_that_was_not(
    tmp_path: Path, death: str, samples: int, moments: Sequence[int] | None
):
    whole = tmp_path / "whole"
    run_all(whole, Echo(), samples)
    script = Path(kill_points.__file__)
    made = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "killed"), death, str(samples), *map(str, moments or ())],
        capture_output=True,
        text=True,
        check=True,
    )
    tried = [int(moment) for moment in made.stdout.split()]
    assert tried == moments or (moments is None and tried == list(range(max(20, len(tried)))))
    for moment in tried:
        killed = tmp_path / "killed" / str(moment)
        kept = read_run(killed).answers() if (killed / "run.json").exists() else None
        model = Echo()
        run_all(killed, model, samples)
        # Nothing that was kept is asked again, unless it was an error.
        if kept is not None:
            ids = (item.partition("#") for item in kept.filter(kept["error"].is_null())["item_id"])
            assert not {(f"prompt {item[1:]}\n", int(draw or 0)) for item, _, draw in ids} & set(model.asked)
        assert len(model.asked) == len(set(model.asked))
        assert digest(killed) == digest(whole), f"moment {moment}"


@pytest.mark.slow
def test_a_failed_item_is_an_error_until_it_is_answered(tmp_path: Path):
    out = tmp_path / "run"
    first, second, third = Echo(fails=True), Echo(), Echo()
    with opened(out, asked(), first.describe(), None) as run:
        outcome = ask_model(run, first)
    assert (outcome.n_items, outcome.n_asked, outcome.n_missing) == (N_ITEMS, N_ITEMS, 1)
    assert outcome.first_error == "timed out"
    kept = read_run(out).answers()
    assert kept.filter(kept["error"].is_not_null())["item_id"].to_list() == ["i7"]
    run_all(out, second)
    assert second.asked == [("prompt 7\n", 0)]
    run_all(out, third)
    assert third.asked == []
    run_all(tmp_path / "whole", Echo())
    assert digest(out) == digest(tmp_path / "whole")


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from helpers.kill_points import Echo, run_all
# No file may grow beyond this: the description fits, and all answers do not.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
run_all(Path(sys.argv[1]), Echo(), 20)
"""


@pytest.mark.integration
def test_a_full_disk_is_told_and_keeps_what_was_answered(tmp_path: Path):
    whole, out = tmp_path / "whole", tmp_path / "run"
    run_all(whole, Echo(), 20)
    others = [path.stat().st_size for path in whole.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
    full = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(out), str(max(others) + 1)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
    )
    assert full.stderr.splitlines()[-1].endswith(
        f"StorageError: {out}: no space left on the disk; what was answered until now is kept; free some space "
        "and run the same again"
    )
    assert 0 < read_run(out).answers().height < read_run(whole).answers().height
    run_all(out, Echo(), 20)
    assert digest(out) == digest(whole)


def test_a_second_process_is_refused(tmp_path: Path):
    out = tmp_path / "run"
    # The lock is the operating system's, so a second opening in this process stands for another one.
    with (
        opened(out, asked(), Echo().describe(), None) as run,
        run.answer_file(),
        pytest.raises(ConflictError) as raised,
    ):
        run_all(out, Echo())
    assert str(raised.value) == (
        f"{out}/answers/main.jsonl: another process writes its answers there; wait for it, or choose another "
        "`out`"
    )


def test_another_run_is_refused_by_what_differs(tmp_path: Path):
    out = tmp_path / "run"
    run_all(out, Echo())
    before = digest(out)
    other = Echo().describe().model_copy(update={"id": "gpt-x", "revision": "v" * 80})
    with pytest.raises(InputError) as raised, opened(out, asked(version="1.1.0"), other, None):
        pass
    assert str(raised.value) == (
        f"{out}: holds another run, which differs in\n"
        "  release.version: 1.0.0 there, 1.1.0 now\n"
        "  model.id: echo there, gpt-x now\n"
        f"  model.revision: absent there, {'v' * 60}… now\n"
        "choose another `out`, or ask for the same again to go on with this one"
    )
    assert digest(out) == before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda out: out.write_text("x"), "is not a folder; choose another `out`"),
        (
            lambda out: (out.mkdir(), (out / "thesis.doc").write_text("x")),
            "holds 'thesis.doc' and is not the directory of a run, so nothing is written there; "  # noqa: ISC004
            "choose another `out` or empty it yourself",
        ),
    ],
)
def test_what_is_no_run_directory_is_left_alone(tmp_path: Path, make, message: str):
    out = tmp_path / "run"
    make(out)
    with pytest.raises(BlendError) as raised:
        run_all(out, Echo())
    assert str(raised.value) == f"{out}: {message}"
