"""A module beside the championship's own board and move, for players to import as `models.tree`."""


class Node:
    def __init__(self, board, move=None):
        self.board = board
        self.move = move

    def children(self, color):
        return [
            Node(self.board.get_clone().play(move, color), move) for move in self.board.valid_moves(color)
        ]
