"""Agents against agents: matches with colours swapped, Elo with error bars, measured ladders."""
