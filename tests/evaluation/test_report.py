"""A report is one file that shows what the run says and lets no text become markup."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from support.predictions import prediction

from steelyard.errors import InputFileError
from steelyard.evaluation.evaluate import Evaluated
from steelyard.evaluation.measures import measure
from steelyard.evaluation.report.charts import accuracy_bars, latency_chart, reliability_chart
from steelyard.evaluation.report.confusion import confusion_table
from steelyard.evaluation.report.frame import Frame
from steelyard.evaluation.report.markup import Markup, joined, tag
from steelyard.evaluation.report.page import report_page
from steelyard.evaluation.result import result_of
from steelyard.evaluation.run import Prediction
from steelyard.evaluation.run_folder import Run
from steelyard.metrics.reliability import reliability_bins

VILE = '</style></svg><script>alert("x")</script>&amp;<b a="'


def answers(right: float, seed: int, suite: str = "desk") -> list[Prediction]:
    """Of all three kinds, right about so often, at two layers and from two sources."""
    random = np.random.default_rng(seed)
    made = []
    for number in range(120):
        kind = ("noul", "choice", "score")[number % 3]
        size = {"noul": 2, "choice": 4, "score": 3}[kind]
        gold = int(random.integers(size))
        said = gold if random.random() < right else int(random.integers(size))
        p = np.full(size, 0.3 / (size - 1))
        p[said] = 0.7
        made.append(
            prediction(
                number,
                tuple(p.tolist()),
                tuple(float(n == gold) for n in range(size)),
                kind=kind,
                layer=15 if number % 2 else 30,
                suite=suite,
                source=f"{suite}/{VILE}" if number % 4 else f"{suite}/b",
            )
        )
    return made


def run_of(name: str, right: float) -> Run:
    part = answers(right, seed=0)
    priors = {one.example: (1 / len(one.target),) * len(one.target) for one in part}
    evaluated = Evaluated(
        suite="desk",
        version="0" * 12,
        questions=len(part),
        examples={one.example: None for one in part},  # type: ignore[misc]
        maker=None,
        predictions=part,
        failures=(),
        priors=priors,
        measures=measure(part, priors),
    )
    worst: dict[str, Any] = {
        "suite": "desk",
        "example": "e1",
        "kind": "choice",
        "source": "",
        "surprise": 3.0,
        "state": {"mail": VILE},
        "question": {"type": "choice", "instructions": VILE},
        "options": [VILE, "b"],
        "target": [0.0, 1.0],
        "probabilities": [0.95, 0.05],
    }
    return Run(
        name=name,
        suites={"desk": part},
        makers={},
        result=result_of([evaluated], {"model": VILE, "url": None}),
        worst=[worst],
    )


class Reader(HTMLParser):
    """Counts tags, and fails on one that is not closed where it was opened."""

    VOID = ("meta",)

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        self.outside += [f"{k}={v}" for k, v in attrs if k in ("src", "href", "xlink:href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


def test_a_report_is_whole_and_refers_to_nothing_outside() -> None:
    page = report_page([run_of("first", 0.6)])
    reader = read(page)
    assert not reader.outside and "http://" not in page and "https://" not in page
    assert "script" not in reader.seen and "b" not in reader.seen
    assert "url(" not in page and "@import" not in page
    for heading in ("Figures", "JevBench v1.5", "Time against accuracy", "Errors to read"):
        assert f"<h2>{heading}</h2>" in page
    assert "Right, by layer" in page and "Right, by right answer at" in page
    assert "prefers-color-scheme: dark" in page and "@media print" in page
    assert "Differences" not in page


def test_two_runs_are_told_apart() -> None:
    page = report_page([run_of("before", 0.4), run_of("after", 0.4)])
    read(page)
    assert "<h2>Differences</h2>" in page and "not shown" in page
    assert "Evaluation: before and after" in page
    same = report_page([run_of("run", 0.4), run_of("run", 0.4)])
    assert "Evaluation: run (A) and run (B)" in same


def test_a_run_without_its_result_is_refused() -> None:
    bare = Run(name="bare", suites={}, makers={}, result=None, worst=())
    with pytest.raises(InputFileError, match=r"bare: no result\.json"):
        report_page([bare])
    with pytest.raises(InputFileError, match="0 runs; allowed: one or two"):
        report_page([])


def test_text_is_escaped_and_finished_markup_is_not() -> None:
    made = tag("p", VILE, tag("i", "x"), class_=VILE, hidden=None, x=1.50)
    assert made == joined([made])
    element = ET.fromstring(made)
    assert element.text == VILE and element.attrib == {"class": VILE, "x": "1.5"}
    assert joined(["<", Markup("<br>")]) == "&lt;<br>"


def shapes(drawing: str, name: str, class_: str) -> list[ET.Element]:
    return [
        one
        for one in ET.fromstring(drawing).iter(name)
        if class_ in (one.get("class") or "").split()
    ]


def test_a_reliability_dot_lies_where_its_bin_is() -> None:
    bins = reliability_bins(np.array([0.8] * 5 + [0.3]), np.array([1, 1, 1, 1, 0, 0]))
    drawing = reliability_chart("R", [("run", bins)])
    small, large = shapes(drawing, "circle", "dot")
    frame = Frame()
    assert float(large.get("cx") or 0) == pytest.approx(frame.px(0.8), abs=0.01)
    assert float(large.get("cy") or 0) == pytest.approx(frame.py(0.8), abs=0.01)
    assert float(large.get("r") or 0) > float(small.get("r") or 0)
    assert "5 answers say 0.80, 0.80 come true" in drawing


def test_bars_are_as_high_as_their_share() -> None:
    drawing = accuracy_bars(
        "B", "layer", [("a", {"15": (3, 4), "30": (1, 4)}), ("b", {"30": (4, 4)})]
    )
    heights = [float(one.get("height") or 0) for one in shapes(drawing, "rect", "bar")]
    full = Frame().py(0) - Frame().py(1)
    assert heights == pytest.approx([0.75 * full, 0.25 * full, full], abs=0.02)


def test_times_are_in_decades() -> None:
    frame = Frame(x=(1.0, 100.0), log_x=True)
    assert frame.px(10.0) == pytest.approx((frame.px(1.0) + frame.px(100.0)) / 2)
    drawing = latency_chart("T", [("a", [("s noul", 0.02, 0.5)])])
    assert "20 ms, 0.50 right" in drawing and ">10<" in drawing and ">100<" in drawing


def test_confusion_is_by_right_answer_and_needs_one_number_of_options() -> None:
    said_no = prediction(0, (0.3, 0.7), (1.0, 0.0), kind="noul")
    shown = confusion_table("C", [said_no, prediction(1, (0.8, 0.2), (1.0, 0.0), kind="noul")])
    assert shown is not None
    cells = [one.text for one in ET.fromstring(shown).iter("td")]
    assert cells == ["1", "1", "0", "0"]
    assert confusion_table("C", [said_no, prediction(1, (1.0, 0, 0), (1.0, 0, 0))]) is None
    wide = tuple(float(n == 0) for n in range(13))
    assert confusion_table("C", [prediction(0, wide, wide)]) is None
