"""Local models: scores and texts against plain, slow computation, whatever the batch and the order."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blend.eval.models import Decoding, Likelihoods
from blend.eval.models.chosen import Local
from blend.eval.models.local_model import LocalModel, open_local
from blend.eval.models.model_loading import load_model
from helpers.examples import examples
from helpers.messages import wrong
from helpers.models.tiny_models import ARCHITECTURES, copied

PROMPTS = (
    "What do people in South Korea eat for breakfast?\nA. rice\nB. bread\nC. naan\nD. injera\n\nAnswer:",
    "Hi",
    "ሰላም? እንጀራ ወይስ ዳቦ?",
    "Which fruit is eaten most in summer in West Java?\nAnswer: ",
    "好吃的是什么？答案：",
    "A question that is a good deal longer than all of the others, so that much is padded. " * 3 + "Answer:",
)
OPTIONS = (
    ("A", "B", "C", "D"),
    ("there", "you", "A"),
    ("እንጀራ", "ዳቦ", "እንጀራ በወጥ"),
    ("mango", "durian", "water melon", "mangosteen"),
    ("米饭", "面"),
    ("rice", "steamed white rice with side dishes", "A"),
)
CLOSE = {"rtol": 0, "atol": 2e-4}
"""Float noise: sums of up to forty log-probabilities in single precision."""


@lru_cache
def local(folder: Path, *, decoding: Decoding | None = None, **fields: Any) -> LocalModel:
    return open_local(Local(path=str(folder), device="cpu", **fields), decoding=decoding)


@lru_cache
def parts(folder: Path) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return tokenizer, model


def logits(folder: Path, ids: Sequence[int]) -> Any:
    """What the model predicts behind each token of a text on its own: no cache, no padding."""
    import torch

    with torch.no_grad():
        return parts(folder)[1](torch.tensor([ids])).logits[0]


def plain_logprob(folder: Path, prompt: str, option: str) -> float:
    """Log-probability of an option."""
    tokenizer, _ = parts(folder)
    prefix = tokenizer(prompt.rstrip())["input_ids"]
    blank = prompt[len(prompt.rstrip()) :] or " "
    whole = tokenizer(prompt.rstrip() + blank + option)["input_ids"]
    assert whole[: len(prefix)] == prefix
    logprobs = logits(folder, whole).double().log_softmax(dim=-1)
    return sum(float(logprobs[i - 1, whole[i]]) for i in range(len(prefix), len(whole)))


def greedily(folder: Path, prompt: str, n: int) -> str:
    """A text: the likeliest token each time, up to one that ends it."""
    tokenizer, _ = parts(folder)
    ids: list[int] = tokenizer(prompt)["input_ids"]
    start = len(ids)
    while len(ids) < start + n and (len(ids) == start or ids[-1] != 0):
        ids.append(int(logits(folder, ids)[-1].argmax()))
    return tokenizer.decode(ids[start:], skip_special_tokens=True, clean_up_tokenization_spaces=False)


def logprobs_of(scores: Sequence[Likelihoods]) -> np.ndarray:
    """Scores as an array, a row for each prompt; NaN behind the last option, and where there are none."""
    found = np.full((len(scores), max(len(one.logprobs) for one in scores)), np.nan)
    for row, one in zip(found, scores, strict=True):
        row[: len(one.logprobs)] = one.logprobs
    return found


def expected(folder: Path) -> np.ndarray:
    scores = np.full((len(PROMPTS), 4), np.nan)
    for row, prompt, options in zip(scores, PROMPTS, OPTIONS, strict=True):
        row[: len(options)] = [plain_logprob(folder, prompt, option) for option in options]
    return scores


@lru_cache
def whole_run(folder: Path) -> np.ndarray:
    return logprobs_of(local(folder).option_logprobs(PROMPTS, OPTIONS))


@pytest.mark.parametrize("predicted", [None, 12_000], ids=["one pass", "several passes"])
@pytest.mark.parametrize("architecture", ["tiny-gpt2", *sorted(ARCHITECTURES)])
def test_every_kind_of_model_scores_what_plain_computation_says(
    tiny_gpt2: Path,
    made_model: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    architecture: str,
    predicted: int | None,
):
    folder = tiny_gpt2 if architecture == "tiny-gpt2" else made_model(architecture)
    if predicted is not None:
        # As of options over a large vocabulary, for memory's sake.
        monkeypatch.setattr("blend.eval.models.next_tokens._PREDICTED_ON_CPU", predicted)
    scores = open_local(Local(path=str(folder), device="cpu")).option_logprobs(PROMPTS, OPTIONS)
    np.testing.assert_allclose(logprobs_of(scores), expected(folder), **CLOSE)
    assert [(one.error, len(one.logprobs)) for one in scores] == [(None, len(some)) for some in OPTIONS]


@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(len(PROMPTS))), tokens=st.integers(1, 400))
def test_questions_with_one_prompt_score_as_they_do_alone(tiny_gpt2: Path, order: Sequence[int], tokens: int):
    # Each question once whole, and once with its options turned and one left out.
    again = [(*options[1:], options[0])[-2:] for options in OPTIONS]
    asked = [(PROMPTS[i], OPTIONS[i]) for i in range(len(PROMPTS))] + list(zip(PROMPTS, again, strict=True))
    places = [place for i in order for place in (i, i + len(PROMPTS))]
    model = local(tiny_gpt2)
    model._batches.tokens = tokens
    scores = model.option_logprobs(*zip(*(asked[place] for place in places), strict=True))
    found = dict(zip(places, logprobs_of(scores), strict=True))
    alone = logprobs_of(local(tiny_gpt2, batch_size=1).option_logprobs(*zip(*asked, strict=True)))
    np.testing.assert_allclose(np.stack([found[place] for place in range(len(asked))]), alone, **CLOSE)
    np.testing.assert_allclose(alone[: len(PROMPTS)], whole_run(tiny_gpt2), **CLOSE)


TOO_FULL = (
    "out of memory: 134 tokens do not fit into that of cpu even on their own; use another device or a "
    "smaller model"
)
FULL = {
    "a batch": (lambda questions: len(questions) > 2, "CUDA out of memory", {}),
    "an item": (
        lambda questions: sum(len(question.prefix) for question in questions) > 60,
        "[enforce fail at alloc_cpu.cpp:1] DefaultCPUAllocator: not enough memory",
        {5: TOO_FULL},
    ),
}
"""What does not fit into memory, what torch says, and the items that are not answered then."""


@pytest.mark.parametrize("what", FULL)
def test_what_does_not_fit_into_memory_is_asked_in_smaller_parts(
    tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch, what: str
):
    import torch

    import blend.eval.models.local_model as module

    (is_full, said, lost), real = FULL[what], module.option_logprobs
    # Before anything is too large: it is kept for the other tests.
    whole = whole_run(tiny_gpt2)

    def small(model: Any, questions: Any) -> list[list[float]]:
        if is_full(questions):
            raise (torch.OutOfMemoryError if "CUDA" in said else RuntimeError)(said)
        return real(model, questions)

    monkeypatch.setattr(module, "option_logprobs", small)
    # The first prompt once more, with another option.
    prompts, options = [*PROMPTS, PROMPTS[0]], [*OPTIONS, ("A", "mango")]
    scores = open_local(Local(path=str(tiny_gpt2), device="cpu")).option_logprobs(prompts, options)
    assert {i: one.error for i, one in enumerate(scores) if one.error is not None} == lost
    rest = [i for i in range(len(PROMPTS)) if i not in lost]
    np.testing.assert_allclose(logprobs_of([scores[i] for i in rest]), whole[rest], **CLOSE)
    np.testing.assert_allclose(scores[-1].logprobs[0], scores[0].logprobs[0], **CLOSE)


def test_a_model_that_fills_the_memory(tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch):
    import torch
    import transformers

    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    # A model that fills this machine's memory would stop the other tests.
    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", full)
    model = open_local(Local(path=str(tiny_gpt2), device="cpu", dtype="float32"))
    assert wrong(lambda: model.option_logprobs(["Hi"], [("A", "B")])) == (
        "model tiny-gpt2: it does not fit into the memory of cpu as float32; use dtype bfloat16, another "
        "device or a smaller model; texts can be asked of a server (`server`)"
    )


def test_a_prompt_that_cannot_be_asked_is_an_error_and_never_cut(tiny_gpt2: Path):
    scores = local(tiny_gpt2).option_logprobs(["Hi", "word " * 300, ""], [("A", "B")] * 3)
    assert [one.error for one in scores] == [
        None,
        "prompt and answer need at least 900 tokens, but the model sees 256",
        "the prompt is empty: there is nothing after which the model could answer",
    ]
    assert [len(one.logprobs) for one in scores] == [2, 0, 0]


# Texts


def test_texts_are_what_plain_computation_writes_whatever_settings_a_model_brings(
    tiny_gpt2: Path, tmp_path: Path
):
    folder = copied(tiny_gpt2, tmp_path / "repeats")
    own = {"do_sample": True, "temperature": 0.6, "top_p": 0.9, "repetition_penalty": 1.8, "min_new_tokens": 9}
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": 0, **own}))
    tokenizer, _ = parts(tiny_gpt2)
    for model in (tiny_gpt2, folder):
        written = local(model, decoding=Decoding(max_tokens=10)).generate(PROMPTS)
        assert [(one.text, one.tokens_in, one.tokens_out, one.finish_reason, one.error) for one in written] == [
            (greedily(tiny_gpt2, prompt, 10), len(tokenizer(prompt)["input_ids"]), 10, "length", None)
            for prompt in PROMPTS
        ]


def test_room_left_by_the_context_cuts_no_neighbour_short(tiny_gpt2: Path):
    # 250 tokens leave room for 6; 256 for none.
    tokenizer, _ = parts(tiny_gpt2)
    long, full = (tokenizer.decode(tokenizer("rice " * 300)["input_ids"][:n]) for n in (250, 256))
    written = local(tiny_gpt2, decoding=Decoding(max_tokens=10)).generate(["Hi", long, full])
    assert [answer.tokens_out for answer in written] == [10, 6, None]
    assert written[0].text == greedily(tiny_gpt2, "Hi", 10)
    assert written[2].error == "prompt and answer need at least 257 tokens, but the model sees 256"


def test_drawn_texts_depend_on_prompt_draw_and_seed_alone(tiny_gpt2: Path):
    drawing = Decoding(max_tokens=6, temperature=0.8)
    prompts, samples = ["Hi", "Hi", "Hello there", "Hi"], [0, 1, 0, 0]
    together = local(tiny_gpt2, decoding=drawing).generate(prompts, samples=samples)
    alone = local(tiny_gpt2, decoding=drawing, batch_size=1).generate(prompts[::-1], samples=samples[::-1])
    assert [answer.text for answer in together] == [answer.text for answer in alone][::-1]
    assert together[0] == together[3]
    assert len({answer.text for answer in together}) == 3
    [other] = local(tiny_gpt2, decoding=drawing.model_copy(update={"seed": 1})).generate(["Hi"])
    assert other.text != together[0].text


def test_a_text_ends_at_a_stop(tiny_gpt2: Path):
    [whole] = local(tiny_gpt2, decoding=Decoding(max_tokens=10)).generate(["Hi"])
    mark = whole.text[4:6]
    decoding = Decoding(max_tokens=10, stop=(mark,))
    answers = local(tiny_gpt2, decoding=decoding).generate(["Hi", *PROMPTS])
    assert (answers[0].text, answers[0].finish_reason) == (whole.text[: whole.text.find(mark)], "stop")
    assert (answers[0].tokens_out or 0) <= (whole.tokens_out or 0)


def test_a_chat_template_is_applied_unless_told_otherwise(tiny_gpt2: Path, chat_model: Path):
    model = local(chat_model, decoding=Decoding(max_tokens=8))
    assert (model.describe().chat, model.describe().delimiter) == (True, "")
    rendered = "<user>Hi</user>\n<assistant>"
    assert model.generate(["Hi"])[0].text == greedily(tiny_gpt2, rendered, 8)
    [scores] = model.option_logprobs(["Hi"], [("A", "B")])
    assert not np.isnan(scores.logprobs).any()
    without = local(chat_model, chat=False, decoding=Decoding(max_tokens=8))
    assert without.generate(["Hi"])[0].text == greedily(tiny_gpt2, "Hi", 8)
    [otherwise] = without.option_logprobs(["Hi"], [("A", "B")])
    assert otherwise.logprobs.tolist() != scores.logprobs.tolist()


@pytest.mark.nightly
@pytest.mark.parametrize("elsewhere", [None, "disk"])
def test_a_model_spread_over_devices_scores_and_writes_the_same(
    tiny_gpt2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: str | None
):
    """Without a second device, the last block is fetched from the disk instead, by the same hooks."""
    from accelerate import dispatch_model

    def spread(*arguments: Any, **options: Any) -> Any:
        model: Any = load_model(*arguments, **options)
        if elsewhere is not None:
            blocks = [f"transformer.h.{number}" for number in range(len(model.transformer.h))]
            others = ("transformer.wte", "transformer.wpe", "transformer.ln_f", "lm_head")
            devices = dict.fromkeys([*blocks, *others], "cpu") | {blocks[-1]: elsewhere}
            dispatch_model(model, devices, main_device="cpu", offload_dir=str(tmp_path / "weights"))
            assert any(weights.is_meta for weights in model.parameters())
        return model

    monkeypatch.setattr("blend.eval.models.model_loading.load_model", spread)
    model = open_local(Local(path=str(tiny_gpt2), device="auto"))
    scores = model.option_logprobs(PROMPTS, OPTIONS)
    np.testing.assert_allclose(logprobs_of(scores), expected(tiny_gpt2), **CLOSE)
    alone = open_local(Local(path=str(tiny_gpt2), device="cpu")).generate(PROMPTS)
    assert [one.text for one in model.generate(PROMPTS)] == [one.text for one in alone]
    assert model.describe().device == open_local(Local(path=str(tiny_gpt2))).describe().device
