"""A tree of nodes from a module of `models`; a helper class that could play too; the player is named last."""

from models.tree import Node


class BasePlayer(object):
    def __init__(self, color):
        self.color = color

    def play(self, board):
        raise NotImplementedError


class TreePlayer(object):
    def __init__(self, color):
        self.color = color

    def name(self):
        return "Tree"

    def choose(self, nodes):
        return min(nodes, key=lambda node: len(node.board.valid_moves(node.board._opponent(self.color))))

    def play(self, board):
        return self.choose(Node(board).children(self.color)).move


the_player = TreePlayer
