"""The colours: enough contrast in both themes, and dark said twice alike."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pytest

from torr_plugin.core.shipped import folder

STYLE = (folder("leaderboard") / "assets" / "style.css").read_text(encoding="utf-8")
BLOCKS = re.findall(r":root[^{}]*\{([^{}]*--page[^{}]*)\}", STYLE)


def tokens(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+):\s*([^;]+);", block))


LIGHT, BY_SYSTEM, CHOSEN = (tokens(block) for block in BLOCKS[:3])


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2, definition of relative luminance)."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def test_white_on_black_is_21_to_1() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)


def test_dark_is_the_same_by_the_system_and_by_choice() -> None:
    assert BY_SYSTEM == CHOSEN
    assert set(LIGHT) == set(CHOSEN)


@pytest.mark.parametrize("theme", [LIGHT, CHOSEN], ids=["light", "dark"])
def test_text_can_be_read(theme: dict[str, str]) -> None:
    """4.5 to 1 (WCAG 2.2, criterion 1.4.3)."""
    for ink in ("ink", "soft", "link", "error"):
        for ground in ("page", "card", "head"):
            assert contrast(theme[ink], theme[ground]) >= 4.5, (ink, ground)
    for ground in ("s0", "s1", "s2", "s3", "s4"):
        assert contrast(theme["on-light"], theme[ground]) >= 4.5, ground
    assert contrast(theme["ink"], theme["warn"]) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, CHOSEN], ids=["light", "dark"])
def test_marks_of_charts_can_be_seen_and_told_apart(theme: dict[str, str]) -> None:
    """3 to 1 against the ground (WCAG 2.2, criterion 1.4.11)."""
    series = [theme[f"series-{number}"] for number in range(1, 9)]
    for colour in [*series, theme["performance"], theme["robustness"]]:
        assert contrast(colour, theme["card"]) >= 3, colour
    for first, second in combinations(series, 2):
        for kind, seen in VISION.items():
            assert distance(shown(first, seen), shown(second, seen)) >= 0.07, (first, second, kind)


# Machado, Oliveira and Fernandes 2009 (IEEE TVCG 15), severity 1: protanopia, deuteranopia, tritanopia
VISION = {
    "all": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
Three = tuple[float, float, float]


def shown(colour: str, seen: tuple[Three, ...]) -> Three:
    """The colour as that kind of eye sees it, in Oklab (Ottosson 2020), where distances are differences."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * value for weight, value in zip(row, linear, strict=True))))
        for row in seen
    )
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def distance(first: Three, second: Three) -> float:
    return math.dist(first, second)
