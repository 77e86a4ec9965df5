# make help lists what there is. Every target does its own set-up, in a virtual environment that is made once.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

# The first Python that is new enough.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
SITE ?=
DATA ?= ../shared/data/wcxb
LIMIT ?= 100
SECONDS_OF_FUZZ ?= 60

# What an installation is made of besides Python sources, which are used in place.
BUILT_FROM := pyproject.toml $(wildcard setup.py src/tamis/native/*.c src/tamis/native/*.h)
# Twice quiet: errors are shown, warnings about indexes are not.
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input install

.PHONY: help demo serve test lint type docs unit explore fuzz fuzz-coverage bench clean

help: ## What there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  PYTHON=$(PYTHON) VENV=$(VENV)"

demo: $(VENV)/.installed ## Clean a made-up site, or SITE=folder-or-URL, and show what was kept and dropped
	@$(BIN)/python -m demo show $(if $(SITE),"$(SITE)")

serve: $(VENV)/.installed ## Serve the made-up site on 127.0.0.1
	@$(BIN)/python -m demo serve

test: lint type docs unit ## All checks: lint, type, docs, unit (what CI runs)

lint: $(VENV)/.developing ## Style of the code, and its format
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

type: $(VENV)/.developing ## Types, strictly
	@$(BIN)/mypy

docs: $(VENV)/.developing ## The documentation in docs/_build/html; warnings are errors
	@if [ -f docs/conf.py ]; then $(BIN)/sphinx-build --quiet -W --keep-going -b html docs docs/_build/html; \
	else echo "no docs/conf.py: nothing to build"; fi

unit: $(VENV)/.developing ## Tests and doctests
	@$(BIN)/python -m pytest -n 2

explore: $(VENV)/.developing ## The tests with examples drawn anew
	@HYPOTHESIS_PROFILE=explore $(BIN)/python -m pytest -n 2

fuzz: $(VENV)/.developing ## Feed damaged pages to tamis for SECONDS_OF_FUZZ
	@$(BIN)/python scripts/fuzz.py --seconds $(SECONDS_OF_FUZZ)

fuzz-coverage: $(VENV)/.developing ## The same, guided by coverage (atheris)
	@$(PIP) --editable '.[fuzz]'
	@$(BIN)/python scripts/fuzz_coverage.py -max_total_time=$(SECONDS_OF_FUZZ) -max_len=4096 -timeout=20 .cache/fuzz

bench: $(VENV)/.developing ## Main text against other tools on DATA, at most LIMIT pages of each set
	@test -e "$(DATA)" || { echo "no pages with gold in $(DATA): make bench DATA=folder" >&2; exit 2; }
	@$(BIN)/python -m benchmarks content "$(DATA)" --limit $(LIMIT)

clean: ## Remove what was made, but for the virtual environment
	@rm -rf build dist out docs/_build .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks training demo scripts docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "tamis needs Python 3.11 or newer: install one, or name it: make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 2; }
	@echo "setting up $(VENV) ..."
	@$(PYTHON) -m venv "$(VENV)"

$(VENV)/.installed: $(BUILT_FROM) | $(BIN)/python
	@$(PIP) --editable '.[corpus,server]'
	@touch $@

$(VENV)/.developing: $(BUILT_FROM) | $(BIN)/python
	@echo "installing what tests, benches and docs need ..."
	@$(PIP) --upgrade 'pip>=24.1'  # older ones fail on extras written in two ways
	@$(PIP) --editable '.[dev,bench,docs]'
	@touch $@ $(VENV)/.installed
