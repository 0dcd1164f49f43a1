"""Slots of a question: which text can be asked in every country."""

from blend.schemas.prompts import slot_problems, slots_of


def test_slots_in_order_known_and_unknown():
    assert slots_of("{country} and {city} and {country}") == ("{country}", "{city}", "{country}")


def test_what_is_wrong_is_named_once():
    assert slot_problems("{city}, {country}, {city}, {area}") == [
        ("unknown slot {area}", "the slots are {country} and {nationality}"),
        ("unknown slot {city}", "the slots are {country} and {nationality}"),
    ]
    assert slot_problems("What is eaten?") == [
        (
            "no slot, so that every country would be asked the same",
            "write {country} where the country is named, or {nationality} where its people are",
        )
    ]
