"""What reads, fits and compares blocks: it notices what is wrong."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from . import standins
from .blocks import Block, ConventionError, blocks_of, indented_blocks
from .commands import added, commands_of, dialogue_of, limited
from .files import check, kind_of
from .options import inline_commands, problem_of
from .session import BlockError, Session, is_shown, shown_by

PAGE = textwrap.dedent(
    """\
    # A page

    <!-- file: pool.yaml -->
    <!-- test: hub limit 2 -->

    ```yaml
    a: 1
    ```

    1. an item

        goes on here

       ```sh
       torr run x
       ```

    Text:

        code that is indented
    """
)


def test_blocks_with_their_comments() -> None:
    first, second = blocks_of("page.md", PAGE)
    assert (first.language, first.text, first.file, first.line) == ("yaml", "a: 1", "pool.yaml", 7)
    assert (first.needs, first.limit, first.add) == ("hub", "2", None)
    assert (second.text, second.file, second.needs, second.limit, second.add) == ("torr run x", *[None] * 4)


def test_only_code_outside_lists_is_found_indented() -> None:
    assert indented_blocks(PAGE) == [20]


@pytest.mark.parametrize("said", ["nonsense", "limit", "limit x", "limit 2 nonsense", "vllm add"])
def test_words_that_are_not_known_are_refused(said: str) -> None:
    with pytest.raises(ConventionError, match=r"page.md:2"):
        blocks_of("page.md", f"<!-- test: {said} -->\n```sh\nls\n```\n")


def test_a_fence_that_is_never_closed_is_refused() -> None:
    with pytest.raises(ConventionError, match="never closed"):
        blocks_of("page.md", "```sh\nls\n")


def test_lines_that_belong_together_are_one_command() -> None:
    text = "# first\na \\\n  b\n\nfor x in 1 2; do\n  echo $x\ndone\ncat <<EOF\n'\nEOF\nlast"
    assert [(each.line, each.text.splitlines()[0]) for each in commands_of(text)] == [
        (1, "a \\"),
        (4, "for x in 1 2; do"),
        (7, "cat <<EOF"),
        (10, "last"),
    ]


def test_a_dialogue_has_commands_with_what_they_print() -> None:
    found = dialogue_of("$ a \\\n> b\none\ntwo\n$ c\n")
    assert [(each.text, each.output) for each in found] == [("a \\\nb", "one\ntwo"), ("c", "")]


def test_commands_are_fitted() -> None:
    assert limited("torr run real --limit 20 --out x", "2") == "torr run real --limit 2 --out x"
    assert limited("torr run real  # asks", "2") == "torr run --limit 2 real  # asks"
    assert limited("torr plan real --limit 1", "2") == "torr plan real --limit 1"
    assert limited("torr status x", "2") == "torr status x"
    assert added("python x.py  # slow", "--small 1") == "python x.py --small 1"


def test_printed_lines_are_compared() -> None:
    assert is_shown("a\n...\nz", "a\nb\nc\nz  \n")
    assert is_shown("a\n...\nz", "a\nz")
    assert is_shown("took ... s", "took 3.5 s")
    assert is_shown("b", "a", "b")
    assert not is_shown("a", "a\nb")
    assert not is_shown("took ... s", "took\n3 s")
    assert not is_shown("a\n...\nz", "a\nb")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("torr run RECIPE --out DIR ...", None),
        ("torr list cards | head", None),
        ("torr run --helm", "'torr run' has no option --helm"),
        ("torr list cards && torr run --helm", "'torr run' has no option --helm"),
        ("for x in a b; do\n  torr list $x | torr walk\ndone", "'torr' has no command 'walk'"),
        ('lm_eval --include_path "$(torr lm-eval-paht)" --limit 1', "'torr' has no command 'lm-eval-paht'"),
        ("lm_eval --include_paths x", "'lm_eval' has no option --include_paths"),
        (".venv/bin/python -m torr_plugin.leaderboard x --out y", None),
        (
            "python -m torr_plugin.leaderboard x --in y",
            "'python -m torr_plugin.leaderboard' has no option --in",
        ),
        ("python -m torr_plugin.leaderbord x", "there is no module torr_plugin.leaderbord"),
        ("torr walk", "'torr' has no command 'walk'"),
        ("torr synth hctqa --tables 5", None),
        ("torr analyse x --no-charts # none", None),
        ("tox -e docs-that-are-not", "tox.ini has no environment 'docs-that-are-not'"),
        ("TORR_DATA=DIR python benchmarks/expansion.py --cards wikitq", None),
        ("python benchmarks/expansion.py --speed", "'benchmarks/expansion.py' has no option --speed"),
        ("python benchmarks/none.py", "benchmarks/none.py does not exist"),
    ],
)
def test_commands_are_parsed(command: str, problem: str | None) -> None:
    assert problem_of(command) == problem


def test_commands_in_sentences_are_found() -> None:
    prose = [(3, "Say `torr plan x` or `torr"), (4, "run y`; `other`.")]
    assert list(inline_commands(prose)) == [(3, "torr plan x"), (3, "torr run y")]


def test_files_are_told_apart_and_checked(tmp_path: Path) -> None:
    assert kind_of({"seed": 1, "demos": "paired"}) == "fragment"
    assert kind_of({"task": "x"}) == "other"
    check("yaml", "seed: 3", tmp_path)
    check("yaml", "f: !function utils.f", tmp_path)
    check("yaml", "models: [torr-constant]", tmp_path)
    with pytest.raises(Exception, match="seed"):
        check("yaml", "seed: none", tmp_path)
    with pytest.raises(Exception, match="nmae"):
        check("yaml", "models:\n  - {nmae: x}", tmp_path)
    with pytest.raises(Exception, match=r"__description__"):
        check("json", '{"__type__": "table_card"}', tmp_path)
    check("json", '{"a": 1}\n{"a": 2}', tmp_path)
    with pytest.raises(ValueError, match="line 1"):
        check("json", '{"a": 1}\n{"a": 2', tmp_path)


def test_what_python_takes_from_the_package_must_exist(tmp_path: Path) -> None:
    check(
        "python", "from mine import x\nfrom torr_plugin.tables import Table\ntorr_plugin.register()", tmp_path
    )
    with pytest.raises(ImportError, match="Tabel"):
        check("python", "from torr_plugin.tables import Tabel", tmp_path)
    with pytest.raises(AttributeError, match="registre"):
        check("python", "torr_plugin.registre()", tmp_path)
    with pytest.raises(SyntaxError):
        check("python", "x = ", tmp_path)


def test_what_a_python_block_prints_stands_below_the_print() -> None:
    assert shown_by("# note\nx = 1\nprint(x)\n# 1\n# 2\ny = 2  # no\n") == "1\n2"
    assert shown_by("print(\n    x,\n)\n# 3") == "3"


@pytest.fixture
def opened(tmp_path: Path) -> Session:
    (tmp_path / "kept").mkdir()
    (tmp_path / "work").mkdir()
    given = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PAGE_FOLDER": str(tmp_path / "work"),
        "PAGE_STATE": str(tmp_path / "state"),
    }
    return Session(tmp_path / "work", given, tmp_path / "kept")


def test_a_failing_command_is_said_with_its_line(opened: Session) -> None:
    with pytest.raises(BlockError, match=r"(?s)page.md:8: ls /none.*exit code 2.*No such file"):
        opened.run(Block("page.md", 7, "sh", "true\nls /none"))


def test_blocks_see_what_those_before_left(opened: Session) -> None:
    opened.run(Block("page.md", 1, "sh", "mkdir a && cd a\nexport X=3"))
    opened.run(Block("page.md", 4, "console", "$ echo $X $(basename $PWD)\n3 a"))
    with pytest.raises(BlockError, match="printed other lines"):
        opened.run(Block("page.md", 4, "console", "$ echo $X\n4"))


def test_python_blocks_each_run_from_a_file(opened: Session) -> None:
    page = "docs/how-to/own.md"
    opened.run(Block(page, 1, "python", "def twice(x):\n    return 2 * x", file="mine.py"))
    opened.run(Block(page, 5, "python", "from mine import twice\nx = twice(2)\nprint(x)\n# 4"))
    with pytest.raises(BlockError, match="the page shows"):
        opened.run(Block(page, 5, "python", "print(3)\n# 4"))
    with pytest.raises(BlockError, match=r"(?s)own.md:12.*NameError: name 'x'"):
        opened.run(Block(page, 12, "python", "print(x)\n# 4"))
    with pytest.raises(BlockError, match=r"(?s)own.md:20.*No module named 'lost'"):
        opened.run(Block(page, 20, "python", "import lost", file="also_mine.py"))


def test_files_are_written_and_checked(opened: Session) -> None:
    opened.run(Block("page.md", 1, "yaml", "seed: 1", file="sub/part.yaml"))
    assert (opened.folder / "sub" / "part.yaml").read_text() == "seed: 1\n"
    with pytest.raises(BlockError, match=r"page.md:5: yaml"):
        opened.run(Block("page.md", 5, "yaml", "seed: [", file="part.yaml"))


def test_a_file_of_a_page_does_not_take_the_place_of_the_checkouts(opened: Session, tmp_path: Path) -> None:
    own = tmp_path / "pyproject.toml"
    own.write_text('name = "torr-plugin"\n')
    (opened.folder / "pyproject.toml").symlink_to(own)
    opened.run(Block("page.md", 1, "toml", 'name = "mine"', file="pyproject.toml"))
    assert own.read_text() == 'name = "torr-plugin"\n'
    assert (opened.folder / "pyproject.toml").read_text() == 'name = "mine"\n'


@pytest.mark.parametrize(
    ("words", "installed", "code"),
    [
        ("install -q .[hf,ray]", [], 0),
        ("install torr-plugin[nothing]", [], 1),
        ("install never-heard-of-it", [], 1),
        ("install -e ./mine torr-plugin", ["./mine"], 0),
        ("install ./nowhere", [], 1),
        ("uninstall pandas", [], 1),
    ],
)
def test_what_is_installed_for_real(
    words: str, installed: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "torr-plugin"\n')
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pyproject.toml").write_text('[project]\nname = "mine"\n')
    monkeypatch.chdir(tmp_path)
    found: list[str] = []
    monkeypatch.setattr(standins, "_installed", lambda folder: found.append(folder) or 0)
    assert standins.pip(words.split()) == code
    assert found == installed
