"""Names from outside: cleaned once, cut between graphemes, and never empty."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.names import LONGEST_NAME, clean, shortened, tidy
from bot.domain.person import Person
from bot.domain.seat import Seat

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
FLAG = "🇩🇪"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Z\u0335\u0321\u0322\u0334\u0315a\u0334\u0328\u0301\u0302lgo", "Z\u0335\u0334\u0105\u0334\u0301lgo"),
        ("Ngu\u1ec5n \u0e01\u0e34\u0e48", "Ngu\u1ec5n \u0e01\u0e34\u0e48"),
        ("Ada \U0001f600\U0001f3c6", "Ada \U0001f600\U0001f3c6"),
        ("\U0001f600" * 20 + " Ada", "\U0001f600" * 5 + " Ada"),
        ("\u2764\ufe0f" * 9, "\u2764\ufe0f" * 5),
        ("\u202eadA\u202c\n\x00 B", "adA B"),
        ("\u3164\u2800\u200b \ufe0f", ""),
        ("\u0301\u0301", ""),
        ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),
        ("علی\u200cرضا", "علی\u200cرضا"),
        ("ع\u064e\u200c\u064e\u200c\u064e", "ع\u064e\u064e"),
        ("\u200cعلی\u200c رضا\u200c", "علی رضا"),
        ("A\u200cda", "Ada"),
        ("A\u200dda \ufe0f", "Ada"),
        ("A\u034fd\U000e0041a", "Ada"),
        ("A\ue000d\ufdd0a\ud800", "Ada"),
        ("Ada\u2028B\u2029C\x85D", "Ada B C D"),
        ("\u2066Ada\u2069\u200f", "Ada"),
        (f"{FAMILY * 3} Ada", f"{FAMILY * 3} Ada"),
        (f"{FAMILY * 7} Ada", f"{FAMILY * 5} Ada"),
        (FLAG * 7, FLAG * 5),
        ("👍🏽" * 7, "👍🏽" * 5),
        ("1️⃣ Ada ❤️\u200d🔥", "1️⃣ Ada ❤️\u200d🔥"),
        ("👨\u200d" * 20 + "👨", "👨"),
        ("क्\u200dष श्री", "क्\u200dष श्री"),
        ("葛\U000e0100飾", "葛\U000e0100飾"),
        ("각 각", "각 각"),
        ("\U0001fae9 Ada", "\U0001fae9 Ada"),
    ],
)
def test_floods_and_invisible_characters_are_cut_from_names_and_letters_are_not(
    name: str, shown: str
) -> None:
    assert tidy(name) == shown
    assert tidy(tidy(name)) == tidy(name)


@given(st.text(max_size=60))
def test_a_cleaned_name_is_visible_on_one_line_and_stays_as_it_is(name: str) -> None:
    found = clean(name)
    assert found
    assert len(found) <= LONGEST_NAME
    assert clean(found) == found
    assert found == " ".join(found.split())
    assert not {unicodedata.category(character) for character in found} & {"Cc", "Cs", "Co", "Zl", "Zp"}


@pytest.mark.parametrize(
    "unseen", ["\u3164", "\u115f\u1160", "\uffa0", "\u2800", "\u200b\u202e", "\u0301", " \n"]
)
def test_a_name_that_shows_nothing_gives_way_to_the_next_one(unseen: str) -> None:
    assert clean(unseen, None, "Ada") == "Ada"
    assert clean(unseen) == clean("", None) == "?"
    assert Person(5, unseen, "Ada").name == "Ada"
    assert Person(5, unseen, unseen).seat == Seat("5", 5)
    assert Seat(unseen, level="pip").name == "pip"


@pytest.mark.parametrize(
    ("text", "length", "shown"),
    [
        ("x" * 90, 80, "x" * 79 + "…"),
        ("short", 80, "short"),
        (f"Ada {FAMILY}{FAMILY}", 16, f"Ada {FAMILY}…"),
        (f"Ada {FAMILY}{FAMILY}", 11, "Ada…"),
        (f"{FLAG}{FLAG}{FLAG}", 4, f"{FLAG}…"),
        ("e\u0323\u0302" * 3, 5, "e\u0323\u0302…"),
        (FAMILY, 4, "…"),
    ],
)
def test_a_long_text_is_cut_between_graphemes(text: str, length: int, shown: str) -> None:
    assert shortened(text, length) == shown
