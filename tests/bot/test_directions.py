"""Right-to-left texts: sentences, names, moves and boards keep their own direction."""

from __future__ import annotations

import re
import string
import unicodedata

import pytest
from babel.messages.catalog import Catalog

from bot.domain.season import Season
from bot.i18n import Texts
from bot.i18n.texts import FOLDER, directed, in_own_direction, read_catalog
from bot.presentation.award_texts import month
from tests.bot.made_once import all_texts

RTL, LTR, OWN, END = "\u200f\u2067", "\u2066", "\u2068", "\u2069"


def persian() -> Texts:
    """Return a right-to-left language with some of a board's texts."""
    catalog = Catalog(locale="fa")
    catalog.add("played", "{name} حرکت **{move}** ({time})")
    catalog.add("linked", "{text} [صفحه]({address})")
    catalog.add("broken", "کد `{reference}` در <#{reference}>")
    catalog.add("board_plain", "{rows}×{columns}")
    catalog.add("help_welcome", "سلام\n- یک\nABC")
    catalog.add(("games_count", "games_count"), ("{n} بازی", "{n} بازی"))
    return Texts({"en": read_catalog(FOLDER / "en"), "fa": catalog})


def test_names_and_moves_keep_their_order_in_a_sentence_from_right_to_left() -> None:
    t = persian().of("fa")
    said = t("played", name="Ada", move="e6", time="1")
    assert said == f"{RTL}{OWN}Ada{END} حرکت **{OWN}e6{END}** ({OWN}1{END}){END}"
    assert t("games_count", n=3) == f"{RTL}{OWN}3{END} بازی{END}"


def test_every_line_gets_its_own_direction_after_its_markup() -> None:
    assert persian().of("fa")("help_welcome") == f"{RTL}سلام{END}\n- {RTL}یک{END}\nABC"


def test_code_keeps_its_slash_in_front_and_can_still_be_copied() -> None:
    catalog = Catalog(locale="fa")
    catalog.add("help_yours", "با `/play` شروع کن")
    t = Texts({"en": read_catalog(FOLDER / "en"), "fa": catalog}).of("fa")
    assert t("help_yours") == f"{RTL}با {LTR}`/play`{END} شروع کن{END}"


def test_a_line_of_several_right_to_left_texts_gets_their_direction() -> None:
    t = persian().of("fa")
    one, other = t("games_count", n=3), t("games_count", n=4)
    assert directed(f"-# {one} · {other}") == f"-# {RTL}{one} · {other}{END}"
    assert directed(f"### 🏆 {one}\n{other}") == f"### {RTL}🏆 {one}{END}\n{other}"
    for line in ("Ada · Ben", t.left_to_right("🔴🟡"), t("board_plain", rows=6, columns=7)):
        assert directed(line) == line


def test_a_title_gets_the_direction_of_its_name() -> None:
    """The cup comes first, which is right of a Persian name."""
    assert in_own_direction("🏆 مسابقهٔ دوز") == f"{OWN}🏆 مسابقهٔ دوز{END}"
    assert in_own_direction("🏆 Ada's cup") == "🏆 Ada's cup"


def test_persian_texts_that_only_join_others_are_right_to_left() -> None:
    t = all_texts().of("fa")
    for said in (
        t("pairing", game="دوز", first="Ada", second="Ben"),
        t("level_offered", name="Bo", character="صبر کن"),
        t("level_offered_with_elo", name="Bo", character="صبر کن", elo=805, margin=31),
        t("course_of_game", name="توفان", game="دوز"),
        t("tournament_option", number=1, name="Cup"),
    ):
        assert said.removeprefix(RTL[0]).startswith(RTL[1])
    assert f"{LTR}{OWN}805{END} ± {OWN}31{END}{END}" in t(
        "level_offered_with_elo", name="Bo", character="صبر کن", elo=805, margin=31
    )


