"""The agents that choose moves, by the names used in settings and on the command line.

Importing this package is cheap: an agent's own module, and numba behind it, load when it is first created.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.core import Agent, UnknownName
from engine.games import SPECS
from engine.games.spec import GameSpec, Options, OwnAgent, Ranges
from engine.games.typed import fold

EVERY_GAME = tuple(SPECS)
SEARCHED = tuple(key for key, spec in SPECS.items() if spec.search.board is not None)
"""The games with compiled searches."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """A kind of agent.

    key: the name in `make_agent`.
    games: keys of the games it plays.
    options: the options after the name, e.g. `depth` in `alphabeta:depth=8`: option -> (least, most).
    make: (seed, options) -> Agent; the options have been checked.
    """

    key: str
    title: str
    summary: str
    games: tuple[str, ...]
    make: Callable[[int, Options], Agent]
    options: Mapping[str, tuple[int, int]]


def _random(seed: int, options: Options) -> Agent:
    from engine.agents.random import RandomAgent

    return RandomAgent(seed, **options)


def _one_step(seed: int, options: Options) -> Agent:
    from engine.agents.one_step import OneStepAgent

    return OneStepAgent(seed, **options)


def _minimax(seed: int, options: Options) -> Agent:
    from engine.agents.minimax import MinimaxAgent

    return MinimaxAgent(seed, **options)


def _alphabeta(seed: int, options: Options) -> Agent:
    from engine.agents.alphabeta import AlphaBetaAgent

    return AlphaBetaAgent(seed, **options)


def _blundering(seed: int, options: Options) -> Agent:
    from engine.agents.blundering import DEFAULT_BLUNDER_RATE, DEFAULT_DEPTH, BlunderingAgent

    # Stored matches use this key and option; both are older than the names in the code.
    rate = options.get("blindness", DEFAULT_BLUNDER_RATE)
    return BlunderingAgent(seed, options.get("depth", DEFAULT_DEPTH), rate, options.get("varied", 0))


def _mcts(seed: int, options: Options) -> Agent:
    from engine.agents.mcts import MctsAgent

    return MctsAgent(seed, **options)


_DEPTH: Ranges = MappingProxyType({"depth": (1, 64)})
_VARIED: Ranges = MappingProxyType({"varied": (0, 1)})
_NONE: Ranges = MappingProxyType({})


def _own(game: GameSpec, agent: OwnAgent) -> AgentSpec:
    """Return the AgentSpec of an agent for one game, which may create others to fall back on."""

    def make(seed: int, options: Options) -> Agent:
        return agent.make(seed, options, make_agent)

    return AgentSpec(agent.key, agent.title, agent.summary, (game.key,), make, agent.options)


AGENTS: Mapping[str, AgentSpec] = MappingProxyType(
    {
        spec.key: spec
        for spec in (
            AgentSpec("random", "Random", "Any legal move.", EVERY_GAME, _random, _NONE),
            AgentSpec(
                "one-step",
                "One step",
                "The best-looking position one move on.",
                EVERY_GAME,
                _one_step,
                _VARIED,
            ),
            AgentSpec(
                "minimax", "Minimax", "Every line to a fixed depth, unpruned.", EVERY_GAME, _minimax, _DEPTH
            ),
            AgentSpec(
                "alphabeta",
                "Alpha-beta",
                "Minimax's answer without the lines that cannot matter.",
                EVERY_GAME,
                _alphabeta,
                MappingProxyType({**_DEPTH, **_VARIED}),
            ),
            AgentSpec(
                "overlooking",
                "Overlooking",
                "Looks ahead, but misses moves: the further away, the more of them.",
                SEARCHED,
                _blundering,
                MappingProxyType({"depth": (1, 12), "blindness": (0, 95), **_VARIED}),
            ),
            AgentSpec(
                "mcts",
                "Monte Carlo tree search",
                "Plays thousands of games in its head (UCT).",
                EVERY_GAME,
                _mcts,
                MappingProxyType(
                    {"simulations": (1, 100_000_000), "exploration": (0, 1000), "spread": (0, 100)}
                ),
            ),
            *(_own(game, agent) for game in SPECS.values() for agent in game.search.agents),
        )
    }
)


def make_agent(name: str, seed: int = 0) -> Agent:
    """Create an agent from a name, e.g. `mcts`, or with options `alphabeta:depth=8`.

    Agents with equal names and seeds choose alike. Raises UnknownName for an unknown name, option or value;
    the message lists the known ones.
    """
    key, _, rest = name.partition(":")
    spec = AGENTS.get(key)
    if spec is None:
        raise UnknownName(f"no agent is called {key!r}; there are {', '.join(AGENTS)}", key, AGENTS)
    return spec.make(seed, _parse_options(spec, rest))


def _parse_options(spec: AgentSpec, text: str) -> Options:
    options: dict[str, int] = {}
    for part in text.split(",") if text else ():
        option, _, value = fold(part).partition("=")
        if option not in spec.options:
            known = ", ".join(spec.options) or "none"
            raise UnknownName(
                f"agent {spec.key!r} has no option {option!r}; it has {known}", option, spec.options
            )
        least, most = spec.options[option]
        if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
            raise UnknownName(f"{spec.key}:{option} is a whole number from {least} to {most}, not {value!r}")
        options[option] = int(value)
    return MappingProxyType(options)
