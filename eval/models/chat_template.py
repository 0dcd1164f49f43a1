"""Chat templates of local models: prompts as a model expects them, and what of its text is a thought."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from blend.eval.models.protocols import ChatOptions
from blend.eval.models.text_generation import Reading
from blend.eval.models.thoughts import AROUND_ANSWERS, MARKS, Marks, any_mark, split_thought
from blend.schemas.errors import ArgumentError, InputError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

THINKING_VARIABLES = ("enable_thinking", "thinking")
"""Variables by which templates let a model think or not: Qwen's and most others', DeepSeek's and Granite's."""

EFFORT_VARIABLE = "reasoning_effort"

# Llama 3's template prints today's date unless it is given one; this is the template's own default. Another day
# must not give another score.
_TEMPLATE_DATE = "26 Jul 2024"

_GIVEN_BY_THE_LIBRARY = {
    *("messages", "tools", "documents", "add_generation_prompt", "date_string"),
    *("raise_exception", "strftime_now"),
    *("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token"),
}
_PROBE = "blend-probe"


class ChatTemplate:
    """The chat template of a tokenizer, with what is said besides the prompt."""

    def __init__(
        self, tokenizer: "PreTrainedTokenizerBase", options: ChatOptions, *, further: Sequence[Marks] = ()
    ) -> None:
        """Prepare.

        Args:
            tokenizer: One that has a chat template.
            options: What is said besides the prompt.
            further: Pairs of marks around thoughts besides the usual ones.

        Raises:
            ArgumentError: If the template has no variable for what is asked for, or refuses a system message.
        """
        self._tokenizer = tokenizer
        self._options = options
        self._source = str(tokenizer.get_chat_template())
        self._variables = self._settings()
        ending = self._ending()
        self.is_open = not split_thought(ending, further).is_finished
        """Whether every prompt ends inside a thought."""
        is_closed = not self.is_open and re.search(any_mark(further), ending) is not None
        self.thinks = self.is_open or self._is_told_to_think(further, unless=is_closed)
        """Whether the model thinks before it answers, as far as the template shows."""

    def rendered(self, prompt: str) -> str:
        """A prompt as the model expects it, up to where it goes on."""
        messages = [{"role": "user", "content": prompt}]
        if self._options.system is not None:
            messages.insert(0, {"role": "system", "content": self._options.system})
        # Templates without a date ignore it.
        rendered = self._tokenizer.apply_chat_template(
            messages,
            tokenize=False,
            add_generation_prompt=True,
            date_string=_TEMPLATE_DATE,
            **self._variables,
        )
        assert isinstance(rendered, str)
        return rendered

    def _settings(self) -> dict[str, bool | str]:
        """The variables of the template that the options set."""
        options = self._options
        settings: dict[str, bool | str] = {}
        if options.thinking is not None:
            name = self._variable("thinking", THINKING_VARIABLES)
            settings[name] = options.thinking == "on"
        if options.reasoning_effort is not None:
            name = self._variable("reasoning_effort", (EFFORT_VARIABLE,))
            settings[name] = options.reasoning_effort
        return settings

    def _variable(self, parameter: str, names: Sequence[str]) -> str:
        known = template_variables(self._source)
        found = next((name for name in names if name in known), None)
        if found is None:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise ArgumentError(
                f"`{parameter}`: the chat template of this model has no variable {' or '.join(names)} ({has}); "
                f"leave `{parameter}` out"
            )
        return found

    def _ending(self) -> str:
        """What the template writes behind a prompt."""
        from jinja2 import TemplateError

        try:
            return self.rendered(_PROBE).rpartition(_PROBE)[2]
        except TemplateError as error:
            if self._options.system is None:
                raise InputError(f"chat: the chat template of this model fails ({error}); mend it") from error
            raise ArgumentError(
                f"`system`: the chat template of this model takes no message of a system ({error}); leave "
                "`system` out"
            ) from error

    def _is_told_to_think(self, further: Sequence[Marks], *, unless: bool) -> bool:
        if self._options.thinking is not None:
            return self._options.thinking == "on"
        knows_thoughts = any(mark in self._source for pair in (*MARKS, *further) for mark in pair)
        return self._options.reasoning_effort is not None or (knows_thoughts and not unless)


def template_variables(source: str) -> list[str]:
    """The variables of a chat template that a caller can set, in the order of their names."""
    from jinja2 import meta
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # A tag of transformers' own, which says what to train on.
    plain = re.sub(r"{%-?\s*(?:end)?generation\s*-?%}", "", source)
    environment = ImmutableSandboxedEnvironment(extensions=["jinja2.ext.loopcontrols"])
    return sorted(meta.find_undeclared_variables(environment.parse(plain)) - _GIVEN_BY_THE_LIBRARY)


def reading(
    tokenizer: "PreTrainedTokenizerBase", *, is_open: bool = False, further: Sequence[Marks] = ()
) -> Reading:
    """How what a model thinks is told from what it says, by its tokenizer.

    Args:
        tokenizer: Its tokenizer; special tokens that are part of a mark stay in a text.
        is_open: Whether every prompt ends inside a thought.
        further: Pairs of marks around thoughts besides the usual ones.
    """
    special = {
        number: token.content for number, token in tokenizer.added_tokens_decoder.items() if token.special
    }
    marks = [mark for pair in (*MARKS, *further) for mark in pair]
    kept = {number: text for number, text in special.items() if any(text in mark for mark in marks)}
    if kept:
        around = {number: text for number, text in special.items() if any(text in m for m in AROUND_ANSWERS)}
        kept |= around
    return Reading(tuple(further), is_open, kept)
