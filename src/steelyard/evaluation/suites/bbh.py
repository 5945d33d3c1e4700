"""BIG-Bench Hard: the 23 tasks that are answered with yes or no, or with one of listed options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, json_object
from steelyard.evaluation.suites.suite import NO, YES, one_hot
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul

LICENCE = "MIT"
OPTIONS = "\nOptions:\n"
_LETTERED = re.compile(r"(\([A-Z]\)) (.*)")

NOULS: Mapping[str, Noul] = {
    "boolean_expressions": Noul("Is the value of the expression True?"),
    "causal_judgement": Noul("Is the answer to the question yes?"),
    "navigate": Noul("Is the answer to the question yes?"),
    "sports_understanding": Noul("Is the sentence plausible?"),
    "web_of_lies": Noul("Is the answer to the question yes?"),
}
CHOICES: Mapping[str, str] = {
    "date_understanding": "Which date is asked for?",
    "disambiguation_qa": "What does the pronoun refer to?",
    "formal_fallacies": "Is the argument valid?",
    "geometric_shapes": "What does the path draw?",
    "hyperbaton": "Which sentence has the right order of adjectives?",
    "logical_deduction_five_objects": "Which statement is true?",
    "logical_deduction_seven_objects": "Which statement is true?",
    "logical_deduction_three_objects": "Which statement is true?",
    "movie_recommendation": "Which film is most like those named?",
    "penguins_in_a_table": "Which answer is right?",
    "reasoning_about_colored_objects": "Which answer is right?",
    "ruin_names": "Which edit of the name is humorous?",
    "salient_translation_error_detection": "What kind of error does the translation contain?",
    "snarks": "Which statement is sarcastic?",
    "temporal_sequences": "Between which times was it possible?",
    "tracking_shuffled_objects_five_objects": "Which answer completes the text?",
    "tracking_shuffled_objects_seven_objects": "Which answer completes the text?",
    "tracking_shuffled_objects_three_objects": "Which answer completes the text?",
}


def load(folder: Path) -> list[Example]:
    """The tasks of `folder/bbh` in the order of their names; each question is its own group.

    Four tasks ask for free text and are left out, as are five published questions that nobody can
    answer: the target is none of the options, the options read the same, or there is only one.
    """
    return [
        example for task in sorted({*NOULS, *CHOICES}) for example in _task(folder / "bbh", task)
    ]


def _task(folder: Path, task: str) -> list[Example]:
    rows = json_object(folder / f"{task}.json.gz").objects("examples")

    def convert(row: Row) -> Iterator[Example]:
        text, _, listed = row.text("input").partition(OPTIONS)
        group = f"{task}/{row.place.rpartition('.')[2]}"
        source = f"bbh/{task}"
        if task in NOULS:
            yes = _said_yes(row)
            yield Example(text, NOULS[task], YES if yes else NO, source, group, LICENCE)
            return
        options, gold = _options(row, listed)
        if gold is not None and len(set(options)) == len(options) > 1:
            question = Choice(CHOICES[task], options)
            yield Example(text, question, one_hot(gold, len(options)), source, group, LICENCE)

    return examples(rows, convert)


def _said_yes(row: Row) -> bool:
    target = row.text("target").lower()
    if target not in ("yes", "no", "true", "false"):
        raise row.wrong("target", "yes or no, True or False")
    return target in ("yes", "true")


def _options(row: Row, listed: str) -> tuple[list[str], int | None]:
    """The texts of the options, and which is the target: None where it is none of them."""
    target, lines = row.text("target"), listed.split("\n")
    if lines[0].startswith("- "):
        names = texts = [line.removeprefix("- ").strip() for line in lines]
    else:
        matches = [_LETTERED.fullmatch(line) for line in lines]
        names = [match[1] for match in matches if match]
        texts = [match[2].strip() for match in matches if match]
        if len(names) != len(lines):
            raise row.error("input: allowed: a letter in front of each option")
    return texts, names.index(target) if target in names else None
