"""Bars at a terminal: nothing is drawn over a question."""

from typing import Any

import pytest

from blend.builders.annotation import syncing
from blend.cli import annotate
from blend.loaders.files import progress


def test_bars_pause_and_go_on():
    with progress.shown_progress() as bars:
        bars("pull", 1, 1)
        assert bars.shown.live.is_started
        bars.pause()
        assert not bars.shown.live.is_started
        bars("push", 0, 1)
        assert bars.shown.live.is_started
    assert not bars.shown.live.is_started


def test_no_bar_is_drawn_while_a_lead_is_asked(monkeypatch: pytest.MonkeyPatch):
    drawn: list[bool] = []

    class Enough(Exception):
        """The question was asked."""

    def sync(*_: Any, accept: Any, on_progress: progress.Bars, **__: Any) -> None:
        on_progress("pull", 1, 1)
        monkeypatch.setattr(
            annotate, "_agreed", lambda *_, **__: drawn.append(on_progress.shown.live.is_started)
        )
        accept(None)
        raise Enough

    monkeypatch.setattr(syncing, "sync_project", sync)
    monkeypatch.setattr("blend.cli.annotation_lines.pull_lines", lambda _: [])
    with pytest.raises(Enough):
        annotate._sync("project.toml", accept_missing=True)
    assert drawn == [False]
