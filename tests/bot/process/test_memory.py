"""Of memory that was freed the process keeps hardly anything, where glibc by itself keeps all; what stays is
looked through no more."""

from __future__ import annotations

import platform
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

PICTURES = """
    from pathlib import Path
    from concurrent.futures import ThreadPoolExecutor
    from bot.process.memory import give_back_what_is_freed

    def mib() -> float:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

    def draw(number: int) -> list[bytes]:
        # Large blocks for a moment, between them something small that stays.
        kept = []
        for _ in range(4):
            blocks = []
            for _ in range(6):
                blocks.append(b"x" * 2**20)
                kept.append(b"y" * 600)
        return kept

    {call}
    with ThreadPoolExecutor(6) as threads:
        before = mib()
        kept = list(threads.map(draw, range(24)))
        print(mib() - before)
"""


def kept_mib(call: str) -> float:
    program = textwrap.dedent(PICTURES).format(call=call)
    said = subprocess.run(
        (sys.executable, "-c", program), cwd=ROOT, capture_output=True, text=True, check=True
    )
    return float(said.stdout)


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="speaks of glibc's heap")
def test_large_blocks_go_back_to_the_system_when_they_are_freed() -> None:
    assert kept_mib("assert give_back_what_is_freed()") < 4 < kept_mib("")


RECEIVING = """
    import resource
    import socket
    from bot.process.memory import give_back_what_is_freed

    assert give_back_what_is_freed()
    ours, theirs = socket.socketpair()
    received = []
    for number in range(1100):
        if number == 100:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        theirs.send(b"x" * 1000)
        received.append(ours.recv(256 * 1024))  # as asyncio does
    print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 1000)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="speaks of glibc's heap")
def test_received_messages_do_not_take_new_pages_each_time() -> None:
    said = subprocess.run(
        (sys.executable, "-c", textwrap.dedent(RECEIVING)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(said.stdout) < 2


STAYING = """
    import gc
    from bot.process.memory import look_past_what_stays

    class Linked:
        def __init__(self):
            self.own = self

    earlier = [Linked() for _ in range(5)]
    before = len(gc.get_objects())
    look_past_what_stays()
    later = [Linked() for _ in range(7)]
    kinds = [type(each) for each in gc.get_objects()]
    print(len(kinds) < before / 10, kinds.count(Linked))
    del later
    print(gc.collect() >= 7)
"""


def test_existing_objects_are_frozen_and_later_ones_collected() -> None:
    said = subprocess.run(
        (sys.executable, "-c", textwrap.dedent(STAYING)), cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["True", "7", "True"]
