"""A helper beside the players: what each square is worth, in the championship's 10 x 10 numbering."""

EDGE = [0, 50, -10, 8, 6, 6, 8, -10, 50, 0]
WEIGHTS = [EDGE[i // 10] + EDGE[i % 10] if 1 <= i % 10 <= 8 and 1 <= i // 10 <= 8 else 0 for i in range(100)]
