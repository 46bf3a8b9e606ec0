"""Compiled templates of earlier sites, and pages without them."""

import os
from pathlib import Path

import jinja2
import pytest
from jinja2.bccache import Bucket

from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.theming import Theme

VALUES = {"name": "<b>"}


def theme(folder: Path, text: str = "{{ name }}") -> Theme:
    folder.mkdir(exist_ok=True)
    (folder / "page.html").write_text(text, encoding="utf-8")
    return Theme(templates=folder)


def test_a_template_that_changed_is_compiled_again(tmp_path: Path) -> None:
    assert Renderer(theme(tmp_path / "own")).render("page.html", **VALUES) == "&lt;b&gt;"
    assert (
        Renderer(theme(tmp_path / "own", "it: {{ name }}")).render("page.html", **VALUES) == "it: &lt;b&gt;"
    )


def test_a_template_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = theme(tmp_path / "own")
    Renderer(own).render("page.html", **VALUES)
    monkeypatch.delattr(jinja2.Environment, "compile")
    assert Renderer(own).render("page.html", **VALUES) == "&lt;b&gt;"


def test_on_a_full_disk_templates_are_compiled_for_this_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Bucket, file: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Bucket, "write_bytecode", full)
    assert Renderer(theme(tmp_path / "own")).render("page.html", **VALUES) == "&lt;b&gt;"


def test_nothing_is_kept_where_there_is_no_folder_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    taken = tmp_path / f"_jinja2-cache-{os.getuid()}"
    taken.write_text("another user's", encoding="utf-8")
    assert Renderer(theme(tmp_path / "own")).render("page.html", **VALUES) == "&lt;b&gt;"
    assert taken.read_text(encoding="utf-8") == "another user's"
