import math

from models.move import Move


class NearestPlayer:
    """Distances to the corners by `move.x` and `move.y`; equal moves found with `in`."""

    corners = [[1, 1], [1, 8], [8, 1], [8, 8]]

    def __init__(self, color):
        self.color = color

    def play(self, board):
        moves = board.valid_moves(self.color)
        for x, y in self.corners:
            if Move(x, y) in moves:
                return Move(x, y)
        return self.nearest(moves)

    def nearest(self, moves):
        found, least = None, 10
        for move in moves:
            for corner in self.corners:
                distance = math.sqrt((corner[0] - move.x) ** 2 + (corner[1] - move.y) ** 2)
                if distance < least:
                    found, least = move, distance
        return found
