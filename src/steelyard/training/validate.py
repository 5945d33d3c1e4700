"""How good a model is on held-out examples, after every exit and at full depth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from steelyard.training.loss import cross_entropies
from steelyard.training.micro_batch import MicroBatch
from steelyard.training.targets import targets_of
from steelyard.training.trainee import Trainee
from steelyard.types.question import kind_of


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over questions.

    Attributes:
        loss: cross entropy to the target distributions, nats.
        accuracy: share whose likeliest option is the target's.
        questions: how many.
    """

    loss: float
    accuracy: float
    questions: int


@torch.no_grad()
def validate(
    trainee: Trainee, micro_batches: Sequence[MicroBatch]
) -> dict[int, dict[str, Quality]]:
    """For each exit's layer and the last: kind -> quality, and "all"."""
    seen: defaultdict[tuple[int, str], list[tuple[float, bool]]] = defaultdict(list)
    for micro in micro_batches:
        targets = targets_of(micro.examples, trainee.decoder.device)
        for layer, scores in trainee.scores(micro).items():
            losses = cross_entropies(scores.log_softmax(dim=-1), targets.shares).tolist()
            likeliest = scores.argmax(dim=-1).tolist()
            for example, loss, option in zip(micro.examples, losses, likeliest, strict=True):
                for name in (kind_of(example.question), "all"):
                    seen[layer, name].append((loss, option == example.gold))
    found: dict[int, dict[str, Quality]] = defaultdict(dict)
    for (layer, name), rows in seen.items():
        loss = sum(loss for loss, _ in rows) / len(rows)
        found[layer][name] = Quality(loss, sum(hit for _, hit in rows) / len(rows), len(rows))
    return dict(found)


def shown(quality: Mapping[int, Mapping[str, Quality]]) -> dict[str, dict[str, list[float]]]:
    """As JSON: layer -> kind -> [loss, accuracy, questions]."""
    return {
        str(layer): {
            kind: [round(one.loss, 6), round(one.accuracy, 4), one.questions]
            for kind, one in sorted(kinds.items())
        }
        for layer, kinds in quality.items()
    }
