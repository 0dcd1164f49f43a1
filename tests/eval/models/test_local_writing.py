"""Texts of local models against plain, slow computation, whatever the batch and the order."""

import json
from pathlib import Path

import numpy as np
import pytest

from blend.eval.models.protocols import Decoding
from helpers.models.plain_computation import PROMPTS, local, parts
from helpers.models.tiny_models import copied


def greedily(folder: Path, prompt: str, n: int, end: int = 0) -> list[int]:
    """The likeliest token each time, by a full pass over the text for every token, up to one that ends it."""
    import torch

    tokenizer, model = parts(folder)
    ids: list[int] = tokenizer(prompt)["input_ids"]
    start = len(ids)
    with torch.no_grad():
        while len(ids) < start + n and (len(ids) == start or ids[-1] != end):
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    return ids[start:]


def plain_text(folder: Path, prompt: str, n: int, end: int = 0) -> str:
    """The same as a text."""
    tokenizer, _ = parts(folder)
    ids = greedily(folder, prompt, n, end)
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


@pytest.mark.slow
def test_texts_are_what_plain_computation_writes(tiny_gpt2: Path):
    written = local(tiny_gpt2, decoding=Decoding(max_tokens=10)).generate(PROMPTS)
    assert [answer.text for answer in written] == [plain_text(tiny_gpt2, prompt, 10) for prompt in PROMPTS]
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
    assert written[0].text == plain_text(tiny_gpt2, "Hi", 10)
    assert written[2].error == "prompt and answer need at least 257 tokens, but the model sees 256"


@pytest.mark.slow
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


@pytest.mark.nightly
@pytest.mark.slow
def test_drawing_follows_the_models_distribution(tiny_gpt2: Path):
    import torch

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
    assert model.generate(["Hi"])[0].text == plain_text(tiny_gpt2, rendered, 8)
    [scores] = model.option_logprobs(["Hi"], [("A", "B")])
    assert not np.isnan(scores.logprobs).any()
    without = local(chat_model, chat=False, decoding=Decoding(max_tokens=8))
    assert without.generate(["Hi"])[0].text == plain_text(tiny_gpt2, "Hi", 8)
    [otherwise] = without.option_logprobs(["Hi"], [("A", "B")])
    assert otherwise.logprobs.tolist() != scores.logprobs.tolist()


@pytest.mark.slow
def test_the_models_own_settings_do_not_change_what_it_writes(tiny_gpt2: Path, tmp_path: Path):
    folder = copied(tiny_gpt2, tmp_path / "repeats")
    own = {"do_sample": True, "temperature": 0.6, "top_p": 0.9, "repetition_penalty": 1.8, "min_new_tokens": 9}
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": 0, **own}))
    written = local(folder, decoding=Decoding(max_tokens=10)).generate(PROMPTS)
    assert [answer.text for answer in written] == [plain_text(tiny_gpt2, prompt, 10) for prompt in PROMPTS]


def test_a_text_may_end_before_its_neighbours(tiny_gpt2: Path, tmp_path: Path):
    # A model for which the third token that it writes after "Hi" ends a text; after the other prompt it
    # writes that token later.
    end = greedily(tiny_gpt2, "Hi", 3)[-1]
    folder = copied(tiny_gpt2, tmp_path / "ends")
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [end]}))
    first, second = local(folder, decoding=Decoding(max_tokens=8)).generate(["Hi", PROMPTS[0]])
    tokens = [greedily(tiny_gpt2, prompt, 8, end) for prompt in ("Hi", PROMPTS[0])]
    assert (first.finish_reason, first.tokens_out) == ("stop", len(tokens[0]))
    assert second.tokens_out == len(tokens[1]) > len(tokens[0])
    assert second.text == plain_text(tiny_gpt2, PROMPTS[0], 8, end)
