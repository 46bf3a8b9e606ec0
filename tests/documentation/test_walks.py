"""The walks of CONTRIBUTING.md fit the code: changes apply, files are new, tests that they run exist."""

from __future__ import annotations

import ast
import re

import pytest

from .blocks import ROOT, Block, blocks_in

BLOCKS = blocks_in(ROOT / "CONTRIBUTING.md")
CHANGES = [block for block in BLOCKS if block.language == "diff"]


@pytest.mark.parametrize("block", CHANGES, ids=lambda block: block.where)
def test_a_change_applies_at_one_place(block: Block) -> None:
    head, *lines = block.text.splitlines()
    found = "\n".join(line[1:] for line in lines if line[0] in " -")
    assert (ROOT / head.removeprefix("--- ")).read_text(encoding="utf-8").count(found) == 1


def test_files_are_new_and_their_code_can_be_read() -> None:
    written = [block for block in BLOCKS if block.file]
    assert len(written) >= 10
    for block in written:
        assert not (ROOT / str(block.file)).exists(), block.where
        if block.language == "python":
            ast.parse(block.text)


def test_the_tests_that_walks_run_exist() -> None:
    new = {block.file for block in BLOCKS}
    named = re.findall(r"\btests/[\w/.]+", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert [name for name in named if name not in new and not (ROOT / name.rstrip(".")).exists()] == []
