#!/usr/bin/env bash
# Real tickets, decided one by one and as a file. Usage: demo.sh [MODEL]; the model must be here.
set -euo pipefail
cd "$(dirname "$0")"
model="${1:-mini}"
answers="$(mktemp -d)"
trap 'rm -rf "$answers"' EXIT

python demo.py "$model"

echo '=== The same as a table: steelyard score tickets.jsonl -q tickets.questions.yaml -o answers.csv ==='
steelyard score tickets.jsonl -q tickets.questions.yaml -o "$answers/answers.csv" --digits 2 --model "$model"
cut -d , -f 1,4,10,11,12 "$answers/answers.csv"
