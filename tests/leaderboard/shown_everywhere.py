"""One study as everyone sees it, for tests that compare what is said in several places."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from bs4.element import Tag


@dataclass(frozen=True)
class StudyEverywhere:
    """What the terminal printed, the command's files, and the site."""

    terminal: str
    files: Path
    site: Path

    @cached_property
    def analysis(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.files / "analysis.json").read_text(encoding="utf-8"))
        return found

    @property
    def data(self) -> Path:
        (found,) = self.site.glob("data/*")
        return found

    def page(self, name: str) -> BeautifulSoup:
        (found,) = (*self.site.glob(f"*/{name}.html"), *self.site.glob(f"{name}.html"))
        return BeautifulSoup(found.read_text(encoding="utf-8"), "html.parser")


def words(element: Tag | None) -> str:
    """What one reads; a name may be broken anywhere."""
    assert element is not None
    return " ".join(element.get_text().split())
