"""Two games as another package brings them: moves from a square to a square, and pits with numbers of seeds.

`example_games-1.0.dist-info` beside it is what pip leaves: its folder on `PYTHONPATH` installs the games.
docs/adding-a-game.md quotes both files.
"""
