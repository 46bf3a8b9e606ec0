"""Texts of files in whatever encoding a spreadsheet program gave them.

In: bytes. Out: the text, and its encoding: by its byte order mark, else UTF-8, else detected.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from pathlib import Path

import charset_normalizer

from ..core.errors import DataError, counted

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8 = ("utf-8-sig", "utf-8")
_WESTERN = "cp1252"
# what else files of tables are in; detection among all encodings takes short Western texts for rare ones
_OTHERS = ("cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp932", "gb18030", "big5", "euc_kr", "euc_jp")
_FEW_LETTERS = re.compile(rb"[\x80-\xff]{4}")
_LETTERS_OF_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
_ASCII = bytes(range(128))
_MOST = 200_000  # bytes that are looked at
_NAMES = {"cp1252": "Windows-1252 (Latin-1)", "utf_16_le": "UTF-16", "utf_16_be": "UTF-16"}
_WORD = re.compile(r"""[^\s,;"|]*[^\x00-\x7f][^\s,;"|]*""")


class TextFiles:
    """Reads files of text, and remembers which were not in UTF-8.

    Args:
        encoding: of all files, as Python names it; None to detect it.

    Raises:
        DataError: no such encoding.
    """

    def __init__(self, encoding: str | None = None) -> None:
        self._named = encoding
        if encoding is not None:
            try:
                "a".encode(encoding)  # which "hex" and others between bytes do not
                encoding = codecs.lookup(encoding).name
            except (LookupError, UnicodeError):
                raise DataError(
                    f"--encoding: found {encoding!r}; expected one such as utf-8, latin-1, cp1250, utf-16"
                ) from None
        self._encoding = "utf-8-sig" if encoding == "utf-8" else encoding
        self._detected: dict[tuple[str, str], list[Path]] = {}

    def read(self, path: Path) -> str:
        """The text of a file.

        Raises:
            DataError: the file cannot be read, or is in another encoding.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from None
        encoding = self._encoding or detected_encoding(data)
        try:
            text = data.decode(encoding)
        except (UnicodeError, ValueError) as error:
            reason = "it is not text"
            if isinstance(error, UnicodeDecodeError) and encoding in _UTF8:
                reason = f"most of it is UTF-8, but not byte {error.start}"
            raise self._unreadable(path, reason) from None
        if "\0" in text and encoding not in _UTF8:  # pictures and old workbooks are letters in UTF-16 too
            raise self._unreadable(path, "it is not text")
        if self._encoding is None and encoding not in _UTF8:
            name = _NAMES.get(encoding, encoding.upper().replace("_", "-"))
            sample = _WORD.search(text) if not encoding.startswith("utf") else None
            self._detected.setdefault((name, sample[0][:30] if sample else ""), []).append(path)
        return text

    def _unreadable(self, path: Path, reason: str) -> DataError:
        why = f"--encoding {self._named} does not fit" if self._named else reason
        return DataError(f"{path}: cannot be read: {why}; expected CSV in UTF-8, or its --encoding")

    def notes(self) -> tuple[str, ...]:
        """A line for each encoding that was detected: of which files, with a word to check it by."""
        samples: dict[str, list[str]] = {}
        files: dict[str, list[Path]] = {}
        for (name, sample), paths in self._detected.items():
            samples.setdefault(name, []).append(sample)
            files.setdefault(name, []).extend(paths)
        return tuple(_note(name, files[name], next(filter(None, samples[name]), "")) for name in files)


def _note(encoding: str, files: Sequence[Path], sample: str) -> str:
    several = len(files) - 1
    others = f" and {counted(several, 'other file')}" if several else ""
    check = f", e.g. {sample!r}; if that is wrong, name the --encoding" if sample else ""
    return f"{files[0]}{others}: not UTF-8; read as {encoding}{check}"


def detected_encoding(data: bytes) -> str:
    """The encoding of a text: by its byte order mark, its zero bytes (UTF-16), UTF-8 if it fits, or a guess.

    Where only a few letters are not ASCII, as in most European languages, the guess is Windows-1252, of
    which Latin-1 is a part; other scripts are told from each other by charset-normalizer. UTF-8 with a few
    damaged letters stays UTF-8, which cannot be read then.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    sample = data[:_MOST]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    utf16 = "utf_16_le" if odd >= even else "utf_16_be"
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return utf16 if even + odd else _guessed(data, error.start)
    # of ASCII in UTF-16 every other byte is zero; a few zeros came in by mistake
    return utf16 if (even + odd) * 8 > len(sample) else "utf-8"


def _whole_lines(data: bytes, place: int) -> bytes:
    """Lines from that of a place on: part of a character would rule its encoding out."""
    lines = data[data.rfind(b"\n", 0, place) + 1 :]
    end = lines.rfind(b"\n", 0, _MOST) if len(lines) > _MOST else len(lines)
    return lines[: end if end > 0 else _MOST]


def _guessed(data: bytes, place: int) -> str:
    """The encoding of a text that is not UTF-8 from a place on."""
    around = data[max(0, place - _MOST) : place + _MOST]
    letters = sum(map(len, _LETTERS_OF_UTF8.findall(around)))
    if 2 * letters > len(around.translate(None, _ASCII)):
        return "utf-8"
    lines = _whole_lines(data, place)
    if _FEW_LETTERS.search(lines):
        found = charset_normalizer.from_bytes(lines, cp_isolation=[_WESTERN, *_OTHERS])
        names = [each.encoding for each in found]
        if names and _WESTERN not in names:
            return names[0]
    return _WESTERN
