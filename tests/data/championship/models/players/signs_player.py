class SignsPlayer:
    """Of an older edition of the base code: black is written '@' and white 'o', without asking the board."""

    def __init__(self, color):
        self.color = color
        self.other = "o" if color == "@" else "@"

    def play(self, board):
        assert board.get_square_color(4, 4) in "@o"
        assert len(board.valid_moves("@")) + len(board.valid_moves("o")) > 0
        best = None
        for move in board.valid_moves(self.color):
            after = board.get_clone()
            after.play(move, self.color)
            score = {"@": 0, "o": 0, ".": 0, "?": 0}
            for row in after.board:
                for square in row:
                    score[square] += 1
            if best is None or score[self.color] - score[self.other] > best[0]:
                best = (score[self.color] - score[self.other], move)
        return best[1]
