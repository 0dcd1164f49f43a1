"""Encoding: prompts and options as the tokens that a model sees.

An option is encoded together with its prompt, as the model would meet it in a text, and not on its own. A chat
template puts prompts as a model expects them, and shows whether it thinks before it answers.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from blend.eval.models import (
    BLANK,
    ChatOptions,
    check_no_chat_options,
)
from blend.eval.models.replies import ANY_MARK, AROUND_ANSWERS, MARKS, THINKING_VARIABLES, split_thought
from blend.schemas.errors import ArgumentError, InputError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


_ENCODED_AT_A_TIME = 1024
"""Questions whose options are encoded at a time."""


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
    ) -> None:
        """Prepare.

        Args:
            tokenizer: The model's.
            chat: Whether prompts go through the chat template; if there is one when absent.
            options: What is said besides the prompt, by the chat template.

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
        self.tokenizer = tokenizer
        self.chat = has_template if chat is None else chat
        """Whether prompts go through the chat template."""
        self._template = _ChatTemplate(tokenizer, options or ChatOptions()) if self.chat else None
        if not self.chat:
            check_no_chat_options(options)
        self.is_open = self._template is not None and self._template.is_open
        """Whether every prompt ends inside a thought."""
        self.thinks = self._template is not None and self._template.thinks
        """Whether the model thinks before it answers, as far as its chat template shows."""
        self._kept = _kept_tokens(tokenizer)
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
        for start in range(0, len(prompts), _ENCODED_AT_A_TIME):
            choices = options[start : start + _ENCODED_AT_A_TIME]
            texts: list[str] = []
            for prompt, own in zip(prompts[start : start + _ENCODED_AT_A_TIME], choices, strict=True):
                rendered = self._rendered(prompt)
                texts += [rendered, *(_joined(rendered, option, self.delimiter) for option in own)]
            encoded = iter(self._encoded(texts))
            for own in choices:
                yield self._question(next(encoded), [next(encoded) for _ in own])

    def decoded(self, ids: Sequence[int]) -> str:
        """The text of tokens without special ones, but for those of marks around thoughts and answers."""

        def plain(run: list[int]) -> Any:
            return self.tokenizer.decode(run, skip_special_tokens=True, clean_up_tokenization_spaces=False)

        # One by one, only where there are any: a tokenizer may write a token otherwise at the beginning of a
        # text.
        return "".join(
            "".join(self._kept[token] for token in run) if is_kept else plain(list(run))
            for is_kept, run in groupby(ids, key=self._kept.__contains__)
        )

    def _question(self, alone: list[int], encoded_whole: list[list[int]]) -> EncodedQuestion:
        """A question, from the tokens of its prompt and those of prompt and option together."""
        # A tokenizer can merge the prompt's end with an option's beginning. Where any option does so, the
        # prefix ends before that token for all of them: options are compared after the same prefix. And an
        # option that adds no token of its own, such as a blank, would have nothing to score.
        start = min(min(n_in_common(alone, ids), len(ids) - 1) for ids in encoded_whole)
        return EncodedQuestion(self._leading + encoded_whole[0][:start], [ids[start:] for ids in encoded_whole])

    def _rendered(self, prompt: str) -> str:
        return prompt if self._template is None else self._template.rendered(prompt)

    def _encoded(self, texts: list[str]) -> list[list[int]]:
        if not texts:
            return []
        ids: list[list[int]] = self.tokenizer(
            texts, add_special_tokens=False, return_attention_mask=False, verbose=False
        )["input_ids"]
        return ids


def _joined(prompt: str, option: str, delimiter: str) -> str:
    """Prompt and option as one text; white space that ends the prompt does for a delimiter."""
    return prompt + option if prompt[-1:].isspace() else prompt + delimiter + option


