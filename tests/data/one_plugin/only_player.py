"""The only plug-in of this folder: the highest legal move."""


class Only:
    def choose(self, state, limit):
        return state.legal_moves()[-1]
