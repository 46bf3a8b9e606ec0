"""The blocks of README, of Start, the cluster, the site, plugins, import and export do what the pages say."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from tests.conftest import missing
from tests.timing import until

from . import hub
from .blocks import ROOT, RUN, Block, blocks_in, name_of, pages
from .session import BlockError
from .surroundings import begin, shared_environment
from .warm import serving

PAGES = [pytest.param(page, id=name_of(page)) for page in pages() if name_of(page).startswith(RUN)]
BENCHMARKS = [page for page in PAGES if page.values[0].parent.name == "benchmarks"]

ALONE = [
    *(f"docs/{name}.md" for name in ("hctqa", "judges", "metrics", "realhitbench", "suc")),
    *(f"docs/reference/{name}.md" for name in ("analysis", "index", "tables")),
]
"""Pages that are only read otherwise, but whose Python blocks need nothing else of the page."""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Iterator[dict[str, str]]:
    """The environment of all pages: a model for the one that they name, a server that runs their commands."""
    if find_spec("torch") is None:
        missing("torch, which the pages' model needs, is not installed")
    folder, warm = tmp_path_factory.mktemp("shared"), f"torr-documentation-{os.getpid()}"
    environment = shared_environment(folder / "commands", data=shared_data, hub=folder / "hub", warm=warm)
    with serving(warm, environment):
        subprocess.run(
            [folder / "commands" / "python", hub.__file__, folder / "hub"], env=environment, check=True
        )
        yield environment


@pytest.mark.full
@pytest.mark.parametrize("page", [page for page in PAGES if page not in BENCHMARKS])
def test_every_block_runs(page: Path, tmp_path: Path, shared: dict[str, str]) -> None:
    _run(blocks_in(page), tmp_path, shared)


@pytest.mark.full
def test_python_that_stands_alone_runs(tmp_path: Path, shared: dict[str, str]) -> None:
    blocks = [block for name in ALONE for block in blocks_in(ROOT / name) if block.language == "python"]
    assert {block.page for block in blocks} == {*ALONE}
    _run(blocks, tmp_path, shared)


@pytest.mark.release
@pytest.mark.parametrize(
    "page", [pytest.param(page, id=name_of(page)) for page in pages() if not name_of(page).startswith(RUN)]
)
def test_every_block_of_the_other_pages_runs(page: Path, tmp_path: Path, shared: dict[str, str]) -> None:
    _run(blocks_in(page), tmp_path, shared)


@pytest.mark.full
def test_a_command_in_a_fork_does_what_it_would_alone(tmp_path: Path, shared: dict[str, str]) -> None:
    session = begin(tmp_path, [], shared)
    session.run(Block("page.md", 1, "sh", "mkdir there && cd there\nexport X=3"))
    shows = "import os\nprint(os.environ['X'], os.path.basename(os.getcwd()))\n# 3 there"
    session.run(Block("page.md", 3, "python", shows))
    session.run(Block("page.md", 6, "console", "$ torr --version | cut -c -11\ntorr-plugin"))
    with pytest.raises(BlockError, match="printed other lines"):
        session.run(Block("page.md", 8, "console", "$ torr --version\ntorr-plugin 9"))
    with pytest.raises(BlockError, match=r"(?s)page.md:10: torr walk.*exit code 2.*No such command"):
        session.run(Block("page.md", 10, "sh", "torr walk"))
    with pytest.raises(BlockError, match=r"(?s)page.md:12.*exit code 1.*line 2.*NameError"):
        session.run(Block("page.md", 12, "python", "x = 1\nprint(y)"))
    with pytest.raises(BlockError, match="exit code 247"):
        session.run(Block("page.md", 14, "python", "import os\nos.kill(os.getpid(), 9)"))


@pytest.mark.full
def test_what_a_page_leaves_running_ends_with_it(tmp_path: Path, shared: dict[str, str]) -> None:
    session = begin(tmp_path, [], shared)
    program = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    (session.folder / "long.py").write_text(program)
    session.run(Block("page.md", 1, "sh", "python long.py &\nuntil test -s pid; do sleep 0.1; done"))
    process = int((session.folder / "pid").read_text())
    assert psutil.pid_exists(process)
    session.close()
    until(lambda: not psutil.pid_exists(process))


@pytest.mark.release
@pytest.mark.parametrize("page", BENCHMARKS)
def test_every_benchmark_runs(page: Path, tmp_path: Path, shared: dict[str, str]) -> None:
    _run(blocks_in(page), tmp_path, shared)


def _run(blocks: list[Block], folder: Path, shared: dict[str, str]) -> None:
    """Run blocks in their order; the first that fails, by its exit code or its output, fails the test."""
    session = begin(folder, blocks, shared)
    try:
        for block in blocks:
            session.run(block)
    finally:
        session.close()
