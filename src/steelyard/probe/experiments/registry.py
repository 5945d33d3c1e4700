"""Every experiment under its name on the command line, in the order of the report."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors import RequestError
from steelyard.probe.experiment import Experiment
from steelyard.probe.experiments import (
    card_in_options,
    card_in_state,
    duplicates,
    forged_options,
    irrelevant_option,
    isolation,
    latency,
    negation,
    noise,
    noul_as_choice,
    option_count,
    option_order,
    paraphrase,
    renaming,
    sibling_order,
    tokens,
)

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (
        noise, duplicates, renaming, sibling_order, isolation, option_order, paraphrase,
        irrelevant_option, option_count, card_in_state, card_in_options, forged_options, negation,
        noul_as_choice, tokens, latency,
    )
}  # fmt: skip


def chosen(names: Sequence[str]) -> tuple[Experiment, ...]:
    """Those named, in the order of the report; all of them where none is.

    Raises:
        RequestError: no experiment of that name.
    """
    for name in names:
        if name not in EXPERIMENTS:
            raise RequestError(f"{name!r}; allowed: {', '.join(EXPERIMENTS)}", field="--only")
    return tuple(one for name, one in EXPERIMENTS.items() if not names or name in names)
