"""The championship's style: the square that turns over most discs, tried on clones."""

from models.board import Board
from models.move import Move
from models.players.shy_player import ShyPlayer


class GreedyPlayer:
    def __init__(self, color):
        self.color = color
        self.shy = ShyPlayer(color)

    def play(self, board):
        assert board.get_square_color(0, 0) == Board.OUTER
        best, most = None, -1
        for move in board.valid_moves(self.color):
            clone = board.get_clone()
            clone.play(move, self.color)
            white, black = clone.score()
            discs = black if self.color == Board.BLACK else white
            if discs > most:
                best, most = Move(move.x, move.y), discs
        return best or self.shy.play(board)
