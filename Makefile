# Each target is a few lines, and CI runs the same ones.
PYTHON ?= python3
PY := .venv/bin/python
UV := .tools/bin/uv
export UV_PYTHON_DOWNLOADS = never
# Compiling a module again in every process that is started costs seconds each time.
export PYTHONDONTWRITEBYTECODE =

.PHONY: up test test-fast check fmt migrate lock eval bench help

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

.stamps/tools: requirements/tools.txt
	@$(PYTHON) -c 'import sys; sys.exit("Earmark needs Python 3.11 or newer; run make PYTHON=/path/to/python3.11" if sys.version_info < (3, 11) else 0)'
	@mkdir -p .stamps
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/tools.txt
	@touch $@

.stamps/run: .stamps/tools requirements/run.txt pyproject.toml
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@# A machine set up for the tests keeps what it has: the development lock contains this one.
	@if [ -f .stamps/dev ]; then touch $@; else $(UV) pip sync --quiet --python $(PY) --require-hashes requirements/run.txt; fi
	$(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation --editable .
	@touch $@

.stamps/dev: .stamps/tools requirements/dev.txt pyproject.toml
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@# Compiled once: the tests start hundreds of processes, and the parsers among them may write nothing.
	$(UV) pip sync --quiet --python $(PY) --require-hashes --compile-bytecode requirements/dev.txt
	$(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation --editable .
	@touch $@ .stamps/run

up: .stamps/run ## run the product and print the address of the chat page
	@.venv/bin/earmark up

migrate: .stamps/run ## bring the database to this version
	@.venv/bin/earmark migrate

test: .stamps/dev ## all tests, one process per core and at most four
	$(PY) -m pytest -n logical --maxprocesses 4 --dist worksteal

test-fast: .stamps/dev ## the tests without real speech, browser or killed processes
	$(PY) -m pytest -m "not slow and not browser" tests/domain tests/stages tests/contract tests/architecture tests/storage tests/bot tests/graphs

check: .stamps/dev ## format, lint, types, import contracts
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	.venv/bin/lint-imports

fmt: .stamps/dev ## format and fix
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

eval: .stamps/dev ## figures that gate a change
	$(PY) -m eval

bench: .stamps/dev ## speed and memory, as ratios in one run
	$(PY) -m eval.bench

lock: .stamps/tools ## resolve the requirements anew
	$(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate requirements/run.in -o requirements/run.txt
	$(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate requirements/dev.in -c requirements/run.txt -o requirements/dev.txt
	$(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate requirements/tools.in -o requirements/tools.txt
