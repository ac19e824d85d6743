"""Draughts a second time, as plainly as can be: a dictionary from (row, column) to one of b, B, w and W."""

from __future__ import annotations

Place = tuple[int, int]
Board = dict[Place, str]

START: Board = {
    (row, column): "b" if row < 3 else "w"
    for row in range(8)
    for column in range(8)
    if (row + column) % 2 and row not in (3, 4)
}


def place_of(number: int) -> Place:
    row, place = divmod(number - 1, 4)
    return row, 2 * place + (1 if row % 2 == 0 else 0)


NUMBERS = {place_of(number): number for number in range(1, 33)}


def turns(board: Board, side: str) -> dict[tuple[int, ...], Board]:
    """Return the boards after every turn of the side (b or w), by the squares that the piece stands on."""
    jumps: dict[tuple[int, ...], Board] = {}
    steps: dict[tuple[int, ...], Board] = {}
    for start, piece in board.items():
        if piece.lower() == side:
            _add_jumps(board, (start,), piece, [], jumps)
            for down, right in _ways(piece):
                to = start[0] + down, start[1] + right
                if to in NUMBERS and to not in board:
                    steps[NUMBERS[start], NUMBERS[to]] = _moved(board, start, to, [])
    return jumps or steps


def _ways(piece: str) -> list[tuple[int, int]]:
    downs = [1, -1] if piece.isupper() else [1] if piece == "b" else [-1]
    return [(down, right) for down in downs for right in (1, -1)]


def _add_jumps(
    board: Board, path: tuple[Place, ...], piece: str, taken: list[Place], found: dict[tuple[int, ...], Board]
) -> None:
    here, is_over = path[-1], True
    has_crowned = piece.islower() and len(path) > 1 and here[0] == _far_row(piece)
    for down, right in [] if has_crowned else _ways(piece):
        over, to = (here[0] + down, here[1] + right), (here[0] + 2 * down, here[1] + 2 * right)
        is_other = over in board and board[over].lower() != piece.lower() and over not in taken
        if is_other and to in NUMBERS and (to not in board or to == path[0]):
            is_over = False
            _add_jumps(board, (*path, to), piece, [*taken, over], found)
    if is_over and taken:
        found[tuple(NUMBERS[place] for place in path)] = _moved(board, path[0], here, taken)


def _far_row(piece: str) -> int:
    return 7 if piece.lower() == "b" else 0


def _moved(board: Board, start: Place, to: Place, taken: list[Place]) -> Board:
    left = {place: piece for place, piece in board.items() if place != start and place not in taken}
    piece = board[start]
    return {**left, to: piece.upper() if to[0] == _far_row(piece) else piece}


def count_lines(board: Board, side: str, depth: int) -> int:
    if depth == 0:
        return 1
    other = "w" if side == "b" else "b"
    return sum(count_lines(after, other, depth - 1) for after in turns(board, side).values())
