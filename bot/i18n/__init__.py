"""Every text that people read, by key and language: gettext catalogues, and what makes names safe in them."""

from bot.i18n.names import plain, shortened, tidy
from bot.i18n.texts import Text, Texts, UnknownText, directed, in_own_direction
from bot.i18n.translator import Translator, say

__all__ = [
    "Text",
    "Texts",
    "Translator",
    "UnknownText",
    "directed",
    "in_own_direction",
    "plain",
    "say",
    "shortened",
    "tidy",
]
