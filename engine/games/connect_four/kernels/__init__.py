"""Connect Four's compiled code: exact search on 6 x 7 and on any board, and bounds without search."""
