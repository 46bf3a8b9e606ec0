"""A model that fails on some prompts, and is right, half right or wrong on the others."""

from __future__ import annotations

import hashlib
import re

from tests.running.asked_models import Echo


class Patchy(Echo):
    def generate_until(self, requests, disable_tqdm=False):
        return super().generate_until(requests)

    def answer(self, context):
        digit = int(hashlib.sha256(str(context).encode()).hexdigest()[0], 16)
        if digit < 4:
            raise RuntimeError("no answer from https://me:hunter2@example.org; see /home/someone/log")
        # the second holds the right cell of a table among many words
        return "entailed" if digit < 8 else " ".join(re.findall(r"\w+", context))
