"""`python -m bench [NAME …]`: run the named benchmarks, or all of them."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import platform
import sys

BENCHMARKS = (
    "service", "loop", "reviews", "search_agents", "othello", "compiling", "memory", "crowd", "commands",
    "truth", "wander", "soak", "scale", "farewell", "cluster",
    "two_threads", "growth", "choices", "one_account", "web", "siege", "votes", "tables",
)  # fmt: skip


def main() -> int:
    """Run the named benchmarks; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", nargs="*", help=f"one of {', '.join(BENCHMARKS)} (default: all)")
    names = parser.parse_args().name or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    for name in names:
        benchmark = importlib.import_module(f"bench.{name}")
        print(f"\n## {name}: {(benchmark.__doc__ or name).splitlines()[0]}\n")
        asyncio.run(benchmark.run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
