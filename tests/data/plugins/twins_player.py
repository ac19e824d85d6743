"""Two players in one file: which one is meant?"""


class One:
    def choose(self, state, limit):
        return 0


class Two:
    def choose(self, state, limit):
        return 1
