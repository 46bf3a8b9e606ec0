"""Reads JSON piece by piece: the members of an object, or the elements of a long list, one by one."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from ...core.errors import InputError
from .files import LONGEST_LINE, opened

_CHUNK = 1 << 20
_TAIL = 3  # characters of a number that is cut, as in 1e+, which are not taken for a part of it
_DECODER = json.JSONDecoder()
_BLANK = " \t\n\r"
_BLANKS = re.compile(r"[ \t\n\r]*")


Member: TypeAlias = "tuple[str | None, Any]"
"""A key and its value; of an element of a list None."""


def json_members(read: Callable[[int], bytes], where: str, long: str | None = None) -> Iterator[Member]:
    """The members of an object, or the elements of a list.

    Args:
        read: gives at most so many bytes; none at the end.
        where: for messages.
        long: a key whose value is a list; its elements come one by one, each under that key.

    Raises:
        InputError: this is no JSON, or one value is longer than :data:`.files.LONGEST_LINE`.
    """
    try:
        yield from _Text(read).parts(long)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # also bytes that are no text, nesting without end
        raise InputError(f"{where}: is not JSON that can be read: {str(error)[:120]}") from None


def members_of(path: Path, long: str | None = None) -> Iterator[Member]:
    """Those of a file.

    Raises:
        InputError: it is not there, too large, or damaged.
    """
    with opened(path) as file:
        yield from json_members(file.read, str(path), long)


class _Text:
    """The text from a place on, of which more is read where a value does not end in it."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read, self._decode = read, codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text, self._at, self._ended = "", 0, False

    def parts(self, long: str | None) -> Iterator[Member]:
        """Those of the whole, from its first character on."""
        if (first := self.next()) not in ("{", "["):
            raise ValueError("expected an object or a list")
        yield from self.members(long) if first == "{" else ((None, each) for each in self.elements())

    def next(self) -> str:
        """The next character but blanks, which is passed; empty at the end."""
        while True:
            found = self._text[self._at : self._at + 1]
            if found and found not in _BLANK:
                break
            if found:
                match = _BLANKS.match(self._text, self._at)
                self._at = match.end() if match else self._at
            elif not self._more():
                break
        self._at += 1
        return found

    def members(self, long: str | None) -> Iterator[Member]:
        """Those of an object whose brace is passed."""
        mark = self.next()
        while mark != "}":
            self._at -= 1
            key = self._value()
            if self.next() != ":" or not isinstance(key, str):
                raise ValueError("expected a key and a colon")
            start = self.next()
            if key == long and start == "[":
                yield from ((key, each) for each in self.elements())
            else:
                self._at -= 1
                yield key, self._value()
            if (mark := self.next()) == ",":
                mark = self.next()
            elif mark != "}":
                raise ValueError(f"expected a comma after {key!r}; the file may be cut")

    def elements(self) -> Iterator[Any]:
        """Those of a list whose bracket is passed."""
        mark = self.next()
        while mark != "]":
            self._at -= 1
            yield self._value()
            if (mark := self.next()) == ",":
                mark = self.next()
            elif mark != "]":
                raise ValueError("expected a comma in a list; the file may be cut")

    def _value(self) -> Any:
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except ValueError:
                if not self._more():
                    raise
            else:
                if end + _TAIL < len(self._text) or not self._more():  # a number may go on
                    self._at = end
                    return value

    def _more(self) -> bool:
        """Read as much again as there is; whether there was anything."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        if len(rest) > LONGEST_LINE:
            raise ValueError(f"a value is longer than {LONGEST_LINE:,} characters")
        data = self._read(max(_CHUNK, len(rest)))
        self._ended = not data
        self._text, self._at = rest + self._decode(data, self._ended), 0
        return True
