"""Analysis of positions and games: evaluations, reviews, explanations, puzzles."""
