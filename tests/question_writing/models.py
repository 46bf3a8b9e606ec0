"""lm-eval models that write questions, answer them, and score or filter them, each as it is told."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from lm_eval.api.model import LM

QUESTIONS = {
    "Fact checking": (
        "Question 1: In which country is the river that is 733 km long?\nSubtype 1: Value-Matching\n"
        "Question 2: Which rivers are longer than 500 km?\nSubtype 2: Multi-hop Fact Checking"
    ),
    "Numerical reasoning": (
        "1. **Question:** How long are all rivers together?\n   **Subtype:** Calculation\n"
        "2. **Question:** Which rivers are longer than 500 km?\n   **Subtype:** Comparison"
    ),
    "Data analysis": "[Question1]: What do the lengths have in common? ,\n[subtype1]: Summary Analysis .",
    "Chart generation": "Question 1: Draw a bar chart of the lengths of all rivers.\nSubtype 1: bar chart",
    "Structure comprehending": "Question 1: How long is the river Heron of Norland?\nSubtype 1: Row Headings",
}
PROGRAM = "import matplotlib.pyplot as plt\nplt.bar(['Heron', 'Otter'], [1205, {otter}])\nplt.show()"
ANSWERS = {
    "733 km": {"": "Sudmark", "b": "sudmark.", "c": "Norland"},
    "500 km": {"": "Heron | Linden"},
    "together": {"": "2,350", "b": "2350.0", "c": "2351"},
    "in common": {"": "All are whole numbers."},
    "bar chart": {"": PROGRAM.format(otter=412), "b": PROGRAM.format(otter="400 + 12"), "c": "print('no')"},
    "Heron of": {"": "1205"},
}
SCORES = {"Norland": "[Score]: 120/100", "2351": "[Score]: 5/100"}


class Scripted(LM):
    """Asks, answers and judges by a script; every prompt is a line in ``log``.

    Args:
        kind: answers that differ between models: ``b`` or ``c``.
        log: a file that gets a line for each prompt that it answers.
        fails: raises for prompts with this text.
        switch: a file that, while it is there, holds the text of a prompt at which Ctrl-C comes.
        says: what it says to everything; else the script.
    """

    def __init__(self, kind="", log="", fails="", switch="", says=""):
        super().__init__()
        self.kind, self.log, self.fails, self.switch, self.says = str(kind), log, fails, switch, says

    def generate_until(self, requests):
        said = []
        for request in requests:
            text = str(request.args[0])
            self.maybe_end(text)
            if self.fails and self.fails in text:
                raise RuntimeError("out of order")
            said.append(self.says or self.reply(text))
            self.cache_hook.add_partial("generate_until", request.args, said[-1])
            if self.log:
                with Path(self.log).open("a") as file:
                    file.write(f"{self.kind} {hashlib.sha256(text.encode()).hexdigest()}\n")
        return said

    def maybe_end(self, text):
        if self.switch and Path(self.switch).exists() and Path(self.switch).read_text() in text:
            raise KeyboardInterrupt

    def reply(self, text):
        if kind := re.search(r"of the type '([^']+)'", text):
            return QUESTIONS[kind[1]]
        if "Answer to rate:" in text:
            rated = text.partition("Answer to rate:")[2]
            return next((score for word, score in SCORES.items() if word in rated), "Fine.\n[Score]: 90/100")
        for words, answers in ANSWERS.items():
            if words in text.partition("Question: ")[2]:
                answer = answers.get(self.kind, answers[""])
                code = "import" in answer or "print" in answer
                return f"```python\n{answer}\n```" if code else f"Step by step.\nFinal answer: {answer}"
        return "I cannot say.\nReally."

    def loglikelihood(self, requests):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError


DOCUMENT_QUESTIONS = {
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
        level = next(words for words in DOCUMENT_QUESTIONS if words in text) if "Its level" in text else None
        if level:
            asked = text.partition("Question:\n")[2].partition("\n\nAnswer, with")[0]
            keep = {"reason": "checked", "verdict": "keep"}
            drop = {"reason": "too easy", "verdict": "drop"}
            if self.unclear and self.unclear in asked:
                return f"{json.dumps(keep)} or {json.dumps(drop)}"
            return json.dumps(drop if self.drops and self.drops in asked else keep)
        if text.find("Tables:\n") >= 0:
            found = next(each for each in DOCUMENT_QUESTIONS.values() if each[0] in text)
            return json.dumps({"steps": found[1], "answer": found[2]})
        wanted = next(words for words in DOCUMENT_QUESTIONS if re.search(f"Level: .*{words}", text))
        question, steps, answer = DOCUMENT_QUESTIONS["a single cell" if self.kind == "same" else wanted]
        reply = {"table": "T0", "question": question}
        if "Quote that sentence" in text:
            reply["sentence"] = "It is nowhere at all." if self.kind == "misquotes" else SENTENCE
        else:
            reply |= {"steps": steps, "answer": answer}
        return f"Here it is:\n```json\n{json.dumps(reply)}\n```"