def _leading(tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    # Not every tokenizer says which special tokens begin a text: they are what stands before a plain letter.
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    encoded_whole = tokenizer("a")["input_ids"]
    starts = (i for i in range(len(encoded_whole) - len(bare) + 1) if encoded_whole[i : i + len(bare)] == bare)
    return list(encoded_whole[: next(starts, 0)])


def _kept_tokens(tokenizer: "PreTrainedTokenizerBase") -> dict[int, str]:
    """Special tokens that are part of a mark of a thought, with their text, and those around answers beside."""
    special = {
        number: token.content for number, token in tokenizer.added_tokens_decoder.items() if token.special
    }
    marks = [mark for pair in MARKS for mark in pair]
    if not any(text in mark for text in special.values() for mark in marks):
        return {}
    parts = (*marks, *AROUND_ANSWERS)
    return {number: text for number, text in special.items() if any(text in mark for mark in parts)}


def n_in_common(a: list[int], b: list[int]) -> int:
    """Count the tokens that two texts have in common at the beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


_EFFORT_VARIABLE = "reasoning_effort"

# Llama 3's template prints today's date unless it is given one; this is the template's own default. Another day
# must not give another score.
_TEMPLATE_DATE = "26 Jul 2024"

_PROBE = "blend-probe"


class _ChatTemplate:
    """The chat template of a tokenizer, with what is said besides the prompt."""

    def __init__(self, tokenizer: "PreTrainedTokenizerBase", options: ChatOptions) -> None:
        """Prepare.

        Args:
            tokenizer: One that has a chat template.
            options: What is said besides the prompt.

        Raises:
            ArgumentError: If the template has no variable for what is asked for, or refuses a system message.
        """
        self._tokenizer = tokenizer
        self._system = options.system
        source = str(tokenizer.get_chat_template())
        self._variables: dict[str, bool | str] = {}
        if options.thinking is not None:
            name = _variable(source, "thinking", THINKING_VARIABLES)
            self._variables[name] = options.thinking == "on"
        if options.reasoning_effort is not None:
            name = _variable(source, "reasoning_effort", (_EFFORT_VARIABLE,))
            self._variables[name] = options.reasoning_effort
        ending = self._ending()
        self.is_open = not split_thought(ending).is_finished
        is_closed = not self.is_open and re.search(ANY_MARK, ending) is not None
        knows_thoughts = any(mark in source for pair in MARKS for mark in pair)
        self.thinks = self.is_open or (
            options.thinking == "on"
            if options.thinking is not None
            else options.reasoning_effort is not None or (knows_thoughts and not is_closed)
        )

    def rendered(self, prompt: str) -> str:
        """A prompt as the model expects it, up to where it goes on."""
        system = [] if self._system is None else [{"role": "system", "content": self._system}]
        rendered = self._tokenizer.apply_chat_template(
            [*system, {"role": "user", "content": prompt}],
            tokenize=False,
            add_generation_prompt=True,
            # Templates without a date ignore it.
            date_string=_TEMPLATE_DATE,
            **self._variables,
        )
        assert isinstance(rendered, str)
        return rendered

    def _ending(self) -> str:
        """What the template writes behind a prompt."""
        from jinja2 import TemplateError

        try:
            return self.rendered(_PROBE).rpartition(_PROBE)[2]
        except TemplateError as error:
            if self._system is None:
                raise InputError(f"chat: the chat template of this model fails ({error}); mend it") from error
            raise ArgumentError(
                f"`system`: the chat template of this model takes no message of a system ({error}); leave "
                "`system` out"
            ) from error


def _variable(source: str, parameter: str, names: Sequence[str]) -> str:
    """The first of some variables that a chat template has for a caller to set."""
    from jinja2 import meta
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # A tag of transformers' own, which says what to train on.
    plain = re.sub(r"{%-?\s*(?:end)?generation\s*-?%}", "", source)
    environment = ImmutableSandboxedEnvironment(extensions=["jinja2.ext.loopcontrols"])
    known = meta.find_undeclared_variables(environment.parse(plain))
    found = next((name for name in names if name in known), None)
    if found is None:
        raise ArgumentError(
            f"`{parameter}`: the chat template of this model has no variable {' or '.join(names)}; leave "
            f"`{parameter}` out"
        )
    return found
