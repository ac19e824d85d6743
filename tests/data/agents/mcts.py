"""A course's Monte Carlo tree search, with a board of its own: it knows nothing of Discade."""

import math
import random
import time
from copy import deepcopy


class ConnectState:
    def __init__(self):
        self.board = [[0] * 7 for _ in range(6)]
        self.height = [5] * 7
        self.to_play = 1
        self.last_played = []

    def get_legal_moves(self):
        return [column for column in range(7) if self.height[column] >= 0]

    def move(self, column):
        self.last_played = [self.height[column], column]
        self.board[self.height[column]][column] = self.to_play
        self.height[column] -= 1
        self.to_play = 3 - self.to_play

    def check_win(self):
        if not self.last_played:
            return 0
        row, column = self.last_played
        token = self.board[row][column]
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            count = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < 6 and 0 <= c < 7 and self.board[r][c] == token:
                    count, r, c = count + 1, r + sign * down, c + sign * right
            if count >= 4:
                return token
        return 0

    def game_over(self):
        return self.check_win() != 0 or not self.get_legal_moves()


class Node:
    def __init__(self, move=None, parent=None):
        self.move, self.parent = move, parent
        self.visits, self.reward, self.children = 0, 0.0, []

    def value(self):
        if not self.visits:
            return math.inf
        return self.reward / self.visits + math.sqrt(2 * math.log(self.parent.visits) / self.visits)


class MCTS:
    def __init__(self, state):
        self.root_state, self.root = state, Node()

    def search(self, seconds):
        end = time.time() + seconds
        while time.time() < end:
            node, state = self.root, deepcopy(self.root_state)
            while node.children:
                node = max(node.children, key=Node.value)
                state.move(node.move)
            if not state.game_over():
                node.children = [Node(move, node) for move in state.get_legal_moves()]
            while not state.game_over():
                state.move(random.choice(state.get_legal_moves()))
            self.learn(node, state.check_win())

    def learn(self, node, winner):
        depth, above = 0, node
        while above.parent:
            depth, above = depth + 1, above.parent
        mover = self.root_state.to_play if depth % 2 else 3 - self.root_state.to_play
        while node:
            node.visits += 1
            node.reward += 1 if winner == mover else 0 if winner else 0.5
            node, mover = node.parent, 3 - mover

    def best_move(self):
        return max(self.root.children, key=lambda node: node.visits).move
