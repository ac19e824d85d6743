"""An engine without packages, for tests: `python3 plain.py gomocup|nboard|gtp|htp [FAULT]`.

It plays the legal square nearest to the middle. A fault is what it does wrong.
"""

import os
import re
import signal
import subprocess
import sys
import time

LETTERS = "abcdefghijklmno"


class Board:
    def __init__(self, size, is_othello):
        self.size, self.is_othello, self.stones = size, is_othello, {}
        if is_othello:
            self.stones = {(3, 3): 1, (4, 4): 1, (4, 3): 0, (3, 4): 0}

    def turned(self, at, side):
        found = []
        for step in [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]:
            line, here = [], (at[0] + step[0], at[1] + step[1])
            while self.stones.get(here) == 1 - side:
                line.append(here)
                here = (here[0] + step[0], here[1] + step[1])
            if self.stones.get(here) == side:
                found += line
        return found

    def play(self, at, side):
        for each in self.turned(at, side) if self.is_othello else ():
            self.stones[each] = side
        self.stones[at] = side

    def best(self, side):
        places = [(x, y) for y in range(self.size) for x in range(self.size) if (x, y) not in self.stones]
        if self.is_othello:
            places = [at for at in places if self.turned(at, side)]
        middle = (self.size - 1) / 2
        return min(places, key=lambda at: (at[0] - middle) ** 2 + (at[1] - middle) ** 2, default=None)


def name(at):
    return f"{LETTERS[at[0]]}{at[1] + 1}"


def place(word):
    return LETTERS.index(word[0].lower()), int(word[1:]) - 1


class Gomocup:
    asks, newline, outside, says_no = ("BEGIN", "DONE"), "\r\n", "99,0", "ERROR no"
    board, mine = None, None

    def answer(self, line):
        word, _, rest = line.partition(" ")
        if self.mine is not None and word != "DONE":
            x, y, owner = map(int, line.split(","))
            self.board.play((x, y), owner - 1)
        elif word == "START":
            self.board = Board(int(rest), False)
            return "OK - everything is good" if int(rest) in range(5, 21) else "ERROR size"
        elif word == "BOARD":
            self.board, self.mine = Board(self.board.size, False), []
        elif word in self.asks:
            self.mine = None
            at = self.board.best(0)
            self.board.play(at, 0)
            return f"MESSAGE thinking\r\n{at[0]},{at[1]}"
        return None


class NBoard:
    asks, newline, outside, says_no = ("go",), "\n", "=== D4", "status error: no"
    board, side = None, 0

    def answer(self, line):
        word, _, rest = line.partition(" ")
        if word == "ping":
            return f"pong {rest}"
        if game := re.search(r"BO\[8 ([-*O]{64}) ([*O])\]", line):
            self.board, self.side = Board(8, True), "*O".index(game[2])
            marks = enumerate(game[1])
            self.board.stones = {(n % 8, n // 8): "*O".index(mark) for n, mark in marks if mark != "-"}
        if word == "go":
            return f"status Thinking\n=== {name(self.board.best(self.side)).upper()}/0.5/0.01\nstatus"
        return None


class Gtp:
    asks, newline, outside, says_no, is_othello = ("genmove",), "\n", "= d4\n", "? no\n", True
    known = "boardsize clear_board play genmove list_commands set_game time_settings quit"
    board = None

    def answer(self, line):
        word, *rest = line.split()
        if word not in self.known.split():
            return "? unknown command\n"
        said = ""
        if word == "boardsize":
            self.board = Board(int(rest[0]), self.is_othello)
        elif word == "clear_board":
            self.board = Board(self.board.size, self.is_othello)
        elif word == "list_commands":
            said = self.known.replace(" ", "\n")
        elif word in ("play", "genmove"):
            side = "bw".index(rest[0][0])
            at = place(rest[1]) if word == "play" else self.board.best(side)
            self.board.play(at, side)
            said = name(at).upper() if word == "genmove" else ""
        return f"= {said}\n"


class Htp(Gtp):
    outside, is_othello = "= z99\n", False
    known = "boardsize clear_board play genmove list_commands param_game"


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def main(protocol, fault):
    speaker = {"gomocup": Gomocup, "nboard": NBoard, "gtp": Gtp, "htp": Htp}[protocol]()
    asked, first = 0, None
    if fault == "traceback":
        raise ModuleNotFoundError("No module named 'weights'")
    if fault == "dies-first":
        os._exit(3)
    if fault == "slow-start":
        time.sleep(20)
    if fault == "banner":
        sys.stdout.buffer.write(b"Plain 1.0 \xff\x00 OK? 7,7,\n\nPlain\n")
        sys.stdout.flush()
    if fault == "stays":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        if not line.strip():
            continue
        is_question = line.split()[0] in speaker.asks
        asked += is_question
        if fault == "deaf":
            time.sleep(1000)
        answer = speaker.answer(line.strip())
        if is_question:
            first = first or answer
            if fault == "silent":
                time.sleep(1000)
            if fault == "dies-third" and asked == 3:
                os._exit(3)
            if fault == "leaves-child":
                subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", sys.argv[-1]])
                if asked == 2:
                    os._exit(0)
            for stream, data in (
                (sys.stdout, b"x" * 65536 if fault == "endless-line" else b""),
                (sys.stdout, b"MESSAGE still thinking\n" * 3000 if fault == "endless-lines" else b""),
                (sys.stderr, b"x" * 65536 if fault == "endless-errors" else b""),
            ):
                for _ in range(1000 if data else 0):
                    stream.buffer.write(data)
                    stream.flush()
            time.sleep(30 if fault == "late" else 0)
            is_late = fault == "resigns" and asked > 2
            answer = {
                "outside": speaker.outside,
                "own-square": first,
                "says-no": speaker.says_no,
                "says-twice": f"{answer}{speaker.newline}{answer}",
                "resigns": "= resign\n" if is_late else answer,
            }.get(fault, answer)
            if fault == "half-word":
                say(answer[: len(answer) // 2])
                time.sleep(1000)
        if answer is not None:
            say(answer + speaker.newline)
        end = time.monotonic() + 2
        while is_question and fault == "ponders" and time.monotonic() < end:
            pass
    while fault == "stays":
        time.sleep(1000)


if __name__ == "__main__":
    main(sys.argv[1], (sys.argv[2:] or [""])[0])
