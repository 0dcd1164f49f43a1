"""Contacts in texts: what is surely an address or a phone number, and answers that only look like one."""

import pytest

from blend.schemas.personal_data import contact_data


@pytest.mark.parametrize(
    "answer",
    [
        "10000-20000",
        "12 000 000",
        "08.00-17.00",
        "08.00-12.00/13.00-17.00",
        "1990-2005",
        "24.12.2025",
        "www.a.com",
    ],
)
def test_prices_hours_dates_and_shops_are_answers(answer: str):
    assert contact_data(answer, is_answer=True) == []


@pytest.mark.parametrize("answer", ["010-1234-5678", "+82 10 1234 5678", "(030) 123456", "٠٥٥ ١٢٣٤ ٥٦٧٨"])
def test_what_begins_as_phone_numbers_do_is_one(answer: str):
    assert contact_data(answer, is_answer=True) == ["a phone number"]


def test_an_address_is_one_anywhere_and_in_a_reason_any_long_number():
    assert contact_data("a0123456789@b.org", is_answer=True) == ["an e-mail address"]
    assert contact_data("ask a@b.org or 555-123-4567", is_answer=False) == [
        "an e-mail address",
        "a phone number",
    ]


@pytest.mark.slow
def test_a_long_word_takes_no_longer_than_as_many_short_ones():
    # What takes a time that grows with the square of the length would take minutes.
    assert contact_data("a" * 1_000_000 + "@", is_answer=True) == []
    assert contact_data("." * 1_000_000 + "a@b.org", is_answer=True) == ["an e-mail address"]
