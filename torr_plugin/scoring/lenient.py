# ruff: noqa: RUF001 (typographic quotation marks are read as quotation marks)
r"""The final answer in a reply, however it is set off: what the lenient score reads.

In: what a model wrote. Out: the readings of its final answer that a person would accept, as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..core.texts import split_thoughts
from .json_answers import ANSWER_KEYS, read_json_object, text_at, unwrapped
from .metrics.phrases import QUOTES, unquoted, without_latex
from .short_answers import LONGEST, boxed_answers

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
_BETWEEN_VALUES = (", ", " | ", " || ")


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
        text: a reply; of a longer one than :data:`~torr_plugin.scoring.short_answers.LONGEST` the end is
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
    return [answer for mark in _BETWEEN_VALUES if (answer := text_at(of_answer, ANSWER_KEYS, mark))]


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
    return short[:-1].rstrip() if short.endswith(".") and not short.endswith("..") else short


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
