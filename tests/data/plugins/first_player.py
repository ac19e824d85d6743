"""Style `choose`: the lowest legal move, as a bare number."""


class First:
    name = "Ada First"
    character = "always takes the first move she sees"

    def choose(self, state, limit):
        return state.legal_moves()[0]
