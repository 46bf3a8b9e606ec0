"""The most frequent answer of the demonstrations: what can be had without looking at the table."""

from __future__ import annotations

from collections import Counter

from .prompt_parts import split_prompt


def majority_answer(prompt: str) -> str:
    """The most frequent of the demonstrations' answers, of equally frequent ones the first; none: no text."""
    answers = Counter(split_prompt(prompt).answers)
    return answers.most_common(1)[0][0] if answers else ""
