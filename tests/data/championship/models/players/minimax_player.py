from models.board import Board
from models.move import Move  # noqa: F401 (as many do, used or not)


class MinimaxPlayer:
    """Two plies of minimax on clones, passing where a side cannot move."""

    max_depth = 2

    def __init__(self, color):
        self.color = color

    def play(self, board):
        best, best_value = None, float("-inf")
        for move in board.valid_moves(self.color):
            after = board.get_clone()
            after.play(move, self.color)
            value = self.value(after, after._opponent(self.color), self.max_depth - 1)
            if value > best_value:
                best, best_value = move, value
        return best

    def value(self, board, color, depth):
        mine, theirs = board.valid_moves(self.color), board.valid_moves(board._opponent(self.color))
        if depth == 0 or mine.__len__() + theirs.__len__() == 0:
            return self.evaluation(board)
        moves = mine if color is self.color else theirs
        if not moves:
            return self.value(board, board._opponent(color), depth - 1)
        values = []
        for move in moves:
            after = board.get_clone()
            after.play(move, color)
            values.append(self.value(after, board._opponent(color), depth - 1))
        return max(values) if color is self.color else min(values)

    def evaluation(self, board):
        white, black = board.score()
        return white - black if self.color == Board.WHITE else black - white
