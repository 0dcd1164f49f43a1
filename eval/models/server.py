"""Models on a server that speaks OpenAI's protocol: vLLM, SGLang, `transformers serve`, or OpenAI's own."""

from collections.abc import Awaitable, Callable, Sequence
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from blend.eval.models.answer_tables import ScoreTable, TextTable
from blend.eval.models.encoding import BLANK, joined
from blend.eval.models.loading import EXTRA
from blend.eval.models.protocols import (
    Decoding,
    Generation,
    KeepGenerations,
    KeepOptionScores,
    ModelDescription,
    OptionScores,
)
from blend.eval.models.replies import BadReplyError, check_logprobs, read_options, read_text, served_name
from blend.eval.models.writing import draw_seeds
from blend.loaders.servers import Server, ask_side_by_side
from blend.loaders.servers.problems import problem, public_address, server_address
from blend.schemas.errors import InputError, ServerError

if TYPE_CHECKING:
    import openai

MAX_FAILURES = 10
"""After so many items in a row without an answer no further ones are asked: the server is not up to it."""

_FATAL = (401, 403, 404)
"""Answers that no other item would change."""


def open_server(
    model: str,
    url: str | None,
    *,
    chat: bool = True,
    decoding: Decoding | None = None,
    concurrency: int = 16,
    retries: int = 5,
    timeout_s: float = 300.0,
) -> "ServerModel":
    """Prepare to ask a model on a server, without connecting yet.

    Args:
        model: Its name as the server knows it.
        url: Address of the server; the environment's ``OPENAI_BASE_URL``, or OpenAI's own, when absent.
        chat: Whether prompts go to ``/chat/completions``, where the server applies the model's chat template,
            or as they are to ``/completions``. Options can be scored only without.
        decoding: How texts are generated; the defaults of `Decoding` when absent.
        concurrency: Requests under way at a time.
        retries: How often a request is repeated that the server could not serve.
        timeout_s: Seconds to wait for the answer to one request.

    Raises:
        InputError: If the address is not one.
    """
    server = Server(
        name=f"model {model}",
        purpose="a model on a server",
        extra=EXTRA,
        base_url=server_address(url, where="--server"),
        concurrency=concurrency,
        retries=retries,
        timeout_s=timeout_s,
        address_option="--server",
    )
    return ServerModel(model, server, chat=chat, decoding=decoding or Decoding())


