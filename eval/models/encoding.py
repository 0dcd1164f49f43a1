"""Encoding: prompts and options as the tokens that a model sees.

An option is encoded together with its prompt, as the model would meet it in a text, and not on its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blend.eval.models.chat_template import ChatTemplate
from blend.eval.models.protocols import ChatOptions, check_no_chat_options
from blend.eval.models.thoughts import Marks
from blend.schemas.errors import InputError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

BLANK = " "
"""What stands between a prompt and an option, except after a chat template."""

_SLICE = 1024


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """One prompt and its options as tokens."""

    prefix: list[int]
    """What comes before every option; the options' probabilities are conditional on it."""
    options: list[list[int]]
    """The tokens of each option, at least one each."""

    @property
    def length(self) -> int:
        """Tokens of the longest text, prompt and option together."""
        return len(self.prefix) + max(map(len, self.options))


class Encoder:
    """Turns prompts into tokens, with the model's chat template or without."""

    def __init__(
        self,
        tokenizer: "PreTrainedTokenizerBase",
        *,
        chat: bool | None = None,
        options: ChatOptions | None = None,
        further: Sequence[Marks] = (),
    ) -> None:
        """Prepare.

        Args:
            tokenizer: The model's.
            chat: Whether prompts go through the chat template; if there is one when absent.
            options: What is said besides the prompt, by the chat template.
            further: Pairs of marks around thoughts besides the usual ones.

        Raises:
            InputError: If a chat template is asked for and the tokenizer has none, or if the template has no
                variable for what is asked for.
        """
        has_template = bool(tokenizer.chat_template)
        if chat and not has_template:
            raise InputError(
                "chat: the tokenizer of this model has no chat template; leave `chat` out, "
                "or save the template beside the tokenizer as chat_template.jinja"
            )
        self._tokenizer = tokenizer
        self.chat = has_template if chat is None else chat
        """Whether prompts go through the chat template."""
        self.template = (
            ChatTemplate(tokenizer, options or ChatOptions(), further=further) if self.chat else None
        )
        """The chat template, where prompts go through it."""
        if not self.chat:
            check_no_chat_options(options)
        self.delimiter = "" if self.chat else BLANK
        """What stands between a prompt and an option."""
        # A chat template writes the special tokens itself. Without one, only those that begin a text are
        # wanted: one that ends it would stand between prompt and answer.
        self._leading = [] if self.chat else _leading(tokenizer)

    def prompts(self, prompts: Sequence[str]) -> list[list[int]]:
        """The tokens of each prompt, up to where the answer begins."""
        return [self._leading + ids for ids in self._encoded([self._rendered(prompt) for prompt in prompts])]

    def questions(self, prompts: Sequence[str], options: Sequence[Sequence[str]]) -> Iterator[EncodedQuestion]:
        """The tokens of each prompt and its options, in order.

        Where an option's first character joins the prompt's last one in a token, that token counts as the
        option's, for all options of the prompt alike.
        """
        # In slices: every option is encoded with its whole prompt, and most of that is forgotten at once.
        for start in range(0, len(prompts), _SLICE):
            choices = options[start : start + _SLICE]
            texts: list[str] = []
            for prompt, own in zip(prompts[start : start + _SLICE], choices, strict=True):
                rendered = self._rendered(prompt)
                texts += [rendered, *(joined(rendered, option, self.delimiter) for option in own)]
            encoded = iter(self._encoded(texts))
            for own in choices:
                yield self._question(next(encoded), [next(encoded) for _ in own])

    def _question(self, alone: list[int], encoded_whole: list[list[int]]) -> EncodedQuestion:
        """A question, from the tokens of its prompt and those of prompt and option together."""
        # A tokenizer can merge the prompt's end with an option's beginning. Where any option does so, the
        # prefix ends before that token for all of them: options are compared after the same prefix. And an
        # option that adds no token of its own, such as a blank, would have nothing to score.
        start = min(min(n_in_common(alone, ids), len(ids) - 1) for ids in encoded_whole)
        return EncodedQuestion(self._leading + encoded_whole[0][:start], [ids[start:] for ids in encoded_whole])

    def _rendered(self, prompt: str) -> str:
        return prompt if self.template is None else self.template.rendered(prompt)

    def _encoded(self, texts: list[str]) -> list[list[int]]:
        if not texts:
            return []
        ids: list[list[int]] = self._tokenizer(
            texts, add_special_tokens=False, return_attention_mask=False, verbose=False
        )["input_ids"]
        return ids


def joined(prompt: str, option: str, delimiter: str) -> str:
    """Prompt and option as one text; white space that ends the prompt does for a delimiter."""
    return prompt + option if prompt[-1:].isspace() else prompt + delimiter + option


def _leading(tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    # Not every tokenizer says which special tokens begin a text: they are what stands before a plain letter.
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    encoded_whole = tokenizer("a")["input_ids"]
    starts = (i for i in range(len(encoded_whole) - len(bare) + 1) if encoded_whole[i : i + len(bare)] == bare)
    return list(encoded_whole[: next(starts, 0)])


def n_in_common(a: list[int], b: list[int]) -> int:
    """Count the tokens that two texts have in common at the beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
