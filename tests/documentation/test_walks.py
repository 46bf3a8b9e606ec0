"""The walks of CONTRIBUTING.md fit the code: changes apply, files are new, tests that they run exist."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path

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
    assert len(written) >= 3
    for block in written:
        assert not (ROOT / str(block.file)).exists(), block.where
        if block.language == "python":
            ast.parse(block.text)


@pytest.mark.parametrize(
    "block",
    [each for each in BLOCKS if each.file and each.language == "python"],
    ids=lambda block: block.where,
)
def test_what_a_new_file_imports_of_the_project_exists(block: Block) -> None:
    package = ".".join(Path(str(block.file)).parent.parts)
    new = {str(each.file) for each in BLOCKS if each.file}
    for node in ast.walk(ast.parse(block.text)):
        if not isinstance(node, ast.ImportFrom):
            continue
        name = resolve_name("." * node.level + (node.module or ""), package)
        if name.split(".")[0] not in ("torr_plugin", "tests") or f"{name.replace('.', '/')}.py" in new:
            continue
        module = import_module(name)
        assert [each.name for each in node.names if not hasattr(module, each.name)] == []


def test_the_tests_that_walks_run_exist() -> None:
    new = {block.file for block in BLOCKS}
    named = re.findall(r"\btests/[\w/.]+", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert [name for name in named if name not in new and not (ROOT / name.rstrip(".")).exists()] == []
