"""A report's functions on a numpy board whose row 0 is at the bottom: the AI is 2, the player 1."""

import math

import numpy as np

ROW_COUNT, COLUMN_COUNT = 6, 7
EMPTY, PLAYER_PIECE, AI_PIECE = 0, 1, 2


def get_valid_locations(board):
    return [column for column in range(COLUMN_COUNT) if board[ROW_COUNT - 1][column] == EMPTY]


def drop_piece(board, column, piece):
    row = next(r for r in range(ROW_COUNT) if board[r][column] == EMPTY)
    board[row][column] = piece


def winning_move(board, piece):
    mine = np.asarray(board == piece)
    return bool(
        (mine[:, :-3] & mine[:, 1:-2] & mine[:, 2:-1] & mine[:, 3:]).any()
        or (mine[:-3] & mine[1:-2] & mine[2:-1] & mine[3:]).any()
        or (mine[:-3, :-3] & mine[1:-2, 1:-2] & mine[2:-1, 2:-1] & mine[3:, 3:]).any()
        or (mine[3:, :-3] & mine[2:-1, 1:-2] & mine[1:-2, 2:-1] & mine[:-3, 3:]).any()
    )


def minimax(board, depth, alpha, beta, maximizing):
    locations = get_valid_locations(board)
    for piece, value in ((AI_PIECE, 1000), (PLAYER_PIECE, -1000)):
        if winning_move(board, piece):
            return None, value
    if depth == 0 or not locations:
        return None, 3 * int((board[:, COLUMN_COUNT // 2] == AI_PIECE).sum())
    best, value = None, -math.inf if maximizing else math.inf
    for column in locations:
        after = board.copy()
        drop_piece(after, column, AI_PIECE if maximizing else PLAYER_PIECE)
        score = minimax(after, depth - 1, alpha, beta, not maximizing)[1]
        if best is None or (score > value if maximizing else score < value):
            best, value = column, score
        alpha, beta = (max(alpha, value), beta) if maximizing else (alpha, min(beta, value))
        if alpha >= beta:
            break
    return best, value
