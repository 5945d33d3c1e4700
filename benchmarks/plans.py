"""The token plans that an engine makes of a request, for benchmarks that look inside."""

from __future__ import annotations

import steelyard
from steelyard.prompt.layout import LAYOUTS, frame
from steelyard.prompt.options import option_set
from steelyard.readout import registry
from steelyard.tokens.build import build
from steelyard.tokens.plan import LogitRead, TokenPlan
from steelyard.types.request import Request


def first_plans(
    engine: steelyard.Engine, request: Request, *, readout: str, layout: str
) -> list[TokenPlan]:
    """The plans of every question's first round, in the order of the questions."""
    model = engine._model
    asked = [option_set(question) for question in request.questions.values()]
    filled = frame(LAYOUTS[layout], model.chat, request.state, asked)
    read = registry.readout(readout, model.head)
    rounds = [next(read(options, filled)) for options in asked]
    prompts = [prompt for each in rounds for prompt in each.prompts]
    return [built.plan for built in build(prompts, model.tokenizer)]


def path_and_targets(plan: TokenPlan) -> tuple[list[int], tuple[int, ...]]:
    """The tokens from the root to a plan's only logit read, and the tokens it compares.

    The plan is a chain, as letters make it: a root, one branch, one read at its end.
    """
    ids = [token for node in plan.nodes for token in node.ids]
    (read,) = [read for node in plan.nodes for read in node.reads]
    assert isinstance(read, LogitRead)
    assert read.offset == len(plan.nodes[-1].ids) - 1, "letters are read at the last token"
    return ids, read.targets
