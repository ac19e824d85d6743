"""Look whether changed English texts mark their translations, as a part of `make check`.

    python -m tools.translations           names each translation that is neither changed nor marked
    python -m tools.translations --mark    marks them

A mark is a comment above the translation, `# English was: …`, with the English text that it was made from.
Who mends the text deletes that line (docs/mending-a-text.md). The files are compared with those of `main`, on
`main` itself with those of the commit before. The exit code is 1 where a mark is missing.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from babel.messages.catalog import Message
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[1]
TEXTS = Path("bot/i18n")
MARK = "English was: "


@dataclass(frozen=True)
class Stale:
    """A translation of an English text that has changed since. file: from the repository's root on."""

    file: str
    key: str
    english_was: str


def stale(repository: Path, base: str) -> Iterator[Stale]:
    """Yield the translations that are as they were at that commit, while their English text is not."""
    changed = _git(repository, "diff", "--name-only", base, "--", f"{TEXTS.as_posix()}/en").split()
    for english in changed:
        before, now = _before(repository, base, english), _now(repository, english)
        other = [key for key in before.keys() & now.keys() if _form(before[key]) != _form(now[key])]
        for file in sorted((repository / TEXTS).glob(f"*/{Path(english).name}")):
            path = file.relative_to(repository).as_posix()
            if path == english or not other:
                continue
            translated, translations = _before(repository, base, path), _now(repository, path)
            for key in sorted(other):
                old, new = translated.get(key), translations.get(key)
                is_same = old is not None and new is not None and _form(old) == _form(new)
                if is_same and new is not None and not _is_marked(new):
                    yield Stale(path, key, _form(before[key]))


def mark(repository: Path, one: Stale) -> None:
    """Write the mark above the translation."""
    file = repository / one.file
    entry = f'msgid "{one.key}"\n'
    english = one.english_was.replace("\n", "\\n")
    file.write_text(file.read_text("utf-8").replace(entry, f"# {MARK}{english}\n{entry}", 1), "utf-8")


def base_of(repository: Path) -> str | None:
    """Return the commit to compare with; None where there is no history."""
    head = _git(repository, "rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        common = _git(repository, "merge-base", "HEAD", branch)
        if common and common != head:
            return common
    return _git(repository, "rev-parse", "--verify", "--quiet", "HEAD^") or None


def main() -> int:
    """Name or mark the translations; return the exit code."""
    base = base_of(ROOT)
    found = [] if base is None else list(stale(ROOT, base))
    for one in found:
        if "--mark" in sys.argv:
            mark(ROOT, one)
        else:
            print(f"{one.file}: the English text of {one.key} has changed, which was: {one.english_was}")
    if found and "--mark" not in sys.argv:
        print("Translate them anew, or mark them: python -m tools.translations --mark")
        return 1
    return 0


def _form(message: Message) -> str:
    return message.string if isinstance(message.string, str) else " / ".join(message.string or ())


def _is_marked(message: Message) -> bool:
    return any(comment.startswith(MARK) for comment in message.user_comments)


def _now(repository: Path, file: str) -> Mapping[str, Message]:
    path = repository / file
    return _messages(path.read_bytes()) if path.exists() else {}


def _before(repository: Path, base: str, file: str) -> Mapping[str, Message]:
    return _messages(_git(repository, "show", f"{base}:{file}").encode())


def _messages(content: bytes) -> Mapping[str, Message]:
    found = {}
    for message in read_po(io.BytesIO(content)):
        key = message.id if isinstance(message.id, str) else message.id[0]
        if key:
            found[key] = message
    return found


def _git(repository: Path, *arguments: str) -> str:
    """Return what git says; nothing where it refuses, as for a file that was not there."""
    done = subprocess.run(
        ("git", "-C", str(repository), *arguments),
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    return done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    sys.exit(main())
