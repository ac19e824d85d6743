"""A course's minimax on a board of '-', 'X' and 'O', which takes moves back."""


class ConnectFour:
    def __init__(self):
        self.board = [["-"] * 7 for _ in range(6)]
        self.played = []
        self.turn = "X"

    def get_legal_moves(self):
        return [column for column in range(7) if self.board[0][column] == "-"]

    def move(self, column):
        row = max(r for r in range(6) if self.board[r][column] == "-")
        self.board[row][column] = self.turn
        self.played.append((row, column))
        self.turn = "O" if self.turn == "X" else "X"

    def undo(self):
        row, column = self.played.pop()
        self.board[row][column] = "-"
        self.turn = "O" if self.turn == "X" else "X"

    def win(self, token):
        for r in range(6):
            for c in range(7):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    cells = [(r + i * down, c + i * right) for i in range(4)]
                    if all(0 <= y < 6 and 0 <= x < 7 and self.board[y][x] == token for y, x in cells):
                        return True
        return False


class MinimaxPlayer:
    def __init__(self, token, depth):
        self.token, self.other, self.depth = token, "O" if token == "X" else "X", depth

    def get_move(self, game):
        return max(
            game.get_legal_moves(),
            key=lambda column: (self.after(game, column, self.depth), -abs(column - 3)),
        )

    def after(self, game, column, depth):
        game.move(column)
        value = self.minimax(game, depth - 1)
        game.undo()
        return value

    def minimax(self, game, depth):
        if game.win(self.token):
            return 1 + depth
        if game.win(self.other):
            return -1 - depth
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return 0
        values = [self.after(game, column, depth) for column in moves]
        return max(values) if game.turn == self.token else min(values)
