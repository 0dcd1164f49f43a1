"""The chat judge: asks a language model on any OpenAI-compatible server.

Every request asks about one pair, because a verdict may depend on the two answers alone and not on what else
is asked with them. The two are shown in code-point order.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from blend.builders.judges.chat_model import ChatModel
from blend.builders.judges.equivalence import Pair, Verdict
from blend.builders.judges.prompt import question, question_again, read_opinion
from blend.loaders.responses.verdicts import GivenVerdict
from blend.loaders.servers import ask_side_by_side
from blend.loaders.servers.server_errors import server_address
from blend.schemas.errors import ServerError
from blend.schemas.personal_data import MODEL_PREFIX
from blend.schemas.sheets import DIFFERS_FROM, SAME_AS
from blend.schemas.texts import clean, pair_key

if TYPE_CHECKING:
    import openai

MAX_UNDECIDED = 10
"""After so many pairs without a verdict no further ones are asked: the model is not up to it."""


class ChatJudge:
    """Asks a chat model about every pair once, and hands each verdict on as soon as it is there."""

    def __init__(
        self,
        model: str,
        *,
        record: Callable[[Sequence[GivenVerdict]], None],
        base_url: str | None = None,
        concurrency: int = 16,
        tries: int = 3,
        retries: int = 5,
        timeout_s: float = 60.0,
    ) -> None:
        """Prepare, without connecting yet.

        Args:
            model: Name of the model as the server knows it.
            record: Takes every verdict when it arrives; an error that it raises stops the asking. Called from
                another thread, never twice at a time.
            base_url: Address of the server; the environment's ``OPENAI_BASE_URL``, or OpenAI's own, when
                absent. The key is the environment's ``OPENAI_API_KEY``; a server of one's own may need none.
            concurrency: Requests under way at a time.
            tries: How often a pair is asked while what comes back is not a verdict.
            retries: How often a request is repeated that the server could not serve (429, 5xx, no or a
                broken connection), with growing pauses, or with those that the server asks for.
            timeout_s: Seconds to wait for the answer to one request.

        Raises:
            InputError: If the address is not one.
        """
        self.name = f"{MODEL_PREFIX}{model}"
        self._record = record
        self._asked = ChatModel(
            model,
            asked_as=self.name,
            base_url=server_address(base_url, where="`base_url`"),
            # A recipe has no key for the address.
            address_name="`base_url`" if base_url else "OPENAI_BASE_URL",
            concurrency=concurrency,
            tries=tries,
            retries=retries,
            timeout_s=timeout_s,
        )
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
        undecided = list[str]()

        async def ask(client: "openai.AsyncOpenAI", pair: Pair) -> bool:
            return await self._ask_about(client, pair, undecided)

        ask_side_by_side(self._asked.server, pairs, ask)
        if undecided:
            raise ServerError("\n".join(undecided))

    async def _ask_about(self, client: "openai.AsyncOpenAI", pair: Pair, undecided: list[str]) -> bool:
        """Settle one pair, or note what is wrong with it; false when that is enough."""
        opinion, last_reply = await self._asked.ask(
            client, question(pair), read=read_opinion, again=partial(question_again, pair)
        )
        if opinion is not None:
            verdict = SAME_AS if opinion.same else DIFFERS_FROM
            self._record([GivenVerdict(pair[0], verdict, opinion.reason, "", other=pair[1])])
            self._same[pair_key(*pair)] = opinion.same
            return True
        undecided.append(
            f"{self.name}: no verdict on {pair[0]!r} and {pair[1]!r} in {self._asked.tries} tries, "
            f"the last reply was {last_reply[:200]!r}; "
            "decide the pair yourself in the table of verdicts, or choose another model"
        )
        return len(undecided) < MAX_UNDECIDED


def _shown(pair: Pair) -> Pair:
    first, second = sorted(map(clean, pair))
    return first, second
