"""Next tokens of a causal language model: prompts and options as its tokens, and what it says after them.

An option is encoded together with its prompt, as the model would meet it in a text, and not on its own. A chat
template puts prompts as a model expects them, and shows whether it thinks before it answers.

Texts are generated greedily or drawn, each independent of the others in its batch. Of options each prompt is
computed once, with the head that all its options share: many tokenizers make a token of the blank before a
letter. What its last position predicts is the next token of each option, which is all that letters need.
Longer ones go on from the prompt's key-value cache, each from a copy.
"""

import inspect
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any

from blend.eval.models import (
    BLANK,
    ChatOptions,
    Decoding,
    FinishReason,
    Generation,
    check_no_chat_options,
)
from blend.eval.models.batches import Padded, padded
from blend.eval.models.replies import ANY_MARK, AROUND_ANSWERS, MARKS, THINKING_VARIABLES, split_thought
from blend.schemas.errors import ArgumentError, InputError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

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


def write(
    model: "PreTrainedModel",
    encoder: Encoder,
    prompts: Sequence[Sequence[int]],
    seeds: Sequence[int],
    decoding: Decoding,
    *,
    max_tokens: int,
) -> list[Generation]:
    """One answer per prompt, computed as one batch.

    Args:
        model: A causal language model.
        encoder: Of its tokenizer.
        prompts: Tokens of each prompt, none empty.
        seeds: Where drawing starts for each prompt (`draw_seeds`); without effect at temperature 0.
        decoding: How to write.
        max_tokens: Tokens of an answer at most, `Decoding.max_tokens` or what the context leaves.
    """
    import torch
    from transformers import GenerationConfig

    texts, tokenizer = padded(prompts, model.device), encoder.tokenizer
    ends = end_tokens(model, tokenizer)
    pad = tokenizer.pad_token_id
    settings = GenerationConfig(
        max_new_tokens=max_tokens,
        # Drawing is done by the processor: the library has one random state for a whole batch.
        do_sample=False,
        num_beams=1,
        use_cache=True,
        eos_token_id=ends or None,
        # Without a token for padding any will do: what is padded is masked before, and cut off after.
        pad_token_id=pad if pad is not None else next(iter(ends), 0),
        stop_strings=list(decoding.stop) or None,
    )
    with torch.inference_mode():
        written = model.generate(
            inputs=texts.ids,
            attention_mask=texts.mask,
            generation_config=settings,
            logits_processor=[_Drawn(decoding.temperature, seeds)] if decoding.temperature > 0 else [],
            **({"tokenizer": tokenizer} if decoding.stop else {}),
        )
    new: list[list[int]] = written[:, texts.ids.shape[1] :].tolist()
    return [
        _answer(encoder, len(prompt), ids, ends, decoding.stop)
        for prompt, ids in zip(prompts, new, strict=True)
    ]


