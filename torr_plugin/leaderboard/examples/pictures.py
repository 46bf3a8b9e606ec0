"""Pictures that models were shown, each once, under a name of ours."""

from __future__ import annotations

from hashlib import sha256

from ..files import DataFile

PNG = b"\x89PNG\r\n\x1a\n"


class Pictures:
    """Names for the pictures of a study; equal ones have one name."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._numbers: dict[bytes, int] = {}
        self._fresh: list[DataFile] = []

    def name(self, png: bytes) -> str | None:
        """The path of a picture on the site; None of what is no PNG, as a run from elsewhere may hold."""
        if not png.startswith(PNG):
            return None
        digest = sha256(png).digest()
        known = digest in self._numbers
        path = f"{self._folder}/{self._numbers.setdefault(digest, len(self._numbers))}.png"
        if not known:
            self._fresh.append(DataFile(path, png))
        return path

    def fresh(self) -> list[DataFile]:
        """Those that came since the last call."""
        found, self._fresh = self._fresh, []
        return found
