"""The championship's style: counts, on a clone played on at once, what the other side is left with."""


class ChainingPlayer:
    def __init__(self, color):
        self.color = color

    def play(self, board):
        def replies(move):
            after = board.get_clone().play(move, self.color)
            return len(after.valid_moves(after._opponent(self.color)))

        return min(set(board.valid_moves(self.color)), key=lambda move: (replies(move), move.x, move.y))
