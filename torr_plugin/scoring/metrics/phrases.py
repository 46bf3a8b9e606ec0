# ruff: noqa: RUF001 (typographic quotation marks, dashes, and signs are read as what they look like)
"""What models put around an answer: Markdown, LaTeX, HTML, code fences, and words that introduce it.

In: what a model wrote. Out: the same without one of these. All functions take linear time, and leave alone
what they do not know.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

QUOTES = "\"'`“”‘’«»„"

_LATEX_ARGUMENT = re.compile(
    r"\\(?:text(?:bf|it|rm|tt|sf)?|math(?:rm|bf|it|sf|tt)|emph|boxed|fbox|operatorname) ?"
    r"\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_LATEX_NESTING = 4
_LATEX_SIGNS = (
    (re.compile(r"\\(?:mid|l?vert|rvert)(?![A-Za-z])|\\\|"), "|"),
    (re.compile(r"\\times(?![A-Za-z])"), "×"),
    (re.compile(r"\\[,;:! ]|\\q?quad(?![A-Za-z])"), " "),
    (re.compile(r"\\(?:left|right|displaystyle)(?![A-Za-z])|\\[()\[\]]|\$\$"), ""),
    # as Markdown has it: nothing but a sum of money has a blank before the second sign, or a digit after it
    (re.compile(r"\$(?=\S)([^$]*)(?<=\S)\$(?!\d)"), r"\1"),
    (re.compile(r"\\([%&$#_{}])"), r"\1"),
)
_EMPHASIS = (
    re.compile(r"(?<!\*)(\*{1,3})(?=\S)([^*]+)(?<=\S)\1"),
    re.compile(r"(?<!\w)(_{1,3})(?=\S)([^_]+)(?<=\S)\1(?!\w)"),
    re.compile(r"(?<!`)(`{1,3})([^`]+)\1"),
)
_LINE_MARKS = re.compile(r"(?m)^[ \t]{0,8}(?:#{1,6}[ \t]|>(?:[ \t]|$)|[-*+•·–][ \t])")
_LINE_TAGS = re.compile(r"(?i)<br ?/?>|</(?:p|li|div|tr)>")
_BETWEEN_CELLS = re.compile(r"(?i)</t[dh]>\s*(?=<t[dh]>)")
_TAGS = re.compile(
    r"(?i)</?(?:b|i|u|em|strong|code|pre|p|span|div|li|ul|ol|table|thead|tbody|tr|td|th|answer|final_answer)>"
)
_ESCAPED = re.compile(r"\\([\\*_`#\[\](){}<>~.!+-])")


def without_formatting(text: str) -> str:
    """The text without code fences, LaTeX, emphasis, tags, headings, block quotes, and bullets."""
    plain = _LINE_TAGS.sub("\n", unfenced(text)) if "<" in text else unfenced(text)
    plain = _TAGS.sub("", _BETWEEN_CELLS.sub(" | ", plain))
    for pattern in _EMPHASIS:
        plain = pattern.sub(r"\2", plain)
    return _LINE_MARKS.sub("", without_latex(plain)).strip()


def unfenced(text: str) -> str:
    """What a code fence around the whole text holds; else the text."""
    lines = text.strip().split("\n")
    mark = lines[0][:3]
    if len(lines) < 2 or mark not in ("```", "~~~") or lines[-1].strip() != mark:
        return text
    return "\n".join(lines[1:-1])


def without_latex(text: str) -> str:
    r"""LaTeX's signs as text, without its commands: ``\boxed{9 \mid 4}`` is ``9 | 4``."""
    if "\\" not in text and "$" not in text:
        return text
    text = text.replace("{,}", ",")
    for _ in range(_LATEX_NESTING):
        text, count = _LATEX_ARGUMENT.subn(r"\1", text)
        if not count:
            break
    for pattern, instead in _LATEX_SIGNS:
        text = pattern.sub(instead, text)
    return text


def unquoted(text: str) -> str:
    """The text without quotation marks around it, and the full stop behind them."""
    short = text.strip()
    if short.endswith(".") and short[-2:-1] in QUOTES:
        short = short[:-1]
    return short.strip(QUOTES)


def unescaped(text: str) -> str:
    r"""A value as HTML and Markdown mean it: ``R&amp;D`` is ``R&D``, ``a\_b`` is ``a_b``."""
    return _ESCAPED.sub(r"\1", html.unescape(text))


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
