"""A person at work in a browser: makes an account, types, chooses, drags, and sends it off."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

_PATIENCE_MS = 120_000
"""Before a page that does not come is a failure; loaded machines are slow."""


PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


class Annotator:
    """Somebody with an account, and the page before them."""

    def __init__(self, page: "Page", url: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        """Errors that the browser has told, and requests to other servers."""
        self._url = url
        page.set_default_timeout(_PATIENCE_MS)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._watch(request.url))

    def sign_up(self, email: str) -> None:
        """Make an account, as everybody does who annotates."""
        self.page.goto(f"{self._url}/user/signup/")
        self.page.fill("input[name=email]", email)
        self.page.fill("input[name=password]", "only-for-tests-1")
        self.page.press("input[name=password]", "Enter")
        self.page.wait_for_url(lambda address: "signup" not in address)

    def begin(self, project: int) -> None:
        """Open the first task of a project that waits for somebody."""
        self.page.goto(f"{self._url}/projects/{project}/data?labeling=1")
        self.page.wait_for_selector(".blend-question")

    def question(self) -> str:
        """The question on the page."""
        return self.page.inner_text(".blend-question").strip()

    def type_answers(self, *texts: str) -> None:
        """Type into the first field, and take each text with Enter."""
        for text in texts:
            self.fields().first.fill(text)
            self.fields().first.press("Enter")

    def fields(self) -> "Locator":
        """The lines to type into, in the order of the page, those included that are not shown now."""
        return self.page.locator(".blend input[type=text]")

    def tab(self) -> None:
        """Press Tab, which leads into the first field."""
        self.page.keyboard.press("Tab")
        assert self.fields().first.evaluate("field => field === document.activeElement")

    def press(self, key: str) -> None:
        """Press a key, the page having the focus."""
        self.page.locator(".blend-question").click()
        self.page.keyboard.press(key)

    def drag(self, answer: str, onto: str) -> None:
        """Drag an answer into the column where another one lies."""
        item, column = self._holding("item", answer), self._holding("column", onto)
        item.scroll_into_view_if_needed()
        start, end = item.bounding_box(), column.bounding_box()
        assert start is not None
        assert end is not None
        mouse = self.page.mouse
        mouse.move(start["x"] + 20, start["y"] + 15)
        mouse.down()
        # The page takes it for a drag after some pixels, and follows in steps.
        mouse.move(start["x"] + 40, start["y"] + 25, steps=5)
        mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=20)
        self.page.wait_for_timeout(300)
        mouse.up()
        column.locator(".htx-ranker-item", has_text=answer).first.wait_for()

    def submit(self, *, by_button: bool = False, tab: bool = True) -> list[dict[str, Any]]:
        """Send it by keys or by the button, and wait until the server has it; returns the results sent.

        With ``tab``, the key Tab leads out of a field first, which takes the keys for itself.
        """
        with self.page.expect_response(
            lambda answer: "/annotations" in answer.url and answer.request.method == "POST"
        ) as sent:
            if by_button:
                self.submit_button().click()
            else:
                if tab:
                    self.page.keyboard.press("Tab")
                self.page.keyboard.press("Control+Enter")
        assert sent.value.ok, sent.value.status
        return list(sent.value.json()["result"])

    def submit_button(self) -> "Locator":
        """The server's button."""
        return self.page.get_by_test_id("bottombar-submit-button")

    def next_question(self, before: str) -> None:
        """Wait for another question than one before."""
        self.page.wait_for_function(
            "before => { const now = document.querySelector('.blend-question');"
            " return now && now.innerText.trim() && now.innerText.trim() !== before }",
            arg=before,
        )

    def _holding(self, part: str, answer: str) -> "Locator":
        """The item or column of a review that holds an answer."""
        title = self.page.get_by_text(answer, exact=True)
        return self.page.locator(f".htx-ranker-{part}").filter(has=title).first

    def _watch(self, address: str) -> None:
        if not address.startswith((self._url, "data:", "blob:")):
            self.complaints.append(f"asks {address}")


@contextmanager
def annotator(chromium: str, url: str, *, phone: bool = False) -> Iterator[Annotator]:
    """Somebody with a browser of their own, on a desk or on a phone."""
    from playwright.sync_api import sync_playwright

    desk: dict[str, Any] = {"viewport": {"width": 1280, "height": 1000}}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield Annotator(browser.new_page(**(PHONE if phone else desk)), url)
        browser.close()
