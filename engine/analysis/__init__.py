"""What positions are worth and why: evaluations, reviews, explanations, puzzles."""