class ServerModel:
    """See `protocols.Model`. A reply that names another model than the replies before stops the asking."""

    def __init__(self, model: str, server: Server, *, chat: bool, decoding: Decoding) -> None:
        self._model = model
        self._server = server
        self._chat = chat
        self._decoding = decoding
        self._served_as: str | None = None
        self._max_tokens_key = "max_tokens"

    def describe(self) -> ModelDescription:
        """See `protocols.Described.describe`; asks the server for one token to learn what it calls the model.

        Raises:
            ServerError: If the server cannot be asked.
        """
        if self._served_as is None:

            async def greet(client: "openai.AsyncOpenAI", prompt: str) -> bool:
                read_text(await self._asked_for_text(client, prompt, 0, max_tokens=1))
                return True

            try:
                ask_side_by_side(self._server, ["Hi"], greet)
            except BadReplyError as error:
                raise ServerError(f"{self._where}: {error}; correct --server") from error
        url = self._server.base_url
        return ModelDescription(
            backend="server",
            id=self._model,
            served_as=self._served_as,
            chat=self._chat,
            delimiter=BLANK,
            server=public_address(url) if url is not None else None,
        )

    def generate(
        self,
        prompts: Sequence[str],
        *,
        samples: Sequence[int] | None = None,
        keep: KeepGenerations | None = None,
    ) -> Sequence[Generation]:
        """See `protocols.Generator.generate`."""
        seeds = draw_seeds(prompts, samples, self._decoding)
        table = TextTable(len(prompts), keep)

        async def ask(client: "openai.AsyncOpenAI", item: int) -> None:
            reply = await self._asked_for_text(client, prompts[item], seeds[item])
            table.put([item], [read_text(reply)])

        self._ask_all(len(prompts), ask, lambda item, why: table.put([item], [Generation.failed(why)]))
        return table.all()

    def option_logprobs(
        self,
        prompts: Sequence[str],
        options: Sequence[Sequence[str]],
        *,
        keep: KeepOptionScores | None = None,
    ) -> OptionScores:
        """See `protocols.OptionScorer.option_logprobs`."""
        if self._chat:
            raise InputError(
                f"{self._where}: a server scores options only of prompts that it is sent as they are, "
                "without a chat template; add --no-chat"
            )
        table = ScoreTable(options, keep)

        async def ask(client: "openai.AsyncOpenAI", item: int) -> None:
            prompt = prompts[item]
            sent = [prompt, *(joined(prompt, option, BLANK) for option in options[item])]
            scored = read_options(await self._asked_for_logprobs(client, sent), sent, where=self._where)
            table.put(item, scored.logprobs, scored.tokens, tokens_in=scored.tokens_in)
            table.hand_on([item])

        def failed(item: int, why: str) -> None:
            table.fail(item, why)
            table.hand_on([item])

        self._ask_all(len(prompts), ask, failed)
        return table.all()

    @property
    def _where(self) -> str:
        url = self._server.base_url
        return f"{self._server.name} at {public_address(url)}" if url else self._server.name

    def _ask_all(
        self,
        n_items: int,
        ask: Callable[["openai.AsyncOpenAI", int], Awaitable[None]],
        failed: Callable[[int, str], None],
    ) -> None:
        """Ask about all items; one that gets no answer fails alone, unless it is one of many in a row."""
        in_a_row = 0

        async def attempt(client: "openai.AsyncOpenAI", item: int) -> bool:
            nonlocal in_a_row
            try:
                await ask(client, item)
            except _item_errors() as error:
                why = str(error) if isinstance(error, BadReplyError) else problem(error, self._server)
                if getattr(error, "status_code", None) in _FATAL:
                    raise
                failed(item, why)
                in_a_row += 1
                if in_a_row >= MAX_FAILURES:
                    raise ServerError(
                        f"{self._where}: {in_a_row} items in a row got no answer, the last because {why}"
                    ) from error
            else:
                in_a_row = 0
            return True

        if n_items:
            ask_side_by_side(self._server, range(n_items), attempt)

    async def _asked_for_text(
        self, client: "openai.AsyncOpenAI", prompt: str, seed: int, *, max_tokens: int | None = None
    ) -> object:
        from openai import BadRequestError

        decoding, key = self._decoding, self._max_tokens_key
        body: dict[str, Any] = {
            key: decoding.max_tokens if max_tokens is None else max_tokens,
            "temperature": decoding.temperature,
        }
        if decoding.temperature > 0:
            body["seed"] = seed
        if decoding.stop:
            body["stop"] = list(decoding.stop)
        if not self._chat:
            return await self._posted(client, "/completions", {"prompt": prompt, **body})
        messages = [{"role": "user", "content": prompt}]
        try:
            return await self._posted(client, "/chat/completions", {"messages": messages, **body})
        except BadRequestError as error:
            if error.param != "max_tokens" or key != "max_tokens":
                raise
            # OpenAI's newer models know the same limit by another name only.
            self._max_tokens_key = "max_completion_tokens"
            return await self._asked_for_text(client, prompt, seed, max_tokens=max_tokens)

    async def _asked_for_logprobs(self, client: "openai.AsyncOpenAI", sent: Sequence[str]) -> object:
        from openai import BadRequestError, UnprocessableEntityError

        body: dict[str, Any] = {"max_tokens": 0, "temperature": 0, "echo": True, "logprobs": 1}
        try:
            return await self._posted(client, "/completions", {"prompt": list(sent), **body})
        except (BadRequestError, UnprocessableEntityError):
            # `transformers serve` refuses several texts at a time, and no token to write, before anybody learns
            # that it knows no log-probabilities. Asked like this, it says so.
            body["max_tokens"] = 1
            reply = await self._posted(client, "/completions", {"prompt": sent[0], **body})
            check_logprobs(reply, where=self._where)
            raise

    async def _posted(self, client: "openai.AsyncOpenAI", path: str, body: dict[str, Any]) -> object:
        """The reply, from the model that answered before."""
        try:
            # The plain body, not the typed arguments: servers differ in more than their types say.
            reply = await client.post(path, cast_to=object, body={"model": self._model, **body})
        except (JSONDecodeError, UnicodeDecodeError) as error:
            raise BadReplyError(f"the reply is not JSON, or half of it is missing ({error})") from error
        name = served_name(reply)
        if self._served_as is None:
            self._served_as = name
        elif name is not None and name != self._served_as:
            raise ServerError(
                f"{self._where}: the server now answers as {name!r} and no longer as {self._served_as!r}, so "
                "its model has changed; serve the first one again to go on, or start a new run"
            )
        return reply


def _item_errors() -> tuple[type[Exception], ...]:
    """Errors that concern one item; no connection at all concerns all of them."""
    from openai import APIStatusError, APITimeoutError

    return APIStatusError, APITimeoutError, BadReplyError
