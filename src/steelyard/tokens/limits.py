"""How long a question and a request may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.errors import TooLongError
from steelyard.tokens.plan import TokenPlan

QUESTION_TOKENS = 32_768
REQUEST_TOKENS = 65_536


@dataclass(frozen=True, slots=True)
class Limits:
    """Most tokens of the state with its longest question, and of all that is asked at once."""

    question_tokens: int = QUESTION_TOKENS
    request_tokens: int = REQUEST_TOKENS

    @classmethod
    def of(cls, context_tokens: int) -> Limits:
        """The limits for a model made for positions below `context_tokens`.

        Questions stand beside each other, at the same positions, so the model's context bounds
        each of them and not their sum.
        """
        return cls(question_tokens=min(QUESTION_TOKENS, context_tokens))


def check_limits(names: Sequence[str], plans: Sequence[TokenPlan], limits: Limits) -> None:
    """Refuse plans that are too long; nothing is ever cut.

    Args:
        names: for each plan, the id of the question that it asks.
    Raises:
        TooLongError: with the number of tokens and the limit.
    """
    shared: set[tuple[int, ...]] = set()
    total = 0
    for name, plan in zip(names, plans, strict=True):
        longest = max(node.end for node in plan.nodes)
        if longest > limits.question_tokens:
            raise TooLongError(
                f"{longest:,} tokens with the state; the limit is {limits.question_tokens:,}",
                field=f"questions.{name}",
            )
        root = plan.nodes[0].ids
        total += plan.num_tokens - (len(root) if root in shared else 0)
        shared.add(root)
    if total > limits.request_tokens:
        raise TooLongError(
            f"{total:,} tokens with the state; the limit is {limits.request_tokens:,}",
            field="questions",
        )
