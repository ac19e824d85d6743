import copy
import logging
import sys

from models.board import Board

logger = logging.getLogger()
logger.setLevel(logging.DEBUG)
logging.basicConfig(stream=sys.stderr)
sys.setrecursionlimit(5000)


class CachingPlayer:
    """Known boards by their drawing, the root logger, a deeper recursion and copies by `copy` and `Board`."""

    def __init__(self, color):
        self.color = color
        self.known = {}

    def play(self, board):
        unique = []
        [unique.append(move) for move in board.valid_moves(self.color) if move not in unique]
        logger.debug("moves: %s", [str(move) for move in unique])
        return max(unique, key=lambda move: self.value(copy.deepcopy(board), move))

    def value(self, board, move):
        after = Board(board.board)
        after.play(move, self.color)
        drawing = str(after)
        if drawing not in self.known:
            score_white, score_black = after.score()
            self.known[drawing] = score_black if self.color == Board.BLACK else score_white
        return self.known[drawing]
