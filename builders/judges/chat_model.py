"""A chat model on any OpenAI-compatible server, asked until its reply can be read."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from blend.builders.judges.prompt import Message
from blend.loaders.servers import Persistence, Server

if TYPE_CHECKING:
    import openai

T = TypeVar("T")


class ChatModel:
    """A chat model by its name; connects with the first question.

    Args:
        model: Its name as the server knows it.
        asked_as: Who is asked, as messages say it.
        base_url: Address of the server, checked by `loaders.servers.server_errors.server_address`; OpenAI's own
            when absent.
        address_name: What the user calls the address (`loaders.servers.Server`).
        concurrency: Requests under way at a time.
        tries: How often a question is asked while its reply cannot be read.
        retries: How often a request is repeated that the server could not serve (429, 5xx, no or a broken
            connection), with growing pauses, or with those that the server asks for.
        timeout_s: Seconds to wait for the answer to one request.
    """

    def __init__(
        self,
        model: str,
        *,
        asked_as: str,
        base_url: str | None,
        address_name: str = "`base_url`",
        concurrency: int,
        tries: int,
        retries: int,
        timeout_s: float,
    ) -> None:
        self.tries = tries
        self.server = Server(
            name=asked_as,
            extra="judge",
            base_url=base_url,
            address_name=address_name,
            concurrency=concurrency,
            retries=retries,
            timeout_s=timeout_s,
            kept="the verdicts that came",
        )
        self._model = model
        self._persistence = Persistence()
        self._sampling: dict[str, Any] = {"temperature": 0}

    async def ask(
        self,
        client: "openai.AsyncOpenAI",
        messages: list[Message],
        *,
        read: Callable[[str], T | None],
        again: Callable[[str], list[Message]],
    ) -> tuple[T | None, str]:
        """Ask until a reply can be read.

        Args:
            client: Of the server, see `loaders.servers.ask_side_by_side`.
            messages: The question.
            read: Reads a reply; null, and the model is asked again.
            again: The messages after a reply that cannot be read.

        Returns:
            What was read, or null when no try brought it, and the last reply.
        """
        reply = ""
        for _ in range(self.tries):
            reply = await self._persistence.ask(self._reply, client, messages)
            found = read(reply)
            if found is not None:
                return found, reply
            messages = again(reply)
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
            # asking to the next; they are asked once, and the file of verdicts keeps what they said.
            self._sampling = {}
            return await self._reply(client, messages)
        except (ValueError, RecursionError) as error:
            return f"no JSON: {error}"
        return _content(completion)


def _content(completion: object) -> str:
    """The text of a reply, or of whatever else came back: read as a reply, that is not a verdict."""
    match completion:
        case {"choices": [{"message": {"content": str(content)}}, *_]}:
            return content
        case {"choices": [{"message": {"refusal": str(refusal)}}, *_]}:
            return refusal
        case _:
            return str(completion)
