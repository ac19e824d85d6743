from models.board import Board
from models.players.minimax_player import MinimaxPlayer


class HeirPlayer(MinimaxPlayer):
    """Builds on another file's player, and values corners and freedom."""

    def __init__(self, color):
        self.color = color
        self.max_depth = 1

    def evaluation(self, board):
        opponent = Board._opponent(board, self.color)
        freedom = len(board.valid_moves(self.color)) - len(board.valid_moves(opponent))
        corners = 0
        for row, column in ([1, 1], [1, 8], [8, 1], [8, 8]):
            corners += board.board[row][column] == self.color
            corners -= board.board[row][column] == opponent
        return freedom + 20 * corners
