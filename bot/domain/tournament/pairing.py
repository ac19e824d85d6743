"""Pairings of round robin, Swiss and single elimination, as pure functions of entrants' numbers.

Round robin: the Berger tables (FIDE Handbook C.05, Annex 1), by the circle method. Swiss: the criteria of the
FIDE Dutch System (FIDE Handbook C.04.1 and C.04.3) in their order, all met at once by a maximum-weight
matching (Z. Galil, "Efficient algorithms for finding maximum matching in graphs", ACM Computing Surveys 18,
1986) of networkx. Single elimination: seeds in standard bracket order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Pair: TypeAlias = tuple[int, int | None]
"""Two entrants by number, the one that begins first; None is a bye."""

MAX_IN_A_ROW = 2
"""Rounds that an entrant may begin, or not begin, in a row; then they must change sides if possible."""


def berger_round(order: Sequence[int], index: int) -> tuple[Pair, ...]:
    """Return the pairs of one round of a round robin. Each entrant begins half of the rounds, give or take
    one.

    order: all entrants, the same in each round. index: from 0; a second cycle follows the first, with swapped
    sides. With an odd number of entrants, each has one bye in a cycle.
    """
    places: list[int | None] = [*order] if len(order) % 2 == 0 else [*order, None]
    circle, fixed = len(places) - 1, places[-1]
    cycle, shift = divmod(index, circle)
    pairs: list[tuple[int | None, int | None]] = [
        (places[shift], fixed) if shift % 2 == 0 else (fixed, places[shift])
    ]
    for step in range(1, len(places) // 2):
        ahead, behind = places[(shift + step) % circle], places[(shift - step) % circle]
        pairs.append((ahead, behind) if step % 2 else (behind, ahead))
    found: list[Pair] = []
    for one, other in pairs:
        first, second = (one, other) if cycle % 2 == 0 else (other, one)
        if first is None:
            first, second = second, None
        if first is not None:
            found.append((first, second))
    return tuple(found)


def berger_rounds(entrants: int) -> int:
    """Return the number of rounds in which all entrants meet once."""
    return entrants - 1 if entrants % 2 == 0 else entrants


def bracket(seeds: Sequence[int]) -> tuple[int | None, ...]:
    """Return the slots of a bracket; None is an empty slot, beside one of the best seeds.

    The first two seeds meet in the final at the earliest, the first four in the semi-finals, and so on.
    seeds: all entrants, the best first.
    """
    order = [0]
    while len(order) < len(seeds):
        size = 2 * len(order)
        order = [place for best in order for place in (best, size - 1 - best)]
    return tuple(seeds[place] if place < len(seeds) else None for place in order)


@dataclass(frozen=True, slots=True)
class SwissPlayer:
    """An entrant as Swiss pairing sees it.

    halves: half points so far. met: opponents so far, repeated if met again. sides: whether they began each
    match played, the earliest first. byes: points that they were given without a match.
    """

    number: int
    halves: int = 0
    met: tuple[int, ...] = ()
    sides: tuple[bool, ...] = ()
    byes: int = 0

    @property
    def balance(self) -> int:
        """How many more matches they began than not."""
        return 2 * sum(self.sides) - len(self.sides)

    @property
    def must(self) -> bool | None:
        """Whether they must begin next, or must not (FIDE C.04.3, article 1.7.1); None for neither."""
        last = self.sides[-MAX_IN_A_ROW:]
        if self.balance > 1 or last == (True,) * MAX_IN_A_ROW:
            return False
        if self.balance < -1 or last == (False,) * MAX_IN_A_ROW:
            return True
        return None

    @property
    def wish(self) -> bool | None:
        """Whether they should begin next for balance; None before their first match."""
        if self.must is not None:
            return self.must
        if self.balance:
            return self.balance < 0
        return not self.sides[-1] if self.sides else None


def swiss_round(players: Sequence[SwissPlayer]) -> tuple[Pair, ...]:
    """Return the pairs of a Swiss round, the strongest first and a bye last.

    players: in the order of their seeds, the best first. The criteria, the most important first: no pair
    meets again and no player has a second bye, if possible; the bye goes to the fewest points; no player has
    the same side three times in a row, or three times more than the other side; equal points meet; wishes for
    a side are met; among equal points the upper half meets the lower half, in order.
    """
    import networkx  # 12 MB that a bot without a Swiss tournament does not need

    ranked = sorted(players, key=lambda player: -player.halves)
    graph = networkx.Graph()
    costs = _costs(ranked)
    # Sums of costs compare like tuples if each digit has room for the costs of all pairs.
    highest = [
        max(cost[digit] for cost in costs.values()) for digit in range(len(next(iter(costs.values()))))
    ]
    bases = [top * len(ranked) + 1 for top in highest]
    for pair, cost in costs.items():
        whole = 0
        for value, base in zip(cost, bases, strict=True):
            whole = whole * base + value
        graph.add_edge(*pair, weight=-whole)
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    pairs: list[Pair] = []
    for table, (one, other) in enumerate(sorted(tuple(sorted(pair)) for pair in matching), start=1):
        if other == len(ranked):
            pairs.append((ranked[one].number, None))
        else:
            pairs.append(_sides(ranked[one], ranked[other], table))
    return tuple(sorted(pairs, key=lambda pair: pair[1] is None))


def _costs(ranked: Sequence[SwissPlayer]) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return the costs of each pair by criterion. Keys: places in the ranking; the one after the last is
    the bye."""
    sizes = Counter(player.halves for player in ranked)
    first_of = {player.halves: place for place, player in reversed(list(enumerate(ranked)))}
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    for place, one in enumerate(ranked):
        for below, other in enumerate(ranked[place + 1 :], start=place + 1):
            difference = one.halves - other.halves
            half, odd = divmod(sizes[one.halves], 2)
            lower = first_of[one.halves] + half
            found[place, below] = (
                one.met.count(other.number),
                0,
                int(one.must is not None and one.must == other.must),
                difference**2,
                int(one.wish is not None and one.wish == other.wish),
                # With an odd number one player floats down, so the halves are not known yet.
                int(not difference and not odd and (place < lower) == (below < lower)),
                # Among equals the opponent as far down in the lower half, else the first of the next group.
                (below - place - (0 if difference else half)) ** 2,
            )
        if len(ranked) % 2:
            # Among equal points the lowest in the ranking gets the bye.
            found[place, len(ranked)] = (one.byes, one.halves, 0, 0, 0, 0, (len(ranked) - place) ** 2)
    return found


def _sides(one: SwissPlayer, other: SwissPlayer, table: int) -> Pair:
    """Return the pair in the order of play: by `must`, then by `balance`, then by `wish`.

    one: the higher in the ranking, whose wish comes first; in the first round it begins at odd tables.
    """
    if one.must is not None or other.must is not None:
        begins = one.must if one.must is not None else not other.must
        # Of two with the same need, the one who has begun less often begins.
        if one.must is not None and one.must == other.must:
            begins = one.balance <= other.balance
    elif one.balance != other.balance:
        begins = one.balance < other.balance
    elif one.wish is not None or other.wish is not None:
        begins = one.wish if one.wish is not None else not other.wish
    else:
        begins = table % 2 == 1
    return (one.number, other.number) if begins else (other.number, one.number)
