"""Boards of our own tiles: a cell and its piece in one square picture, which join to a board without gaps."""
