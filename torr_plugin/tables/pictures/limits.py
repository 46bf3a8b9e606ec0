"""How large a picture may be so that a model sees it as it is drawn, and how small its text."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...core.errors import InputError

TEXT = 10.0
"""The size of text in points; a layout is in points, and a resolution makes pixels of them."""

_ROUNDING = 0.998  # a side is a whole number of pixels

NARROWEST = 34
"""The least longest side, in sizes of text: no column is wider, nor a title's lines."""

COMFORTABLE = 20
"""Pixels of the size of text where a picture has room."""


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """What models with vision take without scaling a picture down, which makes small text unreadable.

    Such models scale a larger picture down before they look at it: Claude one with a side above 1568 pixels
    or more than about 1.15 million pixels, GPT-4.1 mini and later ones what is beyond about 1.5 million, open
    models what is beyond their largest grid of patches. The defaults fit these. GPT-4o scales the short side
    to 768 pixels, so that it takes ``longest_side=768``.

    Attributes:
        longest_side: pixels of a picture's longer side, 34 times ``least_text`` to 20,000.
        most_pixels: pixels of a picture, width times height, 40,000 to 100 million.
        least_text: the smallest size of text in pixels, 6 to 40. At 14 a digit is 9 pixels high, and a patch
            of 14 pixels, usual in vision transformers, holds no more than two characters.
        most_pictures: pictures of one table, 1 to 1000; a table that takes more is refused. A picture costs a
            model about 1,500 tokens.
    """

    longest_side: int = 1568
    most_pixels: int = 1_150_000
    least_text: int = 14
    most_pictures: int = 16

    def __post_init__(self) -> None:
        for name, low, high in (
            ("least_text", 6, 40),
            ("longest_side", NARROWEST * self.least_text, 20_000),
            ("most_pixels", 40_000, 100_000_000),
            ("most_pictures", 1, 1000),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise InputError(f"pictures: {name} is {value}; expected {low} to {high}")

    @property
    def words(self) -> str:
        """The limits of a picture, for messages."""
        return (
            f"pictures of at most {self.longest_side} pixels a side and {self.most_pixels:,} in all, "
            f"with text of {self.least_text} pixels"
        )

    @property
    def largest_page(self) -> tuple[float, float]:
        """The longest side in points and the largest area in square points, at the smallest text."""
        scale = self.least_text / TEXT
        return self.longest_side / scale, self.most_pixels / scale**2

    def holds(self, width: float, height: float) -> bool:
        """Whether a page of so many points fits, with text no smaller than allowed."""
        scale = self.least_text / TEXT
        pixels = math.ceil(width * scale), math.ceil(height * scale)
        return max(pixels) <= self.longest_side and math.prod(pixels) <= self.most_pixels

    @property
    def least_ppi(self) -> float:
        """The resolution of the smallest text, in pixels per inch."""
        return 72 * self.least_text / TEXT

    def ppi(self, width: float, height: float) -> float:
        """The resolution of a page that fits, in pixels per inch: the largest one, up to comfortable text."""
        most = 72 * COMFORTABLE / TEXT
        fitting = min(self.longest_side / max(width, height), math.sqrt(self.most_pixels / (width * height)))
        return max(self.least_ppi, min(most, 72 * fitting * _ROUNDING))
