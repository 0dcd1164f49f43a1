"""Models on a server that speaks OpenAI's protocol: vLLM, SGLang, `transformers serve`, or OpenAI's own.

First what of a run's options stands in which field of a request, then who asks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from blend.eval.models import (
    BLANK,
    AnswerTable,
    ChatOptions,
    Decoding,
    Generation,
    ModelDescription,
    OnGenerations,
    StopAsking,
    check_no_chat_options,
    draw_seeds,
)
from blend.eval.models.model_loading import EXTRA
from blend.eval.models.replies import (
    THINKING_VARIABLES,
    BadReplyError,
    filtered,
    is_filtered,
    read_text,
    served_name,
)
from blend.loaders.servers import (
    CONCURRENCY,
    REDIRECTS,
    REFUSED,
    Ask,
    Persistence,
    Server,
    ask_side_by_side,
    is_unconnected,
    problem,
    server_address,
)
from blend.schemas.errors import ArgumentError, ServerError

if TYPE_CHECKING:
    import openai
    from openai import AsyncOpenAI

VERSION = "/v1"
"""What stands before the path of a request in a batch file, whatever the address of the server."""

CHAT_COMPLETIONS = "/chat/completions"
COMPLETIONS = "/completions"
"""Paths of requests for texts, with the model's chat template and without."""

_TEMPLATE_SETTINGS = "chat_template_kwargs"
"""Field that holds variables of the chat template, as vLLM, SGLang and llama.cpp read it."""


class TextRequest(NamedTuple):
    """Request for one written answer."""

    path: str
    """Where it goes, behind the address of the server, for example ``/chat/completions``."""
    body: dict[str, Any]
    """What it holds."""


@dataclass
class _Dialect:
    """What a server understands of a request, as its refusals have shown."""

    max_tokens_key: str = "max_tokens"
    """Field of the answer's length, which servers call by two names."""
    fixed_temperature: bool = False
    """Whether the model takes no temperature but its own; then none is said."""

    def learn(self, refused: str | None, body: Mapping[str, Any]) -> bool:
        """Learn from a field that was refused; false where the same request would be sent again."""
        # OpenAI's newer models know the limit by another name only, and take no temperature but their own.
        if refused == "max_tokens" in body and "messages" in body:
            self.max_tokens_key = "max_completion_tokens"
        elif refused == "temperature" and body.get(refused) == 0:
            self.fixed_temperature = True
        else:
            return False
        return True


@dataclass(frozen=True)
class RequestForm:
    """How prompts become requests, the same whether they are sent at once or stand in a batch file."""

    model: str
    """Its name as the server knows it."""
    chat: bool
    """Whether the server applies the model's chat template."""
    decoding: Decoding
    """How answers are written."""
    options: ChatOptions
    """What is said besides the prompt."""
    dialect: _Dialect = field(default_factory=_Dialect)

    def request(self, prompt: str, seed: int) -> TextRequest:
        """The request for one answer; ``seed`` says where drawing starts."""
        decoding, options, extra = self.decoding, self.options, self.options.extra_body or {}
        roles = {"system": options.system, "user": prompt}
        messages = [{"role": role, "content": text} for role, text in roles.items() if text is not None]
        # Which variable the template has only the server knows; one that it does not have changes nothing.
        switch = {} if options.thinking is None else dict.fromkeys(THINKING_VARIABLES, options.thinking == "on")
        fields = {
            "model": self.model,
            self.dialect.max_tokens_key: decoding.max_tokens,
            "temperature": None if self.dialect.fixed_temperature else decoding.temperature,
            "seed": seed if decoding.temperature > 0 else None,
            "stop": list(decoding.stop) or None,
            **({"messages": messages} if self.chat else {"prompt": prompt}),
            "reasoning_effort": options.reasoning_effort,
            _TEMPLATE_SETTINGS: {**switch, **extra.get(_TEMPLATE_SETTINGS, {})} or None,
        }
        body = {**extra, **{name: value for name, value in fields.items() if value is not None}}
        return TextRequest(CHAT_COMPLETIONS if self.chat else COMPLETIONS, body)


