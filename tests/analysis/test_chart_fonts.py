"""Which fonts charts are drawn with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torr_plugin.analysis.charts.fonts import own_fonts_first, without_liberation

CHOSEN = "FONTCONFIG_FILE"

DRAWN = """
import hashlib
from torr_plugin.analysis.charts import to_pdf, to_png, to_svg
svg = to_svg({"data": {"values": [{"name": "gpt-4o: Größe"}]}, "mark": "text",
              "encoding": {"text": {"field": "name"}}, "config": {"font": "Liberation Sans"}})
print(hashlib.sha256(svg.encode() + to_png(svg) + to_pdf(svg)).hexdigest())
"""


def fonts(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def system(folder: Path, named: str) -> Path:
    file = folder / "system.conf"
    file.write_text(f"<fontconfig>\n\t<dir>{named}</dir>\n</fontconfig>\n", encoding="utf-8")
    return file


def test_the_systems_liberation_is_hidden_and_the_rest_stays(tmp_path: Path) -> None:
    root = fonts(tmp_path / "fonts & more", "truetype/dejavu/DejaVuSans.ttf", "cjk/Noto.ttc", "icons.svg")
    fonts(root, "truetype/liberation/LiberationSans-Bold.ttf", "truetype/liberation/LiberationMono-Bold.ttf")
    with own_fonts_first(system(tmp_path, str(root).replace("&", "&amp;"))):
        shown = Path(os.environ[CHOSEN]).read_text(encoding="utf-8").replace("&amp;", "&")
    assert CHOSEN not in os.environ
    for kept in ("truetype/dejavu", "cjk"):
        assert f"<dir>{root / kept}</dir>" in shown
    assert "truetype/liberation" not in shown


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["LiberationSans-Bold.ttf", "Noto.ttf"], id="among others"),
        pytest.param(["dejavu/DejaVuSans.ttf"], id="not there"),
        pytest.param([], id="no fonts"),
    ],
)
def test_folders_stay_as_they_are(names: list[str], tmp_path: Path) -> None:
    root = fonts(tmp_path, *names)
    assert without_liberation(root) == [root]
    with own_fonts_first(system(tmp_path, str(root))):
        assert CHOSEN not in os.environ


def test_a_file_that_the_user_names_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = fonts(tmp_path / "fonts", "liberation/LiberationSans-Bold.ttf", "noto/Noto.ttf")
    monkeypatch.setenv(CHOSEN, "/own/fonts.conf")
    with own_fonts_first(system(tmp_path, str(root))):
        assert os.environ[CHOSEN] == "/own/fonts.conf"


def test_without_fontconfig_nothing_changes(tmp_path: Path) -> None:
    with own_fonts_first(tmp_path / "missing.conf"):
        assert CHOSEN not in os.environ


def test_a_chart_is_the_same_whatever_fonts_the_system_has(tmp_path: Path) -> None:
    none = {CHOSEN: str(system(tmp_path, str(tmp_path / "empty")))}
    drawn = {
        subprocess.run(
            [sys.executable, "-c", DRAWN], env={**os.environ, **added}, check=True, capture_output=True
        ).stdout
        for added in ({}, none)
    }
    assert len(drawn) == 1
