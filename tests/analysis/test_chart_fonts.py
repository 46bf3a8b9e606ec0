"""Which fonts charts are drawn with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torr_plugin.analysis.charts.fonts import own_fonts_first

pytestmark = pytest.mark.full

CHOSEN = "FONTCONFIG_FILE"

DRAWN = """
import hashlib
from torr_plugin.analysis.charts import to_pdf, to_png, to_svg
svg = to_svg({"data": {"values": [{"name": "gpt-4o: Größe"}]}, "mark": "text",
              "encoding": {"text": {"field": "name"}}, "config": {"font": "Liberation Sans"}})
print(hashlib.sha256(svg.encode() + to_png(svg) + to_pdf(svg)).hexdigest())
"""


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOSEN, raising=False)


def fonts(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def system(folder: Path, *folders: str) -> Path:
    file = folder / "system.conf"
    listed = "".join(f"\t<dir>{named.replace('&', '&amp;')}</dir>\n" for named in folders)
    file.write_text(f"<fontconfig>\n<!-- <dir>/</dir> -->\n{listed}</fontconfig>\n", encoding="utf-8")
    return file


def shown() -> set[Path]:
    """The fonts, and linked folders of fonts, that the file in force shows."""
    return {path.resolve() for path in Path(os.environ[CHOSEN]).parent.iterdir() if path.is_symlink()}


def test_the_systems_copy_is_hidden_and_the_rest_stays(tmp_path: Path) -> None:
    root = fonts(tmp_path / "fonts & more", "liberation/LiberationSans-Bold.ttf", "icons.svg", "LICENSE")
    others = [
        *("truetype/DejaVuSans.ttf", "cjk/Noto.ttc", "own.OTF"),
        *("liberation/LiberationMono-Bold.ttf", "liberation/LiberationSansNarrow-Bold.ttf"),
    ]
    fonts(root, *others)
    elsewhere = fonts(tmp_path / "elsewhere", "Deep.ttf")
    (root / "linked").symlink_to(elsewhere)
    (root / "truetype" / "round").symlink_to(root / "truetype")
    with own_fonts_first(system(tmp_path, str(root), str(tmp_path / "missing"))):
        assert shown() == {*(root / name for name in others), elsewhere, root / "truetype"}
        assert f"<dir>{Path(os.environ[CHOSEN]).parent}</dir>" in Path(os.environ[CHOSEN]).read_text()
    assert CHOSEN not in os.environ


def test_it_is_shown_again_after_an_error(tmp_path: Path) -> None:
    root = fonts(tmp_path / "fonts", "LiberationSans-Bold.ttf")
    hidden = own_fonts_first(system(tmp_path, str(root)))
    with pytest.raises(ZeroDivisionError), hidden:
        1 / len(shown())
    assert CHOSEN not in os.environ


def test_folders_at_home_are_gone_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = fonts(tmp_path, ".fonts/LiberationSans-Bold.ttf", "data/fonts/Noto.ttf")
    monkeypatch.setenv("HOME", str(root))
    monkeypatch.setenv("XDG_DATA_HOME", str(root / "data"))
    file = tmp_path / "system.conf"
    file.write_text('<fontconfig><dir prefix="xdg">fonts</dir><dir>~/.fonts</dir></fontconfig>')
    with own_fonts_first(file):
        assert shown() == {root / "data" / "fonts" / "Noto.ttf"}


def test_without_fontconfig_the_usual_folders_are_gone_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = fonts(tmp_path, ".fonts/LiberationSans-Bold.ttf", ".local/share/fonts/Noto.ttf")
    monkeypatch.setenv("HOME", str(root))
    with own_fonts_first(tmp_path / "missing.conf"):
        assert root / ".local" / "share" / "fonts" / "Noto.ttf" in shown()


@pytest.mark.parametrize("names", [["dejavu/DejaVuSans.ttf"], []], ids=["not there", "no fonts"])
def test_nothing_changes_without_a_copy(names: list[str], tmp_path: Path) -> None:
    with own_fonts_first(system(tmp_path, str(fonts(tmp_path / "fonts", *names)))):
        assert CHOSEN not in os.environ


def test_nothing_changes_where_no_link_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    root = fonts(tmp_path / "fonts", "LiberationSans-Bold.ttf", "Noto.ttf")
    monkeypatch.setattr(Path, "symlink_to", full)
    with own_fonts_first(system(tmp_path, str(root))):
        assert CHOSEN not in os.environ


def test_a_file_that_the_user_names_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = fonts(tmp_path / "fonts", "liberation/LiberationSans-Bold.ttf", "noto/Noto.ttf")
    monkeypatch.setenv(CHOSEN, "/own/fonts.conf")
    with own_fonts_first(system(tmp_path, str(root))):
        assert os.environ[CHOSEN] == "/own/fonts.conf"
    assert os.environ[CHOSEN] == "/own/fonts.conf"


def test_a_chart_is_the_same_whatever_fonts_the_system_has(tmp_path: Path) -> None:
    none = {CHOSEN: str(system(tmp_path, str(tmp_path / "empty")))}
    drawn = {
        subprocess.run(
            [sys.executable, "-c", DRAWN], env={**os.environ, **added}, check=True, capture_output=True
        ).stdout
        for added in ({}, none)
    }
    assert len(drawn) == 1
