"""Runs that are killed at every moment of their writing: none loses, doubles or spoils an answer.

Of commands, 32 are killed; ``tests/eval/test_cluster.py`` kills those that ask on a cluster eight times more.
"""

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from blend.eval.models.model_loading import make_tiny_model
from blend.eval.release_items import read_run
from helpers import kill_points
from helpers.kill_points import Echo, digest, run_all
from helpers.models.model_servers import BatchServer
from helpers.tiers import rest_nightly

pytestmark = pytest.mark.integration


def run_script(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """What `kill_points` prints in a process of its own."""
    command = [sys.executable, kill_points.__file__, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


ONE_MOMENT = (("SIGKILL", 1, [9]), ("SIGKILL", 3, [20]))
"""In the middle of what the run writes, and of one that asks every question three times."""
ALL = (("SIGKILL", 1, []), ("SIGINT", 1, []), ("SIGKILL", 3, []))


@pytest.mark.sampled
@pytest.mark.parametrize(("death", "samples", "moments"), rest_nightly([*ONE_MOMENT, *ALL], *ONE_MOMENT))
def test_killed_at_a_moment_and_gone_on_with_is_the_run_that_was_not(
    tmp_path: Path, death: str, samples: int, moments: list[int]
):
    whole = tmp_path / "whole"
    run_all(whole, Echo(), samples)
    made = run_script("moments", tmp_path / "killed", death, samples, *moments)
    tried = [int(moment) for moment in made.stdout.split()]
    assert tried == (moments or list(range(max(20, len(tried)))))
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


def test_a_full_disk_is_told_and_keeps_what_was_answered(tmp_path: Path):
    whole, out = tmp_path / "whole", tmp_path / "run"
    run_all(whole, Echo(), 20)
    others = [path.stat().st_size for path in whole.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
    full = run_script("full", out, max(others) + 1, code=1)
    assert full.stderr.splitlines()[-1].endswith(
        f"StorageError: {out}: no space left on the disk; what was answered until now is kept; free some space "
        "and run the same again"
    )
    assert 0 < read_run(out).answers().height < read_run(whole).answers().height
    run_all(out, Echo(), 20)
    assert digest(out) == digest(whole)


KILLS: dict[str, tuple[int, ...]] = {
    "local": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    "server": (0, 1, 2, 3, 8, 9, 14, 15, 20, 21, 30, 31),
    "batch-out": (0, 1, 0, 1),
    "batch-in": (0, 1, 2, 5, 10, 17),
}
"""Moments at which a command is killed, one after the other: before, within or after what it writes."""


def ended(moments: Sequence[int], command: Sequence[object]) -> list[int]:
    """Exit codes of a command that is killed at some moments and then goes on."""
    done = run_script("command", ",".join(map(str, moments)), *command)
    codes = done.stdout.rpartition("ended ")[2].split()
    assert codes[-1] == "0", done.stderr
    return [int(code) for code in codes]


@pytest.mark.nightly
@pytest.mark.parametrize("way", KILLS)
def test_a_command_killed_and_gone_on_with_is_the_one_that_was_not(
    way: str, sample_release: Path, server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert sum(map(len, KILLS.values())) == 32
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    made = {name: command(way, sample_release, server, tmp_path, name) for name in ("whole", "killed")}
    ended((), made["whole"])
    asked_before = len(server.asked)
    assert ended(KILLS[way], made["killed"]) == [*[-signal.SIGKILL] * len(KILLS[way]), 0]
    whole, killed = (read_run(tmp_path / name).answers().sort("item_id") for name in made)
    # Numbers are those of other batches, which are equal but for the noise of their type.
    assert_frame_equal(killed, whole, check_exact=False, abs_tol=2e-4, rel_tol=0)
    if way == "batch-out":
        assert (tmp_path / "killed.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
        return
    lines = [
        json.loads(line)
        for path in (tmp_path / "killed" / "answers").glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert max(Counter(line["item_id"] for line in lines).values()) == 1
    # What was under way at a kill, two at a time, is asked again, and nothing else.
    assert len(server.asked) - 2 * asked_before <= 2 * len(KILLS[way])


def command(way: str, release: Path, server: BatchServer, folder: Path, name: str) -> list[object]:
    run = ["eval", "run", release, "--out", folder / name]
    if way == "local":
        make_tiny_model(folder / "tiny") if not (folder / "tiny").exists() else None
        return [*run, "--model", folder / "tiny", "-M", "batch_size=4"]
    asked = [*run, "-T", "style=json", "--model", "tiny", "--max-tokens", "64"]
    if way == "server":
        return [*asked, "--server", server.url, "-M", "concurrency=2"]
    requests = folder / f"{name}.jsonl"
    if way == "batch-out":
        return [*asked, "--batch-out", requests]
    ended((), [*asked, "--batch-out", requests])
    requests.write_text("".join(server.results(requests.read_bytes())), encoding="utf-8")
    return [*asked, "--batch-in", requests]
