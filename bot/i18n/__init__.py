"""All user-facing texts by key and language (gettext catalogues), and escaping of names."""

from bot.domain.names import shortened
from bot.i18n.names import plain, plain_line
from bot.i18n.texts import Text, Texts, UnknownText, directed, in_own_direction

__all__ = [
    "Text",
    "Texts",
    "UnknownText",
    "directed",
    "in_own_direction",
    "plain",
    "plain_line",
    "shortened",
]