GREETING_TOKENS = 32
"""Tokens of a first reply that shows whether a model thinks: enough for the mark that begins a thought."""

TRIES = 3
"""How often an item is asked while what comes back is not an answer."""

_LEAST_TIMEOUT_S = 300.0
_SLOW_TOKENS_PER_S = 10.0


def open_server(
    model: str,
    url: str | None,
    *,
    chat: bool = True,
    decoding: Decoding | None = None,
    options: ChatOptions | None = None,
    concurrency: int = CONCURRENCY,
    retries: int = 5,
    timeout_s: float | None = None,
    reachable: bool = True,
) -> "ServerModel":
    """Prepare to ask a model on a server, without connecting yet.

    Args:
        model: Its name as the server knows it.
        url: Address of the server; the environment's ``OPENAI_BASE_URL``, or OpenAI's own, when absent.
        chat: Whether prompts go to ``/chat/completions``, where the server applies the model's chat template,
            or as they are to ``/completions``.
        decoding: How texts are generated; the defaults of `Decoding` when absent.
        options: What is said besides the prompt; all but ``extra_body`` to ``/chat/completions`` alone.
        concurrency: Requests under way at a time.
        retries: How often a request is repeated that the server could not serve.
        timeout_s: Seconds to wait for the answer to one request; as long as a slow server needs for the tokens
            that an answer may have, when absent.
        reachable: Whether the server can be asked, if only for its name of the model; not where requests are
            answered elsewhere, in batch files.

    Raises:
        InputError: If the address is not one, or if an option cannot be.
    """
    options = options or ChatOptions()
    if not chat:
        check_no_chat_options(options)
    server = Server(
        name=f"model {model}",
        extra=EXTRA,
        base_url=server_address(url, where="`server`"),
        concurrency=concurrency,
        retries=retries,
        address_name="`server`",
    )
    form = RequestForm(model, chat, decoding or Decoding(), options)
    return ServerModel(server, form, timeout_s, reachable)


@dataclass(frozen=True)
class ServerModel:
    """A model on a server. A reply that names another one than those before stops the asking."""

    server: Server
    form: RequestForm
    timeout_s: float | None
    reachable: bool
    # Shared by all copies of a model, like what its form has learned of the server.
    _served_as: list[str] = field(default_factory=list)

    def thinks(self) -> bool:
        """Whether it thinks before it answers; asks for a few tokens where the options do not tell.

        Raises:
            ServerError: If the server cannot be asked.
        """
        options = self.form.options
        if options.thinking is not None or options.reasoning_effort is not None:
            return options.thinking != "off"
        if not self.reachable:
            raise ArgumentError(
                f"{self.server.name}: nobody is asked now whether it thinks before it answers, so give "
                "`max_tokens`, what an answer may have, or the `server` that knows it"
            )
        answer = self._greet(GREETING_TOKENS)
        return answer.thought is not None or bool(answer.tokens_thought)

    def with_decoding(self, decoding: Decoding) -> Self:
        """The same model, writing in another way."""
        return replace(self, form=replace(self.form, decoding=decoding))

    def describe(self) -> ModelDescription:
        """See `models.Model.describe`; asks a server for one token to learn what it calls the model.

        Raises:
            ServerError: If the server cannot be asked.
        """
        if not self._served_as and self.reachable:
            self._greet(1)
        return ModelDescription(
            backend="server",
            id=self.form.model,
            served_as=next(iter(self._served_as), None),
            chat=self.form.chat,
            delimiter=BLANK,
            server=self.server.public_url,
        )

    def generate(
        self,
        prompts: Sequence[str],
        *,
        samples: Sequence[int] | None = None,
        keep: OnGenerations | None = None,
    ) -> Sequence[Generation]:
        """See `local_model.LocalModel.generate`."""
        seeds = draw_seeds(prompts, samples, self.form.decoding)
        table = AnswerTable[Generation](len(prompts), keep)
        enough_s = max(_LEAST_TIMEOUT_S, self.form.decoding.max_tokens / _SLOW_TOKENS_PER_S)
        server = replace(self.server, timeout_s=enough_s if self.timeout_s is None else self.timeout_s)

        async def ask(client: "AsyncOpenAI", item: int) -> Generation:
            return await self._answer(client, prompts[item], seeds[item])

        _ask_items(server, len(prompts), ask, table)
        return table.all()

    def _greet(self, max_tokens: int) -> Generation:
        """Ask for a few tokens, which say what the server calls the model, and whether it begins to think."""
        decoding = self.form.decoding.model_copy(update={"max_tokens": max_tokens})
        (answer,) = self.with_decoding(decoding).generate(["Hi"])
        if answer.error is not None:
            raise ServerError(f"{self.server.where}: {answer.error}")
        return answer

    async def _answer(self, client: "AsyncOpenAI", prompt: str, seed: int, tries: int = TRIES) -> Generation:
        from openai import APIStatusError

        path, body = self.form.request(prompt, seed)
        try:
            reply = await _posted(client, path, body)
            self._check_name(served_name(reply))
            return read_text(reply)
        except BadReplyError:
            if tries == 1:
                raise
            tries -= 1
        except APIStatusError as error:
            if is_filtered(error.body):
                # It would refuse the same prompt again: this is how the model answers there.
                return filtered()
            if not self.form.dialect.learn(error.param, body):
                raise
        return await self._answer(client, prompt, seed, tries)

    def _check_name(self, name: str | None) -> None:
        """Check that the model is the one that answered before."""
        if name is not None and not self._served_as:
            self._served_as.append(name)
        if name not in (None, *self._served_as):
            raise ServerError(
                f"{self.server.where}: the server now answers as {name!r} and no longer as "
                f"{self._served_as[0]!r}, so its model has changed; serve the first one again to go on, or "
                "start a new run"
            )


