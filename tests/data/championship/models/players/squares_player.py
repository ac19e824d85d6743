import models.players.tables.weights as tables
from models.players.tables.weights import *


class SquaresPlayer:
    """Weights from a helper file in a folder below, the board's own list of squares; spoils its board."""

    def __init__(self, color):
        self.color = color

    def play(self, board):
        best, found = -float("inf"), None
        for move in board.valid_moves(self.color):
            value = self.value(board.get_clone().play(move, self.color))
            if value > best:
                best, found = value, move
        for square in board._squares():
            board.board[square // 10][square % 10] = board.EMPTY
        return found

    def value(self, board):
        total = 0
        for square in board._squares():
            color = board.get_square_color(square // 10, square % 10)
            if color == self.color:
                total += WEIGHTS[square]
            elif color == board._opponent(self.color):
                total -= tables.WEIGHTS[square]
        return total
