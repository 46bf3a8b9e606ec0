"""What torr-plugin knows of a class of lm-eval models, and the arguments that it takes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..core.errors import ModelError

if TYPE_CHECKING:
    from lm_eval.api.model import LM

EngineKind = Literal["vllm", "server", "lm-eval"]

# lm-eval's base class of servers, by name: importing it needs its libraries
_SERVER = "TemplateAPI"
# marked MULTIMODAL for sounds
_AUDIO = frozenset({"HFAUDIOLMQWEN", "HFAudioLM"})
_SENDING = ("model_call", "amodel_call", "get_batched_requests", "generate_until")


class ModelClass:
    """A class of lm-eval models.

    Attributes:
        lm_class: the class itself.
        bases: it and its base classes, by name.
        server: it sends requests to a server (lm-eval's ``TemplateAPI``).
        chat_only: it takes chat messages and no plain text.
        multimodal: lm-eval marks it so; a prompt may carry images or sounds.
        images: it can be shown images.
    """

    def __init__(self, lm_class: type[Any]) -> None:
        self.lm_class: type[LM] = lm_class
        self.bases: dict[str, type[Any]] = {base.__name__: base for base in reversed(lm_class.__mro__)}
        self.server = _SERVER in self.bases
        self.chat_only = any("Chat" in name for name in self.bases)
        self.multimodal = bool(getattr(lm_class, "MULTIMODAL", False))
        # lm-eval marks all classes of servers multimodal; those that take messages can send an image
        seeing = self.chat_only if self.server else not self.bases.keys() & _AUDIO
        self.images = self.multimodal and seeing

    @property
    def engine(self) -> EngineKind:
        """What drives its models, unless an option of theirs leaves only lm-eval's own way."""
        if self.lm_class.__module__ == "lm_eval.models.vllm_causallms" and not self.multimodal:
            return "vllm"
        if self.server and self._sends_as_lm_eval:
            return "server"
        return "lm-eval"

    @property
    def _sends_as_lm_eval(self) -> bool:
        """Whether a server's class sends requests and reads replies by lm-eval's own code."""
        reads = getattr(self.lm_class, "parse_generations", None)
        reads_itself = not getattr(reads, "__module__", "lm_eval.models.").startswith("lm_eval.models.")
        return self.inherits(_SERVER, *_SENDING) and not reads_itself

    def inherits(self, base: str, *methods: str) -> bool:
        """Whether it has this base, and uses these methods of it as they are."""
        own, theirs = self.lm_class, self.bases.get(base)
        return theirs is not None and all(
            getattr(own, name, None) is getattr(theirs, name, None) for name in methods
        )

    def create(self, arguments: Mapping[str, Any]) -> LM:
        """Load a model of this class; weights go to the device that this machine has, unless one is named."""
        return self.lm_class.create_from_arg_obj(self.with_device(arguments))

    def with_device(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with a ``device``, for classes that would take CUDA where there is none."""
        if "HFLM" not in self.bases or "device" in arguments:
            return dict(arguments)
        import torch

        if torch.cuda.is_available():
            return dict(arguments)
        return {**arguments, "device": "mps" if torch.backends.mps.is_available() else "cpu"}

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the class and of those that it passes the rest to, with their defaults."""
        return {
            parameter.name: parameter.default
            for signature in reversed([*_signatures(self.lm_class)])
            for parameter in signature.parameters.values()
            if parameter.name != "self"
            and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        }


def _signatures(lm_class: type[Any]) -> Iterator[inspect.Signature]:
    """The signatures of a class and its bases, as far as one passes what it does not know to the next."""
    for base in lm_class.__mro__:
        if "__init__" in vars(base):
            found = inspect.signature(vars(base)["__init__"])
            yield found
            kinds = {parameter.kind for parameter in found.parameters.values()}
            if base.__name__ == _SERVER or inspect.Parameter.VAR_KEYWORD not in kinds:
                return


def positive_integer(name: str, value: Any) -> int:
    """A model's argument that counts something, also where it is given as text.

    Raises:
        ModelError: it is no whole number of at least 1.
    """
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise ModelError(f"{name} is {value!r}, expected a whole number of at least 1")
    return number