async def _posted(client: "AsyncOpenAI", path: str, body: dict[str, Any]) -> object:
    try:
        # The plain body, not the typed arguments: servers differ in more than their types say.
        return await client.post(path, cast_to=object, body=body)
    except (ValueError, RecursionError) as error:
        raise BadReplyError(f"the reply is not JSON, or half of it is missing ({error})") from error


_MAX_FAILURES = 10
"""After so many items in a row without an answer no further ones are asked: the server is not up to it."""

FATAL = (401, 403, 404, *REDIRECTS)
"""Answers that no other item would change."""


def _ask_items(
    server: Server, n_items: int, ask: "Ask[int, Generation]", table: AnswerTable[Generation]
) -> None:
    """Ask about all items.

    Args:
        server: Who is asked.
        n_items: How many items there are.
        ask: Asks about the item of a number.
        table: Takes the answers, and why there is none.

    Raises:
        StopAsking: If who takes the answers does, when what was under way is answered.
        ServerError: If the server cannot be asked, or `_MAX_FAILURES` items in a row get no answer, those apart
            that are refused for themselves (`servers.REFUSED`).
    """
    in_a_row, persistence = 0, Persistence()
    stop: StopAsking | None = None

    async def attempt(client: "openai.AsyncOpenAI", item: int) -> bool:
        from openai import APIStatusError, APITimeoutError

        nonlocal in_a_row, stop
        if stop is not None:
            return False
        try:
            table.put([item], [await persistence.ask(ask, client, item)])
        except StopAsking as asked_to:
            # What is under way is paid for: it is waited for and kept.
            stop = asked_to
        except (APIStatusError, APITimeoutError, BadReplyError) as error:
            # They concern one item; no connection at all concerns all of them.
            code = getattr(error, "status_code", None)
            if code in FATAL or is_unconnected(error):
                raise
            why = problem(error, server)
            table.put([item], [Generation.failed(why)])
            # What is wrong with one request says nothing of others.
            in_a_row += code not in REFUSED
            if in_a_row >= _MAX_FAILURES:
                many = f"{in_a_row} items in a row got no answer, the last because {why}"
                raise ServerError(f"{server.where}: {many}") from error
        else:
            in_a_row = 0
        return True

    ask_side_by_side(server, range(n_items), attempt)
    if stop is not None:
        raise stop
