"""Texts of files in whatever encoding a spreadsheet program gave them.

In: bytes. Out: the text, and its encoding: by its byte order mark, else UTF-8, else what an HTML page says of
itself, else detected.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import charset_normalizer

from ..core.errors import DataError
from ..tables.serializers.html_tree import declared_encoding

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WESTERN = "cp1252"
# what else files of tables are in; detection among all encodings takes short Western texts for rare ones
_OTHERS = ("cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp932", "gb18030", "big5", "euc_kr", "euc_jp")
_FEW_LETTERS = re.compile(rb"[\x80-\xff]{4}")
_MOST = 200_000  # bytes that are looked at
MOST_BYTES = 100_000_000
PAGES = (".html", ".htm")


class TextFiles:
    """Reads files of text, and remembers which were not in UTF-8.

    Args:
        encoding: of all files, as Python names it; None to detect it.

    Raises:
        DataError: no such encoding.
    """

    def __init__(self, encoding: str | None = None) -> None:
        self._encoding = encoding
        self._detected: dict[str, list[str]] = {}
        try:
            "a".encode(encoding or "utf-8")  # which "hex" and others between bytes do not
        except (LookupError, UnicodeError):
            raise DataError(
                f"--encoding: found {encoding!r}; expected one such as utf-8, latin-1, cp1250, utf-16"
            ) from None

    def read(self, path: Path) -> str:
        """The text of a file.

        Raises:
            DataError: the file cannot be read, is larger than 100 MB, or is in another encoding.
        """
        try:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from None
        if len(data) > MOST_BYTES:
            raise DataError(f"{path}: the file is too large; expected at most {MOST_BYTES} bytes")
        encoding = self._encoding or detected_encoding(data)
        is_page = path.suffix.lower() in PAGES and not encoding.startswith("utf-")
        declared = declared_encoding(data) if is_page and self._encoding is None else None
        encoding = declared or encoding
        try:
            text = data.decode(encoding).removeprefix("\ufeff")
        except (UnicodeError, ValueError):
            text = "\0"
        if "\0" in text:  # pictures and old workbooks are letters in other encodings
            why = f"--encoding {self._encoding} does not fit" if self._encoding else "it is not text"
            raise DataError(f"{path}: cannot be read: {why}; expected CSV in UTF-8, or its --encoding")
        if self._encoding is None and not declared and not encoding.startswith("utf-8"):
            word = re.search(r"\w{0,20}[^\W\x00-\x7f]\w{0,20}", text)
            example = f" ({word[0]!r})" if word else ""
            self._detected.setdefault(encoding, []).append(f"{path}{example}")
        return text

    def notes(self) -> tuple[str, ...]:
        """A line for each encoding that was detected: of which files."""
        return tuple(
            f"{', '.join(files)}: not UTF-8; read as {encoding}; if that is wrong, name the --encoding"
            for encoding, files in self._detected.items()
        )


def detected_encoding(data: bytes) -> str:
    """The encoding of a text: by its byte order mark, UTF-8 if it fits, or a guess.

    Where only a few letters are not ASCII, as in most European languages, the guess is Windows-1252, of
    which Latin-1 is a part; other scripts are told from each other by charset-normalizer.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    try:
        data.decode()
    except UnicodeDecodeError as error:
        lines = data[data.rfind(b"\n", 0, error.start) + 1 :]
    else:
        return "utf-8"
    text = data.decode("utf-8", "replace")
    if sum(sign > "\x7f" for sign in text) > 2 * text.count("\ufffd"):  # damaged UTF-8, which cannot be read
        return "utf-8"
    # whole lines: part of a character would rule its encoding out
    lines = lines if len(lines) <= _MOST else lines[: max(lines.rfind(b"\n", 0, _MOST), 0) or _MOST]
    if _FEW_LETTERS.search(lines):
        found = charset_normalizer.from_bytes(lines, cp_isolation=[_WESTERN, *_OTHERS])
        names = [each.encoding for each in found]
        if names and _WESTERN not in names:
            return names[0]
    return _WESTERN
