"""Reads a question back: which cells does the sentence select?

Made from the template's text by regular expressions alone, and so apart from the code that says sentences. A
phrase is a condition on every attribute that it names; a cell is selected if one of the phrases holds.
"""

from __future__ import annotations

import itertools
import re

from .grid_oracle import Cell

_PLACES = {
    "EXPR": r"(?:total|average|minimum|maximum)(?: and (?:total|average|minimum|maximum))?",
    "TOPK": r"\d+",
    "ORDERBYDESC": "ordered by",
    "OPATTR": r".+?",
    "OPANDVAL": r"(?:greater|lower) than -?[\d.]+",
}


class SentenceReader:
    """Reads the sentences of one template on one table.

    A value of two attributes (one that has none below it stands again there) is read as the inner one's, or
    as the outer one's with ``outermost``.
    """

    def __init__(self, text: str, table: list[Cell], *, outermost: bool = False) -> None:
        self.names = [name for name in table[0] if name != "Value"]
        self.table = table
        self.values = {
            name: sorted({str(cell[name]) for cell in table}, key=len, reverse=True) for name in self.names
        }
        for name, outer in itertools.combinations(reversed(self.names), 2) if outermost else ():
            self.values[name] = [value for value in self.values[name] if value not in self.values[outer]]
        named = "(?:" + "|".join(name.replace("_", ".") for name in self.names) + ")"
        self.places = _PLACES | {"GROUPBY": f"for each {named}(?:, {named})*(?:,? and {named})?,"}
        chunks = text.removesuffix("?").split()
        groups = [index for index, chunk in enumerate(chunks) if self._is_group(chunk)]
        self.head = [self._fixed(chunk) for chunk in chunks[: groups[0]]]
        self.zone = [(self._is_group(chunk), chunk) for chunk in chunks[groups[0] : groups[-1] + 1]]
        self.tail = [self._fixed(chunk) for chunk in chunks[groups[-1] + 1 :]]

    def read(self, sentence: str) -> list[dict[str, list[str]]]:
        """The phrases of a sentence: for each attribute named, its values."""
        sentence = sentence.split("?")[0] + " "
        head = re.match("".join(self.head), sentence)
        assert head, (sentence, self.head)
        rest, found = self._phrase(sentence[head.end() :], first=True)
        phrases = [found]
        tail = "".join(self.tail) + "$"
        while not re.match(tail, rest):
            separator = re.match(r"(?:, or |, |or )", rest) or re.match(r" ?(?:, or |, |or )", rest)
            assert separator, (sentence, rest)
            rest, found = self._phrase(rest[separator.end() :], first=False)
            phrases.append(found)
        return phrases

    def cells(self, sentence: str) -> list[Cell]:
        """The cells that the sentence selects."""
        phrases = self.read(sentence)
        return [
            cell
            for cell in self.table
            if any(all(cell[name] in values for name, values in phrase.items()) for phrase in phrases)
        ]

    def _phrase(self, text: str, *, first: bool) -> tuple[str, dict[str, list[str]]]:
        found: dict[str, list[str]] = {}
        for is_group, chunk in self.zone:
            if not is_group:
                if first:
                    match = re.match(self._fixed(chunk), text)
                    assert match, (text, chunk)
                    text = text[match.end() :]
                continue
            match = re.match(self._group(chunk), text)
            if match and any(match.groupdict().values()):
                text = text[match.end() :]
                found |= {
                    name: self._listed(name, values) for name, values in match.groupdict().items() if values
                }
        assert found, text
        return text, found

    def _listed(self, name: str, text: str) -> list[str]:
        return re.findall("|".join(map(re.escape, self.values[name])), text)

    def _attribute(self, text: str) -> str | None:
        fits = [name for name in self.names if text.lower().startswith(name.lower())]
        return max(fits, key=len) if fits else None

    def _is_group(self, chunk: str) -> bool:
        return "$" in chunk and any(self._attribute(part) for part in chunk.split("$")[1:])

    def _group(self, chunk: str) -> str:
        """A pattern for a group: its words, and each attribute's values with the words glued to it."""
        parts: list[str] = []
        for part in chunk.split("__"):
            if "$" not in part:
                parts.append(re.escape(part.replace("_", " ")) + r"(?=[ ,]) ?")
                continue
            pieces = part.split("==")
            for index, piece in enumerate(pieces):
                if index % 2:
                    following = self._attribute(pieces[index + 1].partition("$")[2])
                    joiner = re.escape(piece.replace("_", " "))
                    parts.append(f"(?: ?{joiner} ?(?={self._one(following)}))?" if following else "")
                else:
                    parts.append(self._slot(piece))
        return "".join(parts)

    def _slot(self, piece: str) -> str:
        before, _, rest = piece.partition("$")
        name = self._attribute(rest)
        if name is None:
            return ""
        one = self._one(name)
        listed = rf"{one}(?:, {one})*(?:,? or {one})?(?=[ ,])"
        lead = re.escape(before.replace("_", " ").strip())
        after = re.escape(rest[len(name) :].replace("_", " ").strip())
        return (
            f"(?:{lead + ' ' if lead else ''}(?P<{name}>{listed}) ?{after + '(?=[ ,]) ?' if after else ''})?"
        )

    def _one(self, name: str) -> str:
        return "(?:" + "|".join(map(re.escape, self.values[name] or ["\0"])) + ")"

    def _fixed(self, chunk: str) -> str:
        if "((" in chunk:
            return f"(?:{re.escape(re.sub('[()]', '', chunk).replace('_', ' '))} )?"
        place = re.search(r"\$([A-Z]+)", chunk)
        if place and place[1] in self.places:
            glued = chunk.replace(f"${place[1]}", "\0").split("_")
            return (
                " ".join(self.places[place[1]] if word == "\0" else self._choice(word) for word in glued)
                + " "
            )
        return "" if "$" in chunk else re.escape(chunk.replace("_", " ")) + " "

    def _choice(self, word: str) -> str:
        return "(?:" + "|".join(map(re.escape, re.split("//?", word))) + ")"
