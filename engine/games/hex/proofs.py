"""Proofs that a side of Hex wins, by bridges and by must-play regions.

A proof is the cells that its side needs, as bits: it wins although the other side may own every other empty
cell. So a move outside the cells of a threat leaves the threat, and only cells that all threats have in
common can defeat them (Hayward and van Rijswijck, Hex and Combinatorics, 2006, "must-play region").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.core import Move
from engine.games.hex.rules import HexState
from engine.games.hex.searcher import bits_of, bridges
from engine.kernels.running import Run


@dataclass(frozen=True, slots=True)
class HexProver:
    """Proves results of positions from the third stone on; the run holds its limits."""

    run: Run

    def win(self, state: HexState, depth: int, likely: int = 0) -> int | None:
        """Return a proof that the side to move wins; None if none is found.

        depth: how many further moves of one side are tried. likely: cells to try if the other side threatens
        nothing.
        """
        won = next(self.threats(state), None)
        if won is not None or not depth:
            return won and won[1]
        region = state.free
        for _, threat in self.threats(passed(state)):
            region &= threat
        for cell in bits_of(region if region != state.free else likely & region):
            proof = self.loss(state.play(cell), depth - 1)
            if proof is not None:
                return proof | 1 << cell
        return None

    def loss(self, state: HexState, depth: int) -> int | None:
        """Return a proof that the side to move loses; as `win`."""
        chain = bridges(state, state.to_move.other)
        if chain is not None:
            return _bits(chain)
        region, proof = state.free, 0
        for _, threat in self.threats(passed(state)):
            region, proof = region & threat, proof | threat
        if region == state.free or (region and not depth):
            return None
        for cell in bits_of(region):
            if region >> cell & 1:
                refuted = self.win(state.play(cell), depth - 1, proof)
                if refuted is None:
                    return None
                region, proof = region & refuted, proof | refuted | 1 << cell
        return proof

    def threats(self, state: HexState) -> Iterator[tuple[Move, int]]:
        """Yield each stone with which the side to move completes a chain of bridges, and the proof."""
        for cell in state.legal_moves():
            if not self.run.count_state():
                return
            after = state.play(cell)
            chain = () if after.won else bridges(after, state.to_move)
            if chain is not None:
                yield cell, _bits((cell, *chain))


def passed(state: HexState) -> HexState:
    """Return the position as if the side to move had passed."""
    return replace(state, ply=state.ply + 1)


def _bits(cells: tuple[Move, ...]) -> int:
    return sum(1 << cell for cell in cells)
