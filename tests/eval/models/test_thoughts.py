"""Thoughts and answers: what is thought is never taken for what is said, and nothing of a text is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.models.replies import ANY_MARK, AROUND_ANSWERS, MARKS, SplitText, split_thought


@pytest.mark.parametrize(
    ("text", "thought", "answer"),
    [
        ("Nachos", None, "Nachos"),
        ("  Nachos\n", None, "  Nachos\n"),
        ("<think>Popcorn? No.</think>Nachos", "Popcorn? No.", "Nachos"),
        ("<think>\n\n</think>\n\nNachos", None, "Nachos"),
        ("<THINK>Popcorn?</Think>Nachos", "Popcorn?", "Nachos"),
        ("<thinking>a</thinking>b", "a", "b"),
        ("<reasoning>a</reasoning>b", "a", "b"),
        ("[THINK]a[/THINK]b", "a", "b"),
        ("◁think▷a◁/think▷b", "a", "b"),
        ("<seed:think>a</seed:think>b", "a", "b"),
        ("<|channel>thought\na<channel|>b", "a", "b"),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "a", "b"),
        (
            "<|begin_of_thought|>a<|end_of_thought|>\n<|begin_of_solution|>b<|end_of_solution|>",
            "a",
            "b",
        ),
        # The template has begun the thought.
        ("Popcorn? No.\n</think>\n\nNachos", "Popcorn? No.", "Nachos"),
        # The model begins the thought again that the template has begun.
        ("<think>\n<think>Popcorn?</think>Nachos", "<think>Popcorn?", "Nachos"),
        # Nested, of one kind and of two.
        ("<think>a<think>b</think>c</think>d", "a<think>b\nc", "d"),
        ("<think>a<reasoning>b</reasoning>c</think>d", "a<reasoning>b</reasoning>c", "d"),
        # Repeated, and in the middle.
        ("<think>a</think><think>b</think>c", "a\nb", "c"),
        ("Well. <think>a</think> Nachos <think>b</think>!", "a\nb", "Well.\nNachos\n!"),
        ("a</think></think>b", "a", "b"),
        # Harmony, with its special tokens and without.
        (
            (
                "<|channel|>analysis<|message|>Popcorn?<|end|><|start|>assistant"
                "<|channel|>final<|message|>Nachos<|return|>"
            ),
            "Popcorn?<|end|><|start|>assistant",
            "Nachos",
        ),
        ("<|channel|>final<|message|>Nachos", None, "Nachos"),
        ("analysisPopcorn?assistantfinalNachos", "analysisPopcorn?", "Nachos"),
        ('{"answer": "<think>A?</think>B"}', "A?", '{"answer": "\nB"}'),
        ("I think <b>B</b> < C", None, "I think <b>B</b> < C"),
    ],
)
def test_what_is_thought_and_what_is_said(text: str, thought: str | None, answer: str):
    found = split_thought(text)
    assert (found.thought, found.text, found.is_finished) == (thought, answer, True)


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("<think>Maybe popcorn? But the", "Maybe popcorn? But the"),
        ("<think>", None),
        ("<think>a</think><think>popcorn", "a\npopcorn"),
        ("Popcorn! <think>Or is it", "Popcorn!\nOr is it"),
        ("<|channel|>analysis<|message|>Popcorn?<|end|>", "Popcorn?<|end|>"),
        ("[THINK]popcorn</think>", "popcorn</think>"),
    ],
)
def test_a_thought_that_does_not_end_says_nothing(text: str, thought: str | None):
    assert split_thought(text) == SplitText(thought, "", is_finished=False)


def test_a_prompt_that_ends_inside_a_thought():
    assert split_thought("popcorn?</think>Nachos", is_open=True) == SplitText("popcorn?", "Nachos")
    assert split_thought("Maybe popcorn", is_open=True) == SplitText("Maybe popcorn", "", is_finished=False)
    assert split_thought("<think>popcorn?</think>Nachos", is_open=True).text == "Nachos"


def test_a_letter_that_only_folds_to_one_of_a_mark_makes_none():
    # The sign of kelvin is k in lower case.
    text = "<thin\N{KELVIN SIGN}>popcorn?</thin\N{KELVIN SIGN}>Nachos"
    assert split_thought(text) == SplitText(None, text)


WORDS = st.sampled_from(["popcorn", "Nachos", " ", "\n", '"', "`", "<", "think", ">", "|", "/", "B.", "옥수수"])
PIECES = st.lists(WORDS | st.sampled_from([mark for pair in MARKS for mark in pair] + list(AROUND_ANSWERS)))


def bare(text: str) -> list[str]:
    """The characters of a text without marks and white space, in any order."""
    return sorted(re.sub(rf"{ANY_MARK}|\s", "", text))


@given(PIECES.map("".join), st.booleans())
def test_nothing_is_lost_and_splitting_twice_changes_nothing(text: str, is_open: bool):
    found = split_thought(text, is_open=is_open)
    assert bare(f"{found.thought or ''}\n{found.text}") == bare(text)
    assert split_thought(found.text) == SplitText(None, found.text)
    if not found.is_finished:
        assert found.text == ""
    if not re.search(ANY_MARK, text) and not is_open:
        assert found == SplitText(None, text)
