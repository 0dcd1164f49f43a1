"""Local models: scores and texts against plain, slow computation, whatever the batch and the order."""

import inspect
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_models import ARCHITECTURES, copied
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.activations import NewGELUActivation

from blend.eval.models import open_model
from blend.eval.models.batches import written_tokens
from blend.eval.models.checkpoint import find_checkpoint
from blend.eval.models.loading import Limits, choose_place, load_model, read_limits
from blend.eval.models.local import LocalModel, open_local
from blend.eval.models.protocols import Decoding, Generation, OptionScores

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
def parts(folder: Path) -> tuple[Any, Any]:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return tokenizer, model


def plainly(folder: Path, prompt: str, option: str) -> float:
    """Log-probability of an option: the whole text on its own, all logits, no cache, no padding."""
    tokenizer, model = parts(folder)
    prefix = tokenizer(prompt.rstrip())["input_ids"]
    blank = prompt[len(prompt.rstrip()) :] or " "
    whole = tokenizer(prompt.rstrip() + blank + option)["input_ids"]
    assert whole[: len(prefix)] == prefix
    with torch.no_grad():
        logprobs = torch.log_softmax(model(torch.tensor([whole])).logits[0].double(), dim=-1)
    return sum(float(logprobs[i - 1, whole[i]]) for i in range(len(prefix), len(whole)))


def expected(folder: Path) -> np.ndarray:
    scores = np.full((len(PROMPTS), 4), np.nan)
    for item, (prompt, options) in enumerate(zip(PROMPTS, OPTIONS, strict=True)):
        for place, option in enumerate(options):
            scores[item, place] = plainly(folder, prompt, option)
    return scores


def test_options_score_what_plain_computation_says(tiny_gpt2: Path):
    scores = open_model(str(tiny_gpt2), device="cpu").option_logprobs(PROMPTS, OPTIONS)
    np.testing.assert_allclose(scores.logprobs, expected(tiny_gpt2), **CLOSE)
    assert scores.errors == (None,) * len(PROMPTS)
    assert scores.n_bytes[2].tolist() == [12, 6, 22, 0]
    np.testing.assert_array_equal(np.isnan(scores.logprobs), scores.tokens == 0)


@pytest.mark.parametrize("architecture", sorted(ARCHITECTURES))
def test_every_kind_of_model_scores_what_plain_computation_says(
    made_model: Callable[[str], Path], architecture: str
):
    folder = made_model(architecture)
    scores = open_model(str(folder), device="cpu").option_logprobs(PROMPTS, OPTIONS)
    np.testing.assert_allclose(scores.logprobs, expected(folder), **CLOSE)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(len(PROMPTS))), batch_size=st.integers(1, 7), tokens=st.integers(1, 400))
def test_batch_order_and_budget_change_no_score(
    tiny_gpt2: Path, order: Sequence[int], batch_size: int, tokens: int
):
    model = local(tiny_gpt2, batch_size=batch_size)
    model._batches.tokens = tokens
    scores = model.option_logprobs([PROMPTS[i] for i in order], [OPTIONS[i] for i in order])
    np.testing.assert_allclose(scores.logprobs, whole_run(tiny_gpt2)[list(order)], **CLOSE)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(len(PROMPTS))), tokens=st.integers(1, 400))
def test_questions_with_one_prompt_score_as_they_do_alone(tiny_gpt2: Path, order: Sequence[int], tokens: int):
    # Each question once whole, and once with its options turned and one left out.
    again = [(*options[1:], options[0])[-2:] for options in OPTIONS]
    asked = [(PROMPTS[i], OPTIONS[i]) for i in range(len(PROMPTS))] + list(zip(PROMPTS, again, strict=True))
    places = [place for i in order for place in (i, i + len(PROMPTS))]
    model = local(tiny_gpt2)
    model._batches.tokens = tokens
    scores = model.option_logprobs(*zip(*(asked[place] for place in places), strict=True))
    found = dict(zip(places, scores.logprobs, strict=True))
    alone = local(tiny_gpt2, batch_size=1).option_logprobs(*zip(*asked, strict=True)).logprobs
    np.testing.assert_allclose(np.stack([found[place] for place in range(len(asked))]), alone, **CLOSE)
    np.testing.assert_allclose(alone[: len(PROMPTS)], whole_run(tiny_gpt2), **CLOSE)


