class LotsPlayer:
    """Imports inside the class, and the module as one of its attributes."""

    import random

    def __init__(self, color):
        self.color = color

    def play(self, board):
        return self.random.choice(board.valid_moves(self.color))
