"""lm-eval models that judge pairs."""

from __future__ import annotations

import json
import re

from lm_eval.api.model import LM

ANSWERS = re.compile(
    r"First answer:\n(=== \w{24} ===)\n(.*?)\n\1.*?Second answer:\n(=== \w{24} ===)\n(.*?)\n\3", re.DOTALL
)


class PairJudge(LM):
    """Prefers answers with its word; else the first. Fails, rambles or quotes an answer where told so."""

    def __init__(self, word="1 || 2", fails="", rambles="", quotes=""):
        super().__init__()
        self.word, self.fails, self.rambles, self.quotes = str(word), fails, rambles, quotes

    def generate_until(self, requests):
        said = []
        for request in requests:
            _, first, _, second = ANSWERS.search(str(request.args[0])).groups()
            both = f"{first}\n{second}"
            if self.fails and self.fails in both:
                raise RuntimeError("the judge is out")
            if self.rambles and self.rambles in both:
                said.append("Both have something to them.")
            elif self.quotes and self.quotes in both:
                said.append(f"One of them says: {first if self.quotes in first else second}")
            else:
                better = "second" if self.word in second and self.word not in first else "first"
                said.append(json.dumps({"reason": f"The {better} has it.", "verdict": better}))
            self.cache_hook.add_partial("generate_until", request.args, said[-1])
        return said

    def loglikelihood(self, requests):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError
