"""Texts from right to left: sentences, names, moves and boards each keep their own direction."""

from __future__ import annotations

import string
import unicodedata

from babel.messages.catalog import Catalog

from bot.i18n import Texts
from bot.i18n.texts import FOLDER, read_catalog
from tests.bot.made_once import all_texts

RTL, LTR, OWN, END = "\u200f\u2067", "\u2066", "\u2068", "\u2069"


def persian() -> Texts:
    """A language written from right to left, with a few of the texts that a board is made of."""
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


def test_every_line_goes_its_own_way_after_its_markup() -> None:
    assert persian().of("fa")("help_welcome") == f"{RTL}سلام{END}\n- {RTL}یک{END}\nABC"


def test_a_text_without_letters_follows_what_stands_around_it() -> None:
    assert persian().of("fa")("board_plain", rows=6, columns=7) == f"{OWN}6{END}×{OWN}7{END}"


def test_what_people_copy_and_what_discord_reads_stays_without_isolates() -> None:
    t = persian().of("fa")
    assert "](https://x.y/1)" in t("linked", text="Ada", address="https://x.y/1")
    said = t("broken", reference="a1")
    assert "`a1`" in said
    assert "<#a1>" in said


def test_every_row_of_a_board_stays_from_left_to_right_and_keeps_its_markup() -> None:
    t = persian().of("fa")
    assert t.board("## 🔴🟡\n🟦🟦") == f"## {LTR}🔴🟡{END}\n{LTR}🟦🟦{END}"
    assert t.board("```\n 1 X O\n```") == f"```\n{LTR} 1 X O{END}\n```"


def test_a_language_from_left_to_right_gets_no_isolates() -> None:
    t = persian().of("en")
    assert t("linked", text="Ada", address="x") == "Ada [Go to the board](x)"
    assert t.board("🔴🟡") == "🔴🟡"


def test_the_catalogues_know_which_way_they_are_written() -> None:
    texts = all_texts()
    assert [name for name in texts.languages if texts.of(name).is_rtl] == ["fa"]


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
