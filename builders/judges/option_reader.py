"""A model that reads options: sees question, region and all options at once, and gives a verdict on each.

Other than the chat judge of pairs (`chat.ChatJudge`) it can find that beef is what people of a region eat most.
It is one reader among others, and people's verdicts overrule its own
(`builders.mcq.verdicts.Verdicts.counting`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from blend.builders.judges.chat_model import ChatModel
from blend.builders.judges.option_prompt import (
    PROMPT_VERSION,
    AskedOptions,
    faults,
    option_question,
    option_question_again,
    read_option_opinions,
)
from blend.loaders.responses.verdicts import GivenVerdict
from blend.loaders.servers import ask_side_by_side
from blend.loaders.servers.server_errors import server_address
from blend.schemas.errors import ServerError
from blend.schemas.personal_data import MODEL_PREFIX

if TYPE_CHECKING:
    import openai

MAX_UNREADABLE = 10
"""After so many requests without a readable reply no further ones are sent: the model is not up to it."""


class OptionReader:
    """Asks a chat model about options, and hands its verdicts on as soon as they are there.

    Args:
        model: Name of the model as the server knows it.
        record: Takes the verdicts of a request when they arrive; an error that it raises stops the asking.
            Called from another thread, never twice at a time.
        base_url: Address of the server; the environment's ``OPENAI_BASE_URL``, or OpenAI's own, when absent.
            The key is the environment's ``OPENAI_API_KEY``; a server of one's own may need none.
        concurrency, tries, retries, timeout_s: As `chat_model.ChatModel`.

    Raises:
        InputError: If the address is not one.
    """

    def __init__(
        self,
        model: str,
        *,
        record: Callable[[Sequence[GivenVerdict]], None],
        base_url: str | None = None,
        concurrency: int = 16,
        tries: int = 3,
        retries: int = 5,
        timeout_s: float = 300.0,
    ) -> None:
        self.name = _reader_name(model)
        self._record = record
        self._model = ChatModel(
            model,
            asked_as=self.name,
            base_url=server_address(base_url, where="`base_url`"),
            concurrency=concurrency,
            tries=tries,
            retries=retries,
            timeout_s=timeout_s,
        )

    def read(self, requests: Sequence[AskedOptions]) -> None:
        """Have all options of all requests read.

        Raises:
            MissingExtraError: If the package ``openai`` is not installed.
            InputError: If there is no API key.
            ServerError: If the server cannot be asked, or if no reply to a request can be read in all its
                tries; names the questions, and of the first what did not come and the reply. What came until
                then is recorded.
        """
        unreadable = list[tuple[AskedOptions, str]]()

        async def ask(client: "openai.AsyncOpenAI", asked: AskedOptions) -> bool:
            opinions, reply = await self._model.ask(
                client,
                option_question(asked),
                read=partial(read_option_opinions, asked),
                again=partial(option_question_again, asked),
            )
            if opinions is not None:
                pairs = zip(asked.options, opinions, strict=True)
                about = asked.template_id, asked.locale, asked.question
                self._record(
                    [
                        GivenVerdict(text, one.verdict, one.why, "", *about, confidence=one.confidence)
                        for (text, _), one in pairs
                    ]
                )
            else:
                unreadable.append((asked, reply))
            return len(unreadable) < MAX_UNREADABLE

        ask_side_by_side(self._model.server, requests, ask)
        if unreadable:
            raise ServerError(self._no_verdicts(unreadable))

    def _no_verdicts(self, unreadable: Sequence[tuple[AskedOptions, str]]) -> str:
        names = [f"{asked.template_id} about {asked.locale}" for asked, _ in unreadable]
        first, reply = unreadable[0]
        more = f" Nor on {len(names) - 1:,} more: {', '.join(names[1:])}." if names[1:] else ""
        stopped = " After so many the others were not asked." if len(names) >= MAX_UNREADABLE else ""
        return (
            f"{self.name}: no verdicts on {names[0]} in {self._model.tries} tries: {faults(first, reply)}; the "
            f"last reply was {reply[:200]!r}; have people read these options, or choose another model."
            f"{more}{stopped}"
        )


def _reader_name(model: str) -> str:
    """The name under which a model's verdicts on options are kept: with the words in which it was asked."""
    return f"{MODEL_PREFIX}{model}@prompt-{PROMPT_VERSION}"
