"""Tries the Dockerfile's steps in a clean folder, without a container: `python -m tools.image_steps`.

`python3.13` must be there, as in the image. What needs another root (users, owners, the volume) is left out;
the image's paths lie below the folder. Ends with exit code 1 at the first step that fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = ("/opt/discade", "/opt/kernels", "/data", "/src")


def steps(dockerfile: str) -> list[tuple[str, str]]:
    """Every instruction and what it says, in order."""
    joined = re.sub(r"\\\n\s*", " ", dockerfile)
    lines = [line for line in joined.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def below(folder: Path, text: str) -> str:
    """The text with the image's places below the folder."""
    for place in PLACES:
        text = re.sub(rf"{re.escape(place)}\b", f"{folder}{place}", text)
    return text


def tried(folder: Path, python: str) -> bool:
    """Whether every step of the building works, and what it built starts."""
    environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder)}
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(python)
    (folder / "data").mkdir()
    at, stage = folder, 0
    for word, rest in steps((ROOT / "Dockerfile").read_text("utf-8")):
        stage += word == "FROM"
        if word == "WORKDIR":
            at = Path(below(folder, rest))
            at.mkdir(parents=True, exist_ok=True)
        elif word == "ARG":
            name, _, usual = rest.partition("=")
            environment.setdefault(name, usual)
        elif word == "ENV":
            found = re.findall(r"(\w+)=(\S+)", below(folder, rest))
            environment |= {name: value.replace("$PATH", environment["PATH"]) for name, value in found}
        elif word == "COPY" and not rest.startswith("--"):
            *names, target = rest.split()
            for name in names:
                _copy(ROOT / name, at / target if len(names) == 1 and target != "." else at / target / name)
        elif word == "RUN" and stage == 1 and not _ran(below(folder, rest), at, environment):
            return False
    shutil.rmtree(folder / "src")
    environment["DATABASE_URL"] = below(
        folder, environment["DATABASE_URL"].replace("sqlite+aiosqlite:///", "", 1)
    )
    environment["DATABASE_URL"] = f"sqlite+aiosqlite:///{environment['DATABASE_URL']}"
    return _starts(folder / "data", environment)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _ran(command: str, at: Path, environment: dict[str, str]) -> bool:
    began = time.monotonic()
    done = subprocess.run(
        ("sh", "-c", command), cwd=at, env=environment, capture_output=True, text=True, check=False
    )
    print(
        f"{time.monotonic() - began:6.1f} s  {'done' if done.returncode == 0 else 'FAILED'}  {command[:90]}",
        flush=True,
    )
    if done.returncode:
        print(done.stdout[-2000:] + done.stderr[-2000:])
    return done.returncode == 0


def _starts(at: Path, environment: dict[str, str]) -> bool:
    """Whether the installed command runs from its own folder, says what is missing, and has no simulator."""
    asked = (
        ("discade", "check", 2, "there is no database"),
        ("python", "-c 'import simcord'", 1, "No module named"),
        ("python", "-c 'import bot, engine, sys; sys.exit(not bot.__file__.startswith(sys.prefix))'", 0, ""),
    )
    for program, arguments, code, says in asked:
        done = subprocess.run(
            ("sh", "-c", f"{program} {arguments}"),
            cwd=at,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        is_right = done.returncode == code and says.lower() in (done.stdout + done.stderr).lower()
        said = (done.stderr or done.stdout).strip()[-150:]
        print(f"          {'done' if is_right else 'FAILED'}  {program} {arguments}: {said}")
        if not is_right:
            return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.image_steps", description=__doc__)
    parser.add_argument("--python", default="python3.13", help="the interpreter of the image's version")
    python = shutil.which(parser.parse_args().python)
    if python is None:
        print("There is no such Python.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        return 0 if tried(Path(folder), python) else 1


if __name__ == "__main__":
    sys.exit(main())
