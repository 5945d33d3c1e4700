# What a user or contributor runs. The environment is built when it is missing or pyproject.toml
# has changed, and not otherwise.

PYTHON3 ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The tests and the demo need no hub; code that asks it all the same should fail at once.
export HF_HUB_OFFLINE := 1

.PHONY: help venv demo test lint format check conformance fuzz mini clean

help:
	@echo 'make venv    build $(VENV) with everything a contributor needs'
	@echo 'make demo    fetch the model mini and decide real support tickets'
	@echo 'make test    run the tests (no model, no GPU, no download)'
	@echo 'make format  bring the code into its form'
	@echo 'make check   form, lint, types and tests: what a change must pass'
	@echo 'make conformance  put the server with mini through the suites and clients of others'
	@echo 'make fuzz    ask a server what nobody should, 20,000 times: some minutes'
	@echo 'make mini    train the model that the package carries, from the corpora in DATA: hours'
	@echo 'make clean   remove $(VENV) and caches'

venv: $(VENV)/.developer

# torch comes first and pinned. Left to the next line, pip would take the newest release there is,
# which on Linux brings several gigabytes of CUDA; of this one it takes the CPU build where one is
# on offer. Whoever has a GPU installs the torch that fits it and then `pip install -e '.[torch]'`
$(VENV)/.user: pyproject.toml
	@echo 'Building $(VENV); torch is most of it (1 GB, several with CUDA) and takes a few minutes.'
	$(PYTHON3) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet -e '.[torch]'
	@touch $@

$(VENV)/.developer: $(VENV)/.user
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@

demo: $(VENV)/.user
	$(BIN)/steelyard pull mini
	PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/demo.sh

test: $(VENV)/.developer
	$(BIN)/python -m pytest

lint: $(VENV)/.developer
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.developer
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

check: lint test

# Half an hour or more, most of it JevBench. It leaves a record in benchmarks/records.
conformance: $(VENV)/.developer
	$(BIN)/steelyard pull mini
	$(BIN)/python -m pytest -m model tests/conformance
	$(BIN)/python -m benchmarks.conformance

fuzz: $(VENV)/.developer
	$(BIN)/python -m benchmarks.fuzz --allow-dirty
	$(BIN)/python -m benchmarks.schema --allow-dirty

# DATA is a folder with train/ and eval/, see docs/data.md. Killed, the same command goes on.
mini: $(VENV)/.developer
	test -n "$(DATA)" || { echo 'say where the corpora are: make mini DATA=FOLDER'; exit 2; }
	test -d build/data || $(BIN)/steelyard data build $(DATA)/train -o build/data \
	    --seed 1 --eval $(DATA)/eval --cap 12000
	$(BIN)/steelyard train recipes/mini.toml -o build/mini --resume
	rm -rf build/mini-model
	$(BIN)/steelyard export recipes/mini.toml build/mini -o build/mini-model --name mini
	$(BIN)/python -m benchmarks.model_card recipes/mini_card.md --build build/data \
	    --recipe recipes/mini.toml --run build/mini --model build/mini-model
	rm -rf src/steelyard/models/trained/mini
	mkdir -p src/steelyard/models/trained
	mv build/mini-model src/steelyard/models/trained/mini

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
