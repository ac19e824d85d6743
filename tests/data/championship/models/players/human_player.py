"""Asks whoever sits at the keyboard; there is nobody at a worker's."""

from models.move import Move


class HumanPlayer:
    def __init__(self, color):
        self.color = color

    def play(self, board):
        move = Move(int(input("Row: ")), int(input("Column: ")))
        while move not in board.valid_moves(self.color):
            print(board)
            move = Move(int(input("Row: ")), int(input("Column: ")))
        return move
