# ruff: noqa: RUF001 (typographic quotation marks, dashes, and signs are read as what they look like)
r"""What a reply answers: the one reader of short answers.

In: what a model wrote. Out: text. :func:`short_answer` is the answer alone, for cards that ask for one;
:func:`final_readings` are all readings of it that a person would accept, for the lenient score. Nothing here
takes more than linear time; :mod:`.listed_values` parts an answer of several values.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from ..core.texts import split_thoughts, without_latex
from .json_answers import ANSWER_KEYS, LONGEST, read_json_object, text_at, unwrapped

QUOTES = "\"'`“”‘’«»„"

_MARKUP = (
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
    for pattern in _MARKUP:
        plain = pattern.sub(r"\2", plain)
    return _LINE_MARKS.sub("", without_latex(plain)).strip()


def unfenced(text: str) -> str:
    """What a code fence around the whole text holds; else the text."""
    lines = text.strip().split("\n")
    mark = lines[0][:3]
    if len(lines) < 2 or mark not in ("```", "~~~") or lines[-1].strip() != mark:
        return text
    return "\n".join(lines[1:-1])


def unquoted(text: str) -> str:
    """The text without quotation marks around it, and the full stop behind them."""
    short = text.strip()
    if short.endswith(".") and short[-2:-1] in QUOTES:
        short = short[:-1]
    return short.strip(QUOTES)


def unescaped(text: str) -> str:
    r"""A value as HTML and Markdown mean it: ``R&amp;D`` is ``R&D``, ``a\_b`` is ``a_b``."""
    return _ESCAPED.sub(r"\1", html.unescape(text))


# -- the answer alone ----------------------------------------------------------------------------------------

_FENCES = ("```", "~~~")
_BOXED = re.compile(r"\\boxed ?\{((?:[^{}]|\{[^{}]{0,500}\}){1,2000})\}")
_ANSWER_LINE = re.compile(
    r"(?i)^[ \t>#*_]{0,8}(?:the )?(?:final )?answer[*_]{0,3}(?::| is:?)[*_]{0,3}[ \t]{0,8}"
)
_OTHER_EXAMPLE = re.compile(r"(?i)^(?:question|table|text|context|<<<)")
_TWO_LINES = re.compile(r"(?i)[^|]{0,30}\b(row|col|first|last)(?:umn)?s?\b[^|]{0,60}")
_BLOCK_START = re.compile(r"[-*+•] |\d{1,3}[.)] |\||[\[{]$|[\[{][^\]}]*$|\\\[$|\$\$$")
_INDEXES = re.compile(r"(?i)(?:(?:rows?|columns?|cols?|index|and|[rc])(?![a-z])|[\W\d_])+")
_VALUE = re.compile(r"(?!.*\w: )[^|(\[][^|]{0,99}(?<![.!?:;,])")


def short_answer(text: str) -> str:
    r"""The answer alone, without what is said before and after it.

    What follows the last thought (``</think>``) counts; in it the contents of ``\boxed{}``, if there are any
    (of several, all of them with ``|`` between); else the first line. Where that line opens a code fence, a
    list, a table, or JSON, all of it is the answer; where it announces one and ends with a colon, what
    follows. So are lines of one kind, a place or a value in each. Where a later line begins with ``Answer:``
    or ``Final answer:`` before another example begins, what follows that is read instead.

    Args:
        text: a reply of any length; of a longer one than :data:`LONGEST` the first line is given.
    """
    if len(text) > LONGEST:
        return text.strip().split("\n", 1)[0].strip()
    said = split_thoughts(text).text.strip()
    boxed = boxed_answers(said)
    if boxed:
        return " | ".join(boxed)
    lines = said.split("\n")
    start = _marked_line(lines)
    return _block(lines[start:])


def boxed_answers(text: str) -> list[str]:
    r"""The contents of ``\boxed{}``, each once."""
    return list(dict.fromkeys(_BOXED.findall(text)))


def _marked_line(lines: list[str]) -> int:
    """The line that says that the answer follows; the first line where none does."""
    marked = 0
    for at, line in enumerate(lines):
        if at and _OTHER_EXAMPLE.match(line.strip()):
            break
        if _ANSWER_LINE.match(line):
            marked = at
    return marked


def _block(lines: list[str]) -> str:
    """The first line, or all of the fence, list, table, or JSON that it opens or announces."""
    first = lines[0].strip()
    marked = _ANSWER_LINE.match(first)
    if marked and (rest := first[marked.end() :].strip("*_ ")):
        return _opened([rest, *lines[1:]])
    following = next((at for at, line in enumerate(lines) if at and line.strip()), None)
    if following is None or not first.rstrip("*_ ").endswith(":"):
        return _opened(lines)
    block = _opened(lines[following:])
    return block if marked else f"{first}\n{block}"


def _opened(lines: list[str]) -> str:
    """The first line, or all of the fence, list, table, or JSON that it opens."""
    first = lines[0].strip()
    if first.startswith(_FENCES):
        return _fence(lines)
    if first and (_BLOCK_START.match(first) or _names_two(lines[:2])):
        return _paragraph(lines)
    if _names_two([first, *lines[2:3]]) and not lines[1].strip():
        return f"{first}\n{_paragraph(lines[2:])}"
    return "\n".join(_listed(lines)) if first else ""


def _names_two(lines: list[str]) -> bool:
    """Whether there is a line for rows and one for columns, or for a first and for a last cell."""
    named = [found[1].casefold() for line in lines if (found := _TWO_LINES.fullmatch(line.strip()))]
    return sorted(named) in (["col", "row"], ["first", "last"])


def _listed(lines: list[str]) -> list[str]:
    """The first line, with those below it where each has places, or each a value; one that only repeats."""
    lines = [lines[0].strip(), *(line.strip() for line in takewhile(_goes_on, lines[1:]))]
    places = list(takewhile(_has_indexes, lines))
    values = lines if all(map(_VALUE.fullmatch, lines)) else lines[:1]
    listed = places if len(places) > 1 else values
    return listed if len({*listed}) > 1 else lines[:1]


def _has_indexes(line: str) -> bool:
    """Whether a line has two numbers or more, and otherwise only what stands around indexes."""
    return bool(_INDEXES.fullmatch(line)) and len(re.findall(r"\d+", line)) > 1


def _fence(lines: list[str]) -> str:
    mark = lines[0].strip()[:3]
    inner = []
    for line in lines[1:]:
        if line.strip().startswith(mark):
            break
        inner.append(line)
    return "\n".join(inner).strip()


def _paragraph(lines: list[str]) -> str:
    """The lines up to a blank one, or to the end of the brackets that the first line opens."""
    kept: list[str] = []
    is_json, depth = lines[0].strip()[:1] in ("[", "{"), 0
    for line in lines:
        if kept and not _goes_on(line):
            break
        kept.append(line)
        depth += sum(line.count(sign) for sign in "[{") - sum(line.count(sign) for sign in "]}")
        if is_json and depth <= 0:
            break
    return "\n".join(kept).strip()


def _goes_on(line: str) -> bool:
    """Whether a line may belong to the answer of the line before it."""
    return bool(line.strip()) and not line.strip().startswith(_FENCES) and not _OTHER_EXAMPLE.match(line)


# -- all readings of it --------------------------------------------------------------------------------------

# opened and closed at the edge of a word, so that 2*3*4 stays as it is
_EMPHASIS = (
    re.compile(r"(?<![\w*])(\*{1,3})(?![\s*])([^*\n]{1,500})(?<!\s)\1(?![\w*])"),
    re.compile(r"(?<!\w)(_{1,3})(?![\s_])([^_\n]{1,500})(?<![\s_])\1(?!\w)"),
    re.compile(r"(?<![\w`])(`)([^`\n]{1,500})`(?![\w`])"),
)
_HEADING = re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+")
_NEXT_EXAMPLE = re.compile(
    r"(?im)^(?:(?:question|table|statement|claim|text|context)[ \t]?\d{0,3}[ \t]?:|<<<)"
)
_FENCE = re.compile(r"(?m)^[ \t]{0,3}(?:```|~~~)[^\n`~]*$")
# at the start of a line, a sentence or a clause: "this is not the answer: 41" announces none
_MARKER = re.compile(
    r"(?im)(?:^[ \t>]{0,8}|(?<=[.!?,;:][ \n]))"
    r"(?:(?:and|so|thus|hence|therefore|then|finally|in conclusion|in summary)\b,?[ ])?"
    r"(?:(?:the|my|our)[ ])?(?:(?:final|correct|right)[ ])?(?:answer|verdict)"
    r"(?:[ ]to[ ](?:the|this|your)[ ]question)?"
    r"(?:[ ]?:|[ ](?:is|are|was|were)\b(?:[ ]?:)?|[ ]?$)[ \t]{0,8}"
)
_TAKEN_BACK = re.compile(
    r"(?i)\b(?:no|not|wait|actually|however|but|instead|rather|wrong|incorrect|mistaken?|sorry|correction|"
    r"or|either)\b|n['’]t\b"
)
_SENTENCE_END = re.compile(r"(?:(?<=[a-z]{3})|(?<=[\d)%\"”]))[.!?][\"”)]?[ \t]+(?=[\"“(]?[A-Z])")
_VERB = re.compile(r"[ ](?:is|are|was|were)(?=[ :])[ ]?:?[ ]?")
# in a sentence with one of these what follows the verb need not be what the model claims
_HEDGE = re.compile(
    r"(?i)\b(?:no|not|never|neither|nor|none|cannot|without|false|untrue|wrong|incorrect|unlikely|unclear|"
    r"unknown|if|whether|unless|either|or|than|except|but|although|while|instead|maybe|perhaps|possibly|(?-i:may)|"
    r"might|could|would|should|what|doubt|doubtful|deny|denies|contradicts?|nothing|nobody|nowhere|hardly|"
    r"barely|assum(?:e|ed|ing)|suppos(?:e|ed|ing)|claims|claimed|fails?|lacks?|insufficient|unable)\b|n['’]t\b|;"
)
_CLAIM = re.compile(r"(?i)\b(?:is|are|was|were|has|have|had)\b")
_DENIED = re.compile(r"(?i)(?:not|no|never|neither|none|either)\b")
_AND, _SEVERAL, _LIST = (re.compile(pattern) for pattern in (r"\band\b", r"\band\b|,", r"\band\b|[,|;]"))
_LONGEST_TAIL = 200
_SENTENCE_MARKS = (".", "!", ":")
_BETWEEN_VALUES = (", ", " | ", " || ")
_YES_OR_NO = {"true": "yes", "false": "no"}


def final_readings(text: str) -> list[str]:
    r"""The readings of a reply's final answer, the widest first, each a part of the one before or alike.

    1. What follows the last ``</think>`` counts, up to a line that begins another example (``Question:``);
       emphasis and headings of Markdown are no part of it.
    2. The ``answer`` of a JSON object is the answer. Else it is what follows the last ``Answer:``, ``Final
       answer:`` or ``the answer is`` that begins a line, a sentence or a clause; in that what is in
       ``\boxed{}``, else in the last code fence. Two different boxes, or objects, announce nothing, and a
       reply that announces nothing is the answer as a whole.
       None of them counts that words behind it take back (``no``, ``wait``, ``or``).
    3. Of what follows ``Answer:`` also the first line, and of this the first sentence, unless what comes then
       takes it back.
    4. Each without LaTeX's signs, without quotation marks around it, without a full stop at its end.
    5. Of a single sentence also what follows its last ``is``, ``are``, ``was`` or ``were``, of at most 200
       characters: ``419`` of ``The number of visitors in July is 419.`` Not where it, or a word before it,
       denies or leaves open (``not``, ``or``, ``if``), in a question, nor where it is not clear of what it is
       said: two verbs with ``and`` or a comma before the last, ``and`` before a list of values.

    An answer without anything around it has one reading, itself. The values of a JSON list have ``, ``, ``|``
    or ``||`` between them, a reading each.

    Args:
        text: a reply; of a longer one than :data:`LONGEST` the end is
            read, in time that grows with its length.
    """
    said = _formatted_away(_before_next_example(split_thoughts(text[-LONGEST:]).text))
    markers = [found.end() for found in _MARKER.finditer(said)]
    in_json, end = _json_answers(said), said.rfind("}")
    if in_json and not (markers and markers[-1] > end):
        return [said] if _TAKEN_BACK.search(said, end) else _all_bare(in_json)
    rest = said[markers[-1] :].strip() if markers else said
    boxed = boxed_answers(said)
    fenced = _last_fence(rest)
    if len(boxed) > 1:
        return [said]
    if boxed_answers(rest):
        end = rest.rindex(boxed[0]) + len(boxed[0])
        return [said] if _TAKEN_BACK.search(rest, end) else _all_bare(boxed)
    if fenced is not None:
        inside, end = fenced
        return [said] if _TAKEN_BACK.search(rest, end) else _all_bare([inside])
    return _all_bare(_parts(rest)) or [said] if markers else _all_bare([said])


def label_of(answer: str, spellings: Mapping[str, Sequence[str]]) -> str:
    """The label that the first line of an answer spells, alone on it and in any case; else the answer."""
    line = _plain(next((line for line in answer.split("\n") if line.strip()), ""))
    for label, others in spellings.items():
        if line in map(_plain, (label, *others)):
            return label
    return answer


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,!:;\"'")


def _before_next_example(text: str) -> str:
    said = text.strip()
    first_line = said.find("\n")
    following = _NEXT_EXAMPLE.search(said, first_line + 1) if first_line >= 0 else None
    return said[: following.start()].rstrip() if following else said


def _formatted_away(text: str) -> str:
    for pattern in _EMPHASIS:
        text = pattern.sub(r"\2", text)
    return _HEADING.sub("", text).strip()


def _json_answers(text: str) -> list[str]:
    """The answer of the one JSON object in a text, a list with each mark between its values; else nothing."""
    if "{" not in text or "answer" not in text.casefold():
        return []
    found, problem = read_json_object(text)
    if found is None or problem:
        return []
    of_answer = unwrapped(found, ANSWER_KEYS)
    answers = [answer for mark in _BETWEEN_VALUES if (answer := text_at(of_answer, ANSWER_KEYS, mark))]
    return [*map(_YES_OR_NO.__getitem__, {*answers} & _YES_OR_NO.keys()), *answers]


def _last_fence(text: str) -> tuple[str, int] | None:
    """What the last code fence holds, and where it ends; None without one."""
    marks = list(_FENCE.finditer(text))
    if len(marks) < 2:
        return None
    opened, closed = marks[len(marks) // 2 * 2 - 2 : len(marks) // 2 * 2]
    return text[opened.end() : closed.start()].strip(), closed.end()


def _parts(text: str) -> Iterator[str]:
    """All that follows a marker, its first line, and the first sentence of this.

    Each as far as what follows it does not take it back, and none where that is so of the first line.
    """
    line, _, following = text.partition("\n")
    if _TAKEN_BACK.search(following):
        return
    yield from (text, line)
    end = _SENTENCE_END.search(line)
    if end and not _TAKEN_BACK.search(line, end.end()):
        yield line[: end.start()]


def _all_bare(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(reading for text in texts for reading in _bare(text)))


def _bare(text: str) -> Iterator[str]:
    """An answer, the same without what stands around it, and what the sentence says that something is."""
    plain = (without_latex(text) if "\\" in text else text).strip()
    short = _unstopped(plain)
    yield from (plain, short)
    tail = _tail(short)
    if tail:
        yield tail


def _unstopped(text: str) -> str:
    """The text without quotation marks or dollar signs around it, and without one full stop at its end."""
    if len(text) > 2 and text.count("$") == 2 and text[0] == text.rstrip(".")[-1] == "$":
        return text.rstrip(".")[1:-1].strip()
    quoted = len(text) > 2 and text[0] in QUOTES and text.rstrip(".")[-1:] in QUOTES
    short = unquoted(text).strip() if quoted else text
    if short[:1] == "[" and short[-1:] == "]" and not set("[],|").intersection(short[1:-1]):
        return short[1:-1].strip()
    return (
        short[:-1].rstrip()
        if short[-1:] in _SENTENCE_MARKS and short[-2:-1] not in _SENTENCE_MARKS
        else short
    )


def _tail(sentence: str) -> str:
    """What follows the last verb of a single sentence; empty where that is no claim."""
    verbs = list(_VERB.finditer(sentence))
    if not verbs or set("\n?").intersection(sentence) or _SENTENCE_END.search(sentence):
        return ""
    head, tail = sentence[: verbs[-1].start()], sentence[verbs[-1].end() :].strip()
    if len(tail) > _LONGEST_TAIL or _HEDGE.search(head) or _DENIED.match(tail):
        return ""
    if (_CLAIM.search(head) and _SEVERAL.search(head)) or (_AND.search(head) and _LIST.search(tail)):
        return ""
    return _unstopped(tail)
