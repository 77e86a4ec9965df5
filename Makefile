# `make help` lists the targets. Each does its own set-up: missing system packages (with apt-get), a virtual environment, packages.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.DELETE_ON_ERROR:

# The first Python that is new enough.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
SITE ?=
DATA ?= ../shared/data/wcxb
LIMIT ?= 100
PAPERS ?=
SECONDS_OF_FUZZ ?= 60
MOMENTS ?= 10
# py3langid and mcp want later versions of what others allow, and stay out.
LOWEST := lxml parquet pandas dedup crawl corpus
LOWEST_TESTS := tests/page tests/content tests/site/test_model.py tests/records tests/duplicates tests/io/test_warc.py tests/io/test_fetch.py \
	tests/cli/test_extract.py tests/cli/test_clean.py tests/corpus/test_shards.py tests/corpus/test_bad_input.py tests/crawl/test_crawl.py
comma := ,
space := $(subst ,, )
GATE ?= ../shared/data
EXPLAIN ?=
GOLD ?= ../shared/data/wcxb $(addprefix ../shared/data/articles/,dragnet l3s cleaneval readability) ../shared/data/sites
OUTPUT ?= out/node_model.npz

# What an installation is built from. Python sources are used in place.
BUILT_FROM := pyproject.toml setup.py $(wildcard src/tamis/native/*.c src/tamis/native/*.h)
# -qq shows errors, but no warnings about indexes. What is imported is compiled then: a tenth of what is installed.
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input install --no-compile

.PHONY: help demo serve test lint type docs unit gate explore fuzz fuzz-coverage interrupt hostile-pages lowest sanitize walk-releases bench papers train dist clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  PYTHON=$(PYTHON) VENV=$(VENV)"

demo: $(VENV)/.installed ## Clean the demo site, or SITE=folder-or-URL, and show what tamis keeps and drops
	@$(BIN)/python -m demo show $(if $(SITE),"$(SITE)")

serve: $(VENV)/.installed ## Serve the demo site on 127.0.0.1
	@$(BIN)/python -m demo serve

test: $(VENV)/.developing ## Run all checks: lint, type, docs, dist three at a time, the gate where its data is, then unit (CI runs this)
	@$(MAKE) --no-print-directory SIDE_BY_SIDE=1 -j 3 $(if $(filter output-sync,$(.FEATURES)),-O) lint type docs dist
	@if test -e "$(GATE)/wcxb/gold.jsonl.gz"; then $(MAKE) --no-print-directory gate; else echo "the gate is skipped: no pages with gold in $(GATE)"; fi
	@$(MAKE) --no-print-directory unit

lint: $(VENV)/.developing ## Check style and format
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

type: $(VENV)/.developing ## Check types (mypy strict)
	@$(BIN)/mypy

docs: $(VENV)/.documenting ## Build the documentation in docs/_build/html; warnings are errors
	@$(BIN)/sphinx-build --quiet -W --keep-going -j 2 -b html docs docs/_build/html

# Many of the slow tests wait: for a clock, a browser, a server, a cluster. So there are more processes than most machines have processors.
unit: $(VENV)/.developing ## Run tests and doctests
	@$(BIN)/python -m pytest -n 4 --dist worksteal

gate: $(VENV)/.developing ## Score whole documents out of fold against pinned scores; EXPLAIN=LINE lists the pages of a line that changed
	@$(BIN)/python -m benchmarks gate "$(GATE)" $(if $(EXPLAIN),--explain "$(EXPLAIN)")

explore: $(VENV)/.developing ## Run the tests with new random examples
	@HYPOTHESIS_PROFILE=explore $(BIN)/python -m pytest -n 4 --dist worksteal

fuzz: $(VENV)/.developing ## Feed damaged pages, repeated patterns, damaged files and corpora to tamis, each for SECONDS_OF_FUZZ
	@for what in pages patterns files corpus; do $(BIN)/python -m tests.attack.fuzz $$what --seconds $(SECONDS_OF_FUZZ); done

interrupt: $(VENV)/.developing ## Kill long commands at MOMENTS random moments, fill the disk under them, and compare the rows
	@for how in kill full readonly; do $(BIN)/python -m tests.attack.interruptions $$how --moments $(MOMENTS); done

hostile-pages: $(VENV)/.developing ## Measure what hostile pages cost, and write docs/reference/hostile-pages.md (an hour)
	@$(BIN)/python -m tests.attack.hostile_table --write

lowest: | $(BIN)/python ## Test with the lowest versions of dependencies that pyproject.toml allows, in .cache/lowest
	@$(PYTHON) -m venv .cache/lowest
	@$(PYTHON) scripts/lowest.py $(LOWEST) > .cache/lowest/constraints.txt
	@.cache/lowest/bin/python -m pip -qq --no-input install '.[$(subst $(space),$(comma),$(LOWEST))]' pytest hypothesis httpx \
		-c .cache/lowest/constraints.txt
	@.cache/lowest/bin/python -m pytest -m 'not slow' -W ignore::DeprecationWarning -p no:cacheprovider $(LOWEST_TESTS)

sanitize: $(VENV)/.developing ## Run the C modules under AddressSanitizer and UBSan, over tests and mutated pages
	@PATH="$(abspath $(BIN)):$$PATH" scripts/sanitize $(SECONDS_OF_FUZZ)

walk-releases: $(VENV)/.developing ## Test the compiled walk against several releases of selectolax
	@$(BIN)/python scripts/walk_releases.py

fuzz-coverage: $(VENV)/.developing ## Fuzz guided by coverage (atheris)
	@$(PIP) --editable '.[fuzz]'
	@$(BIN)/python -m tests.attack.fuzz_coverage -max_total_time=$(SECONDS_OF_FUZZ) -max_len=4096 -timeout=20 .cache/fuzz

bench: $(VENV)/.developing ## Compare main text with other tools on the pages in DATA, at most LIMIT pages of each set
	@test -e "$(DATA)" || { echo "no pages with gold in $(DATA): make bench DATA=folder" >&2; exit 2; }
	@$(BIN)/python -m benchmarks content "$(DATA)" --limit $(LIMIT)

papers: $(VENV)/.developing ## Repeat the experiments of the five papers on the demo site, or on PAPERS=folder with gold
	@test -n "$(PAPERS)" || $(BIN)/python -m demo write out/papers/site --overwrite
	@$(BIN)/python -m benchmarks papers "$(if $(PAPERS),$(PAPERS),out/papers/site.gold)"

train: $(VENV)/.developing ## Train the node model on the sets in GOLD, and write OUTPUT
	@$(PIP) --editable '.[train]'
	@$(BIN)/python -m training $(GOLD) -o "$(OUTPUT)"

dist: $(VENV)/.developing ## Build sdist and wheel, check them, install the wheel into an empty environment, and clean one page
	@PATH="$(abspath $(BIN)):$$PATH" scripts/check-dist

clean: ## Remove what the other targets made, except the virtual environment
	@rm -rf build dist out docs/_build .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks training demo scripts docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python:
	@PYTHON="$(PYTHON)" scripts/setup-system
	@test -n "$(PYTHON)" || { echo "tamis needs Python 3.11 or newer: install one, or name it: make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 2; }
	@echo "setting up $(VENV) ..."
	@$(PYTHON) -m venv "$(VENV)"

$(VENV)/.installed: $(BUILT_FROM) | $(BIN)/python
	@$(PIP) --editable '.[corpus,server]'
	@touch $@

# What Sphinx and the modules that it imports need; a part of what tests need.
$(VENV)/.documenting: $(BUILT_FROM) | $(BIN)/python
	@test "$(VENV)/.developing" -nt pyproject.toml || $(PIP) --editable '.[docs,corpus,server]'
	@touch $@

$(VENV)/.developing: $(BUILT_FROM) | $(BIN)/python
	@PYTHON="$(PYTHON)" scripts/setup-system test & system=$$!; \
	echo "installing what the tests, benchmarks and docs need ..."; \
	$(PIP) --upgrade 'pip>=24.1'; \
	$(PIP) --editable '.[dev,bench,docs]'; \
	wait $$system
	@touch $@ $(VENV)/.installed
