"""No class here can play."""


class Idle:
    def think(self):
        return 0
