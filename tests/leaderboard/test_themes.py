"""Colours and themes: contrast, what a theme may hold, and what it replaces."""

from __future__ import annotations

import math
import re
from itertools import combinations
from operator import mul
from pathlib import Path

import pytest

from torr_plugin.analysis.charts.vega import GREY
from torr_plugin.analysis.figures.performance_robustness import TIER_COLOURS
from torr_plugin.core.errors import RunError
from torr_plugin.core.versions import shipped_folder
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.pages import overview
from torr_plugin.leaderboard.theming import find_theme, theme_names

from .conftest import Only
from .made import make_run

pytestmark = pytest.mark.full

TEXTS = ("ink", "soft", "link", "performance", "error")
GROUNDS = ("page", "card", "head")
ON = ("on-light",) * 5 + ("on-middle",) + ("on-dark",) * 3
"""The ink on each of the nine shades, as style.css has it."""


def tokens(style: Path) -> list[dict[str, str]]:
    """Of a style sheet, in light and in dark: name -> colour."""
    css = style.read_text(encoding="utf-8").partition("}")[0]
    found = re.findall(r"--([\w-]+): (?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));", css)
    return [{each[0]: each[place] or each[3] for each in found} for place in (1, 2)]


THEMES = shipped_folder("leaderboard") / "themes"
SHEETS = {name: tokens(THEMES / name / "theme.css") for name in theme_names()}
LIGHT, DARK = tokens(shipped_folder("leaderboard") / "assets" / "style.css")


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2, definition of relative luminance)."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, to be read only."""
    return make_run(tmp_path_factory.mktemp("themed") / "run")


@pytest.fixture(autouse=True)
def few_pages(only: Only) -> None:
    only(overview)


@pytest.mark.parametrize("theme", theme_names())
def test_headers_stay_opaque(theme: str) -> None:
    """Rows scroll under them."""
    css = (THEMES / theme / "theme.css").read_text()
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        if re.search(r"thead|\.sticky", selectors):
            assert not re.search(r"background(-color)?:\s*(none|transparent)", body), selectors


def test_two_themes_are_bundled() -> None:
    assert theme_names() == ["contrast", "paper"]


@pytest.mark.parametrize(("theme", "least"), [("contrast", 7.0), ("paper", 4.5)])
def test_bundled_themes_can_be_read_on_every_ground(theme: str, least: float) -> None:
    for tokens in SHEETS[theme]:
        low = {
            f"{text} on {ground}": contrast(tokens[text], tokens[ground])
            for text in TEXTS
            for ground in GROUNDS
            if contrast(tokens[text], tokens[ground]) < least
        }
        low |= {
            f"shade {at}": contrast(tokens[f"s{at}"], tokens[on])
            for at, on in enumerate(ON)
            if contrast(tokens[f"s{at}"], tokens[on]) < least
        }
        assert low == {}
        assert contrast(tokens["ink"], tokens["warn"]) >= least
        assert contrast(tokens["robustness"], tokens["card"]) >= 3


@pytest.mark.parametrize("theme", ["contrast", "paper"])
def test_bundled_themes_set_tokens_that_there_are(theme: str) -> None:
    light, dark = SHEETS[theme]
    assert set(light) == set(dark) <= set(LIGHT)


def test_a_theme_in_the_site(run: Path, tmp_path: Path) -> None:
    build_site([run], tmp_path / "plain", charts=False)
    build_site([run], tmp_path / "themed", theme="contrast", charts=False)
    plain, themed = ((tmp_path / name / "index.html").read_text() for name in ("plain", "themed"))
    assert "theme.css" not in plain
    assert themed.index("assets/style.css") < themed.index("assets/theme.css")
    shipped = shipped_folder("leaderboard") / "themes" / "contrast" / "theme.css"
    assert (tmp_path / "themed" / "assets" / "theme.css").read_bytes() == shipped.read_bytes()
    assert not (tmp_path / "plain" / "assets" / "theme.css").exists()


def test_a_folder_with_style_and_logo(tmp_path: Path) -> None:
    theme = tmp_path / "ours"
    theme.mkdir()
    (theme / "theme.css").write_text(":root { --link: #123456; }")
    (theme / "logo.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>'
    )
    run = make_run(tmp_path / "run", name="<b>bold</b>")
    build_site([run], tmp_path / "site", theme=theme, charts=False)
    page = (tmp_path / "site" / "index.html").read_text()
    assert (tmp_path / "site" / "assets" / "logo.svg").read_text().startswith("<svg")
    assert "assets/logo.svg" in page


