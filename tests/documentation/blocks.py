"""Reads the code blocks of a Markdown page, with what the comments before them say about running them."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("sh", "console", "python", "yaml", "json", "toml", "css", "html", "text")
_SINGLE = ("model", "server", "helm", "ray", "hub", "vllm")
WORDS = dict.fromkeys(_SINGLE, 0) | {"limit": 1, "exit": 1, "add": -1}
"""What ``<!-- test: ... -->`` may say, and how many values follow each word. ``vllm``: the block needs
vLLM on a GPU; ``add``: the rest of the comment is added to the block's last command, for smaller sizes."""

STAND_ALONE = ("README.md", "docs/how-to/", "docs/plugins.md", "docs/tutorial.md")
"""Pages whose Python blocks each run as they stand; on others a block sees the names of those before it."""

_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w-]*)\s*(.*)$")
_COMMENT = re.compile(r"^\s*<!--\s*(test|file|command):\s*(.*?)\s*-->\s*$")
_ITEM = re.compile(r"^\s*([-*+]|\d+[.)]|===|!!!|\?\?\?\+?)\s")


class ConventionError(ValueError):
    """A block or a comment before it that the convention does not know."""


@dataclass(frozen=True)
class Block:
    """One fenced block: where it stands, its language and text, and what is said about it."""

    page: str
    line: int
    language: str
    text: str
    words: tuple[tuple[str, str], ...] = ()
    file: str | None = None

    @property
    def where(self) -> str:
        """``page:line`` of the block's first line of text."""
        return f"{self.page}:{self.line}"

    @property
    def stands_alone(self) -> bool:
        """Whether the block, if it is Python, runs from a file of its own; see :data:`STAND_ALONE`."""
        return self.page.startswith(STAND_ALONE)

    def has(self, word: str) -> bool:
        """Whether the comment before the block has this word."""
        return any(name == word for name, _ in self.words)

    def value(self, word: str) -> str | None:
        """What follows a word, None without it."""
        return next((value for name, value in self.words if name == word), None)


def pages() -> tuple[Path, ...]:
    """The pages whose blocks are run."""
    named = (ROOT / folder / "README.md" for folder in ("", "benchmarks", "examples/plugin"))
    return (*(path for path in named if path.is_file()), *sorted((ROOT / "docs").rglob("*.md")))


def blocks_in(page: Path) -> list[Block]:
    """All fenced blocks of a page's file; see :func:`blocks_of`."""
    return blocks_of(name_of(page), page.read_text(encoding="utf-8"))


def name_of(page: Path) -> str:
    """A page's path from the top of the checkout."""
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: str, text: str) -> list[Block]:
    """All fenced blocks of a page, in order.

    Raises:
        ConventionError: a fence that is never closed, or a comment with words that are not known.
    """
    lines, found, number = text.splitlines(), [], 0
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        if not fence:
            number += 1
            continue
        end = _closing(lines, number, fence, page)
        said = _said(lines, number, page)
        body = textwrap.dedent("\n".join(lines[number + 1 : end]))
        tests = [words_of(value, page, number + 1) for kind, value in said if kind == "test"]
        words = tuple(pair for each in tests for pair in each)
        file = next((value for kind, value in said if kind == "file"), None)
        found.append(Block(page, number + 2, fence[3], body, words, file))
        number = end + 1
    return found


def words_of(said: str, page: str, line: int) -> list[tuple[str, str]]:
    """The words of one comment with their values."""
    given, found = said.split(), []
    while given:
        word = given.pop(0)
        if word not in WORDS:
            raise ConventionError(f"{page}:{line}: '{word}' is no word of a test comment: {', '.join(WORDS)}")
        count = len(given) if WORDS[word] < 0 else WORDS[word]
        if len(given) < count or (WORDS[word] < 0 and not given):
            raise ConventionError(f"{page}:{line}: '{word}' lacks its value")
        found.append((word, " ".join(given[:count])))
        given = given[count:]
    return found


def prose_of(text: str) -> list[tuple[int, str]]:
    """The lines outside fenced blocks, with their numbers from 1."""
    lines, found, number = text.splitlines(), [], 0
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        if fence:
            number = _closing(lines, number, fence, "page") + 1
            continue
        found.append((number + 1, lines[number]))
        number += 1
    return found


def indented_blocks(text: str) -> list[int]:
    """The lines at which a code block begins that is indented instead of fenced."""
    found, before, parent = [], "", ""
    for number, line in prose_of(text):
        if line.startswith("    ") and not before.strip() and not _ITEM.match(parent):
            found.append(number)
        if line.strip() and not line.startswith("    "):
            keeps = line.startswith(" ") and _ITEM.match(parent)  # goes on within a list's item
            parent = parent if keeps else line
        before = line if not line.startswith("    ") or before.strip() else "code"
    return found


def _closing(lines: list[str], start: int, fence: re.Match[str], page: str) -> int:
    for number in range(start + 1, len(lines)):
        bare = lines[number].strip()
        if bare.startswith(fence[2]) and set(bare) == {fence[2][0]}:
            return number
    raise ConventionError(f"{page}:{start + 1}: a fence that is never closed")


def _said(lines: list[str], fence: int, page: str) -> list[tuple[str, str]]:
    """The comments right before a fence, blank lines between them left out."""
    found: list[tuple[str, str]] = []
    for number in range(fence - 1, -1, -1):
        comment = _COMMENT.match(lines[number])
        if comment:
            found.insert(0, (comment[1], comment[2]))
        elif lines[number].strip():
            break
    return found
