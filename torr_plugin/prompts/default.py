"""The default design: one user message, nothing lost."""

from __future__ import annotations

from collections.abc import Sequence

from .design import Design, Shown, designs, user_message
from .layout import pieces
from .message import Prompt


class DefaultDesign(Design):
    """Instruction, demonstrations, the example and the answer's prefix in one user message.

    A line break stands between two parts unless one is there already or nothing precedes. The layout is that
    of unitxt's default format and so of ToRR; see the design ``torr`` for unitxt's very bytes.
    """

    name = "default"

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """One user message."""
        text = ""
        for part in pieces(asked, demonstrations):
            text += part if not text or text.endswith("\n") else "\n" + part
        return (user_message(text, asked, demonstrations),)


designs.add(DefaultDesign())
