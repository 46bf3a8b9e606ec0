"""The word tokens of spaCy's English tokenizer, which is made of rules alone, without spaCy's 190 MB.

``english_tokens.json`` has spaCy's rules, as version 3.8 compiles them for a blank English pipeline, under
spaCy's licence, which stands in the file. ``python -m tests.scoring.english_rules`` writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path

_RULES = Path(__file__).with_suffix(".json")


class EnglishTokenizer:
    """Takes a text apart as ``spacy.blank("en").tokenizer`` does.

    A stretch without white space that has a special case (``don't``, ``U.S.``) is that case. From any other,
    prefixes and suffixes are split until nothing is left to split, a special case or a web address remains;
    what is left is split at infixes. At last, tokens in a row that spell a special case with affixes in it
    (``:-)``) become that case.

    Attributes:
        specials: text -> its tokens.
    """

    def __init__(self) -> None:
        rules = json.loads(_RULES.read_text(encoding="utf-8"))
        self.specials: dict[str, list[str]] = rules["specials"]
        self._prefix, self._suffix, self._infix, self._url = (
            re.compile(rules[name]) for name in ("prefix", "suffix", "infix", "url")
        )
        self._stretch = lru_cache(maxsize=65_536)(self._tokens_of_stretch)

    def __call__(self, text: str) -> list[str]:
        """The tokens of a text; white space other than a blank between two others is a token too."""
        tokens, blanks = self._split(text, specials=True)
        return self._joined(tokens, blanks)

    def _split(self, text: str, *, specials: bool) -> tuple[list[str], list[bool]]:
        """The tokens of all stretches, and whether a blank follows each."""
        tokens, blanks = list[str](), list[bool]()
        for is_space, signs in groupby(text, str.isspace):
            stretch = "".join(signs)
            if is_space and tokens and stretch[0] == " ":
                blanks[-1], stretch = True, stretch[1:]
            found = self._stretch(stretch, specials) if stretch else ()
            tokens += found
            blanks += [False] * len(found)
        return tokens, blanks

    def _tokens_of_stretch(self, stretch: str, specials: bool) -> Sequence[str]:
        known = self.specials if specials else dict[str, list[str]]()
        if stretch in known:
            return known[stretch]
        prefixes, rest, suffixes = self._without_affixes(stretch, known)
        return [*prefixes, *(known.get(rest) or self._at_infixes(rest)), *reversed(suffixes)]

    def _without_affixes(self, text: str, known: dict[str, list[str]]) -> tuple[list[str], str, list[str]]:
        """The prefixes of a stretch, what is left between, and its suffixes, the outermost first."""
        prefixes, suffixes = list[str](), list[str]()
        length = 0
        while text and len(text) != length and text not in known:
            length = len(text)
            found = self._prefix.search(text)
            before = found.end() - found.start() if found else 0
            if before and text[before:] in known:
                prefixes.append(text[:before])
                text = text[before:]
                break
            found = self._suffix.search(text[before:])
            after = found.end() - found.start() if found else 0
            if after and text[:-after] in known:
                suffixes.append(text[-after:])
                text = text[:-after]
                break
            both = before and after and before + after <= len(text)
            if before:
                prefixes.append(text[:before])
            if both or (after and not before):
                suffixes.append(text[-after:])
                text = text[before:-after]
            elif before:
                text = text[before:]
        return prefixes, text, suffixes

    def _at_infixes(self, text: str) -> Iterator[str]:
        if not text:
            return
        if self._url.match(text):
            yield text
            return
        start = 0
        for found in self._infix.finditer(text):
            if found.start() == 0:
                continue
            if found.start() != start:
                yield text[start : found.start()]
            if found[0]:
                yield found[0]
            start = found.end()
        if text[start:]:
            yield text[start:]

    @cached_property
    def _in_a_row(self) -> dict[str, list[tuple[str, ...]]]:
        """First token -> the tokens that special cases with affixes are otherwise split into."""
        found = dict[str, list[tuple[str, ...]]]()
        affixes = self._prefix, self._suffix, self._infix, re.compile(" ")
        for text in self.specials:
            if any(affix.search(text) for affix in affixes):
                tokens, _ = self._split(text, specials=False)
                found.setdefault(tokens[0], []).append(tuple(tokens))
        return found

    def _joined(self, tokens: list[str], blanks: list[bool]) -> list[str]:
        """The tokens with special cases in place of those in a row that spell one: the longest counts."""
        spans = {
            (len(row), -start)
            for start, token in enumerate(tokens)
            for row in self._in_a_row.get(token, ())
            if tuple(tokens[start : start + len(row)]) == row
        }
        chosen, seen = dict[int, int](), set[int]()
        for length, start in sorted(spans, reverse=True):
            places = range(-start, -start + length)
            if places[0] not in seen and places[-1] not in seen:
                chosen[places[0]] = length
            seen.update(places)  # also of one that is not taken, as spaCy has it
        for start in sorted(chosen, reverse=True):
            end = start + chosen[start]
            text = "".join(tokens[at] + " " * blanks[at] for at in range(start, end - 1)) + tokens[end - 1]
            tokens[start:end] = self.specials.get(text, tokens[start:end])
        return tokens
