"""Items asked of a server: one that gets no answer fails alone, and many in a row end the asking."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from blend.eval.models.protocols import StopAsking
from blend.eval.models.server_replies import BadReplyError
from blend.loaders.servers import Ask, Persistence, Server, ask_side_by_side
from blend.loaders.servers.server_errors import REDIRECTS, REFUSED, is_unconnected, problem
from blend.schemas.errors import ServerError

if TYPE_CHECKING:
    import openai

MAX_FAILURES = 10
"""After so many items in a row without an answer no further ones are asked: the server is not up to it."""

_FATAL = (401, 403, 404, *REDIRECTS)
"""Answers that no other item would change."""


def ask_items(
    server: Server,
    n_items: int,
    ask: "Ask[int, None]",
    fail: Callable[[int, str], None],
    *,
    bears_refusals: bool,
) -> None:
    """Ask about all items.

    Args:
        server: Who is asked.
        n_items: How many items there are.
        ask: Asks about the item of a number, and does what is to be done with its answer.
        fail: Hears of an item without an answer, and why.
        bears_refusals: Whether requests that are refused for themselves (`server_errors.REFUSED`) never end the
            asking; else they do not once an item was answered.

    Raises:
        StopAsking: If ``ask`` does, when what was under way is answered.
        ServerError: If the server cannot be asked, or `MAX_FAILURES` items in a row get no answer.
    """
    in_a_row, tried, persistence = 0, set[int](), Persistence()
    stop: StopAsking | ServerError | None = None

    async def attempt(client: "openai.AsyncOpenAI", item: int) -> bool:
        from openai import APIStatusError, APITimeoutError

        nonlocal in_a_row, stop
        if stop is not None:
            return False
        tried.add(item)
        try:
            await persistence.ask(ask, client, item)
        except StopAsking as asked_to:
            # What is under way is paid for: it is waited for and kept.
            stop = asked_to
        except (APIStatusError, APITimeoutError, BadReplyError) as error:
            # They concern one item; no connection at all concerns all of them.
            code = getattr(error, "status_code", None)
            if code in _FATAL or is_unconnected(error):
                raise
            why = problem(error, server)
            fail(item, why)
            if code in REFUSED and (bears_refusals or persistence.n_answered):
                return True
            in_a_row += 1
            if in_a_row >= MAX_FAILURES:
                many = f"{server.where}: {in_a_row} items in a row got no answer, the last because {why}"
                if code not in REFUSED:
                    raise ServerError(many) from error
                # Of what is under way something may be answered: then these are refused for themselves.
                stop = stop or ServerError(f"{many}; run again to have others asked first")
        else:
            in_a_row = 0
            stop = stop if isinstance(stop, StopAsking) else None
        return True

    while len(tried) < n_items and stop is None:
        ask_side_by_side(server, (item for item in range(n_items) if item not in tried), attempt)
    if stop is not None:
        raise stop
