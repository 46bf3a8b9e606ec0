"""lm-eval models that misbehave on purpose, and a plan to ask them with."""

from __future__ import annotations

import hashlib
import time

from lm_eval.api.model import LM

from torr_plugin.prompts.message import Message
from torr_plugin.recipes import Configuration, Request, request_key


class Echo(LM):
    """Answers with the prompt's last word in capitals, and remembers how it was asked."""

    def __init__(self, **args):
        super().__init__()
        self.batches = []
        self.args = args

    def answer(self, context):
        return str(context).split()[-1].upper()

    def generate_until(self, requests):
        self.batches.append([request.args for request in requests])
        answers = []
        for request in requests:
            text = self.answer(request.args[0])
            self.cache_hook.add_partial("generate_until", request.args, text)
            answers.append(text)
        return answers

    def loglikelihood(self, requests):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError


class Failing(Echo):
    """Raises when a prompt holds the word; keeps no partial answers where it is told so."""

    def __init__(self, word="bad", forgets=True):
        super().__init__()
        self.word, self.forgets = word, forgets

    def answer(self, context):
        if self.word in str(context):
            raise RuntimeError(f"cannot\nanswer {self.word}")
        return super().answer(context)

    def set_cache_hook(self, hook):
        if not self.forgets:
            super().set_cache_hook(hook)


class Mumbling(Echo):
    """Gives a number instead of text where a prompt holds 'odd'."""

    def answer(self, context):
        return 7 if "odd" in context else super().answer(context)


class Short(Echo):
    """Gives one answer too few whenever it is asked more than one prompt."""

    def generate_until(self, requests):
        return super().generate_until(requests)[: max(1, len(requests) - 1)]


class Slow(Echo):
    """Takes its time."""

    def __init__(self, seconds=0.003):
        super().__init__()
        self.seconds = float(seconds)

    def answer(self, context):
        time.sleep(self.seconds)
        return super().answer(context)


class Saying(Echo):
    """Says something that depends on every character of the prompt."""

    def __init__(self, word="said", seconds=0.0):
        super().__init__()
        self.word, self.seconds = word, float(seconds)

    def answer(self, context):
        time.sleep(self.seconds)
        return f"{self.word} {hashlib.sha256(str(context).encode()).hexdigest()[:6]}"


class Stopped(Echo):
    """Is interrupted from the keyboard when it comes to a certain word."""

    def answer(self, context):
        if str(context).endswith(" w100"):
            raise KeyboardInterrupt
        return super().answer(context)


class ChatEcho(Echo):
    """Has a chat template."""

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        return "|".join(f"{turn['role']}={turn['content']}" for turn in chat_history)


class OnlyChat(ChatEcho):
    """Takes messages alone, by its name."""


class Unloadable(Echo):
    def __init__(self, size=1):
        raise ValueError("no weights\nfound there")


class Seeded(Echo):
    """Answers with the seed that it is given."""

    def generate_until(self, requests):
        return [str(request.args[1].get("seed", "none")) for request in requests]


class NeedsPackage(Echo):
    def __init__(self):
        import a_package_that_is_nowhere  # noqa: F401


class Plan:
    """As recipes.Plan, with prompts ``say w0``, ``say w1``, ... of which some are equal."""

    replicate_record: dict = {}  # noqa: RUF012
    steps: dict = {}  # noqa: RUF012

    @property
    def asked_generation(self):
        return self.generation

    def __init__(self, texts=None, *, seed=0, name="a study", references=("right",)):
        self.generation = {"max_tokens": 5, "temperature": 0.0, "until": ["\n"]}
        self.texts = [f"say w{n}" for n in range(300)] if texts is None else texts
        self.seed, self.name, self.given = seed, name, references

    @property
    def size(self):
        return len(self.texts)

    @property
    def fingerprint(self):
        return f"seed {self.seed} of {len(self.texts)}"

    def changes_of(self, design, stage, replicate):
        return None

    def record(self):
        return {
            "recipe": {
                "name": self.name,
                "models": [{"model": "hf", "args": {"api_key": "SECRET"}}],
                "generation": {},
            },
            "name": self.name,
            "generation": dict(self.generation),
            "seed": self.seed,
            "configurations": ["html/none/default"],
            "datasets": {"d": {"card": "cards.d", "examples": self.size}},
            "requests": self.size,
            "versions": {"python": "3"},
        }

    def requests(self):
        for number, text in enumerate(self.texts):
            prompt = text if isinstance(text, tuple) else (Message("user", text),)
            yield Request(
                key=request_key(prompt, self.generation),
                model=None,
                dataset="d",
                example=str(number),
                config=Configuration("html", "none", "default"),
                stage=0,
                prompt=prompt,
                references=tuple(self.given),
            )


class Seeing(Echo):
    """Takes pictures as lm-eval's multimodal models do: tells how large each is, and what it was asked."""

    MULTIMODAL = True
    max_images = 2

    def generate_until(self, requests):
        shown = {len(request.args) for request in requests}
        if len(shown) > 1:
            raise AssertionError("a batch of texts and pictures together, which lm-eval's models cannot take")
        self.batches.append([request.args for request in requests])
        answers = []
        for request in requests:
            context, *rest = request.args[0], *request.args[2:]
            images = rest[0]["visual"] if rest else []
            sizes = " ".join("x".join(map(str, image.size)) for image in images)
            text = f"{sizes or 'blind'}: {str(context).split()[-1]}"
            if "bad" in str(context):
                raise RuntimeError("cannot look at it")
            self.cache_hook.add_partial("generate_until", request.args, text)
            answers.append(text)
        return answers


class SeeingChat(Seeing, ChatEcho):
    """The same, with a chat template."""


class NoSystem(ChatEcho):
    """Its chat template refuses a system turn, as Gemma's does."""

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        if any(turn["role"] == "system" for turn in chat_history):
            raise ValueError("System role not supported")
        return super().apply_chat_template(chat_history)


class DropsSystem(ChatEcho):
    """Its chat template drops a system turn without a word."""

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        return super().apply_chat_template([turn for turn in chat_history if turn["role"] != "system"])