def test_options_that_begin_alike_cost_one_pass_and_no_cache(tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch):
    passes: list[dict[str, Any]] = []
    model = open_local(str(tiny_gpt2), device="cpu")
    real = model._model.forward

    def counted(**options: Any) -> Any:
        passes.append(options)
        return real(**options)

    counted.__signature__ = inspect.signature(real)  # type: ignore[attr-defined]  # what a function may carry
    monkeypatch.setattr(model._model, "forward", counted)
    # Letters that this tokenizer has no token for with the blank before them: two tokens, the first the same.
    options = ("ሀ", "ሁ", "ሂ", "ሃ")
    tokens = [model._encoder._tokenizer(f" {letter}")["input_ids"] for letter in options]
    assert len({tuple(ids[:-1]) for ids in tokens}) == 1 < len(tokens[0])
    scores = model.option_logprobs([PROMPTS[0]], [options])
    expected_scores = [plainly(tiny_gpt2, PROMPTS[0], option) for option in options]
    np.testing.assert_allclose(scores.logprobs[0], expected_scores, **CLOSE)
    assert [one["use_cache"] for one in passes] == [False]
    assert passes[0]["logits_to_keep"] == len(tokens[0])


def test_questions_that_do_not_fit_together_are_asked_one_by_one(
    tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch
):
    import blend.eval.models.local as module

    real = module.option_logprobs

    def small(model: Any, questions: Any) -> list[list[float]]:
        if any(len(question.options) > 4 for question in questions):
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(model, questions)

    monkeypatch.setattr(module, "option_logprobs", small)
    options = (OPTIONS[0], ("mango", "durian", "naan"))
    scores = open_local(str(tiny_gpt2), device="cpu").option_logprobs([PROMPTS[0]] * 2, options)
    assert scores.errors == (None, None)
    plain = [[plainly(tiny_gpt2, PROMPTS[0], option) for option in some] for some in options]
    np.testing.assert_allclose(scores.logprobs[0], plain[0], **CLOSE)
    np.testing.assert_allclose(scores.logprobs[1][:3], plain[1], **CLOSE)


def test_a_small_model_computes_with_one_thread_and_gives_the_others_back(
    tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch
):
    import blend.eval.models.local as module

    real, threads = module.option_logprobs, []

    def watched(model: Any, questions: Any) -> list[list[float]]:
        threads.append(torch.get_num_threads())
        return real(model, questions)

    monkeypatch.setattr(module, "option_logprobs", watched)
    torch.set_num_threads(2)
    try:
        open_local(str(tiny_gpt2), device="cpu").option_logprobs(PROMPTS, OPTIONS)
        monkeypatch.setattr("blend.eval.models.threads.WORTH_THREADS", 0)
        open_local(str(tiny_gpt2), device="cpu").option_logprobs(PROMPTS, OPTIONS)
        assert (threads, torch.get_num_threads()) == ([1, 2], 2)
    finally:
        torch.set_num_threads(1)


@lru_cache
def local(folder: Path, **options: Any) -> LocalModel:
    return open_local(str(folder), device="cpu", **options)


@lru_cache
def whole_run(folder: Path) -> np.ndarray:
    return local(folder).option_logprobs(PROMPTS, OPTIONS).logprobs


def test_what_is_kept_on_the_way_is_what_is_returned(tiny_gpt2: Path):
    kept: dict[int, np.ndarray] = {}

    def keep(items: Sequence[int], scores: OptionScores) -> None:
        kept.update(zip(items, scores.logprobs, strict=True))

    scores = local(tiny_gpt2, batch_size=2).option_logprobs([*PROMPTS, ""], [*OPTIONS, ("A",)], keep=keep)
    assert sorted(kept) == list(range(len(PROMPTS) + 1))
    np.testing.assert_array_equal(np.stack([kept[item] for item in sorted(kept)]), scores.logprobs)
    answers: dict[int, Generation] = {}
    model = local(tiny_gpt2, batch_size=2, decoding=Decoding(max_tokens=4))
    written = model.generate([*PROMPTS, ""], keep=lambda *some: answers.update(zip(*some, strict=True)))
    assert [answers[item] for item in range(len(PROMPTS) + 1)] == list(written)


def test_a_batch_that_does_not_fit_is_halved_until_it_does(tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch):
    import blend.eval.models.local as module

    sizes: list[int] = []
    real = module.option_logprobs

    def small(model: Any, questions: Any) -> list[list[float]]:
        sizes.append(len(questions))
        if len(questions) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(model, questions)

    monkeypatch.setattr(module, "option_logprobs", small)
    scores = open_local(str(tiny_gpt2), device="cpu").option_logprobs(PROMPTS, OPTIONS)
    assert sizes[0] == 6
    assert max(sizes[-2:]) <= 2
    np.testing.assert_allclose(scores.logprobs, whole_run(tiny_gpt2), **CLOSE)


