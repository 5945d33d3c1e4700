"""A run, and its two reports."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.deciders import Faultless, Narrow
from support.full_disk import full_disk

from steelyard.errors import OutputError, RequestError, UnavailableError
from steelyard.probe import write
from steelyard.probe.document import SCHEMA, document
from steelyard.probe.experiment import Setting
from steelyard.probe.experiments.registry import EXPERIMENTS, chosen
from steelyard.probe.own import read_own
from steelyard.probe.page import number, page
from steelyard.probe.run import probe
from steelyard.probe.write import check_free, write_report

NAMES = ["option-count", "noise", "tokens"]
QUICK = Setting(quick=True)


class Named(Narrow):
    name = "<script>alert('x')</script> & co"


def test_the_same_seed_asks_the_same_in_the_same_order():
    def asked(seed: int) -> list[object]:
        decider = Faultless()
        run = probe(decider, chosen(["isolation", "option-count"]), Setting(seed=seed, quick=True))
        return [decider.asked, document(run)["experiments"]]

    assert asked(0) == asked(0)
    assert asked(0)[0] != asked(1)[0]


def test_the_document_is_json_and_complete():
    run = probe(Named(), chosen(NAMES), QUICK)
    body = json.loads(json.dumps(document(run), allow_nan=False))
    assert body["schema"] == SCHEMA == "steelyard.probe/1"
    assert [one["name"] for one in body["experiments"]] == ["noise", "option-count", "tokens"]
    for experiment in body["experiments"]:
        for finding in experiment["findings"]:
            assert finding["null"] and finding["because"] and finding["measure"]
            assert finding["verdict"] in (
                "holds", "does not hold", "not shown", "not supported by this server",
            )  # fmt: skip
        for table in experiment["tables"]:
            assert {len(row) for row in table["rows"]} <= {len(table["columns"])}
    [refusal] = body["experiments"][1]["refusals"]
    assert refusal == {
        "message": "too_many_options: criteria: at most 26 <options>", "requests": 9
    }  # fmt: skip


class Balanced(HTMLParser):
    """Collects text and attributes, and asserts that every element is closed."""

    VOID = ("meta", "line", "rect", "circle")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.addresses: list[str | None] = []

    def handle_starttag(self, tag, attrs):
        self.addresses += [value for name, value in attrs if name in ("href", "src", "data")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_page_escapes_all_text_and_loads_nothing():
    text = page(probe(Named(), chosen(NAMES), QUICK))
    read = Balanced()
    read.feed(text)
    assert read.open == [] and "<script" not in text and "url(" not in text
    assert all(address.startswith("#") for address in read.addresses)
    assert Named.name in read.text and "at most 26 <options>" in read.text
    for name in NAMES:
        assert all(one.null in read.text for one in _findings(name))


def _findings(name):
    [result] = probe(Faultless(), chosen([name]), QUICK).results
    return result.judgement.findings


def test_a_report_is_not_overwritten(tmp_path):
    folder = tmp_path / "a" / "b"
    check_free(folder)
    write_report(probe(Faultless(), chosen(["noise"]), QUICK), folder)
    assert sorted(one.name for one in folder.iterdir()) == ["probe.html", "probe.json"]
    with pytest.raises(OutputError, match="exists"):
        check_free(folder)


def test_a_full_disk_leaves_no_report_and_names_the_file(tmp_path, monkeypatch):
    run = probe(Faultless(), chosen(["noise"]), QUICK)
    with full_disk(10), pytest.raises(OutputError, match=f"{tmp_path}/probe.html: File too large"):
        write_report(run, tmp_path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(write, "page", lambda run: "short")  # so that the second file fails
    with full_disk(10), pytest.raises(OutputError, match=f"{tmp_path}/probe.json: File too large"):
        write_report(run, tmp_path)
    assert list(tmp_path.iterdir()) == []
    check_free(tmp_path)


def test_a_decider_that_answers_nothing_is_an_error_at_once():
    class Gone(Faultless):
        def decide(self, request):
            raise UnavailableError("no connection")

    with pytest.raises(UnavailableError):
        probe(Gone(), chosen([]), QUICK)


def test_experiments_are_chosen_by_name():
    assert [one.name for one in chosen(["tokens", "noise"])] == ["noise", "tokens"]
    assert len(chosen([])) == len(EXPERIMENTS) == 16
    with pytest.raises(RequestError, match="--only: 'nosie'; allowed: noise, "):
        chosen(["nosie"])


def test_every_experiment_says_what_it_asks():
    for name, experiment in EXPERIMENTS.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name) and experiment.asks.endswith("?")


def test_the_page_in_docs_names_every_experiment_and_its_example_is_read(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "probe.md").read_text(encoding="utf-8")
    table = text.split("## The experiments")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == set(EXPERIMENTS)
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)))
    assert [one.wordings for one in read_own(rows)] == [("Is it pressing?",)]


def test_progress_counts_to_the_end():
    seen = []
    probe(Faultless(), chosen(["noise"]), QUICK, on_request=lambda *at: seen.append(at))
    assert seen[0] == ("noise", 0, 8) and seen[-1] == ("", 8, 8)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.12345, "0.123"), (-0.5, "−0.500"), (0.0, "0"), (-1e-9, "0.000"), (12345.0, "12345")],
)
def test_numbers_are_short(value, text):
    assert number(value) == text
