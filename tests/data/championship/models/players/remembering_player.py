"""Remembers in itself and in a global how the match went on, and complains when it is not so."""

from models.move import Move

turns_of_mine = 0


class RememberingPlayer:
    def __init__(self, color):
        self.color = color
        self.turns = 0
        self.discs = 3
        self.taken = {}

    def play(self, board):
        global turns_of_mine
        turns_of_mine += 1
        self.turns += 1
        assert self.turns == turns_of_mine, "somebody else's turns are counted here"
        discs = sum(board.score())
        assert discs > self.discs, "this is another match"
        self.discs = discs
        for square, turn in self.taken.items():
            assert board.get_square_color(square.x, square.y) != board.EMPTY, f"turn {turn} is undone"
        move = sorted(board.valid_moves(self.color))[self.turns % 2 - 1]
        self.taken[Move(move.x, move.y)] = self.turns
        return move
