"""Whether a question's answer depends on its company: alone, together, in another order, renamed.

    python -m benchmarks.isolation --model mini --data DATA --readout letters continuation

For real states of sys1bench and JevBench-240, each question is asked alone, and all of a state
together, in reverse order and under other ids. The largest difference between any two of the
distributions of one question is recorded; in fp32 it must not exceed 1e-6. Requests share the
engine's prefix store, so a stored state counts as company too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import steelyard
from benchmarks.ability import draw
from benchmarks.answers import distribution
from benchmarks.record import (
    add_model_arguments,
    add_record_arguments,
    load_model,
    model_name,
    model_settings,
    provenance,
    write_record,
)
from benchmarks.suites import SUITES, Case
from steelyard.types.question import Choice, Noul

Distributions: TypeAlias = dict[str, dict[str, float]]
Ask: TypeAlias = Callable[[Mapping[str, Noul | Choice]], Distributions]


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    cases = draw(options.data, list(SUITES), 300, options.seed)[: options.states]
    engine = load_model(options)
    results = {
        readout: largest_differences(engine, cases, readout, options.layout)
        for readout in options.readout
    }
    path = write_record(
        options.records,
        f"isolation--{model_name(options.model)}-{options.dtype}",
        origin,
        seed=options.seed,
        settings=model_settings(options)
        | {
            "layout": options.layout,
            "states": len(cases),
            "questions": sum(len(case.items) for case in cases),
        },
        results=results,
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.isolation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--data", type=Path, required=True, help="folder that holds the suites")
    made.add_argument("--readout", nargs="+", default=["letters"])
    made.add_argument("--layout", default="isolated-v1")
    made.add_argument("--states", type=int, default=20)
    made.add_argument("--seed", type=int, default=1)
    add_record_arguments(made)
    return made


def largest_differences(
    engine: steelyard.Engine, cases: Sequence[Case], readout: str, layout: str
) -> dict[str, float]:
    """For each kind of company, the largest difference of a probability to the batch's."""
    largest = dict.fromkeys(COMPANY, 0.0)
    for index, case in enumerate(cases, start=1):
        questions = {item.id: item.question for item in case.items}

        def ask(asked: Mapping[str, Noul | Choice], case: Case = case) -> Distributions:
            response = engine.decide(case.state, asked, readout=readout, layout=layout)
            return {name: distribution(answer) for name, answer in response.answers.items()}

        together = ask(questions)
        for company, variant in COMPANY.items():
            found = difference(together, variant(ask, questions))
            largest[company] = max(largest[company], found)
        print(f"{readout} {index}/{len(cases)}: {largest}", file=sys.stderr, flush=True)
    return largest


def difference(first: Distributions, second: Distributions) -> float:
    """The largest difference of a probability between two answers to the same questions."""
    assert first.keys() == second.keys()
    return max(
        abs(p - second[name][label])
        for name, probabilities in first.items()
        for label, p in probabilities.items()
    )


def alone(ask: Ask, questions: Mapping[str, Noul | Choice]) -> Distributions:
    return {
        name: answer
        for name, question in questions.items()
        for answer in ask({name: question}).values()
    }


def again(ask: Ask, questions: Mapping[str, Noul | Choice]) -> Distributions:
    return ask(questions)


def reversed_order(ask: Ask, questions: Mapping[str, Noul | Choice]) -> Distributions:
    return ask(dict(reversed(list(questions.items()))))


def renamed(ask: Ask, questions: Mapping[str, Noul | Choice]) -> Distributions:
    """The ids give the answers away, which must not matter."""
    names = {f"certainly yes, {name}": name for name in questions}
    answers = ask({new: questions[old] for new, old in names.items()})
    return {names[new]: answer for new, answer in answers.items()}


COMPANY: Mapping[str, Callable[[Ask, Mapping[str, Noul | Choice]], Distributions]] = {
    "again": again,
    "alone": alone,
    "reversed order": reversed_order,
    "renamed": renamed,
}


if __name__ == "__main__":
    main()
