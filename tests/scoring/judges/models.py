"""lm-eval models as judges."""

from __future__ import annotations

from lm_eval.api.model import LM


class Grader(LM):
    """Gives 100 for the whole answer, 50 for its half, an impossible score for nothing, else talk."""

    def generate_until(self, requests):
        found = {"1 || 2": "[Score]: 100/100", "1": "Score: 50", "nothing": "[Score]: 120/100"}
        said = []
        for request in requests:
            answer = str(request.args[0]).partition("Answer to grade:\n")[2].split("\n")[1]
            said.append(found.get(answer, "That is hard to say"))
            self.cache_hook.add_partial("generate_until", request.args, said[-1])
        return said

    def loglikelihood(self, requests):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError


class Judge(LM):
    """Calls right what holds its word between the fences; is unclear, fails or stops where told so."""

    def __init__(self, word="1 || 2", fails="", rambles="", stops=""):
        super().__init__()
        self.word, self.fails, self.rambles, self.stops = str(word), fails, rambles, stops
        self.asked = 0

    def generate_until(self, requests):
        said = []
        for request in requests:
            text = str(request.args[0]).partition("Answer to check:")[2]
            self.asked += 1
            if self.stops and self.stops in text:
                raise KeyboardInterrupt
            if self.fails and self.fails in text:
                raise RuntimeError("the judge is out")
            if self.rambles and self.rambles in text:
                said.append("That is hard to say")
            else:
                said.append("Yes." if self.word in text else "No: it is not there")
            self.cache_hook.add_partial("generate_until", request.args, said[-1])
        return said

    def loglikelihood(self, requests):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError
