"""Tournaments as values: who takes part, who meets whom, who stands where."""

from bot.domain.tournament.model import (
    ANNOUNCED_ALL,
    LEAST,
    MOST,
    Entrant,
    Pairing,
    Stage,
    System,
    Tournament,
)
from bot.domain.tournament.rounds import advance, rounds_of, tie_winner
from bot.domain.tournament.standings import (
    TIE_BREAKS,
    RoundResult,
    Standing,
    TieBreak,
    champions,
    standings,
)

__all__ = [
    "ANNOUNCED_ALL",
    "LEAST",
    "MOST",
    "TIE_BREAKS",
    "Entrant",
    "Pairing",
    "RoundResult",
    "Stage",
    "Standing",
    "System",
    "TieBreak",
    "Tournament",
    "advance",
    "champions",
    "rounds_of",
    "standings",
    "tie_winner",
]
