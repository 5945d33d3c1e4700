"""MetaTool: is a tool needed, does one of ten tools fit, and which of nine does.

Tool names and descriptions stand in the published prompts, one a line:

    3. tool name: SSH, tool description: ['Ability to SSH into your server ...']
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, json_array
from steelyard.evaluation.suites.suite import NO, YES, one_hot
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul

LICENCE = "MIT"
TOOL = re.compile(r"^\d+\. tool name: (.+?), tool description: (.+)$", re.MULTILINE)

NEEDED = Noul(
    "Does answering this request take an external tool, such as live data, a service, files or an "
    "account?"
)
FITS = Noul("Can one of the listed tools serve the request?")
WHICH = "Which tool serves a part of the request?"


def needed(folder: Path) -> list[Example]:
    """Task 1, `folder/metatool/Task1.json.gz`: whether a query needs any tool."""

    def convert(row: Row) -> Iterator[Example]:
        label = row.text("label")
        if label not in ("positive", "negative"):
            raise row.wrong("label", "positive or negative")
        query = row.text("query")
        target = YES if label == "positive" else NO
        yield Example(query, NEEDED, target, "metatool-needed", query, LICENCE)

    return examples(json_array(folder / "metatool" / "Task1.json.gz"), convert)


def fits(folder: Path) -> list[Example]:
    """Task 2: subtask 3, where the right tool is taken out of the list, is a no; 4 is a yes.

    Queries that were written for one tool, or for one pair, are a group.
    """

    def convert(row: Row) -> Iterator[Example]:
        tools, right = tools_of(row), _right(row)
        there = [name in tools for name in right]
        if any(there) != all(there):
            raise row.wrong("tool", "tools that are all in the list, or all not")
        yield Example(
            {"request": row.text("query"), "tools": tools},
            FITS,
            YES if all(there) else NO,
            "metatool-fits",
            " and ".join(sorted(right)),
            LICENCE,
        )

    return examples(
        [row for number in (3, 4) for row in json_array(_task2(folder, number))], convert
    )


def which(folder: Path) -> list[Example]:
    """Task 2, subtask 4: ten tools, two of which are right.

    Each query is asked twice, with one of the two taken out, so that one of nine is right.
    """

    def convert(row: Row) -> Iterator[Example]:
        tools, right = tools_of(row), _right(row)
        if len(right) != 2 or not set(right) <= tools.keys():
            raise row.wrong("tool", "two tools of the list")
        for gold, other in (right, right[::-1]):
            options = {name: text for name, text in tools.items() if name != other}
            yield Example(
                row.text("query"),
                Choice(WHICH, options),
                one_hot(list(options).index(gold), len(options)),
                "metatool-which",
                " and ".join(sorted(right)),
                LICENCE,
            )

    return examples(json_array(_task2(folder, 4)), convert)


def tools_of(row: Row) -> dict[str, str]:
    """Name -> description of the tools in a row's prompt, in its order.

    Raises:
        InputFileError: no tools, or a description that cannot be read.
    """
    found = TOOL.findall(row.text("action_prompt"))
    if not found:
        raise row.error("action_prompt: no lines '1. tool name: NAME, tool description: TEXT'")
    return {name: _description(row, text) for name, text in found}


def _description(row: Row, text: str) -> str:
    """Plain text, or a Python list of texts that may repeat itself."""
    if not text.startswith("["):
        return text
    try:
        parts = ast.literal_eval(text)
    except (SyntaxError, ValueError) as error:
        raise row.error(f"action_prompt: description {text[:60]!r}: {error}") from error
    return " ".join(dict.fromkeys(str(part).strip() for part in parts))


def _right(row: Row) -> list[str]:
    value = row.get("tool")
    return [value] if isinstance(value, str) else [str(name) for name in row.entries("tool")]


def _task2(folder: Path, subtask: int) -> Path:
    return folder / "metatool" / f"Task2-Subtask{subtask}.json.gz"
