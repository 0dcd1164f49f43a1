"""The chat judge's record: what was decided is kept and not asked again, whatever stops a run."""

import signal
import subprocess
import sys
import threading
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from blend.builders.judges import Verdict
from blend.builders.judges.chat import ChatJudge, make_judges
from blend.loaders.responses.verdicts import append_verdicts, decisions_in, read_verdicts
from blend.schemas.errors import StorageError
from blend.schemas.recipe import JudgeOptions
from helpers.models.chat_server import SECRET, Chat, ChatReply, sensible
from helpers.tiers import rest_nightly

pytestmark = pytest.mark.integration


def recorder(path: Path) -> Any:
    return partial(append_verdicts, path, reader="chat:m1", when=date(2026, 11, 30))


def test_an_error_while_recording_stops_the_asking(chat: Chat, tmp_path: Path):
    folder = tmp_path / "verdicts.tsv"
    folder.mkdir()
    judge = ChatJudge("m1", record=recorder(folder), base_url=chat.url, concurrency=1)
    with pytest.raises(StorageError, match=r"cannot write here \(Is a directory\)"):
        judge.verdicts([(f"a{i}", f"b{i}") for i in range(20)])
    assert len(chat.requests) == 1


PAIRS = [("soccer", "football"), ("apple", "fruit"), ("apple", "pear"), ("Football", "basketball")]


def test_a_second_run_asks_nothing_and_decides_the_same(
    chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
    path = tmp_path / "verdicts.tsv"
    options = JudgeOptions(kind="chat", model="m1", shipped=False)

    def run() -> list[Verdict | None]:
        verdicts = read_verdicts(path) if path.exists() else None
        judges = make_judges(options, verdicts=verdicts, record=recorder(path))
        decided: dict[tuple[str, str], Verdict] = {}
        for judge in judges:
            open_pairs = [pair for pair in PAIRS if pair not in decided]
            verdicts = zip(open_pairs, judge.verdicts(open_pairs), strict=True)
            decided.update({pair: verdict for pair, verdict in verdicts if verdict is not None})
        return [decided.get(pair) for pair in PAIRS]

    first = run()
    content, asked = path.read_bytes(), len(chat.requests)
    assert run() == first
    assert [verdict.same for verdict in first if verdict] == [True, True, False, False]
    assert len(chat.requests) == asked == 4
    assert path.read_bytes() == content
    assert SECRET.encode() not in content


ASKING = """
import signal, sys
from datetime import date
from functools import partial
from pathlib import Path
from blend.builders.judges.chat import ChatJudge
from blend.loaders.responses.verdicts import append_verdicts
record = partial(append_verdicts, Path(sys.argv[2]), reader="chat:m1", when=date(2026, 11, 30))
judge = ChatJudge("m1", record=record, base_url=sys.argv[1], concurrency=2)
try:
    judge.verdicts([(f"a{i}", f"b{i}") for i in range(20)])
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize(
    ("signal_number", "code"),
    rest_nightly([(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)], (signal.SIGKILL, -signal.SIGKILL)),
)
def test_a_run_that_is_stopped_keeps_every_verdict_it_got(
    chat: Chat, tmp_path: Path, signal_number: int, code: int
):
    path = tmp_path / "verdicts.tsv"
    stuck, held = threading.Semaphore(0), threading.Event()
    served_first = iter(range(6))

    def say(body: dict[str, Any]) -> ChatReply:
        if next(served_first, None) is None:
            stuck.release()
            held.wait()
        return sensible(body)

    chat.say = say
    process = subprocess.Popen([sys.executable, "-c", ASKING, chat.url, str(path)])
    # Both lanes wait for a reply now, so the six verdicts before have been recorded.
    stuck.acquire()
    stuck.acquire()
    process.send_signal(signal_number)
    assert process.wait() == code
    held.set()
    recorder(path)(())
    got = decisions_in(read_verdicts(path))
    assert len(got) == 6
    chat.requests.clear()
    rest = {(f"a{i}", f"b{i}") for i in range(20)} - {(row.answer_a, row.answer_b) for row in got}
    judge = ChatJudge("m1", record=recorder(path), base_url=chat.url)
    judge.verdicts(sorted(rest))
    assert len(chat.requests) == 14
    assert read_verdicts(path).height == 20
