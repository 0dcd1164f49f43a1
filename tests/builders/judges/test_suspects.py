"""Suspects: why two answers may mean the same."""

from blend.builders.judges.suspects import why_suspected

CAUSES = {
    ("ball", "basketball"): "ball is part of basketball",
    ("nezami", "nizami"): "spelling",
    ("gatka", "gadka"): "spelling",
    ("pan", "saucepan"): "",
    ("chess", "rowing"): "",
    ("", "rowing"): "",
}


def test_why_two_answers_are_suspected():
    assert {pair: why_suspected(*pair) for pair in CAUSES} == CAUSES
