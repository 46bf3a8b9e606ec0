"""The parts of a prompt, recognised from its text: demonstrations' answers and the example asked."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LABEL = re.compile(r"^([A-Z][A-Za-z0-9 ()_-]{0,40}):(?= |\n|$)", re.MULTILINE)
_LONGEST_PREFIX = 40


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A prompt, taken apart.

    Attributes:
        instruction: what stands before the first example.
        answers: the demonstrations' answers, in order.
        asked: the example that is asked, without the answer's prefix.
        labels: words that begin a line with a colon in every example (``Question``, ``Table``).
        prefix: the prompt's last line, which asks for the answer (``Answer:``).
    """

    instruction: str
    answers: tuple[str, ...]
    asked: str
    labels: tuple[str, ...]
    prefix: str


def split_prompt(prompt: str) -> PromptParts:
    """Take a prompt apart.

    The last line is taken for the answer's prefix; where it stands earlier at the beginning of a line, an
    answer follows up to the next blank line. Without such a prefix, answers are taken to follow the line
    whose label begins the last line. A prompt that is not built so is one example without demonstrations.
    """
    body, _, last = prompt.rstrip().rpartition("\n")
    prefix = last.strip()
    if not body or len(prefix) > _LONGEST_PREFIX or not prefix.endswith(":"):
        return _without_prefix(body, last.rstrip()) or _alone(prompt, "")
    first, *rest = re.split(rf"(?:^|\n){re.escape(prefix)}", body)
    if not rest:
        return _alone(body, prefix)
    answers, sources = [], [first]
    for piece in rest:
        answer, _, source = piece.partition("\n\n")
        answers.append(answer.strip())
        sources.append(source)
    asked = sources[-1].strip("\n")
    labels = _shared_labels(sources)
    return PromptParts(_before(first, labels), tuple(answers), asked, labels, prefix)


def _without_prefix(body: str, last: str) -> PromptParts | None:
    """A prompt whose last line is the last labelled part of the example asked, as in its demonstrations."""
    label = _LABEL.match(last)
    if label is None:
        return None
    first, *rest = re.split(rf"(?:^|\n){re.escape(label[0])}", body)
    answers, sources = [], [f"{first}\n{label[0]}"]
    for piece in rest:
        shown, _, source = piece.partition("\n\n")
        answers.append(shown.partition("\n")[2].strip())
        sources.append(f"{source}\n{label[0]}")
    if not answers or not all(answers):
        return None
    labels = _shared_labels(sources)
    asked = sources[-1].removesuffix(label[0]).strip("\n") + f"\n{last}"
    return PromptParts(_before(first, labels), tuple(answers), asked.strip("\n"), labels, "")


def fields(text: str, labels: tuple[str, ...]) -> list[tuple[str, str]]:
    """An example's labelled parts in order; what stands before the first label has the label ``""``."""
    marks = [match for match in _LABEL.finditer(text) if match[1] in labels]
    if not marks:
        return [("", text)]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    found = [(mark[1], text[mark.end() : end].strip("\n ")) for mark, end in zip(marks, ends, strict=True)]
    before = text[: marks[0].start()].strip()
    return [("", before), *found] if before else found


def _alone(text: str, prefix: str) -> PromptParts:
    labels = tuple(dict.fromkeys(_LABEL.findall(text)))
    instruction = _before(text, labels)
    return PromptParts(instruction, (), text[len(instruction) :].strip("\n"), labels, prefix)


def _shared_labels(sources: list[str]) -> tuple[str, ...]:
    found = [dict.fromkeys(_LABEL.findall(source)) for source in sources]
    return tuple(label for label in found[-1] if all(label in labels for labels in found))


def _before(text: str, labels: tuple[str, ...]) -> str:
    """The text before the first label; without labels the first line, where there are more."""
    for mark in _LABEL.finditer(text):
        if mark[1] in labels:
            return text[: mark.start()]
    line, newline, _ = text.partition("\n")
    return line + newline if newline else ""
