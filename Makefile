# The only commands of the project: people, CI and pre-commit call the same ones.
ifeq ($(OS),Windows_NT)
PYTHON ?= python
SCRIPTS := Scripts
else
PYTHON ?= python3
SCRIPTS := bin
endif
VENV := .venv
BIN := $(VENV)/$(SCRIPTS)
READY := $(VENV)/.ready
LOWEST := .venv-lowest
# Material prints an advertisement for its successor otherwise.
export NO_MKDOCS_2_WARNING := 1
# Tests that need nothing but the base install, numba, pyarrow, scikit-learn and matplotlib.
CORE_TESTS := $(addprefix tests/,bounds statistics weighting files sklearn evaluation pages recipes) $(wildcard tests/test_*.py)

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format long attack assumptions validity bench docs results dist lowest clean

help:  ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "%-10s%s\n", $$1, $$2}'

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

setup: $(READY)  ## make .venv with everything that is tested

demo: $(READY)  ## the main job end to end, on data that comes with the install
	$(BIN)/comitia demo

test: $(READY)  ## all tests but the long ones and those of the documents (make docs)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --ignore tests/docs

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

attack: $(READY)  ## half an hour of harmed inputs, forged ensembles, full disks and kills, on two processors
	PYTHONPATH=tests $(BIN)/python -m attack

assumptions: $(READY)  ## simulate broken assumptions, for the page "What can go wrong"
	$(BIN)/python docs/broken_assumptions.py

validity: $(READY)  ## simulate 100,000 problems, for the page "Do the promises hold?"
	PYTHONPATH=tests $(BIN)/python -m long.whole

bench: $(READY)  ## speed and memory, as ratios from one run
	$(BIN)/python -m bench

docs: $(READY)  ## build the site into site/, check its links, run the examples of all pages
	$(BIN)/mkdocs build --strict
	$(BIN)/python -m pytest -n 2 --dist worksteal tests/docs

results: $(READY)  ## write the pages of results from their records
	$(BIN)/python docs/results_pages.py

dist: $(READY)  ## build wheel and source distribution into dist/, and try the wheel in an empty environment
	rm -rf dist build
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m pytest -m slow tests/test_base_install.py

# The two warnings are those of an oracle with scipy's old SLSQP, and of old scikit-learn with new pytest.
lowest:  ## the core's tests with the lowest versions that pyproject.toml allows (Python 3.11)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/$(SCRIPTS)/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt \
		-e '.[fast,parquet,sklearn,report,test]'
	$(LOWEST)/$(SCRIPTS)/python -m pytest -n 2 -m "not slow" $(CORE_TESTS) --ignore-glob 'tests/files/test_remote*.py' \
		-W "ignore:Values in x were outside bounds:RuntimeWarning" -W ignore::pytest.PytestRemovedIn10Warning

clean:  ## remove what the commands above made
	rm -rf $(VENV) $(LOWEST) demo artefacts site dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
