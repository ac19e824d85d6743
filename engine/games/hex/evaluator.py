"""Evaluator of Hex: bridges prove wins, everything else is the result of simulations."""

from __future__ import annotations

from engine.core import EngineError, Limit, Move, State, moves_of
from engine.games.hex.proofs import HexProver, passed
from engine.games.hex.rules import HexState
from engine.games.hex.searcher import bits_of, simulated
from engine.kernels.running import running
from engine.score import Evaluation, Evaluator, Score

_USUAL_SIMULATIONS, _GLANCE = 20_000, 2_000
_PROOF_BOARDS, _GLANCE_BOARDS, _BOARDS_A_SECOND = 1_500, 300, 1_000
"""The limits of boards on which bridges are looked for."""


class HexEvaluator(Evaluator):
    """A chain of bridges wins for its side, whoever is to move; the rest is simulated.

    A depth limit asks for a quick look.
    """

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        found = self._evaluated(state, limit, is_whole=False)
        return Evaluation(found.score, found.line, found.nodes)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError as `evaluate`."""
        return self._evaluated(state, limit, is_whole=True)

    def _evaluated(self, state: State, limit: Limit, *, is_whole: bool) -> Evaluation:
        """Prove scores, and simulate the rest unless the proofs are enough. is_whole: every score counts."""
        if not isinstance(state, HexState):
            raise EngineError(f"this evaluator plays Hex only, not {type(state).__name__}")
        moves_of(state)
        is_glance = limit.depth is not None
        boards, simulations = (_GLANCE_BOARDS, _GLANCE) if is_glance else (_PROOF_BOARDS, _USUAL_SIMULATIONS)
        if limit.seconds is not None:
            boards = min(boards, round(limit.seconds * _BOARDS_A_SECOND))
        with running(Limit(limit.seconds, limit.nodes, stop=limit.stop)) as run:
            boards = min(boards, run.nodes_left // 2)
            with run.part(boards):
                prover, depth = HexProver(run), int(boards > _GLANCE_BOARDS)
                scores = {} if state.ply < 2 else _proved(state, prover, depth)
            is_won = any(score.result == 1 for score in scores.values())
            if len(scores) < state.free.bit_count() and (is_whole or not is_won):
                with run.part(simulations):
                    tried = simulated(state, run, seed=1)
                by_visits = sorted(tried.items(), key=lambda entry: -entry[1].visits)
                for cell, found in by_visits:
                    # The share of a few simulations is chance: none counts for more than that of the most.
                    share = min(found.share, by_visits[0][1].share)
                    scores.setdefault(cell, Score.likely(2 * share - 1))
            for cell in bits_of(state.free):  # without time for a simulation nothing else is known
                scores.setdefault(cell, Score())
        best = max(scores, key=scores.__getitem__)
        if state.ply == 1:
            scores[state.swap] = -scores[best]
            best = max(best, state.swap, key=scores.__getitem__)
        return Evaluation(scores[best], (best,), run.nodes, scores)


def _proved(state: HexState, prover: HexProver, depth: int) -> dict[Move, Score]:
    """Return the proved scores of moves."""
    # Without a look at every stone that wins at once, an interrupted search would promise a later win.
    scores = {cell: _won(1 << cell) for cell in bits_of(state.free) if state.play(cell).won}
    scores |= {cell: _won(proof) for cell, proof in prover.threats(state)}
    if not scores and (proof := prover.loss(state, depth)) is not None:
        defences = [*bits_of(proof), *bits_of(state.free & ~proof)]
        return dict.fromkeys(defences, _lost(proof))
    region, likely = state.free, 0
    for _, threat in prover.threats(passed(state)):
        scores |= {cell: _lost(threat) for cell in bits_of(region & ~threat) if cell not in scores}
        region, likely = region & threat, likely | threat
    for cell in bits_of(region if depth and likely else 0):
        after = state.play(cell)
        if cell in scores:
            continue
        if (proof := prover.loss(after, depth - 1)) is not None:
            scores[cell] = _won(proof | 1 << cell)
        elif (proof := prover.win(after, depth - 1, likely)) is not None:
            scores[cell] = _lost(proof)
    return scores


def _won(proof: int) -> Score:
    """Return the score of the side to move, which needs these cells and gets every other one."""
    own = (proof.bit_count() + 1) // 2
    return Score.between(Score.won(2 * own - 1), Score.won(1 if own == 1 else 3))


def _lost(proof: int) -> Score:
    """Return the score of the side to move, or of its move, if the other side needs these cells."""
    own = (proof.bit_count() + 1) // 2
    return -Score.between(Score.won(2 * own), Score.won(2))
