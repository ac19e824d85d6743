"""Which levels a server's highest strength leaves open, read off the ladder of each game."""

from __future__ import annotations

import pytest

from bot.domain.errors import SetupError
from bot.domain.preferences import ServerSettings
from engine.agents.levels import STRENGTHS, levels_of, strength_of
from engine.games import GAMES
from tests.bot.sittings import HERE, Sitting


@pytest.mark.parametrize("highest", range(1, len(STRENGTHS) + 1))
async def test_the_highest_strength_is_open_and_the_next_is_closed(table: Sitting, highest: int) -> None:
    guild_id = HERE.guild_id
    assert guild_id is not None
    await table.services.levels._settings.save(guild_id, ServerSettings(highest_level=highest))
    for game in GAMES:
        open_keys = {level.key for level in table.services.levels.of(guild_id, game)}
        for level in levels_of(game):
            strength = strength_of(game, level.key)
            assert strength is not None
            is_open = STRENGTHS.index(strength) < highest
            assert (level.key in open_keys) is is_open, (game, level.key)
            if is_open:
                table.services.levels.check(guild_id, game, (level.key,))
            else:
                with pytest.raises(SetupError):
                    table.services.levels.check(guild_id, game, (level.key,))
        assert {level.key for level in table.services.levels.of(None, game)} >= {
            level.key for level in levels_of(game)
        }
