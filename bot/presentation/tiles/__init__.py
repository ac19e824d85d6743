"""Our own emoji for boards: each tile is a square picture of a cell and its piece, without gaps between
them."""
