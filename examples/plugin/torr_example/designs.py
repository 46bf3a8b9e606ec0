"""Two ways to ask: demonstrations as a chat that went before, and a draft that is looked at again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torr_plugin.prompts import DefaultDesign, Design, Message, Prompt, Shown, Step


class Dialogue(Design):
    """Demonstrations as earlier turns of a chat, the instruction as the system's."""

    name = "dialogue"

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """A system turn, a user's and an assistant's a demonstration, and the user's that asks."""
        turns = [Message("system", asked.instruction)] if asked.instruction else []
        for each in demonstrations:
            turns += [_question(each), Message("assistant", each.target)]
        return (*turns, _question(asked))


class Draft(DefaultDesign):
    """Two calls: an answer, and a second look at it."""

    name = "draft"
    steps = (Step("draft"), Step("answer", after=("draft",)))

    def follow(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        """The same prompt, the draft, and the wish to have it checked."""
        said = answers["draft"].strip() or "(nothing)"
        ask = Message("user", "Check this against the table. Write the right answer, and nothing else.")
        return (*self.compose(asked, demonstrations), Message("assistant", said), ask)


def _question(shown: Shown) -> Message:
    return Message("user", f"{shown.source}\n{shown.target_prefix}".rstrip(), shown.images)