def test_an_item_that_does_not_fit_on_its_own_is_an_error_of_its_own(
    tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch
):
    import blend.eval.models.local as module

    real = module.option_logprobs

    def small(model: Any, questions: Any) -> list[list[float]]:
        if sum(len(question.prefix) for question in questions) > 60:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp:1] DefaultCPUAllocator: not enough memory")
        return real(model, questions)

    monkeypatch.setattr(module, "option_logprobs", small)
    scores = open_local(str(tiny_gpt2), device="cpu").option_logprobs(PROMPTS, OPTIONS)
    assert [error is None for error in scores.errors] == [True] * 5 + [False]
    assert scores.errors[5] == "out of memory: 134 tokens do not fit into that of cpu even on their own"
    np.testing.assert_allclose(scores.logprobs[:5], whole_run(tiny_gpt2)[:5], **CLOSE)


def test_a_prompt_that_cannot_be_asked_is_an_error_and_never_cut(tiny_gpt2: Path):
    model = local(tiny_gpt2)
    scores = model.option_logprobs(["Hi", "word " * 300, ""], [("A", "B")] * 3)
    assert scores.errors == (
        None,
        "prompt and answer need at least 900 tokens, but the model sees 256",
        "the prompt is empty: there is nothing after which the model could answer",
    )
    assert np.isnan(scores.logprobs).all(axis=1).tolist() == [False, True, True]


def greedily(folder: Path, prompt: str, n: int) -> str:
    """The likeliest token each time, by a full pass over the text for every token."""
    tokenizer, model = parts(folder)
    ids: list[int] = tokenizer(prompt)["input_ids"]
    start = len(ids)
    with torch.no_grad():
        while len(ids) < start + n and (len(ids) == start or ids[-1] != 0):
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    return tokenizer.decode(ids[start:], skip_special_tokens=True, clean_up_tokenization_spaces=False)


def test_texts_are_what_plain_computation_writes(tiny_gpt2: Path):
    written = local(tiny_gpt2, decoding=Decoding(max_tokens=10)).generate(PROMPTS)
    assert [answer.text for answer in written] == [greedily(tiny_gpt2, prompt, 10) for prompt in PROMPTS]
    tokenizer, _ = parts(tiny_gpt2)
    assert [answer.tokens_in for answer in written] == [
        len(tokenizer(prompt)["input_ids"]) for prompt in PROMPTS
    ]
    assert {(answer.finish_reason, answer.tokens_out, answer.error) for answer in written} == {
        ("length", 10, None)
    }


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


def test_drawing_follows_the_models_distribution(tiny_gpt2: Path):
    tokenizer, model = parts(tiny_gpt2)
    n, temperature = 4000, 0.2
    drawn = local(tiny_gpt2, decoding=Decoding(max_tokens=1, temperature=temperature)).generate(
        ["Hi"] * n, samples=range(n)
    )
    with torch.no_grad():
        logits = model(torch.tensor([tokenizer("Hi")["input_ids"]])).logits[0, -1]
    shares = torch.softmax(logits.double() / temperature, dim=-1)
    # The three likeliest tokens, each within four standard errors.
    for token in shares.topk(3).indices.tolist():
        text, share = tokenizer.decode([token]), float(shares[token])
        same = sum(float(shares[i]) for i in range(4000) if i != token and tokenizer.decode([i]) == text)
        found = sum(answer.text == text for answer in drawn) / n
        assert abs(found - share - same) < 4 * (share / n) ** 0.5


def test_a_text_ends_at_a_stop(tiny_gpt2: Path):
    [whole] = local(tiny_gpt2, decoding=Decoding(max_tokens=10)).generate(["Hi"])
    mark = whole.text[4:6]
    decoding = Decoding(max_tokens=10, stop=(mark,))
    answers = local(tiny_gpt2, decoding=decoding).generate(["Hi", *PROMPTS])
    assert (answers[0].text, answers[0].finish_reason) == (whole.text[: whole.text.find(mark)], "stop")
    assert (answers[0].tokens_out or 0) <= (whole.tokens_out or 0)


