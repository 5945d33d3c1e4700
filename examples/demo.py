"""Decide every ticket of tickets.jsonl. Usage: python demo.py [MODEL]"""

import json
import sys
from pathlib import Path

import steelyard
from steelyard.cli.questions import read_questions
from steelyard.cli.render import print_response

HERE = Path(__file__).parent

questions = read_questions(HERE / "tickets.questions.yaml").questions
engine = steelyard.load(sys.argv[1] if len(sys.argv) > 1 else "mini")
for warning in engine.warnings:
    print(f"warning: {warning}", file=sys.stderr)
with (HERE / "tickets.jsonl").open(encoding="utf-8") as lines:
    for line in lines:
        ticket = json.loads(line)
        print(f"=== {ticket['id']} ===\n{ticket['state']}\n")
        print_response(engine.decide(ticket["state"], questions), digits=2)
        print()
