"""Chat templates of local models: prompts as a model expects them, and whether it thinks before it answers."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from blend.eval.models.protocols import ChatOptions
from blend.eval.models.thoughts import MARKS, Marks, any_mark, split_thought
from blend.schemas.errors import ArgumentError, InputError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

THINKING_VARIABLES = ("enable_thinking", "thinking")
"""Variables by which templates let a model think or not: Qwen's and most others', DeepSeek's and Granite's."""

EFFORT_VARIABLE = "reasoning_effort"

# Llama 3's template prints today's date unless it is given one; this is the template's own default. Another day
# must not give another score.
_TEMPLATE_DATE = "26 Jul 2024"

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
        self._system = options.system
        source = str(tokenizer.get_chat_template())
        self._variables: dict[str, bool | str] = {}
        if options.thinking is not None:
            name = _variable(source, "thinking", THINKING_VARIABLES)
            self._variables[name] = options.thinking == "on"
        if options.reasoning_effort is not None:
            name = _variable(source, "reasoning_effort", (EFFORT_VARIABLE,))
            self._variables[name] = options.reasoning_effort
        ending = self._ending()
        self.is_open = not split_thought(ending, further).is_finished
        """Whether every prompt ends inside a thought."""
        is_closed = not self.is_open and re.search(any_mark(further), ending) is not None
        knows_thoughts = any(mark in source for pair in (*MARKS, *further) for mark in pair)
        self.thinks = self.is_open or (
            options.thinking == "on"
            if options.thinking is not None
            else options.reasoning_effort is not None or (knows_thoughts and not is_closed)
        )
        """Whether the model thinks before it answers, as far as the template shows."""

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
