"""Episodes of Kaggle's ConnectX, as the site and `env.toJSON()` write them: read only.

Move n stands in `steps[n][(n - 1) % 2].action`, unless that agent was late or refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from engine.core import State
from engine.games.move_text import Word
from engine.games.spec import GameSpec
from engine.records.record import DRAWN, FIRST_WON, SECOND_WON, About, Format, RawGame, RecordError

DEEPEST = 50
"""Brackets within brackets: Python's own reader is recursive."""

_BEGIN = re.compile(r'\s*(?:\{\s*"|\{\s*\}|\[\s*[\[{])')
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[][{}]')
_PLAYED = ("ACTIVE", "INACTIVE", "DONE")


def read(text: str) -> Iterator[RawGame]:
    """Yield the one game; raises RecordError for other JSON."""
    episode = _parsed(text)
    if not isinstance(episode, dict) or ("steps" not in episode and "name" not in episode):
        raise _no_episode("This JSON is no episode: it has no steps.")
    name, settings = str(episode.get("name")), episode.get("configuration")
    steps = episode.get("steps")
    # The name goes into a refusal, and from there to terminals.
    if not name.isprintable():
        raise _no_episode("This JSON is no episode: its name is no text.")
    board = ""
    if isinstance(settings, dict) and name == "connectx":
        sizes = [settings.get(key, usual) for key, usual in (("rows", 6), ("columns", 7), ("inarow", 4))]
        if not all(type(size) is int for size in sizes):
            raise _no_episode("The episode's rows, columns and inarow are no whole numbers.")
        board = "x".join(map(str, sizes))
    if name == "connectx" and not (isinstance(steps, list) and steps):
        raise _no_episode("The episode has no steps.")
    yield RawGame(
        words=partial(_words, steps if isinstance(steps, list) else []),
        game=name,
        title=f"Kaggle's {name}",
        board=board,
        names=_names(episode.get("info")),
        about=_about(episode.get("rewards")),
    )


def _no_episode(message: str) -> RecordError:
    return RecordError(message, reason="no_episode")


def _parsed(text: str) -> Any:
    depth = 0
    for match in _BRACKET.finditer(text):
        depth += (match[0] in "[{") - (match[0] in "]}")
        if depth > DEEPEST:
            raise _no_episode(f"Character {match.start() + 1}: more than {DEEPEST} brackets within brackets.")
    try:
        return json.loads(text)
    except ValueError as error:
        raise _no_episode(f"This is no JSON: {error}.") from error


def _names(info: object) -> Mapping[str, str]:
    names = info.get("TeamNames") if isinstance(info, dict) else None
    if not (isinstance(names, list) and len(names) == 2):
        return {}
    # JSON can hide what other texts are refused for: signs that no terminal should get, and half characters.
    if not all(isinstance(name, str) and name.isprintable() for name in names):
        return {}
    return {"first": names[0], "second": names[1]}


def _about(rewards: object) -> About:
    """Return the result; the reward of an agent that was refused is null."""
    if not (isinstance(rewards, list) and len(rewards) == 2):
        return About()
    if not all(reward is None or type(reward) in (int, float) for reward in rewards):
        return About()
    first, second = (float("-inf") if reward is None else reward for reward in rewards)
    if first == second:
        return About(result=DRAWN, said="draw")
    return (
        About(result=FIRST_WON, said="first") if first > second else About(result=SECOND_WON, said="second")
    )


def _words(steps: Sequence[Any], _spec: GameSpec, _state: State) -> Iterator[Word]:
    for number, step in enumerate(steps[1:], 1):
        where = f"Step {number}"
        try:
            turn = step[(number - 1) % 2]
            status, action = turn["status"], turn["action"]
        except (TypeError, LookupError):
            raise _no_episode(f"{where} has no action of the side to move.") from None
        if status not in _PLAYED:
            return
        column = action + 1 if type(action) is int else 0  # 0 is refused
        # As Python writes it, since JSON can hide control characters that a terminal would obey.
        yield Word(str(column), 0, repr(action)[:20], where)


FORMAT = Format("kaggle", "Kaggle's JSON", ".json", lambda text: _BEGIN.match(text) is not None, read)
