"""Compiled templates of earlier sites, and pages without them."""

from pathlib import Path

import jinja2
import pytest
from jinja2.bccache import Bucket

from torr_plugin.leaderboard import rendering
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.theming import Theme

SHOWN = "&lt;b&gt;"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this user keeps what was compiled."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "torr-plugin" / "templates"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of a theme's templates."""
    (tmp_path / "theme").mkdir()
    return tmp_path / "theme"


def shown(folder: Path, text: str = "{{ name }}") -> str:
    (folder / "page.html").write_text(text, encoding="utf-8")
    return Renderer(Theme(templates=folder)).render("page.html", name="<b>")


def no_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(jinja2.Environment, "compile")


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(folder) == SHOWN
    no_compiling(monkeypatch)
    assert shown(folder) == SHOWN


def test_a_template_that_changed_is_compiled_again(folder: Path) -> None:
    assert shown(folder) == SHOWN
    assert shown(folder, "it: {{ name }}") == f"it: {SHOWN}"


def test_with_other_settings_it_is_compiled_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(folder) == SHOWN
    (tmp_path / "later.py").write_text("# another version of the module\n", encoding="utf-8")
    monkeypatch.setattr(rendering, "__file__", str(tmp_path / "later.py"))
    no_compiling(monkeypatch)
    with pytest.raises(Exception, match="compile"):
        shown(folder)


@pytest.mark.parametrize("size", [0, 5, 20, 40, 80, 200])
def test_one_that_is_damaged_is_compiled_again(folder: Path, cache: Path, size: int) -> None:
    assert shown(folder) == SHOWN
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[:size])
    assert shown(folder) == SHOWN
    assert len(kept.read_bytes()) == len(whole)


def test_on_a_full_disk_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Bucket, file: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Bucket, "write_bytecode", full)
    assert shown(folder) == SHOWN


def test_without_a_folder_for_them_nothing_is_kept(folder: Path, cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("a file", encoding="utf-8")
    assert shown(folder) == SHOWN
    assert cache.read_text(encoding="utf-8") == "a file"