def test_a_css_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    css = tmp_path / "ours.css"
    css.write_text("\ufeff:root { --link: #123456; }", encoding="utf-8")
    assert find_theme(css).css == ":root { --link: #123456; }"
    assert find_theme("ours.css") == find_theme(css)


@pytest.mark.parametrize(
    "css",
    [
        "@import 'other.css';",
        '@IMPORT url("other.css");',
        "body { background: url(https://example.org/a.png) }",
        "body { background: URL( 'picture.png' ) }",
        "body { background: url(data:text/html,x) }",
        "body { background: image-set('a.png' 1x) }",
        "@font-face { font-family: x; src: local(x) }",
        "/* a */ body { background: url(//example.org/x) } /* b */",
    ],
)
def test_a_style_that_would_fetch_is_refused(tmp_path: Path, css: str) -> None:
    (tmp_path / "bad.css").write_text(css)
    with pytest.raises(
        RunError, match=r"bad\.css: found .*; expected a style that fetches nothing"
    ) as raised:
        find_theme(tmp_path / "bad.css")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "css",
    [
        "/* @import and url(x) in a comment */ body { color: red }",
        "body { background: url(data:image/svg+xml;base64,AAAA) }",
        'body { background: url( "data:image/png;base64,AAAA" ) }',
    ],
)
def test_a_style_that_fetches_nothing_is_taken(tmp_path: Path, css: str) -> None:
    (tmp_path / "good.css").write_text(css)
    assert find_theme(tmp_path / "good.css").css == css


def test_what_is_no_theme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "theme.txt").write_text("")
    (tmp_path / "latin.css").write_bytes(b"a\xff")
    for name, said in (
        (
            "contrst",
            "theme: found 'contrst', which is neither a bundled theme nor a folder or CSS file; "
            "did you mean 'contrast'?",
        ),
        ("empty", "empty: theme: the folder has neither theme.css nor logo.svg; expected one"),
        ("theme.txt", "theme.txt: theme: found a file *.txt; expected a CSS file or a folder"),
        ("latin.css", "latin.css: not UTF-8 (byte 1); expected a text that is saved as UTF-8"),
    ):
        with pytest.raises(RunError) as raised:
            find_theme(name)
        assert said in str(raised.value)


def test_nothing_is_written_where_the_theme_is_wrong(run: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="neither a bundled theme"):
        build_site([run], tmp_path / "site", theme="nothing", charts=False)
    assert not (tmp_path / "site").exists()


def test_white_on_black_is_21_to_1() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # the well-known grey that fails


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(theme: dict[str, str]) -> None:
    """4.5 to 1 (WCAG 2.2, criterion 1.4.3)."""
    for ink in ("ink", "soft", "link", "error"):
        for ground in ("page", "card", "head"):
            assert contrast(theme[ink], theme[ground]) >= 4.5, (ink, ground)
    for ground in ("s0", "s1", "s2", "s3", "s4"):
        assert contrast(theme["on-light"], theme[ground]) >= 4.5, ground
    assert contrast(theme["ink"], theme["warn"]) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_drawn_marks_can_be_seen_and_distinguished(theme: dict[str, str]) -> None:
    """3 to 1 against the ground (WCAG 2.2, criterion 1.4.11)."""
    marks = theme["performance"], theme["robustness"]
    assert min(contrast(colour, theme["card"]) for colour in marks) >= 3
    assert apart(*marks) >= 15


# how eyes without one kind of cone see: Machado, Oliveira and Fernandes, 2009, in linear RGB
SIGHTS = (
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
)
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))


def apart(first: str, second: str) -> float:
    """How different two colours look (CIE 1976) to the eyes for which they differ least."""

    def seen(colour: str, sight: tuple[tuple[float, ...], ...]) -> list[float]:
        channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        light = [min(max(sum(map(mul, row, linear)), 0), 1) for row in sight]
        x, y, z = (
            value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
            for value in (
                sum(map(mul, row, light)) / white
                for row, white in zip(TO_XYZ, (0.9505, 1, 1.089), strict=True)
            )
        )
        return [116 * y - 16, 500 * (x - y), 200 * (y - z)]

    return min(math.dist(seen(first, sight), seen(second, sight)) for sight in SIGHTS)


def test_the_drawn_tiers_are_on_paper_what_they_are_on_a_page() -> None:
    assert min(contrast(colour, "#ffffff") for colour in TIER_COLOURS) >= 3
    assert min(apart(*pair) for pair in combinations((*TIER_COLOURS, GREY), 2)) >= 15
