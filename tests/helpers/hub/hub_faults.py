"""What can go wrong on the way to a Hub, on demand."""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Moment = Literal["before", "body", "after"]
"""Before a request is handled, in the middle of its body, or when it is handled but not yet answered."""


@dataclass
class Fault:
    """Something that befalls matching requests.

    Without ``status``, ``drop`` or ``drop_after`` the request goes on after ``action``.
    """

    request: str = ".*"
    """Regular expression that the request's method and path match from their beginning."""
    times: int = 1
    """How many requests it befalls."""
    skip: int = 0
    """How many matching requests pass before."""
    moment: Moment = "before"
    """When it strikes."""
    action: Callable[[], object] | None = None
    """Called when it strikes, for example to kill the client or to let another one in."""
    status: int | None = None
    """Answered instead of the true answer; with ``moment="after"`` the request has its effect none the less."""
    message: str | None = None
    """What the answer says besides its status, as the Hub says it."""
    retry_after_s: int | None = None
    """Value of the answer's ``Retry-After``."""
    drop: bool = False
    """Close the connection without an answer; with ``moment="after"`` an acknowledgement is lost."""
    drop_after: int | None = None
    """Close the connection after so many bytes of the answer's body."""
    struck: int = 0
    """How many requests it befell."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def strikes(self, request: str) -> bool:
        """Whether it befalls the request; counts those it lets pass and those it befalls."""
        with self._lock:
            if self.struck >= self.times or re.match(self.request, request) is None:
                return False
            if self.skip:
                self.skip -= 1
                return False
            self.struck += 1
            return True

    def act(self) -> None:
        """Do what is to be done at its moment."""
        if self.action is not None:
            self.action()
