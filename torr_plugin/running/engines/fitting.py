"""Whether a prompt and its answer fit into what a model takes."""

from __future__ import annotations

from ..contexts import Failure


def too_long(prompt_tokens: int, most: int, context: int) -> Failure | None:
    """Why a prompt cannot be asked whole; None where it can.

    Args:
        prompt_tokens: of the prompt.
        most: tokens that its answer may have.
        context: tokens that the model takes, prompt and answer together.
    """
    if prompt_tokens + most <= context:
        return None
    takes = max(context - most, 0)
    return Failure(
        f"the prompt has {prompt_tokens} tokens, the model takes {takes} with max_tokens {most}",
        prompt_tokens,
    )
