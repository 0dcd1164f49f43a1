"""Choice prompts: how BLEnD's authors put a multiple-choice question to a model."""

INSTRUCTION = (
    "Without any explanation, choose only one from the given alphabet choices(e.g., A, B, C). "
    'Provide as JSON format: {"answer_choice":""}'
)
"""The sentence after the question in the published prompts, letter by letter."""

PUBLISHED_PROMPT = f"{{question}} {INSTRUCTION}\n\nA. {{A}}\nB. {{B}}\nC. {{C}}\nD. {{D}}\n\nAnswer:"
"""The published prompt, with slots for the question and its four options."""

ANSWER_KEY = "answer_choice"
"""The key under which the published prompt asks for the letter."""
