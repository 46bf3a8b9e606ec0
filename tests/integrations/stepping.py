"""What the tests of designs of several calls share: a study of such designs, a model that writes notes."""

from __future__ import annotations

import hashlib
from typing import Any

from torr_plugin.running.baselines.answers import lexical_answer
from torr_plugin.running.baselines.lm import TextBaseline
from torr_plugin.running.model_classes import add_model, models

STUDY = """
name: stepped
cards: [cards.bundled.cell_lookup, cards.bundled.aggregation]
configurations:
  serializers: [torr.html, csv]
  designs: [default, self_augmented, self_augmented_all, tree_thinker, tree_thinker_no_tree]
demonstrations: {shots: 1}
examples: {count: 3}
generation: {max_tokens: 32, until: ["\\n\\n"]}
models: [torr-notes]
"""

STEPPED = ("self_augmented", "self_augmented_all", "tree_thinker")


class NoteTaker(TextBaseline):
    """``torr-notes``: notes that differ from prompt to prompt, and what ``torr-lexical`` finds at the end.

    Attributes:
        asked: every prompt that any model of this class was sent, with its arguments.
    """

    asked: list[tuple[str, dict[str, Any]]] = []  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__(note)

    def generate_until(self, requests: Any, disable_tqdm: bool = True) -> list[str]:
        assert requests, "lm-eval's models of APIs fail where they are asked nothing"
        self.asked.extend((str(each.args[0]), dict(each.args[1])) for each in requests)
        return super().generate_until(requests)


def note(prompt: str) -> str:
    """An answer, which a reader of final answers finds, after words that are this prompt's alone."""
    found = lexical_answer(prompt)
    if prompt.rstrip().endswith("Answer:"):
        return found
    return f"{hashlib.sha256(prompt.encode()).hexdigest()[:12]} {{\nFinal Answer: {found}"


def register() -> None:
    """Make the model known to this process."""
    if "torr-notes" not in models:
        add_model("torr-notes", f"{__name__}:NoteTaker")
