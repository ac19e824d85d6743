"""Reviews of finished matches: searched in the pool state by state, and remembered while they last."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator, AsyncIterator, Hashable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TypeVar

from bot.domain.asker import Asker
from bot.domain.errors import MatchError, Refusal
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.search.pool import SearchPool
from engine.agents.agent_cache import tell_history
from engine.agents.blundering import Reconstructing
from engine.agents.levels import Level, kind_of
from engine.agents.roster import Roster
from engine.analysis.evaluators import ESTIMATE
from engine.analysis.review import LATER_SECONDS, Plan, Question, Review, plan
from engine.analysis.searches import ChooseMove, EvaluateState, EvaluateStates, NamedSearch
from engine.core import Agent, Choice, History, Limit, Move, State
from engine.games import spec_of
from engine.score import Evaluation, Score, final_score, score_of_move

T = TypeVar("T")


MAX_REVIEWS_IN_MEMORY, MAX_HINTS_IN_MEMORY = 64, 256
HINT_SECONDS, MOVE_SECONDS, MOVES_SECONDS = 1.2, 0.3, 6.0

STATES_PER_SEARCH = 12
"""States that one search estimates, at a few milliseconds each."""

THOROUGH = Asker("thorough", "thorough")

MAX_YIELD_SECONDS, POLL_SECONDS = 30.0, 0.25
"""How long a background search waits for others to finish, and how often it checks."""


class Proving:
    """The review that is being made better."""

    def __init__(self, match_id: int) -> None:
        self.match_id = match_id
        self.is_over = asyncio.Event()


class Reviews:
    """One for each process; lives on the event loop. Reviews queue apart from the matches that are played.

    later_seconds: how long it goes on proving after the first whole review was shown.
    """

    def __init__(self, search: SearchPool, *, later_seconds: float = LATER_SECONDS) -> None:
        self._search = search
        self._later_seconds = later_seconds
        self._known: LruDict[int, Review] = LruDict(MAX_REVIEWS_IN_MEMORY)
        self._hints: LruDict[tuple[int, int], Evaluation] = LruDict(MAX_HINTS_IN_MEMORY)
        self._first: dict[int, asyncio.Lock] = {}
        self._proving: Proving | None = None
        self._numbers = itertools.count()

    def known(self, match_id: int) -> Review | None:
        """The best review there is of the match so far."""
        return self._known.get(match_id)

    async def steps(self, match: Match) -> AsyncGenerator[Review, None]:
        """First values at once, a whole review within about two seconds, then better ones; the last is final.

        Only one review at a time is made better; another reader of the same one waits for its end. Raises
        MatchError `not_over` or `nothing_to_review`.
        """
        match.check_reviewable()
        lock = self._first.setdefault(match.id, asyncio.Lock())
        steps = self._steps(match)
        async with lock:
            found = self._known.get(match.id)
            if found is None:
                async for found in steps:
                    if found.share == 1:
                        break
                    yield found
                else:
                    raise RuntimeError("a plan that ended before its review was whole")
                self._known[match.id] = found
            self._first.pop(match.id, None)
        while not found.is_final and self._proving is not None and self._proving.match_id == match.id:
            yield found
            await self._proving.is_over.wait()
            found = self._known.get(match.id) or found
        if found.is_final or self._proving is not None:
            yield replace(found, is_final=True)
            return
        self._proving = proving = Proving(match.id)
        try:
            yield found
            async for better in steps:
                # One that was left before its end is begun anew, and must not get worse.
                is_worse = better.share < 1 or _is_better(found, better)
                if is_worse and not better.is_final:
                    continue
                found = self._known[match.id] = replace(found, is_final=True) if is_worse else better
                yield found
        finally:
            self._proving = None
            proving.is_over.set()

    async def whole(self, match: Match) -> Review:
        """The best review so far in which every move is valued; raises MatchError as `steps` does."""
        async with aclosing(self.steps(match)) as steps:
            async for review in steps:
                if review.share == 1:
                    return review
        raise RuntimeError("a review that was never whole")

    async def thorough(self, match: Match, seconds: float) -> Review:
        """Return the best review after this many seconds of proofs, at the lowest priority.

        One proof may take half of them, since the last is by far the hardest.

        Raises MatchError `nothing_to_review`.
        """
        if not match.timed_moves:
            raise MatchError("nothing_to_review")
        states = match.states
        searched, found = 0.0, None
        questions = plan(states, match.moves, lambda: searched, seconds, seconds / 2)
        estimates: dict[int, Evaluation] = {}
        answer: Evaluation | None = None
        while (step := _next(questions, answer)) is not None:
            answer = None
            if isinstance(step, Review):
                found = _of_players(match, step)
                continue
            await self._let_others_go_first()
            began = time.perf_counter()
            answer = await self._answer(match, states, step, estimates, asker=THOROUGH)
            searched += time.perf_counter() - began
        if found is None:
            raise RuntimeError("a plan without a review")
        known = self._known.get(match.id)
        if known is None or _is_better(found, known):
            self._known[match.id] = found
        return found

    async def evaluate(
        self, match: Match, state: State, limit: Limit, *, asker: Asker | None = None
    ) -> Evaluation:
        """Evaluate the state in the pool; asker: whose turn it takes, by default the match's."""
        if not state.legal_moves():
            return Evaluation(final_score(state))
        worth = EvaluateState(("review", match.id), match.game, state)
        return await self._valued(match, worth, limit, asker)

    async def evaluate_for(self, asker: Asker, game: str, state: State, limit: Limit) -> Evaluation:
        """Evaluate a state of no running match; raises Refusal `getting_ready`."""
        if not state.legal_moves():
            return Evaluation(final_score(state))
        self.check_ready(game)
        key, kind = ("puzzle", next(self._numbers)), spec_of(game).search.evaluator_kind
        worth = EvaluateState("puzzle", game, state)
        asked = self._search.search(key, asker, worth, limit, kind=kind, game=game)
        return await self._search.for_somebody(asked)

    async def hint(self, match: Match) -> Evaluation:
        """The best move of a running match that a second or so finds; the same each time it is asked for.

        Raises MatchError `no_hint_in_opening` while an opening is placed, whose moves are not judged, and
        Refusal `getting_ready`.
        """
        self.check_ready(match.game)
        key = (match.id, match.turn)
        found = self._hints.get(key)
        if found is None:
            found = await self.evaluate(match, match.state, Limit(seconds=HINT_SECONDS))
            self._hints[key] = found
        if found.best is None:
            raise MatchError("no_hint_in_opening")
        return found

    def check_ready(self, game: str) -> None:
        """Raise Refusal `getting_ready` while the game's evaluator is being compiled."""
        seconds = self.seconds_until_ready(game)
        if seconds is not None:
            raise Refusal("getting_ready", seconds=seconds)

    def seconds_until_ready(self, game: str) -> int | None:
        """Return about how long the game's evaluator is still being compiled; None if it is there."""
        return self._search.readiness.seconds_left(spec_of(game).search.evaluator_kind, game)

    async def score_moves(self, match: Match, state: State) -> Mapping[Move, Score]:
        """What every legal move is worth to the side that makes it, from a short search after each."""
        found, moves = {}, state.legal_moves()
        limit = Limit(seconds=min(MOVE_SECONDS, MOVES_SECONDS / max(1, len(moves))))
        for move in moves:
            after = state.play(move)
            known = await self.evaluate(match, after, limit)
            found[move] = score_of_move(state, after, known.score).earlier()
        return found

    async def ask(self, match: Match, state: State, roster: Roster, level: Level, played: Move) -> Choice:
        """Return a level's evaluation of the state in which it played that move."""
        if level.is_deep:
            return await self._ask_by_name(match, state, level.agent, level.limit)
        key, asker = self._place_of(match)
        moves = match.moves[: match.states.index(state)]
        history = History(match.game, match.board, match.states[0], moves)

        def make() -> Agent:
            if level.misses_moves:
                return Reconstructing(partial(roster.make, level.key), played)
            agent = roster.make(level.key, 0)
            tell_history(agent, history)
            return agent

        asked = self._search.choose(key, asker, make, state, level.limit, kind=level.kind, game=match.game)
        return await self._search.for_somebody(asked)

    async def compare(self, match: Match, state: State, depth: int) -> tuple[int, int]:
        """How many states a search of that depth visits: (with pruning, without)."""
        nodes = []
        for name in ("alphabeta", "minimax"):
            choice = await self._ask_by_name(match, state, f"{name}:depth={depth}", Limit())
            nodes.append(choice.info.nodes)
        return nodes[0], nodes[1]

    async def _ask_by_name(self, match: Match, state: State, agent: str, limit: Limit) -> Choice:
        """Of an agent that has no memory of the match."""
        key, asker = self._place_of(match)
        choice = ChooseMove(None, agent, 0, state)
        asked = self._search.search(
            key, asker, choice, limit, kind=kind_of(agent), game=match.game, hurries=True
        )
        return await self._search.for_somebody(asked)

    async def _valued(self, match: Match, work: NamedSearch[T], limit: Limit, asker: Asker | None) -> T:
        """Run an evaluator of the match's game; asker: as for `evaluate`."""
        key, usual = self._place_of(match)
        kind = spec_of(match.game).search.evaluator_kind
        return await self._search.for_somebody(
            self._search.search(key, asker or usual, work, limit, kind=kind, game=match.game)
        )

    def _place_of(self, match: Match) -> tuple[Hashable, Asker]:
        """A key of its own, and the turns of the match's reviews, apart from those of its moves."""
        server, person = match.asker
        return ("review", next(self._numbers)), Asker(("review", server), person)

    async def _steps(self, match: Match) -> AsyncIterator[Review]:
        states = match.states
        questions = plan(states, match.moves, time.perf_counter, self._later_seconds)
        estimates: dict[int, Evaluation] = {}
        answer: Evaluation | None = None
        while (step := _next(questions, answer)) is not None:
            answer = None
            if isinstance(step, Review):
                yield _of_players(match, step)
            else:
                answer = await self._answer(match, states, step, estimates)

    async def _answer(
        self,
        match: Match,
        states: Sequence[State],
        asked: Question,
        estimates: dict[int, Evaluation],
        asker: Asker | None = None,
    ) -> Evaluation:
        """The answer to a plan's question. estimates: those that are known, and come with those of others."""
        if asked.limit != ESTIMATE:
            return await self.evaluate(match, states[asked.ply], asked.limit, asker=asker)
        if asked.ply not in estimates:
            # The plan goes on backwards, and asks for every one of them.
            plies = range(asked.ply, max(-1, asked.ply - STATES_PER_SEARCH), -1)
            worths = EvaluateStates(("review", match.id), match.game, tuple(states[ply] for ply in plies))
            found = await self._valued(match, worths, ESTIMATE, asker)
            estimates.update(zip(plies, found, strict=True))
        return estimates[asked.ply]

    async def _let_others_go_first(self) -> None:
        """Wait until no search is under way, for a while at most: a busy bot reviews, too."""
        await asyncio.sleep(0)  # the pool learns only now that the last search is over
        ends_at = time.perf_counter() + MAX_YIELD_SECONDS
        while (self._search.running or self._search.waiting) and time.perf_counter() < ends_at:
            await asyncio.sleep(POLL_SECONDS)


def _next(questions: Plan, answer: Evaluation | None) -> Question | Review | None:
    """The plan's next step; None at its end."""
    try:
        return questions.send(answer)
    except StopIteration:
        return None


def _of_players(match: Match, review: Review) -> Review:
    """Return the review without the moves of the opening, which the players did not choose."""
    chosen = review.reviewed[match.opening :]
    return replace(review, reviewed=(None,) * (len(review.reviewed) - len(chosen)) + chosen)


def _is_better(review: Review, known: Review) -> bool:
    """Whether it proves more; a review without a proved end has `exact_from` None."""
    if review.exact_from is None:
        return False
    return known.exact_from is None or review.exact_from < known.exact_from
