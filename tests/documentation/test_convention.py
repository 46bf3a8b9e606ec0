"""Pages keep to the convention by which blocks are run; the commands, options and names in them exist."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from . import files
from .blocks import LANGUAGES, Block, blocks_in, indented_blocks, name_of, pages, prose_of
from .commands import commands_of, dialogue_of
from .options import inline_commands, problem_of

NOT_RUN = {
    "docs/cluster.md": 4,  # need GPUs on several nodes; the network
    "docs/data.md": 1,  # needs the network
    "docs/install.md": 2,
    "docs/small-models.md": 1,  # fetches weights, and takes an hour
    "docs/your-model.md": 4,  # need vLLM's server, or an API
    "benchmarks/README.md": 2,  # one made for a GPU, one that takes minutes at its smallest
}
"""How many ``hub``, ``vllm`` and ``add --help`` blocks the pages that are run have. It may not grow."""


@cache
def _blocks() -> tuple[Block, ...]:
    return tuple(block for page in pages() for block in blocks_in(page))  # refuses words that are not known


def test_blocks_are_fenced_and_of_known_languages() -> None:
    assert [
        f"{block.where}: {block.language!r}" for block in _blocks() if block.language not in LANGUAGES
    ] == []
    texts = {name_of(page): page.read_text(encoding="utf-8") for page in pages()}
    assert [f"{name}:{line}" for name, text in texts.items() for line in indented_blocks(text)] == []


def test_no_command_hides_in_a_block_of_text() -> None:
    assert [
        f"{block.page}:{block.line + number}: {line}"
        for block in _blocks()
        if block.language == "text"
        for number, line in enumerate(block.text.splitlines())
        if line.lstrip().startswith(("$ ", "torr ", "lm_eval ", "helm-", "python ", "pip "))
    ] == []


def test_dialogues_begin_with_a_command_and_show_what_it_prints() -> None:
    dialogues = [block for block in _blocks() if block.language == "console"]
    assert [each.where for each in dialogues if not each.text.startswith("$ ")] == []
    assert [each.where for each in dialogues if each.text.splitlines()[-1].startswith("$ ")] == []


def test_commands_and_their_options_exist() -> None:
    in_sentences = [
        (f"{name_of(page)}:{line}", command)
        for page in pages()
        for line, command in inline_commands(prose_of(page.read_text(encoding="utf-8")))
    ]
    in_blocks = [
        (f"{block.page}:{block.line + command.line}", command.text)
        for block in _blocks()
        if block.language in ("sh", "console")
        for command in (commands_of if block.language == "sh" else dialogue_of)(block.text)
    ]
    assert min(len(in_sentences), len(in_blocks)) > 100
    said = [(where, command, problem_of(command)) for where, command in in_sentences + in_blocks]
    assert [f"{where}: {command}: {problem}" for where, command, problem in said if problem] == []


def test_files_and_code_of_pages_that_are_only_read_are_valid(tmp_path: Path) -> None:
    wrong = []
    for block in _blocks():
        if block.is_run:
            continue
        folder = tmp_path / block.page
        folder.mkdir(parents=True, exist_ok=True)
        try:
            files.write(block, folder)
            files.check(block.language, block.text, folder)
        except Exception as error:
            wrong.append(f"{block.where}: {type(error).__name__}: {error}")
    assert wrong == []


def test_blocks_that_are_not_run_do_not_grow() -> None:
    not_run = [block for block in _blocks() if block.needs or block.add == "--help"]
    assert Counter(block.page for block in not_run) == NOT_RUN


def test_blocks_are_found() -> None:
    found = [block for block in _blocks() if block.language in ("sh", "console", "python")]
    assert len(found) > 140
    assert sum(block.is_run for block in found) > 70
