class NegamaxPlayer:
    """Negamax with alpha-beta on (board, colour) nodes; says how long it took, on both streams."""

    import sys
    from operator import itemgetter
    from timeit import default_timer as timer

    inf_pos = float("inf")
    inf_neg = -inf_pos
    MAX_DEPTH = 2
    all_corners = [(1, 1), (1, 8), (8, 1), (8, 8)]

    def __init__(self, color):
        self.color = color
        self.seconds = []

    def play(self, board):
        start = self.timer()
        self.corners = [c for c in self.all_corners if board.get_square_color(*c) == board.EMPTY]
        move = self.negamax(1, self.MAX_DEPTH, self.inf_neg, self.inf_pos, (board, self.color))[1]
        self.seconds.append(self.timer() - start)
        print("Negamax last:", self.seconds[-1])
        print("Negamax mean:", sum(self.seconds) / len(self.seconds), file=self.sys.stderr)
        print(board)
        return move

    def negamax(self, sign, depth, alpha, beta, node):
        board, player = node
        moves = board.valid_moves(player)
        if len(set(moves)) == 0:
            if len(set(board.valid_moves(board._opponent(player)))) == 0:
                return sign * self.final(board), None
            passed = self.negamax(-sign, depth, -beta, -alpha, (board, board._opponent(player)))
            return -passed[0], passed[1]
        if depth == 0:
            return sign * self.estimate(board), None
        best = (self.inf_neg, moves[0])
        for move in moves:
            after = board.get_clone()
            after.play(move, player)
            score = -self.negamax(-sign, depth - 1, -beta, -alpha, (after, board._opponent(player)))[0], move
            best = max(best, score, key=self.itemgetter(0))
            alpha = max(alpha, best[0])
            if alpha >= beta:
                break
        return best

    def final(self, board):
        score = board.score()
        mine, theirs = (score[0], score[1]) if self.color == board.WHITE else (score[1], score[0])
        return self.inf_pos if mine > theirs else self.inf_neg

    def estimate(self, board):
        mine, theirs = board.valid_moves(self.color), board.valid_moves(board._opponent(self.color))
        corners = sum(1 for c in self.corners if board.get_square_color(*c) is self.color)
        return len(set(mine)) - len(set(theirs)) + 10 * corners
