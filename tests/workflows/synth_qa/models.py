"""An lm-eval model that writes questions about documents, answers and filters them, by a script."""

from __future__ import annotations

import json
import re

from tests.workflows.annotation.models import Scripted

QUESTIONS = {
    "a single cell": ("What were total commitments in 2023?", ["Total, 2023"], "$721 million"),
    "no cell says": ("How much more were commitments in 2023 than in 2022?", ["721 - 360"], "$361 million"),
    "explain, assess": ("Assess the trend of commitments.", ["721 against 360"], "They doubled."),
}
SENTENCE = "Total commitments rose to $721 million in 2023."


class ScriptedWriter(Scripted):
    """Writes a question of each level, answers, and keeps all but what has a word of ``drops``.

    Args:
        kind: ``same`` writes the same question at every level; ``misquotes`` quotes what stands nowhere.
        drops: a word of questions that the filter drops.
        unclear: a word of questions for which the filter gives two verdicts.
    """

    def __init__(self, kind="", log="", fails="", switch="", says="", drops="", unclear=""):
        super().__init__(kind, log, fails, switch, says)
        self.drops, self.unclear = drops, unclear

    def reply(self, text):
        level = next(words for words in QUESTIONS if words in text) if "Its level" in text else None
        if level:
            asked = text.partition("Question:\n")[2].partition("\n\nAnswer, with")[0]
            keep = {"reason": "checked", "verdict": "keep"}
            drop = {"reason": "too easy", "verdict": "drop"}
            if self.unclear and self.unclear in asked:
                return f"{json.dumps(keep)} or {json.dumps(drop)}"
            return json.dumps(drop if self.drops and self.drops in asked else keep)
        if text.find("Tables:\n") >= 0:
            found = next(each for each in QUESTIONS.values() if each[0] in text)
            return json.dumps({"steps": found[1], "answer": found[2]})
        wanted = next(words for words in QUESTIONS if re.search(f"Level: .*{words}", text))
        question, steps, answer = QUESTIONS["a single cell" if self.kind == "same" else wanted]
        reply = {"table": "T0", "question": question}
        if "Quote that sentence" in text:
            reply["sentence"] = "It is nowhere at all." if self.kind == "misquotes" else SENTENCE
        else:
            reply |= {"steps": steps, "answer": answer}
        return f"Here it is:\n```json\n{json.dumps(reply)}\n```"
