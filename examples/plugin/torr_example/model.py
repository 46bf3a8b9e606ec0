"""A baseline as an lm-eval model: this module is imported when the model is asked for."""

from __future__ import annotations

import re

from lm_eval.api.model import LM

_NUMBER = re.compile(r"\d+\.\d\d")


class LastNumber(LM):
    """``example-last-number``: the last price in the prompt."""

    def __init__(self, **given: object) -> None:
        super().__init__()  # lm-eval's command line gives every model a batch size and a device

    def generate_until(self, requests, disable_tqdm=False):
        """One answer a request."""
        found = [_NUMBER.findall(str(request.args[0])) for request in requests]
        return [numbers[-1] if numbers else "" for numbers in found]

    def loglikelihood(self, requests, disable_tqdm=False):
        """A baseline writes text alone."""
        raise NotImplementedError("example-last-number has no likelihoods")

    loglikelihood_rolling = loglikelihood