def end_tokens(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    """The tokens that end a text: those of the model's generation settings, else the tokenizer's."""
    ends = getattr(model.generation_config, "eos_token_id", None)
    ends = tokenizer.eos_token_id if ends is None else ends
    return [] if ends is None else list(ends) if isinstance(ends, (list, tuple)) else [ends]


class _Drawn:
    """Draws the next token of each text from a random state of its own.

    The largest of log-probability plus Gumbel noise is a draw from the distribution (Gumbel 1954; Maddison et
    al. 2014, https://arxiv.org/abs/1411.0030), so that a greedy choice afterwards draws.
    """

    def __init__(self, temperature: float, seeds: Sequence[int]) -> None:
        import torch

        self._temperature = temperature
        # On the CPU, where a seed gives the same numbers on every machine.
        self._states = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, _ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        import torch

        noise = torch.stack([torch.rand(scores.shape[1], generator=state) for state in self._states])
        gumbel = -torch.log(-torch.log(noise.clamp(min=1e-30).to(scores.device)))
        return scores.float() / self._temperature + gumbel


def _answer(
    encoder: Encoder, tokens_in: int, ids: list[int], ends: list[int], stop: Sequence[str]
) -> Generation:
    """The answer, cut where the text ended: the rest of its row waited for others in the batch."""
    end = next((i + 1 for i, token in enumerate(ids) if token in ends), None)
    ids = ids[:end]
    text = encoder.decoded(ids)
    finish: FinishReason = "length" if end is None else "stop"
    positions = [position for mark in stop if (position := text.find(mark)) >= 0]
    if positions:
        text, finish = text[: min(positions)], "stop"
        while ids and any(mark in encoder.decoded(ids[:-1]) for mark in stop):
            ids = ids[:-1]
    split = split_thought(text, is_open=encoder.is_open)
    return Generation(split.text, tokens_in, len(ids), finish, thought=split.thought)


_COPIED = ("DynamicLayer", "DynamicSlidingWindowLayer", "DynamicIndexedLayer", "DummyLayer")
"""Layers of a cache that can be copied whole, by name: not every version of transformers has all. Others
inherit from them and hold more, such as the states of a hybrid model, which the inherited method leaves out."""

_PREDICTED_ON_CPU = 2**25
"""Numbers that a pass over options predicts at a time on a CPU, one for every word of the vocabulary at every
token: 128 MB in float32, and as much again while they are added up. Of 150,000 words that is 220 tokens."""

_PREDICTED_ON_GPU = 2**30
"""The same on a GPU, whose passes are worth it only if they are larger."""


def as_one(questions: Sequence[EncodedQuestion]) -> EncodedQuestion:
    """Questions with the same prompt as one, with every option of theirs once, in the order of the first."""
    options = dict.fromkeys(tuple(ids) for question in questions for ids in question.options)
    return EncodedQuestion(questions[0].prefix, [list(ids) for ids in options])


def option_logprobs(model: "PreTrainedModel", questions: Sequence[EncodedQuestion]) -> list[list[float]]:
    """Sums of log-probabilities of each question's options, computed as one batch.

    Args:
        model: A causal language model.
        questions: Prompts and options, none of them empty and none longer than the model's context.

    Returns:
        Per question, one sum per option in natural logarithm; softmax in float32, sums in float64.
    """
    import torch

    heads = [_head(question.options) for question in questions]
    own = [[ids[len(head) :] for ids in one.options] for head, one in zip(heads, questions, strict=True)]
    # Options of which more than a token is left behind the head, fed in a second pass: (question, option).
    rows = [(q, o) for q, options in enumerate(own) for o, ids in enumerate(options) if len(ids) > 1]
    longest = max(map(len, heads))
    with torch.inference_mode():
        # Padding stands left, so that the last column predicts what follows each of the heads, and those before
        # it the heads themselves, whatever their length.
        fed = [question.prefix + head for head, question in zip(heads, questions, strict=True)]
        prompts = padded(fed, model.device)
        output = _forward(model, prompts, use_cache=bool(rows), logits_to_keep=longest + 1)
        cache = cache_of(output)
        if rows and not _can_be_copied(cache):
            return _without_cache(model, questions)
        logits = output.logits[:, -longest - 1 :]
        of_heads = _sums(logits[:, :-1], padded(heads, model.device)) if longest else [0.0] * len(heads)
        first = torch.log_softmax(logits[:, -1].float(), dim=-1)
        # All questions in one step: a GPU is waited for each time that something is fetched from it.
        openings = padded([[ids[0] for ids in options] for options in own], model.device, left=False)
        fetched = first.gather(1, openings.ids).tolist()
        sums = [
            [of_head + value for value in row[: len(options)]]
            for of_head, row, options in zip(of_heads, fetched, own, strict=True)
        ]
        # Freed before the second pass: over a large vocabulary they are what fills the memory.
        del first, logits, output
        tails = [own[q][o] for q, o in rows]
        slices = list(_slices(model, tails))
        for positions in slices:
            # A pass goes on from the cache in place, so that all but the last one get a copy.
            own = cache if positions is slices[-1] else deepcopy(cache)
            of_prompt = torch.tensor([rows[i][0] for i in positions])
            values = _tails(model, own, prompts, of_prompt, [tails[i] for i in positions])
            for i, value in zip(positions, values, strict=True):
                q, o = rows[i]
                sums[q][o] += value
    return sums


def _head(options: Sequence[Sequence[int]]) -> list[int]:
    """The tokens with which all options begin, but for the last token of the shortest."""
    columns = takewhile(lambda column: len({*column}) == 1, zip(*options, strict=False))
    return [column[0] for column in columns][: min(map(len, options)) - 1]


def _slices(model: "PreTrainedModel", options: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Positions of options of like length that are computed in one pass.

    What a pass takes grows with its options, padded to the longest, times the vocabulary; a batch is measured
    by its prompts and options alone.
    """
    predicted = _PREDICTED_ON_CPU if model.device.type == "cpu" else _PREDICTED_ON_GPU
    tokens = predicted // model.config.get_text_config().vocab_size
    waiting = sorted(range(len(options)), key=lambda i: (-len(options[i]), i))
    while waiting:
        n = max(1, tokens // len(options[waiting[0]]))
        yield waiting[:n]
        waiting = waiting[n:]


def takes(model: "PreTrainedModel", argument: str) -> bool:
    """Whether a model can be given an argument, such as positions."""
    return argument in inspect.signature(model.forward).parameters


def cache_of(output: Any) -> Any:
    """The cache that a pass returned; ``None`` where it returned none.

    transformers renamed it in 5.24; models of one's own have either name.
    """
    return output.cache if hasattr(output, "cache") else getattr(output, "past_key_values", None)


def cache_for(model: "PreTrainedModel", cache: Any) -> dict[str, Any]:
    """The argument by which a model goes on from a cache, under the name that it has there."""
    return {"cache" if takes(model, "cache") else "past_key_values": cache}


def _forward(model: "PreTrainedModel", texts: Padded, *, logits_to_keep: int, **options: Any) -> Any:
    """One pass; what a model does not take (positions for one without them) it is not given."""
    wanted = {"position_ids": texts.positions, "logits_to_keep": logits_to_keep}
    known = {name: value for name, value in wanted.items() if takes(model, name)}
    return model(input_ids=texts.ids, attention_mask=texts.mask, **known, **options)


def _can_be_copied(cache: Any) -> bool:
    """Whether options can go on from copies of a cache: recurrent states and caches of a model's own cannot."""
    layers = getattr(cache, "layers", None)
    return bool(layers and all(type(layer).__name__ in _COPIED for layer in layers))


def _tails(
    model: "PreTrainedModel",
    cache: Any,
    prompts: Padded,
    of_prompt: "torch.Tensor",
    options: Sequence[Sequence[int]],
) -> list[float]:
    """Sums over the second and further tokens of options, which go on from their prompts' cache."""
    import torch

    # In place, a copy of the prompt's cache for each of its options. The numbers are on the CPU: the layers of
    # a model that is spread over GPUs have their caches each on their own.
    cache.batch_select_indices(of_prompt)
    # The cache ends with the prompt, so padding stands right of what follows; positions go on from the number
    # of true tokens, not of columns.
    fed = padded([ids[:-1] for ids in options], model.device, left=False)
    lengths = prompts.mask.sum(dim=1, keepdim=True)[of_prompt]
    mask = torch.cat([prompts.mask[of_prompt], fed.mask], dim=1)
    going_on = Padded(fed.ids, mask, fed.positions + lengths * fed.mask)
    output = _forward(model, going_on, use_cache=True, logits_to_keep=0, **cache_for(model, cache))
    return _sums(output.logits, padded([ids[1:] for ids in options], model.device, left=False))


def _without_cache(model: "PreTrainedModel", questions: Sequence[EncodedQuestion]) -> list[list[float]]:
    """The same for models whose state cannot be copied: every option with its whole prompt."""
    rows = [(q, o) for q, question in enumerate(questions) for o in range(len(question.options))]
    options = [questions[q].options[o] for q, o in rows]
    sums = [[0.0] * len(question.options) for question in questions]
    for positions in _slices(model, options):
        part = [options[i] for i in positions]
        width = max(map(len, part))
        texts = [questions[rows[i][0]].prefix + options[i][:-1] for i in positions]
        output = _forward(model, padded(texts, model.device), use_cache=False, logits_to_keep=width)
        values = _sums(output.logits[:, -width:], padded(part, model.device))
        for i, value in zip(positions, values, strict=True):
            sums[rows[i][0]][rows[i][1]] = value
    return sums


def _sums(logits: "torch.Tensor", targets: Padded) -> list[float]:
    """Sums of the targets' log-probabilities by row; logits have the shape of the targets, by vocabulary."""
    logits = logits.float()
    # log-softmax of the targets alone: an array of it over the vocabulary would be as large as the logits
    # again.
    chosen = logits.gather(2, targets.ids.unsqueeze(2)).squeeze(2) - logits.logsumexp(dim=2)
    return (chosen.double() * targets.mask).sum(dim=1).tolist()
