# ruff: noqa: RUF001 (typographic quotation marks are read as what they look like)
"""Words that introduce an answer, or say where it stands, as models write them round sizes, places and cells.

In: what a model wrote. Out: the same without these. All functions take linear time, and leave alone what they
do not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NOUNS = """
answer answers cell cells column columns col cols content contents coordinate coordinates count counts data
entry entries field header headers heading index indices item items label line list location locations name
names number numbers output place places position positions result row rows size table tables text title
value values
"""
_OTHERS = """
a above according after all an and any as at based be begin beginning begins being below body bottom by can
certainly correct course counted counting down each end ending exactly final first following for found from
given have here in it its last left located looking merged multiple of ok okay on one ones order provided
question requested respectively right several shown so spanning start starting sure that the their then there
therefore these they this those thus to top total up we where which with within you your
"""
_VERBS = """
are called contain contains equals has hold holds is labeled labelled named read reads say says show shows
span spans stand stands was were
"""
VERBS = frozenset(_VERBS.split())
VOCABULARY = frozenset(f"{_NOUNS} {_OTHERS} {_VERBS}".split())
"""The words of sentences around an answer. None of them says no, or that the answer may be another one."""

_DENIALS = """
adjacent another either except hardly maybe neither never next no non none nor not other perhaps previous
second unlike wrong
"""
_NO_NAME = frozenset(_DENIALS.split())
_LEAD_TOKEN = re.compile(
    r"(?P<place>r\d{1,4} ?c\d{1,4}\b|[(\[]\d{1,4}, ?\d{1,4}[)\]])|['’]s\b|[^\W\d_]+|\d{1,9}"
    r"""|["“”][^"“”\n]{1,100}["“”]|[:=]|\s+|[(),.!'’_*-]""",
    re.IGNORECASE,
)
_NAMED_COLUMN = re.compile(r"(?i)(?:the|of|in|for|under) ((?:[^\s|:;,.]{1,40} ){1,5})(?=columns?\b)")
_MOST_LEAD_TOKENS = 80
_LONGEST_TAIL = 200


def after_lead_ins(text: str) -> Iterator[tuple[str, str]]:
    """The words that may introduce an answer, with what follows: ``The answer is``, ``9 | 4``.

    Each split after a colon or a verb is given, as long as all words before it are of the vocabulary. Numbers
    are among them after a word such as ``row``, and a column may be named.
    """
    at = 0
    numbered = False
    for _ in range(_MOST_LEAD_TOKENS):
        token = _LEAD_TOKEN.match(text, at)
        if token is None:
            return
        word = token[0].casefold()
        if word.isdigit() and not numbered:
            return
        if word[0].isalpha() and not token["place"]:
            named = _NAMED_COLUMN.match(text, at)
            if named and _NO_NAME.isdisjoint(named[1].casefold().split()):
                at, numbered = named.end(), False
                continue
            if word not in VOCABULARY:
                return
            numbered = word in _NUMBERED or (numbered and word in _BETWEEN)
        at = token.end()
        if word in VERBS or word in ":=":
            yield text[:at], text[at:].strip()


_NUMBERED = frozenset(
    ("cell", "col", "cols", "column", "columns", "index", "line", "position", "row", "rows")
)
_BETWEEN = frozenset(("and", "at", "in", "index", "number"))


def without_tail(text: str) -> Iterator[str]:
    """The text before words that only say where or what it is: ``Oslo`` of ``Oslo is in row 4, column 2``."""
    start = max(0, len(text) - _LONGEST_TAIL)
    for tail in re.finditer(r"(?i) (?=(?:is|are|stands?|can be found) )| \((?=[^()]*\)\.?$)", text[start:]):
        before, rest = text[: start + tail.start()], text[start + tail.end() :]
        if before.strip() and is_of_vocabulary(rest):
            yield before


def is_of_vocabulary(text: str) -> bool:
    """Whether all words are of the vocabulary, and numbers follow a word such as ``row``."""
    words = re.findall(r"[^\W_]+", text.casefold())
    numbered = False
    for word in words:
        if word.isdigit():
            if not numbered:
                return False
        elif word not in VOCABULARY:
            return False
        else:
            numbered = word in _NUMBERED or (numbered and word in _BETWEEN)
    return bool(words) and set("|;").isdisjoint(text)


_REMARK = re.compile(
    r"(?i),? ?[(\[]?\b(?:"
    r"(?:not |without |excluding )(?:counting |including )?(?:the )?header(?: row)?s?"
    r"|(?:the |its )?header(?: row)? (?:is )?(?:not counted|not included|excluded)"
    r"|(?:0|zero)[- ](?:indexed|based)"
    r"|(?:counted|counting|starting|indexed) (?:from|at) (?:0|zero)"
    r"|below the header"
    r")\b[)\]]?"
)


def without_remarks(text: str) -> str:
    """The text without words that only repeat how the question counts: ``(header not counted)``."""
    return _REMARK.sub("", text)
