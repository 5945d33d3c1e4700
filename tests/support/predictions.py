"""Answers as an evaluation keeps them."""

from __future__ import annotations

from steelyard.evaluation.run import Failure, Prediction


def prediction(
    number: int,
    probabilities: tuple[float, ...],
    target: tuple[float, ...],
    *,
    kind: str = "choice",
    group: str | None = None,
    layer: int = 30,
    suite: str = "s",
    source: str = "",
    seconds: float = 0.5,
) -> Prediction:
    return Prediction(
        suite=suite,
        example=f"{suite}{kind}{number}",
        group=group or f"g{number}",
        kind=kind,
        probabilities=probabilities,
        target=target,
        exit_layer=layer,
        seconds=seconds,
        code="",
        source=source,
    )


def failure(number: int, target: tuple[float, ...], *, kind: str = "choice") -> Failure:
    return Failure(
        suite="s",
        example=f"s{kind}{number}",
        group=f"g{number}",
        kind=kind,
        source="",
        target=target,
        code="max_tokens_exceeded",
        message="too long",
    )
