"""The bot's own emoji for the simulated Discord: their pictures by address, drawn when first seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class EmojiPictures(dict[str, tuple[str, bytes]]):
    """(name, bytes) of each emoji's file by its address."""

    def __init__(self, pictures: Mapping[str, Callable[[], bytes]], address_of: Callable[[str], str]) -> None:
        """pictures: by name, what draws each. address_of: makes an emoji of that name, says where it is."""
        super().__init__()
        self._waiting = {address_of(name): (f"{name}.png", draw) for name, draw in pictures.items()}

    def get(self, address: str, default: Any = None) -> Any:
        """Draws what nobody has seen yet."""
        if address in self._waiting:
            name, draw = self._waiting.pop(address)
            self[address] = name, draw()
        return super().get(address, default)
