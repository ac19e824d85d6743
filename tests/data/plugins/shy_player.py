"""The championship's style: the last square, answered as a pair, and a board that is spoilt afterwards."""


class ShyPlayer:
    def __init__(self, color):
        self.color = color

    def play(self, board):
        move = board.valid_moves(self.color)[-1]
        for row in board.board:
            row.clear()
        return (move.x, move.y)
