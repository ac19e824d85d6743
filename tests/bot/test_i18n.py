"""The catalogues have every key that the code uses, and no other, and names are safe."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import discord
import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from discord import app_commands
from hypothesis import given
from hypothesis import strategies as st

from bot.commands import COMMANDS
from bot.domain.names import clean
from bot.domain.result import End
from bot.i18n import Texts, UnknownText, plain
from bot.i18n.texts import FOLDER, language_folders, read_catalog
from bot.ui.translator import Translator, say
from engine.games import GAMES, spec_of
from tests.bot.made_once import all_texts

ROOT = Path(__file__).parents[2]
REFUSALS = {"Refusal", "MatchError", "SetupError", "NotFound"}
CHOICES = {"choices", "worded_options"}
"""Functions that build options from all texts with a prefix."""

TEXTS = {"t", "say", *CHOICES}
TEXT = r'"(?:[^"\\]|\\.)+"'
ENTRY = re.compile(rf'msgid ("[a-z0-9_-]+")\n(?:msgstr {TEXT}|msgid_plural \1(?:\nmsgstr\[\d\] {TEXT})+)\n?')
"""An entry of a catalogue: a key, and its text or plural forms, none empty."""

TEXT_MAKERS = {"own_text", "place_text", "english", "of"}


@dataclass(frozen=True)
class Use:
    """A use of a text: a pattern of keys, and its parameters (None: unknown)."""

    pattern: str
    params: frozenset[str] | None
    where: str

    @property
    def keys(self) -> list[str]:
        """The keys of English texts that it names."""
        return keys_like(self.pattern)


@cache
def keys_like(pattern: str) -> list[str]:
    return re.findall(rf"^(?:{pattern})$", "\n".join(catalogue()), re.MULTILINE)


@cache
def catalogue(name: str = "en") -> dict[str, list[str]]:
    """Return every key with its forms."""
    found: dict[str, list[str]] = {}
    for message in read_catalog(FOLDER / name):
        if message.id:
            key = message.id if isinstance(message.id, str) else message.id[0]
            forms = (message.string,) if isinstance(message.string, str) else message.string or ()
            found[str(key)] = [str(form or "") for form in forms]
    return found


def read_po_file(path: Path, language: str) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def placeholders(form: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(form) if name is not None}


@cache
def sources() -> list[tuple[Path, ast.AST]]:
    return [(path, ast.parse(path.read_text("utf-8"))) for path in sorted((ROOT / "bot").rglob("*.py"))]


def pattern_of(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in node.values
        )
    if isinstance(node, ast.IfExp):
        parts = [pattern_of(node.body), pattern_of(node.orelse)]
        return None if None in parts else "|".join(part for part in parts if part)
    return None


def names_a_text(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in TEXTS | REFUSALS
    if isinstance(function, ast.Attribute) and function.attr == "starting_with":
        return True
    if isinstance(function, ast.Call):
        maker = function.func
        return (isinstance(maker, ast.Name) and maker.id in TEXT_MAKERS) or (
            isinstance(maker, ast.Attribute) and maker.attr in TEXT_MAKERS
        )
    return False


@cache
def uses() -> list[Use]:
    found = []
    for path, tree in sources():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and node.args and names_a_text(node)):
                continue
            pattern = pattern_of(node.args[0])
            if pattern is not None and isinstance(node.func, ast.Name) and node.func.id in CHOICES:
                pattern += "_.+"
            if pattern is not None and isinstance(node.func, ast.Attribute):
                # The page fills in the parameters.
                found.append(Use(pattern + ".+", None, f"{path.relative_to(ROOT)}:{node.lineno}"))
            elif pattern is not None:
                names = [keyword.arg for keyword in node.keywords]
                params = None if None in names else frozenset(name for name in names if name)
                found.append(Use(pattern, params, f"{path.relative_to(ROOT)}:{node.lineno}"))
    return found


def test_every_text_used_by_the_code_is_in_the_catalogue() -> None:
    missing = [f"{use.where}: {use.pattern}" for use in uses() if not use.keys]
    assert not missing, "\n".join(missing)


def test_every_text_in_the_catalogue_is_used() -> None:
    used = {key for use in uses() for key in use.keys}
    constants = {
        node.value
        for _, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert not catalogue().keys() - constants - used


def test_every_placeholder_is_filled_at_every_use() -> None:
    known = catalogue()
    wrong = [
        f"{use.where}: {key} lacks {placeholders(form) - use.params}"
        for use in uses()
        if use.params is not None
        for key in use.keys
        for form in known[key]
        if placeholders(form) - use.params
    ]
    assert not wrong, "\n".join(wrong)


def test_every_way_to_end_has_a_text() -> None:
    decided = {End.LINE, End.DISC_COUNT, End.POINTS, End.RESIGNATION, End.TIME, End.OTHER}
    undecided = {End.BOARD_FULL, End.DISC_COUNT, End.POINTS, End.AGREEMENT, End.REPETITION, End.OTHER}
    undecided |= {End.TOO_LONG, End.ABANDONED, End.STOPPED, End.MODERATED, End.UNVOTED}
    assert decided | undecided == set(End)
    needed = {f"won_{end}" for end in decided} | {f"drawn_{end}" for end in undecided}
    assert needed <= set(catalogue())


def test_every_reason_for_an_illegal_move_has_a_text() -> None:
    reasons = set()
    for path in (ROOT / "engine" / "games").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "IllegalMove":
                for part in ast.walk(node.args[1]):
                    if isinstance(part, ast.Constant):
                        reasons.add(str(part.value))
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "reason":
                reasons |= {
                    str(part.value) for part in ast.walk(node.value) if isinstance(part, ast.Constant)
                }
    assert len(reasons) >= 7
    assert {f"illegal_{reason}" for reason in reasons} <= set(catalogue())


def test_no_sentence_ends_with_a_rating() -> None:
    """A provisional rating has a question mark of its own: `1181 ± 272?.`"""
    ends = re.compile(r"\{(rating|points)\}\W*[.!?。؟]")
    found = [
        f"{folder.name}: {key}"
        for folder in language_folders()
        for key, forms in catalogue(folder.name).items()
        if any(ends.search(form) for form in forms)
    ]
    assert not found


def test_every_game_and_board_has_its_texts() -> None:
    known = set(catalogue())
    for key, game in GAMES.items():
        assert {f"game_{key}", f"rules_{key}", f"picture_{key}", f"tile_{key}"} <= known
        lengths = {spec_of(key).play.line_length(board) for board in game.boards} - {None}
        assert {f"in_a_row_{length}" for length in lengths} <= known


LANGUAGES = [folder.name for folder in language_folders()]
TRANSLATIONS = [folder for folder in language_folders() if folder.name != "en"]


def is_in_discord(language: str) -> bool:
    """Return whether people can choose the language, or a dialect of it, in Discord."""
    locales = [locale.value for locale in discord.Locale]
    return any(language in (one.replace("-", "_"), one.partition("-")[0]) for one in locales)


def test_no_released_language_is_lost() -> None:
    assert {"de", "en", "es", "fa", "fr", "pt_BR"} <= set(LANGUAGES)


def test_discord_has_german_and_brazilian_and_neither_persian_nor_basque() -> None:
    assert [is_in_discord(one) for one in ("de", "es", "pt_BR", "zh_TW", "fa", "eu")] == [True] * 4 + [
        False
    ] * 2


@pytest.mark.parametrize("folder", TRANSLATIONS, ids=lambda folder: folder.name)
def test_every_language_has_every_text_in_the_same_file(folder: Path) -> None:
    for part in sorted((FOLDER / "en").glob("*.po")):
        english = {str(message.id) for message in read_po_file(part, "en") if message.id}
        translated = {
            str(message.id) for message in read_po_file(folder / part.name, folder.name) if message.id
        }
        assert translated == english, part.name
    names = {path.name for path in folder.glob("*.po")} - {path.name for path in (FOLDER / "en").glob("*.po")}
    assert names <= {"names.po"}, "only the names of commands and options have no English file"


def forms_of(message: Message) -> tuple[str, ...]:
    return message.string if isinstance(message.string, tuple) else (str(message.string),)


@pytest.mark.parametrize("folder", TRANSLATIONS, ids=lambda folder: folder.name)
def test_every_translation_has_its_plural_forms_and_placeholders(folder: Path) -> None:
    english = {message.id: message for message in read_catalog(FOLDER / "en") if message.id}
    catalog = read_catalog(folder)
    for message in catalog:
        if not message.id or re.match(r"name_(command|option)_", str(message.id)):
            continue
        forms = forms_of(message)
        assert len(forms) == (catalog.num_plurals if message.pluralizable else 1), message.id
        known = set[str]().union(*map(placeholders, forms_of(english[message.id])))
        for form in forms:
            assert form, f"{message.id} is empty"
            # The singular form may leave the number out.
            missing = known - placeholders(form) - ({"n"} if message.pluralizable else set())
            assert not missing, f"{message.id} lacks {missing}"
            assert placeholders(form) <= known, f"{message.id} has more than {known}"


@pytest.mark.parametrize("folder", TRANSLATIONS, ids=lambda folder: folder.name)
def test_names_of_commands_follow_discords_rules(folder: Path) -> None:
    """Lower case, without spaces, at most 32 characters (Discord, "Application Command Naming")."""
    kinds: dict[str, list[str]] = {"command": [], "option": []}
    for key, (name, *_) in catalogue(folder.name).items():
        found = re.match(r"name_(command|option)_", key)
        if found:
            assert re.fullmatch(r"[-_\w]{1,32}", name), f"{key}: {name}"
            assert name == name.lower(), f"{key}: {name}"
            kinds[found[1]].append(name)
    if not is_in_discord(folder.name):
        assert kinds == {"command": [], "option": []}, "Discord has no such locale"
    else:
        assert kinds["command"], "nobody would find the commands in their own language"


COMMAND = re.compile(r"(?<![\w<{}@/])/(?P<name>\w[-\w]*)(?: (?P<inner>\w[-\w]*))?")


def commands_in(language: str) -> dict[str, frozenset[str]]:
    """Return the commands by their names in that language, each with its subcommands."""
    names = {key: forms[0] for key, forms in catalogue(language).items() if key.startswith("name_command_")}
    return {
        names.get(f"name_command_{command.name}", command.name): frozenset(
            names.get(f"name_command_{inner.name}", inner.name)
            for inner in (command.commands if isinstance(command, app_commands.Group) else ())
        )
        for command in COMMANDS
        if not isinstance(command, app_commands.ContextMenu)
    }


def strange_commands(language: str, known: dict[str, list[str]]) -> list[str]:
    """Return uses of command names that do not exist in that language."""
    commands = commands_in(language)
    return [
        f"{key}: {found[0]}"
        for key, forms in known.items()
        for form in forms
        for found in COMMAND.finditer(form)
        if found["name"] not in commands
        or (commands[found["name"]] and found["inner"] not in commands[found["name"]])
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_name_commands_as_discord_lists_them_in_that_language(language: str) -> None:
    """Links show the default name in every language; other words use the reader's."""
    assert not strange_commands(language, catalogue(language))


