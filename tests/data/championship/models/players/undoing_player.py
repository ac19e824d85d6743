import time


class UndoingPlayer:
    """Moves and takes back on the one board, by the board's own brackets and directions, until time is up."""

    LIMIT = 0.004

    def __init__(self, color):
        self.color = color
        self.times = []

    def play(self, board):
        self.end = time.time() + self.LIMIT
        moves = board.valid_moves(self.color)
        best, best_value = moves[0], float("-inf")
        for move in moves:
            flips = self.make(board, move, self.color)
            value = -self.search(board, board._opponent(self.color), 2)
            self.undo(board, move, flips)
            if value > best_value:
                best, best_value = move, value
        self.times.append(time.time())
        return best

    def search(self, board, color, depth):
        if depth == 0 or time.time() > self.end:
            return self.frontier(board, board._opponent(color)) - self.frontier(board, color)
        best = float("-inf")
        for move in board.valid_moves(color):
            flips = self.make(board, move, color)
            best = max(best, -self.search(board, board._opponent(color), depth - 1))
            self.undo(board, move, flips)
        return best

    def frontier(self, board, color):
        found = 0
        for i in range(1, 9):
            for j in range(1, 9):
                if board[i][j] == color:
                    found += any(board[i + d[0]][j + d[1]] == board.EMPTY for d in board.DIRECTIONS)
        return found

    def make(self, board, move, color):
        board.board[move.x][move.y] = color
        flips = []
        for direction in board.DIRECTIONS:
            bracket = board._find_bracket(move, color, direction)
            square = [move.x + direction[0], move.y + direction[1]]
            while bracket and square != bracket:
                board.board[square[0]][square[1]] = color
                flips.append(square)
                square = [square[0] + direction[0], square[1] + direction[1]]
        return flips

    def undo(self, board, move, flips):
        board.board[move.x][move.y] = board.EMPTY
        for x, y in flips:
            board.board[x][y] = board._opponent(board.board[x][y])