def test_a_chat_template_is_applied_unless_told_otherwise(tiny_gpt2: Path, chat_model: Path):
    rendered = "<user>Hi</user>\n<assistant>"
    model = local(chat_model, decoding=Decoding(max_tokens=8))
    assert (model.describe().chat, model.describe().delimiter) == (True, "")
    assert model.generate(["Hi"])[0].text == greedily(tiny_gpt2, rendered, 8)
    scores = model.option_logprobs(["Hi"], [("A", "B")]).logprobs
    assert not np.isnan(scores).any()
    without = local(chat_model, chat=False, decoding=Decoding(max_tokens=8))
    assert without.generate(["Hi"])[0].text == greedily(tiny_gpt2, "Hi", 8)
    assert without.option_logprobs(["Hi"], [("A", "B")]).logprobs.tolist() != scores.tolist()


def test_the_models_own_settings_do_not_change_what_it_writes(tiny_gpt2: Path, tmp_path: Path):
    import json

    folder = copied(tiny_gpt2, tmp_path / "repeats")
    own = {"do_sample": True, "temperature": 0.6, "top_p": 0.9, "repetition_penalty": 1.8, "min_new_tokens": 9}
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": 0, **own}))
    written = local(folder, decoding=Decoding(max_tokens=10)).generate(PROMPTS)
    assert [answer.text for answer in written] == [greedily(tiny_gpt2, prompt, 10) for prompt in PROMPTS]


def test_a_text_may_end_before_its_neighbours(tiny_gpt2: Path, tmp_path: Path):
    import json

    # A model for which the third token that it writes after "Hi" ends a text; after the other prompt it
    # writes that token later.
    tokenizer, _ = parts(tiny_gpt2)
    _, model = parts(tiny_gpt2)
    ids = tokenizer("Hi")["input_ids"]
    with torch.no_grad():
        for _ in range(3):
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    folder = copied(tiny_gpt2, tmp_path / "ends")
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [ids[-1]]}))
    first, second = local(folder, decoding=Decoding(max_tokens=8)).generate(["Hi", PROMPTS[0]])
    assert (first.tokens_out, first.finish_reason) == (ids[2:].index(ids[-1]) + 1, "stop")
    tokens = tokenizer(PROMPTS[0])["input_ids"]
    start = len(tokens)
    with torch.no_grad():
        while len(tokens) < start + 8 and tokens[-1] != ids[-1]:
            tokens.append(int(model(torch.tensor([tokens])).logits[0, -1].argmax()))
    assert second.tokens_out == len(tokens) - start > (first.tokens_out or 0)
    assert second.text == tokenizer.decode(tokens[start:], skip_special_tokens=True)


@pytest.mark.parametrize(
    ("cache_bytes", "tokens"),
    # Bytes of a token: unknown, the tiny model's, GPT-2 small's, and those of a model of 7 billion parameters.
    [(0, 16384), (1024, 16384), (73_728, 3640), (1_048_576, 1024)],
)
def test_texts_are_written_as_many_at_a_time_as_their_cache_allows(cache_bytes: int, tokens: int):
    assert written_tokens(cache_bytes) == tokens


def test_a_small_model_writes_many_texts_at_a_time(tiny_gpt2: Path, monkeypatch: pytest.MonkeyPatch):
    import blend.eval.models.local as module

    # Two layers of 96 numbers, each with a key and a value of four bytes a number.
    assert read_limits(find_checkpoint(str(tiny_gpt2))) == Limits(256, cache_bytes=2 * 96 * 2 * 4)
    real, sizes = module.write, []

    def watched(model: Any, tokenizer: Any, prompts: Any, *rest: Any, **options: Any) -> list[Generation]:
        sizes.append(len(prompts))
        return real(model, tokenizer, prompts, *rest, **options)

    monkeypatch.setattr(module, "write", watched)
    written = local(tiny_gpt2, decoding=Decoding(max_tokens=3)).generate(PROMPTS * 20)
    assert sizes == [120]
    assert [answer.text for answer in written[:6]] == [greedily(tiny_gpt2, prompt, 3) for prompt in PROMPTS]


def test_an_activation_of_eight_passes_is_computed_in_one(tiny_gpt2: Path):
    checkpoint = find_checkpoint(str(tiny_gpt2))
    assert checkpoint.config["activation_function"] == "gelu_new"
    model = load_model(checkpoint, choose_place("cpu"))
    kinds = {type(module).__name__ for module in model.modules()}
    assert "GELUTanh" in kinds
    assert "NewGELUActivation" not in kinds
    inputs = torch.linspace(-12, 12, 4001)
    torch.testing.assert_close(model.transformer.h[0].mlp.act(inputs), NewGELUActivation()(inputs))
