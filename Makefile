# The only commands of the project: people, CI and pre-commit call the same ones.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format long bench docs clean

help:  ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

setup: $(READY)  ## make .venv with everything that is tested

demo: $(READY)  ## the main job end to end, on data that comes with the install
	$(BIN)/comitia demo

test: $(READY)  ## all tests but the long ones
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

check: $(READY)  ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY)  ## put the code into shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

long: $(READY)  ## statistical tests of every certificate, and full-size networks
	$(BIN)/python -m pytest -n 2 tests/long
	$(BIN)/python -m pytest -m slow

bench: $(READY)  ## speed and memory, as ratios from one run
	$(BIN)/python -m bench

docs: $(READY)  ## run the examples of the documents
	$(BIN)/python -m pytest -n 2 tests/docs

clean:  ## remove what the commands above made
	rm -rf $(VENV) demo artefacts .pytest_cache .mypy_cache .ruff_cache .hypothesis
