"""Reads the code blocks of a Markdown page, with what the comments before them say about running them."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("sh", "console", "python", "yaml", "json", "toml", "css", "html", "text")
RUN = (
    *(
        "README.md",
        "docs/install.md",
        "docs/tutorial.md",
        "docs/your-",
        "docs/questions.md",
        "docs/cluster.md",
    ),
    *(
        "docs/leaderboard.md",
        "docs/plugins.md",
        "docs/exchange.md",
        "examples/plugin/",
        "benchmarks/",
    ),
)
"""Pages whose blocks are run, one after another; those of others are read: ``test_convention.py``."""

_TEST = re.compile(r"(?P<needs>hub|vllm)?(?:\blimit (?P<limit>\d+)| )*(?:\badd (?P<add>.+))?")
_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w-]*)\s*(.*)$")
_COMMENT = re.compile(r"^\s*<!--\s*(test|file|command):\s*(.*?)\s*-->\s*$")
_ITEM = re.compile(r"^\s*([-*+]|\d+[.)]|===|!!!|\?\?\?\+?)\s")


class ConventionError(ValueError):
    """A block or a comment before it that the convention does not know."""


@dataclass(frozen=True)
class Block:
    """One fenced block: where it stands, its language and text, and what the comments before it say.

    Attributes:
        file: the block is the content of this file.
        needs: what is not there, so that the block is not run: ``hub``, a network; ``vllm``, a GPU.
        limit: examples a data set, at most.
        add: options for the block's last command, for smaller sizes.
    """

    page: str
    line: int
    language: str
    text: str
    file: str | None = None
    needs: str | None = None
    limit: str | None = None
    add: str | None = None

    @property
    def where(self) -> str:
        """``page:line`` of the block's first line of text."""
        return f"{self.page}:{self.line}"

    @property
    def is_run(self) -> bool:
        """Whether the page is one whose blocks are run."""
        return self.page.startswith(RUN)


def pages() -> tuple[Path, ...]:
    """The pages whose blocks are under test."""
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
        said = _said(lines, number)
        body = textwrap.dedent("\n".join(lines[number + 1 : end]))
        tested = _TEST.fullmatch(said.get("test", ""))
        if not tested:
            raise ConventionError(f"{page}:{number + 1}: '{said['test']}' says nothing of a test")
        found.append(Block(page, number + 2, fence[3], body, said.get("file"), **tested.groupdict()))
        number = end + 1
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


def _said(lines: list[str], fence: int) -> dict[str, str]:
    """The comments right before a fence, by their first word; blank lines between them are left out."""
    found = {}
    for line in reversed(lines[:fence]):
        comment = _COMMENT.match(line)
        if comment:
            found[comment[1]] = comment[2]
        elif line.strip():
            break
    return found
