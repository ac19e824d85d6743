"""All user-facing texts by key and language (gettext catalogues), and escaping of names."""

from bot.i18n.names import plain, shortened, tidy
from bot.i18n.texts import Text, Texts, UnknownText, directed, in_own_direction

__all__ = [
    "Text",
    "Texts",
    "UnknownText",
    "directed",
    "in_own_direction",
    "plain",
    "shortened",
    "tidy",
]
