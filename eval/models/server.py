"""Models on a server that speaks OpenAI's protocol: vLLM, SGLang, `transformers serve`, or OpenAI's own."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from blend.eval.models.answer_tables import ScoreTable, TextTable
from blend.eval.models.encoding import BLANK, joined
from blend.eval.models.model_loading import EXTRA
from blend.eval.models.protocols import (
    ChatOptions,
    Decoding,
    Generation,
    ModelDescription,
    OnGenerations,
    OnOptionScores,
    OptionScores,
    check_no_chat_options,
)
from blend.eval.models.server_items import ask_items
from blend.eval.models.server_replies import (
    BadReplyError,
    check_logprobs,
    filtered,
    is_filtered,
    read_options,
    read_text,
    served_name,
    shows_thoughts,
)
from blend.eval.models.server_requests import (
    COMPLETIONS,
    TextRequest,
    check_extra_body,
    text_request,
    with_extra,
)
from blend.eval.models.text_generation import draw_seeds
from blend.eval.models.thoughts import Marks
from blend.loaders.servers import Server, ask_side_by_side
from blend.loaders.servers.pace import Pace
from blend.loaders.servers.server_errors import NO_ROUTE, public_address, server_address, server_reply, status
from blend.schemas.errors import ArgumentError, InputError, ServerError

if TYPE_CHECKING:
    import openai

GREETING_TOKENS = 32
"""Tokens of a first reply that shows whether a model thinks: enough for the mark that begins a thought."""

_LEAST_TIMEOUT_S = 300.0
_SLOW_TOKENS_PER_S = 10.0


def open_server(
    model: str,
    url: str | None,
    *,
    chat: bool = True,
    decoding: Decoding | None = None,
    options: ChatOptions | None = None,
    thought_marks: Sequence[Marks] = (),
    concurrency: int | None = None,
    rpm: int | None = None,
    tpm: int | None = None,
    retries: int = 5,
    timeout_s: float | None = None,
    reachable: bool = True,
) -> "ServerModel":
    """Prepare to ask a model on a server, without connecting yet.

    Args:
        model: Its name as the server knows it.
        url: Address of the server; the environment's ``OPENAI_BASE_URL``, or OpenAI's own, when absent.
        chat: Whether prompts go to ``/chat/completions``, where the server applies the model's chat template,
            or as they are to ``/completions``. Options can be scored only without.
        decoding: How texts are generated; the defaults of `Decoding` when absent.
        options: What is said besides the prompt; all but ``extra_body`` to ``/chat/completions`` alone.
        thought_marks: Pairs of marks around thoughts besides the usual ones (`thoughts.MARKS`).
        concurrency: Requests under way at a time at most; `pace.MOST` when absent. There are as many as the
            server serves, found by trying.
        rpm: Requests a minute at most; as many as the server serves when absent.
        tpm: Tokens a minute at most, of prompts and answers; likewise.
        retries: How often a request is repeated that the server could not serve.
        timeout_s: Seconds to wait for the answer to one request; as long as a slow server needs for the tokens
            that an answer may have, when absent.
        reachable: Whether the server can be asked, if only for its name of the model; not where requests are
            answered elsewhere, in batch files.

    Raises:
        InputError: If the address is not one, or if an option cannot be.
    """
    if not chat:
        check_no_chat_options(options)
    if options is not None and options.extra_body is not None:
        check_extra_body(options.extra_body)
    server = Server(
        name=f"model {model}",
        purpose="a model on a server",
        extra=EXTRA,
        base_url=server_address(url, where="`server`"),
        pace=Pace(most=concurrency, rpm=rpm, tpm=tpm),
        retries=retries,
        address_name="`server`",
    )
    return ServerModel(
        model,
        server,
        chat=chat,
        decoding=decoding or Decoding(),
        options=options or ChatOptions(),
        thought_marks=tuple(thought_marks),
        timeout_s=timeout_s,
        reachable=reachable,
    )


class ServerModel:
    """See `protocols.Model`. A reply that names another model than the replies before stops the asking."""

    def __init__(
        self,
        model: str,
        server: Server,
        *,
        chat: bool,
        decoding: Decoding,
        options: ChatOptions,
        thought_marks: tuple[Marks, ...],
        timeout_s: float | None,
        reachable: bool,
    ) -> None:
        self._model = model
        self._reachable = reachable
        self._timeout_s = timeout_s
        self._server = replace(server, timeout_s=_enough_seconds(decoding) if timeout_s is None else timeout_s)
        self._chat = chat
        self._decoding = decoding
        self._options = options
        self._thought_marks = thought_marks
        self._served_as: str | None = None
        self._max_tokens_key = "max_tokens"
        self._fixed_temperature = False
        self._bears_refusals = False

    def thinks(self) -> bool:
        """See `protocols.OpenedModel.thinks`; asks for a few tokens where the options do not tell."""
        if self._options.thinking is not None:
            return self._options.thinking == "on"
        if self._options.reasoning_effort is not None:
            return True
        if not self._reachable:
            raise ArgumentError(
                f"model {self._model}: nobody is asked now whether it thinks before it answers, so give "
                "`max_tokens`, what an answer may have, or the `server` that knows it"
            )
        return self._greet(GREETING_TOKENS)

    def with_decoding(self, decoding: Decoding) -> Self:
        """See `protocols.OpenedModel.with_decoding`."""
        other = copy(self)
        other._decoding = decoding
        if self._timeout_s is None:
            other._server = replace(self._server, timeout_s=_enough_seconds(decoding))
        return other

    def describe(self) -> ModelDescription:
        """See `protocols.Described.describe`; asks a server for one token to learn what it calls the model.

        Raises:
            ServerError: If the server cannot be asked.
        """
        if self._served_as is None and self._reachable:
            self._greet(1)
        url = self._server.base_url
        return ModelDescription(
            backend="server",
            id=self._model,
            served_as=self._served_as,
            chat=self._chat,
            delimiter=BLANK,
            server=public_address(url) if url is not None else None,
        )

    def bearing_refusals(self) -> Self:
        """See `protocols.BearsRefusals.bearing_refusals`."""
        other = copy(self)
        other._bears_refusals = True
        return other

    def _greet(self, max_tokens: int) -> bool:
        """Ask for a few tokens, which say what the server calls the model, and whether it begins to think."""
        thinks = False

        async def greet(client: "openai.AsyncOpenAI", prompt: str) -> bool:
            nonlocal thinks
            reply = await self._asked_for_text(client, prompt, 0, max_tokens=max_tokens)
            self.read_reply(reply)
            thinks = shows_thoughts(reply, self._thought_marks)
            return True

        try:
            ask_side_by_side(self._server, ["Hi"], greet)
        except BadReplyError as error:
            raise ServerError(f"{self.where}: {error}; correct `server`, or run again later") from error
        return thinks

    def generate(
        self,
        prompts: Sequence[str],
        *,
        samples: Sequence[int] | None = None,
        keep: OnGenerations | None = None,
    ) -> Sequence[Generation]:
        """See `protocols.Generator.generate`."""
        seeds = draw_seeds(prompts, samples, self._decoding)
        table = TextTable(len(prompts), keep)

        async def ask(client: "openai.AsyncOpenAI", item: int) -> None:
            from openai import APIStatusError

            try:
                answer = self.read_reply(await self._asked_for_text(client, prompts[item], seeds[item]))
            except APIStatusError as error:
                if not is_filtered(error.body):
                    raise
                # It would refuse the same prompt again: this is how the model answers there.
                answer = filtered()
            table.put([item], [answer])

        self._ask_all(len(prompts), ask, lambda item, why: table.put([item], [Generation.failed(why)]))
        return table.all()

    def option_logprobs(
        self,
        prompts: Sequence[str],
        options: Sequence[Sequence[str]],
        *,
        keep: OnOptionScores | None = None,
    ) -> OptionScores:
        """See `protocols.OptionScorer.option_logprobs`."""
        if self._chat:
            raise InputError(
                f"{self.where}: a server scores options only of prompts that it is sent as they are, "
                "without a chat template; set `chat` to false"
            )
        table = ScoreTable(options, keep)

        async def ask(client: "openai.AsyncOpenAI", item: int) -> None:
            prompt = prompts[item]
            sent = [prompt, *(joined(prompt, option, BLANK) for option in options[item])]
            scored = read_options(await self._asked_for_logprobs(client, sent), sent, where=self.where)
            table.put(item, scored.logprobs, scored.tokens, tokens_in=scored.tokens_in)
            table.hand_on([item])

        def failed(item: int, why: str) -> None:
            table.fail(item, why)
            table.hand_on([item])

        self._ask_all(len(prompts), ask, failed)
        return table.all()

    @property
    def server(self) -> Server:
        """The server that it is asked on."""
        return self._server

    @property
    def where(self) -> str:
        """The server, as messages name it."""
        url = self._server.base_url
        return f"{self._server.name} at {public_address(url)}" if url else self._server.name

    def text_requests(
        self, prompts: Sequence[str], *, samples: Sequence[int] | None = None
    ) -> Iterator[TextRequest]:
        """Requests for written answers as `generate` sends them, in the order of their prompts."""
        for prompt, seed in zip(prompts, draw_seeds(prompts, samples, self._decoding), strict=True):
            yield self._text_request(prompt, seed, self._decoding)

    def read_reply(self, reply: object) -> Generation:
        """The answer in a reply, whenever and however it came; see `server_replies.read_text`."""
        return read_text(reply, self._thought_marks)

    def _text_request(self, prompt: str, seed: int, decoding: Decoding) -> TextRequest:
        return text_request(
            self._model,
            prompt,
            seed=seed,
            chat=self._chat,
            decoding=decoding,
            options=self._options,
            max_tokens_key=self._max_tokens_key,
            fixed_temperature=self._fixed_temperature,
        )

    def _ask_all(
        self,
        n_items: int,
        ask: Callable[["openai.AsyncOpenAI", int], Awaitable[None]],
        failed: Callable[[int, str], None],
    ) -> None:
        bears = self._bears_refusals
        ask_items(self._server, n_items, ask, failed, where=self.where, bears_refusals=bears)

    async def _asked_for_text(
        self, client: "openai.AsyncOpenAI", prompt: str, seed: int, *, max_tokens: int | None = None
    ) -> object:
        from openai import BadRequestError

        learned, decoding = (self._max_tokens_key, self._fixed_temperature), self._decoding
        if max_tokens is not None:
            decoding = decoding.model_copy(update={"max_tokens": max_tokens})
        try:
            return await self._posted(client, *self._text_request(prompt, seed, decoding))
        except BadRequestError as error:
            # OpenAI's newer models know the limit by another name only, and take no temperature but their own.
            if self._chat and error.param == "max_tokens" and learned[0] == "max_tokens":
                self._max_tokens_key = "max_completion_tokens"
            elif error.param == "temperature" and decoding.temperature == 0 and not learned[1]:
                self._fixed_temperature = True
            else:
                raise
            return await self._asked_for_text(client, prompt, seed, max_tokens=max_tokens)

    async def _asked_for_logprobs(self, client: "openai.AsyncOpenAI", sent: Sequence[str]) -> object:
        from openai import BadRequestError, UnprocessableEntityError

        plain = {"model": self._model, "max_tokens": 0, "temperature": 0, "echo": True, "logprobs": 1}
        body: dict[str, Any] = with_extra({**plain, "prompt": list(sent)}, self._options)
        try:
            return await self._posted(client, COMPLETIONS, body)
        except (BadRequestError, UnprocessableEntityError):
            # `transformers serve` refuses several texts at a time, and no token to write, before anybody learns
            # that it knows no log-probabilities. TaskItems like this, it says so.
            reply = await self._posted(client, COMPLETIONS, {**body, "prompt": sent[0], "max_tokens": 1})
            check_logprobs(reply, where=self.where)
            raise

    async def _posted(self, client: "openai.AsyncOpenAI", path: str, body: dict[str, Any]) -> object:
        """The reply, from the model that answered before."""
        from openai import APIStatusError

        try:
            # The plain body, not the typed arguments: servers differ in more than their types say.
            reply = await client.post(path, cast_to=object, body=body)
        except (ValueError, RecursionError) as error:
            raise BadReplyError(f"the reply is not JSON, or half of it is missing ({error})") from error
        except APIStatusError as error:
            if path != COMPLETIONS or error.status_code not in NO_ROUTE or self._model in server_reply(error):
                raise
            raise ServerError(
                f"{self.where}: {status(error)}, {server_reply(error)!r}; the likelihood of options and texts "
                "without a chat template are asked for there, so if the server has no such route, use "
                "`style=json` (true-false: `style=written`) or leave `chat=False` out; else correct model or "
                "`server`"
            ) from error
        name = served_name(reply)
        if self._served_as is None:
            self._served_as = name
        elif name is not None and name != self._served_as:
            raise ServerError(
                f"{self.where}: the server now answers as {name!r} and no longer as {self._served_as!r}, so "
                "its model has changed; serve the first one again to go on, or start a new run"
            )
        return reply


def _enough_seconds(decoding: Decoding) -> float:
    """Seconds to wait for one answer: a thought of many tokens takes a slow server minutes."""
    return max(_LEAST_TIMEOUT_S, decoding.max_tokens / _SLOW_TOKENS_PER_S)
