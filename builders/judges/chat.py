"""The chat judge: asks a language model on any OpenAI-compatible server.

Every request asks about one pair, because a verdict may depend on the two answers alone and not on what else
is asked with them. The two are shown in code-point order.
"""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from datetime import UTC, date, datetime
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from blend.builders.judges.equivalence import Pair, Verdict
from blend.builders.judges.prompt import Message, question, question_again, read_opinion
from blend.loaders.responses.decisions import Decision, pair_key
from blend.schemas.errors import BlendError, InputError, MissingExtraError, ServerError
from blend.schemas.text import clean

if TYPE_CHECKING:
    import openai

MODEL_PREFIX = "chat:"
"""How the name of a chat judge starts, and with it ``who`` in its decisions."""

MAX_UNDECIDED = 10
"""After so many pairs without a verdict no further ones are asked: the model is not up to it."""

_NO_KEY = "none"
_GLANCE_S = 0.1


class ChatJudge:
    """Asks a chat model about every pair once, and hands each verdict on as soon as it is there."""

    def __init__(
        self,
        model: str,
        *,
        record: Callable[[Sequence[Decision]], None],
        base_url: str | None = None,
        concurrency: int = 16,
        tries: int = 3,
        retries: int = 5,
        timeout_s: float = 60.0,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        """Prepare, without connecting yet.

        Args:
            model: Name of the model as the server knows it.
            record: Takes every verdict when it arrives; an error that it raises stops the asking. Called from
                another thread, never twice at a time.
            base_url: Address of the server; the environment's ``OPENAI_BASE_URL``, or OpenAI's own, when
                absent. The key is the environment's ``OPENAI_API_KEY``; a server of one's own may need none.
            concurrency: Requests under way at a time.
            tries: How often a pair is asked while what comes back is no verdict.
            retries: How often a request is repeated that the server could not serve (429, 5xx, no or a
                broken connection), with growing pauses, or with those that the server asks for.
            timeout_s: Seconds to wait for the answer to one request.
            today: The date to put on verdicts.

        Raises:
            InputError: If the address is not one.
        """
        self.name = f"{MODEL_PREFIX}{model}"
        self._model = model
        self._record = record
        self._base_url = _address(base_url or os.environ.get("OPENAI_BASE_URL") or None)
        self._concurrency = concurrency
        self._tries = tries
        self._retries = retries
        self._timeout_s = timeout_s
        self._today = today
        self._sampling: dict[str, Any] = {"temperature": 0}
        self._same: dict[Pair, bool] = {}

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        """See `Judge.verdicts`; has an opinion on every pair.

        Raises:
            MissingExtraError: If the package ``openai`` is not installed.
            InputError: If there is no API key.
            ServerError: If the server cannot be asked, or if the model gives no verdict on a pair in all
                its tries. The verdicts that came until then are recorded.
        """
        keys = [pair_key(a, b) for a, b in pairs]
        open_pairs: dict[Pair, Pair] = {}
        for key, pair in zip(keys, pairs, strict=True):
            if key[0] == key[1]:
                self._same[key] = True
            elif key not in self._same:
                open_pairs.setdefault(key, _shown(pair))
        if open_pairs:
            self._ask_all(sorted(open_pairs.values()))
        return [Verdict(self._same[key], self.name) for key in keys]

    def _ask_all(self, pairs: Sequence[Pair]) -> None:
        try:
            from anyio.from_thread import start_blocking_portal
            from openai import OpenAIError
        except ImportError as error:
            raise MissingExtraError("the chat judge", extra="judge") from error
        # An event loop in a thread of its own: it works in notebooks, which have a loop already, and
        # Ctrl-C cancels the requests under way instead of waiting for their answers.
        try:
            with start_blocking_portal() as portal:
                asking = portal.start_task_soon(self._ask_side_by_side, pairs)
                # In short waits: polars' handler of Ctrl-C restarts a wait that has no end of its own.
                while not asking.done():
                    wait([asking], timeout=_GLANCE_S)
                undecided = asking.result()
        except OpenAIError as error:
            raise _explained(error, self.name, self._base_url) from error
        if undecided:
            raise ServerError("\n".join(undecided))

    async def _ask_side_by_side(self, pairs: Sequence[Pair]) -> list[str]:
        """Ask about all pairs, and return what is wrong with those that got no verdict."""
        waiting, undecided = iter(pairs), list[str]()
        async with self._client() as client:
            lanes = min(self._concurrency, len(pairs))
            await asyncio.gather(*(self._ask_in_turn(client, waiting, undecided) for _ in range(lanes)))
        return undecided

    def _client(self) -> "openai.AsyncOpenAI":
        from openai import AsyncOpenAI

        key = os.environ.get("OPENAI_API_KEY") or (_NO_KEY if self._base_url else None)
        if key is None:
            raise InputError(
                f"{self.name}: there is no API key; set OPENAI_API_KEY in the environment, "
                "or give base_url, the address of a server that needs none"
            )
        return AsyncOpenAI(
            api_key=key, base_url=self._base_url, max_retries=self._retries, timeout=self._timeout_s
        )

    async def _ask_in_turn(
        self, client: "openai.AsyncOpenAI", waiting: Iterator[Pair], undecided: list[str]
    ) -> None:
        for pair in waiting:
            decision, last_reply = await self._ask(client, pair)
            if decision is not None:
                self._record([decision])
                self._same[pair_key(*pair)] = decision.verdict == "same"
                continue
            undecided.append(
                f"{self.name}: no verdict on {pair[0]!r} and {pair[1]!r} in {self._tries} tries, "
                f"the last reply was {last_reply[:200]!r}; "
                "decide the pair yourself in the file of decisions, or choose another model"
            )
            if len(undecided) >= MAX_UNDECIDED:
                return

    async def _ask(self, client: "openai.AsyncOpenAI", pair: Pair) -> tuple[Decision | None, str]:
        """The decision, if the model comes to one, and its last reply."""
        messages, reply = question(pair), ""
        for _ in range(self._tries):
            reply = await self._reply(client, messages)
            opinion = read_opinion(reply)
            if opinion is not None:
                return self._decision(pair, opinion.same, opinion.reason), reply
            messages = question_again(pair, reply)
        return None, reply

    async def _reply(self, client: "openai.AsyncOpenAI", messages: list[Message]) -> str:
        from openai import BadRequestError

        sampling = self._sampling
        body = {"model": self._model, "messages": messages, **sampling}
        try:
            # The plain body, not the typed arguments: servers differ in more than their types say.
            completion = await client.post("/chat/completions", cast_to=object, body=body)
        except BadRequestError as error:
            if error.param != "temperature" or not sampling:
                raise
            # Some reasoning models take no temperature but their own. Their verdicts may differ from one
            # asking to the next; they are asked once, and the file of decisions keeps what they said.
            self._sampling = {}
            return await self._reply(client, messages)
        except (JSONDecodeError, UnicodeDecodeError) as error:
            return f"no JSON: {error}"
        return _content(completion)

    def _decision(self, pair: Pair, same: bool, reason: str) -> Decision:
        return Decision(
            answer_a=pair[0],
            answer_b=pair[1],
            verdict="same" if same else "different",
            who=self.name,
            when=self._today(),
            why=reason,
        )


def _address(base_url: str | None) -> str | None:
    if base_url is None:
        return None
    try:
        parts = urlsplit(base_url)
        complete = parts.scheme in ("http", "https") and parts.hostname
    except ValueError:
        complete = False
    if not complete:
        raise InputError(
            f"judge: base_url {base_url!r} is no address of a server; "
            "write it in full, for example 'http://localhost:8000/v1'"
        )
    return base_url


def _shown(pair: Pair) -> Pair:
    first, second = sorted(map(clean, pair))
    return first, second


def _content(completion: object) -> str:
    """The text of a reply, or of whatever else came back: read as a reply, that is no verdict."""
    match completion:
        case {"choices": [{"message": {"content": str(content)}}, *_]}:
            return content
        case {"choices": [{"message": {"refusal": str(refusal)}}, *_]}:
            return refusal
        case _:
            return str(completion)


def _explained(error: "openai.OpenAIError", name: str, base_url: str | None) -> BlendError:
    """What a user can do about an error of the server, without anything secret that it may hold."""
    import openai

    where = f"{name} at {_public(base_url)}" if base_url else name
    again = "run again: the verdicts that came are kept and not asked again"
    if isinstance(error, openai.APITimeoutError):
        return ServerError(f"{where}: the server does not answer in time; {again}")
    if isinstance(error, openai.APIConnectionError):
        fix = f"start the server or correct base_url, then {again}"
        return ServerError(f"{where}: no connection, or it broke; {fix}")
    if not isinstance(error, openai.APIStatusError):
        return ServerError(f"{where}: not the answer of an OpenAI-compatible server; correct base_url")
    code = error.status_code
    if code in (401, 403):
        # What servers say here may quote the key.
        return ServerError(f"{where}: the server refuses the API key (HTTP {code}); correct OPENAI_API_KEY")
    fix = "correct model or base_url" if 400 <= code < 500 and code not in (408, 409, 429) else again
    return ServerError(f"{where}: HTTP {code}, {_said(error)!r}; {fix}")


def _public(base_url: str) -> str:
    """The address without user and password."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


def _said(error: "openai.APIStatusError") -> str:
    body = error.body
    text = body.get("message") if isinstance(body, dict) else body
    said = clean(str(text or error.message))[:200]
    key = os.environ.get("OPENAI_API_KEY")
    return said.replace(key, "…") if key else said
