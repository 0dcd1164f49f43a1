"""Releases to publish, a Hub's user, and how to publish as one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.builders.publish import plan_publication, publish_release
from blend.schemas.errors import BlendError
from helpers.hub.hub_releases import FOUR, make_release
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import ALICE, Account

REPO = "org/blend"
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.integration)
            # The Hub client sends file contents in a way that its HTTP library wants changed.
            item.add_marker(pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"))


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1.0.0 with four locales, 1.1.0 with one more, and 1.0.0 once more with other questions."""
    folder = tmp_path_factory.mktemp("releases")
    first = make_release(folder / "1.0.0", "1.0.0")
    make_release(folder / "1.1.0", "1.1.0", locales=(*FOUR, "zh-CN"), after=first)
    make_release(folder / "other", "1.0.0", seed=7)
    make_release(folder / "fewer", "2.0.0", locales=("ko-KR", "en-US", "fa-IR"), after=first)
    return folder


@pytest.fixture
def login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Account | None], None]:
    """A function that sets whose token is used; at first it is Alice's."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-token"))

    def login(account: Account | None) -> None:
        if account is None:
            monkeypatch.delenv("HF_TOKEN", raising=False)
        else:
            monkeypatch.setenv("HF_TOKEN", account.token)

    login(ALICE)
    return login


@pytest.fixture
def publish(hub: Hub, hub_cache: Path, login: Any) -> Callable[..., Any]:
    """A function that publishes, or with ``dry_run`` plans."""

    def publish(release: Path, repo_id: str = REPO, *, dry_run: bool = False, **options: Any) -> Any:
        do = plan_publication if dry_run else publish_release
        return do(release, repo_id, endpoint=hub.url, **options)

    return publish


@pytest.fixture
def refusal(publish: Callable[..., Any]) -> Callable[..., str]:
    """A function that publishes, and gives the message with which that is refused."""

    def refusal(*arguments: Any, **options: Any) -> str:
        with pytest.raises(BlendError) as caught:
            publish(*arguments, **options)
        return str(caught.value)

    return refusal


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting between attempts, ours and the client's."""
    import time

    monkeypatch.setattr(time, "sleep", lambda seconds: None)
