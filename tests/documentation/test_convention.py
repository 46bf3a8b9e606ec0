"""Pages keep to the convention by which their blocks are run; the commands in their sentences exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from .blocks import LANGUAGES, blocks_in, indented_blocks, name_of, pages, prose_of
from .options import inline_commands, problem_of

PAGES = [pytest.param(page, id=name_of(page)) for page in pages()]

NEEDS_A_NETWORK = {
    "docs/data.md": 1,
    "docs/how-to/offline-cluster.md": 1,
}
"""How many ``hub`` blocks a page has: only the options of their commands are checked. It may not grow."""

NEEDS_A_GPU_ENGINE = {"docs/engines.md": 2, "benchmarks/README.md": 1}
"""The same of ``vllm`` blocks, made for a GPU; ``tests/vllm`` runs the engine itself on the CPU."""

TAKES_TOO_LONG = {"benchmarks/README.md": 2}
"""The same of blocks with ``add --help``: benchmarks that take minutes at their smallest."""


@pytest.mark.parametrize("page", PAGES)
def test_fences_are_of_known_languages(page: Path) -> None:
    blocks = blocks_in(page)  # refuses words that are not known
    assert [f"{block.where}: {block.language!r}" for block in blocks if block.language not in LANGUAGES] == []


@pytest.mark.parametrize("page", PAGES)
def test_no_command_hides_in_a_block_of_text(page: Path) -> None:
    blocks = blocks_in(page)
    hidden = [
        f"{block.page}:{block.line + number}: {line}"
        for block in blocks
        if block.language == "text"
        for number, line in enumerate(block.text.splitlines())
        if line.lstrip().startswith(("$ ", "torr ", "lm_eval ", "helm-", "python ", "pip "))
    ]
    assert hidden == []


@pytest.mark.parametrize("page", PAGES)
def test_no_code_is_indented_instead_of_fenced(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [f"{name_of(page)}:{line}" for line in indented_blocks(text)] == []


@pytest.mark.parametrize("page", PAGES)
def test_dialogues_begin_with_a_command_and_show_what_it_prints(page: Path) -> None:
    blocks = [each for each in blocks_in(page) if each.language == "console"]
    assert [each.where for each in blocks if not each.text.startswith("$ ")] == []
    assert [each.where for each in blocks if each.text.splitlines()[-1].startswith("$ ")] == []


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_sentences_exist(page: Path) -> None:
    prose = prose_of(page.read_text(encoding="utf-8"))
    wrong = [
        f"{name_of(page)}:{line}: {command}: {problem}"
        for line, command in inline_commands(prose)
        if (problem := problem_of(command))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("word", "value", "allowed"),
    [
        ("hub", "", NEEDS_A_NETWORK),
        ("vllm", "", NEEDS_A_GPU_ENGINE),
        ("add", "--help", TAKES_TOO_LONG),
    ],
)
def test_blocks_that_are_not_run_here_do_not_grow(word: str, value: str, allowed: dict[str, int]) -> None:
    counts = {name_of(page): sum(block.value(word) == value for block in blocks_in(page)) for page in pages()}
    assert {page: count for page, count in counts.items() if count > allowed.get(page, 0)} == {}


def test_what_the_pages_leave_unsaid_is_not_taken_for_run() -> None:
    assert len(PAGES) > 12
    blocks = [block for page in pages() for block in blocks_in(page)]
    assert sum(block.language in ("sh", "console", "python") for block in blocks) > 20