def test_an_english_command_in_a_german_sentence_is_found() -> None:
    said = {"a": ["Tippe `/play`."], "b": ["`/turnier create` macht eins."], "c": ["`/spielen`, 3/4"]}
    assert strange_commands("de", said) == ["a: /play", "b: /turnier create"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_name_options_as_discord_lists_them_in_that_language(language: str) -> None:
    known = catalogue(language)
    own = {
        key.removeprefix("name_option_"): forms[0]
        for key, forms in known.items()
        if key.startswith("name_option_")
    }
    pattern = re.compile(r"`(?:/\S+ )?(\w+)(?::\w+)?`")
    strange = [
        f"{key}: {name}"
        for key, forms in known.items()
        for form in forms
        for name in pattern.findall(form)
        if own.get(name, name) != name
    ]
    assert not strange


def test_every_command_and_option_has_a_name_in_every_discord_language() -> None:
    groups = [command for command in COMMANDS if isinstance(command, app_commands.Group)]
    every = (*COMMANDS, *(inner for group in groups for inner in group.commands))
    commands = [command for command in every if isinstance(command, app_commands.Command)]
    options = {parameter.name for command in commands for parameter in command.parameters}
    needed = {f"name_command_{command.name}" for command in groups}
    needed |= {f"name_command_{command.name}" for command in commands}
    needed |= {f"name_option_{option}" for option in options}
    for language in filter(is_in_discord, set(LANGUAGES) - {"en"}):
        assert needed == {key for key in catalogue(language) if key.startswith("name_")}, language


@pytest.mark.parametrize("folder", language_folders(), ids=lambda folder: folder.name)
def test_digits_are_those_of_the_boards_in_every_language(folder: Path) -> None:
    t = all_texts().of(folder.name)
    written = [t.percent(0.62), t.decimal(1.5), t.day(date(2026, 11, 21))]
    for message in read_catalog(folder):
        written += [message.string] if isinstance(message.string, str) else message.string or ()
    assert [text for text in written if any(one.isdecimal() and not one.isascii() for one in text)] == []


def test_plural_texts_follow_their_number() -> None:
    t = all_texts().of("en-US")
    assert t("games_count", n=1) == "1 game"
    assert t("games_count", n=2) == "2 games"


def test_an_unknown_text_is_an_error() -> None:
    with pytest.raises(UnknownText):
        all_texts().of("en-US")("no_such_text")


def test_a_missing_parameter_is_an_error() -> None:
    with pytest.raises(KeyError):
        all_texts().of("en-US")("not_your_turn")


def german() -> Texts:
    """Write a partial second language: some texts and one command's name."""
    catalog = Catalog(locale="de")
    catalog.add("rated", "Gewertet")
    catalog.add(("games_count", "games_count"), ("{n} Spiel", "{n} Spiele"))
    catalog.add("command_play", "Gegen den Bot spielen")
    catalog.add("name_command_play", "spielen")
    return Texts({"en": read_catalog(FOLDER / "en"), "de": catalog})


def test_missing_texts_of_a_language_are_english() -> None:
    t = german().of("de")
    assert t("rated") == "Gewertet"
    assert t("games_count", n=3) == "3 Spiele"
    assert t("casual") == "Casual"


@pytest.mark.parametrize(
    ("locale", "language"), [("de", "de"), ("de-AT", "de"), ("en-GB", "en"), ("pt-BR", "en"), ("", "en")]
)
def test_a_locale_uses_its_dialect_its_language_or_english(locale: str, language: str) -> None:
    assert german().of(locale).language == language


async def test_descriptions_are_translated_and_names_only_if_the_catalogue_has_them() -> None:
    translator = Translator(german())
    place = app_commands.TranslationContextLocation
    command = next(found for found in COMMANDS if isinstance(found, app_commands.Command))
    description: app_commands.TranslationContext[Any, Any] = app_commands.TranslationContext(
        place.command_description, command
    )
    name: app_commands.TranslationContext[Any, Any] = app_commands.TranslationContext(
        place.command_name, command
    )
    german_locale, english = discord.Locale.german, discord.Locale.american_english
    assert (
        await translator.translate(say("command_play"), german_locale, description) == "Gegen den Bot spielen"
    )
    assert await translator.translate(say("command_play"), english, description) is None
    assert await translator.translate(app_commands.locale_str("play"), german_locale, name) == "spielen"
    assert await translator.translate(app_commands.locale_str("move"), german_locale, name) is None


async def test_a_groups_name_is_translated() -> None:
    group = next(found for found in COMMANDS if isinstance(found, app_commands.Group))
    context: app_commands.TranslationContext[Any, Any] = app_commands.TranslationContext(
        app_commands.TranslationContextLocation.group_name, group
    )
    translated = await Translator(german()).translate(
        app_commands.locale_str("play"), discord.Locale.german, context
    )
    assert translated == "spielen"


def nodes(payload: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield the commands or options that are siblings, level by level."""
    options = payload.get("options", [])
    yield options
    for option in options:
        yield from nodes(option)


async def test_discord_accepts_every_name_and_description_in_every_language() -> None:
    bot = discord.Client(intents=discord.Intents.none())
    tree = app_commands.CommandTree(bot)
    translator = Translator(all_texts())
    payloads = [await command.get_translated_payload(tree, translator) for command in COMMANDS]
    slash = [payload for payload in payloads if payload.get("type", 1) == 1]
    levels = [slash, *(level for payload in slash for level in nodes(payload))]
    locales = {locale for payload in slash for locale in payload["name_localizations"]}
    assert len(locales) >= 4
    for level in levels:
        for locale in (None, *locales):
            names = [_in_locale(node, "name", locale) for node in level]
            assert all(map(is_command_name, names)), (locale, names)
            assert len(set(names)) == len(names), (locale, names)
            assert all(1 <= len(_in_locale(node, "description", locale)) <= 100 for node in level), locale
            choices = [choice for node in level for choice in node.get("choices", ())]
            assert all(1 <= len(_in_locale(choice, "name", locale)) <= 100 for choice in choices), locale


def _in_locale(node: dict[str, Any], field: str, locale: str | None) -> str:
    localised = node.get(f"{field}_localizations") or {}
    return str(localised.get(locale, node[field]))


def is_command_name(name: str) -> bool:
    """Letters, digits, hyphens, underscores, lower case (Discord, "Application Commands", Naming)."""
    return re.fullmatch(r"[-_\w]{1,32}", name) is not None and name == name.lower()


@pytest.mark.parametrize("name", ["", "Play", "two words", "x" * 33, "a/b"])
def test_the_check_finds_names_that_discord_refuses(name: str) -> None:
    assert not is_command_name(name)


def test_the_catalogue_describes_every_command_and_no_other() -> None:
    groups = [command for command in COMMANDS if isinstance(command, app_commands.Group)]
    inner = [command for group in groups for command in group.commands]
    outer = [command for command in COMMANDS if not isinstance(command, app_commands.ContextMenu)]
    paths = {command.qualified_name.replace(" ", "_") for command in (*outer, *inner)}
    described = {key for key in catalogue() if key.startswith("command_")}
    assert described == {f"command_{path}" for path in paths}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ada", "Ada"),
        ("**Ada**", r"\*\*Ada\*\*"),
        ("[free](https://x.y)", r"\[free\]\(https:\/\/x.y\)"),
        ("<@123>", "\\<@\u200b123\\>"),
        ("@everyone", "@\u200beveryone"),
        ("# Big", "\\# Big"),
        ("- list", "\u200b- list"),
        ("1. list", "\u200b1. list"),
        ("two\nlines", "two lines"),
        ("\u202egnp.exe", "gnp.exe"),
        ("||spoiler||", r"\|\|spoiler\|\|"),
        ("", "?"),
        ("\u200b", "?"),
        ("Jörg 👩\u200d🚀", "Jörg 👩\u200d🚀"),
    ],
)
def test_an_escaped_name_shows_as_itself(name: str, shown: str) -> None:
    assert plain(clean(name)) == shown


@given(st.text(max_size=100))
def test_no_name_starts_markdown_or_a_mention(name: str) -> None:
    safe = plain(clean(name))
    assert safe
    assert "\n" not in safe
    assert "@everyone" not in safe
    assert not re.search(r"(?<!\\)(?:\\\\)*[*_~`|<\[#]", safe)
    assert safe[0] not in "-+>#"


@pytest.mark.parametrize("language", language_folders())
def test_each_entry_of_a_catalogue_has_one_key_and_one_text(language: str) -> None:
    """A merge can leave two keys or texts in one entry, and parsers keep the last without a warning."""
    wrong = []
    for path in sorted((FOLDER / language).glob("*.po")):
        said = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
        head, _, *entries = re.split(r"^(?=msgid )", "\n".join(said), flags=re.MULTILINE)
        wrong += [
            f"{path.name}: {entry}" for entry in (head, *entries) if entry and not ENTRY.fullmatch(entry)
        ]
    assert not wrong, "\n".join(wrong)
