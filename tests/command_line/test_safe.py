"""Text of others on a terminal: what it cannot do to who reads it."""

import io
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from blend.schemas import summaries
from blend.views.frames import table_of
from blend.views.safe import SafeConsole, shown


def test_letters_of_all_scripts_stay_as_they_are():
    for text in ("떡국", "ዳቦ", "نان", "ভাত", "Zürich", "piña colada", "👍"):
        assert shown(text) == text


def test_what_nobody_sees_stands_as_its_code():
    assert shown("a\x1b[31mb") == "a\\u001b[31mb"
    assert shown("line\nline\ttab\rback") == "line\\u000aline\\u0009tab\\u000dback"
    assert shown("\u202etxt.exe") == "\\u202etxt.exe"
    assert shown("pay\u200bpal") == "pay\\u200bpal"
    assert shown("\ud800") == "\\ud800"
    assert shown("a\u2028b\u2029c") == "a\\u2028b\\u2029c"


def test_a_table_never_cuts_a_figure():
    """However narrow the terminal: names are broken into lines, figures stand whole in one."""
    heads = [f"head {number}" for number in range(12)]
    figures = [f"{number},345,678.90" for number in range(12)]
    table = summaries.Table.of("title", ("locale", *heads), [("a name with several words in it", *figures)])
    out = io.StringIO()
    SafeConsole(file=out, width=40).print(table_of(table))
    (line,) = [line for line in out.getvalue().splitlines() if figures[0] in line]
    assert all(figure in line for figure in figures)
    assert "…" not in out.getvalue()
    for word in ["a", "name", "with", "several", "words", "in", "it"]:
        assert word in out.getvalue()


def test_long_texts_are_cut_and_say_so():
    assert shown("x" * 200) == "x" * 200
    assert shown("x" * 201) == "x" * 200 + "…"
    assert shown("abcdef", characters=3) == "abc…"
    assert shown("") == ""
    # Cut before it is spelled: no code is cut in two.
    assert shown("\x00" * 4, characters=2) == "\\u0000\\u0000…"


@given(st.text(st.characters(), max_size=300))
def test_nothing_shown_moves_the_cursor_or_turns_the_line(text: str):
    for char in shown(text):
        assert unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def test_a_console_makes_every_part_of_a_table_harmless():
    table = Table("head\x1b[1m", title="title\x9b", caption="caption\u202e")
    table.add_row("cell\x07")
    console = SafeConsole(file=io.StringIO(), width=80)
    console.print(table)
    printed = console.file.getvalue()
    assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(printed)
    for text in ("head\\x1b", "title\\x9b", "cell\\x07", "caption\\u202e"):
        assert text in printed
    # The column is as wide as the codes, so that its frame stays straight.
    assert len({len(line) for line in printed.splitlines() if line.startswith(("│", "┃"))}) == 1
