"""The baselines as lm-eval models. lm-eval's registry imports this module when one of them is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from lm_eval.api.model import LM

from ...core.errors import ModelError
from .answers import lexical_answer, majority_answer, random_cell_answer

if TYPE_CHECKING:
    from lm_eval.api.instance import Instance


class TextBaseline(LM):  # type: ignore[misc]  # lm-eval ships no types
    """Answers each prompt by a function of its text."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__()
        self._answer = answer

    @classmethod
    def create_from_arg_string(cls, arg_string: str, additional_config: Any = None) -> Any:
        """lm-eval's, without batch sizes and devices, which its command line gives every model."""
        return super().create_from_arg_string(arg_string)

    @classmethod
    def create_from_arg_obj(cls, arg_dict: dict[str, Any], additional_config: Any = None) -> Any:
        """As :meth:`create_from_arg_string`."""
        return super().create_from_arg_obj(arg_dict)

    def generate_until(self, requests: Sequence[Instance], disable_tqdm: bool = True) -> list[str]:
        """One answer a request; generation parameters change nothing."""
        texts = []
        for request in requests:
            text = self._answer(str(request.args[0]))
            self.cache_hook.add_partial("generate_until", request.args, text)
            texts.append(text)
        return texts

    @property
    def tokenizer_name(self) -> NoReturn:
        """Refuse a chat template; lm-eval calls this first where one is requested.

        Raises:
            ModelError: always; baselines read plain text.
        """
        raise ModelError("the embedded baselines read plain text; leave out --apply_chat_template")

    def loglikelihood(self, requests: Sequence[Instance]) -> NoReturn:
        """Baselines write text alone."""
        raise NotImplementedError(f"{type(self).__name__} generates text and has no likelihoods")

    def loglikelihood_rolling(self, requests: Sequence[Instance]) -> NoReturn:
        """Baselines write text alone."""
        self.loglikelihood(requests)


class Majority(TextBaseline):
    """``torr-majority``: the most frequent answer among the demonstrations."""

    def __init__(self) -> None:
        super().__init__(majority_answer)


class RandomCell(TextBaseline):
    """``torr-random-cell``: a random cell of the table that is asked about."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = int(seed)
        super().__init__(lambda prompt: random_cell_answer(prompt, self._seed))


class Lexical(TextBaseline):
    """``torr-lexical``: what matching the question's words to headers and cells finds."""

    def __init__(self) -> None:
        super().__init__(lexical_answer)


class Constant(TextBaseline):
    """``torr-constant``: the same answer to everything; for tests and for measuring the rest."""

    def __init__(self, answer: Any = "") -> None:
        super().__init__(lambda _: str(answer))