def test_the_points_of_a_pairing_are_in_the_order_of_its_names() -> None:
    said = all_texts().of("fa")("tournament_result", first="Ada", second="Ben", points="1", others="0")
    assert said == f"{OWN}Ada{END} – {OWN}Ben{END}: **{OWN}1{END}–{OWN}0{END}**"


def test_a_text_without_letters_has_no_direction_of_its_own() -> None:
    assert persian().of("fa")("board_plain", rows=6, columns=7) == f"{OWN}6{END}×{OWN}7{END}"


def test_code_addresses_and_mentions_have_no_isolates() -> None:
    t = persian().of("fa")
    assert "](https://x.y/1)" in t("linked", text="Ada", address="https://x.y/1")
    said = t("broken", reference="a1")
    assert "`a1`" in said
    assert "<#a1>" in said


def test_every_row_of_a_board_is_left_to_right_and_keeps_its_markup() -> None:
    t = persian().of("fa")
    assert t.left_to_right("## 🔴🟡\n🟦🟦") == f"## {LTR}🔴🟡{END}\n{LTR}🟦🟦{END}"
    assert t.left_to_right("```\n 1 X O\n```") == f"```\n{LTR} 1 X O{END}\n```"


@pytest.mark.slow
def test_left_to_right_languages_get_no_isolates() -> None:
    t = persian().of("en")
    assert t("linked", text="Ada", address="x") == "Ada [Go to the board](x)"
    assert t.left_to_right("🔴🟡") == "🔴🟡"


def test_the_catalogues_know_their_direction() -> None:
    texts = all_texts()
    assert [texts.of(language).is_rtl for language in ("fa", "en", "de")] == [True, False, False]


def test_every_isolate_of_the_persian_texts_is_closed_on_its_line() -> None:
    t = all_texts().of("fa")
    wrong = []
    for message in read_catalog(FOLDER / "fa"):
        if not message.id:
            continue
        key = message.id if isinstance(message.id, str) else str(message.id[0])
        forms = [message.string] if isinstance(message.string, str) else list(message.string or ())
        names = {name for form in forms for _, name, _, _ in string.Formatter().parse(str(form)) if name}
        said = t(key, **dict.fromkeys({"n", *names}, 2))
        for line in said.splitlines():
            opened = sum(unicodedata.bidirectional(character) in ("LRI", "RLI", "FSI") for character in line)
            if opened != line.count(END):
                wrong.append(key)
    assert not wrong


def persian_forms() -> list[str]:
    messages = (message for message in read_catalog(FOLDER / "fa") if message.id)
    return [
        str(form)
        for message in messages
        for form in ([message.string] if isinstance(message.string, str) else message.string or ())
    ]


def test_numbers_in_persian_texts_use_the_same_digits_as_parameters() -> None:
    assert [form for form in persian_forms() if re.search("[\u06f0-\u06f9]", form)] == []


def test_numbers_that_the_code_writes_in_persian_have_the_same_digits() -> None:
    t = all_texts().of("fa")
    said = t.percent(0.62), t.decimal(2.5), month(t, Season(2026, 5))
    assert [re.findall(r"\d+", one) for one in said] == [["62"], ["2", "5"], ["2026"]]


def test_bold_at_the_end_of_a_persian_line_ends_with_a_letter() -> None:
    """CommonMark does not end bold text after punctuation, before the end of the isolate."""
    assert [form for form in persian_forms() if re.search(r"[^\w{}\s]\*\*$", form, re.MULTILINE)] == []


def test_numbers_of_several_parts_keep_their_order_in_persian_lines() -> None:
    """`3+2`, `6×7` and `09:00`: without isolates their parts would be reversed."""
    parted = re.compile(r"[}\d][:+×/][{\d]")
    isolated = re.compile(f"{LTR}[^{END}]*{END}")
    assert [form for form in persian_forms() if parted.search(isolated.sub("", form))] == []
