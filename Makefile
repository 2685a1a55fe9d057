# Every target works as the first command in a fresh checkout: the first one makes the environment.

VENV ?= .venv
PYTHON ?=
PYTEST_ARGS ?=
ARGS ?=

BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
# Runs of a test suite on more than a few processes gain little and fight over the same disk.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadgroup

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test containers lint types coverage bench package docs golden lock clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): requirements-dev.txt pyproject.toml generator/__init__.py
	@PYTHON="$(PYTHON)" GOALS="$(filter-out $@,$(MAKECMDGOALS))" sh tools/bootstrap.sh
	@# Without the marker it was never whole: its interpreter may be the wrong one, its packages half installed.
	@[ -e $@ ] && $(BIN)/python -m pip --version >/dev/null 2>&1 || { \
	    python="$(PYTHON)"; \
	    [ -n "$$python" ] || python=$$(sh tools/find-python.sh | sed -n '1s/^[^ ]* //p'); \
	    echo "making $(VENV) with $$python; this first time takes about a minute" >&2; \
	    "$$python" -m venv --clear $(VENV); }
	@$(PIP) install --require-hashes -r requirements-dev.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY) ## Show two bundled scenarios from start to verdict
	@$(BIN)/harborsmith demo

test: $(READY) ## Run all tests
	@$(PYTEST) $(PYTEST_ARGS)

containers: $(READY) ## Run Harbor trials in containers, with an engine of our own (needs root)
	@HARBORSMITH_REQUIRE_HARBOR=1 $(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS) tests/harbor

lint: $(READY) ## Check style of Python and shell
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	git ls-files -z --cached --others --exclude-standard -- '*.sh' .ci/run \
	    ':!tests/adversaries' ':!tests/cases' ':!tests/harbor/agents' | xargs -0 $(BIN)/shellcheck

types: $(READY) ## Check types
	$(BIN)/python -m mypy

coverage: $(READY) ## Run all tests and refuse when too few lines and branches ran
	@$(PYTEST) --cov --cov-report=term $(PYTEST_ARGS)

bench: $(READY) ## Measure against others, and rewrite docs/performance.md (ARGS=--help)
	@$(BIN)/python -m benchmarks $(ARGS)

package: $(READY) ## Build wheel and sdist into dist/ and check what they hold
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	$(BIN)/python tools/check_dist.py dist

docs: $(READY) ## Build the documentation into site/, refusing links that lead nowhere
	@$(BIN)/mkdocs build

golden: $(READY) ## Rewrite the expected outputs in tests/golden (review the diff)
	@$(PYTEST) --refresh-golden

lock: ## Pin all dependencies anew (needs uv)
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --custom-compile-command 'make lock' --quiet --output-file requirements-dev.txt

clean: ## Remove everything that the other targets made
	rm -rf .venv .venv-* dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
