"""Syncing: pull, top up, push, in the order in which each needs what the one before has done."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from blend.builders.annotation.check import check_project
from blend.builders.annotation.server.pulling import Pull, accept_missing, pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.session import session
from blend.builders.annotation.server.topping_up import TopUp, top_up_project
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.label_studio.plan import ProjectPlan


class Sync(NamedTuple):
    """Steps of a sync that were done."""

    pull: Pull
    top_up: Sequence[TopUp]
    push: Sequence[ProjectPlan]


def sync_project(
    path: Path, *, accept: Callable[[Pull], bool] | None = None, on_progress: ProgressCallback | None = None
) -> Sync:
    """Pull, top up and push, in one session.

    Args:
        path: The project file.
        accept: Asked after the pull whether to let go of what counts and is not on the server any more.
        on_progress: Called with the step, its parts done and its parts in all.

    Raises:
        BlendError: As the three do; what was done stays, and the same again goes on.
    """
    file = check_project(path, before_pull=True).file
    with session(file) as at:
        pulled = pull_project(file, on_progress=on_progress, within=at)
        if accept is not None and any(one.gone for one in pulled.projects) and accept(pulled):
            pulled = accept_missing(file, within=at)
        # Read anew: responses and reviews have come.
        checked = check_project(path)
        topped_up = top_up_project(checked, on_progress=on_progress, within=at)
        return Sync(pulled, topped_up, push_project(checked, on_progress=on_progress, within=at))
